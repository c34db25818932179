#pragma once

// Variables of a program that hold what a placeholder stands for.
//
//   pid_m = {{ lpid_m }}         from here on `lpid_m` may be written `pid_m`,
//   a = a_ptr + {{ a_tile }}     if pid_m is nowhere else assigned, and is still in scope
//
// Templates are in any language, so this looks at words and brackets only, and says no wherever it
// is not sure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "heddle/emit/dialect.h"
#include "heddle/emit/template.h"

namespace heddle::notation {

/// The variable that placeholder `index` is assigned to: `NAME = {{ … }}` on a line of its own,
/// with a type before it and a `;` behind it where the language has them.
[[nodiscard]] std::optional<std::string> assigned_variable(
    std::span<const emit::TemplatePiece> pieces, std::size_t index);

/// The variable means the same at placeholder `use` as behind the assignment of placeholder
/// `assignment`: it comes later, in the same block or one within, and nothing else in the file
/// looks like an assignment to it.
[[nodiscard]] bool holds_at(std::span<const emit::TemplatePiece> pieces, std::size_t assignment,
                            std::size_t use, const std::string& variable, emit::Dialect dialect);

}  // namespace heddle::notation
