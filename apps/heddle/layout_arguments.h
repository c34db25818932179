#pragma once

// Layouts of any system as commands read them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/convert.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// What an argument says: the contents of a file of that name, standard input for `-`, else itself.
/// Refuses `file.unreadable`, for a name in .npy or .json that is no file too.
[[nodiscard]] Result<std::string> argument_text(const std::string& argument);

/// What a text denotes: a table, the text of a relation, an expression's value. Refuses what
/// reading and evaluating it do.
[[nodiscard]] Result<notation::Value> value_of(const std::string& text,
                                               const notation::Environment& environment);

/// What an argument denotes, which may name a file. Refuses what argument_text() and value_of() do.
[[nodiscard]] Result<notation::Value> value_in(const std::string& argument,
                                               const notation::Environment& environment);

/// The reading of `--as`, the shape of `--shape`, nothing where they are not given. Refuse
/// `convert.reading`, `usage.option`.
[[nodiscard]] Result<std::optional<map::Reading>> reading_of(const std::string& text);
[[nodiscard]] Result<std::optional<std::vector<Int>>> box_of(const std::string& text);

}  // namespace heddle::app
