#pragma once

// The words of a program around a placeholder and within it.
//
//   tile[{{ L[threadIdx.x] }}]   `threadIdx.x` is a name like another, threadIdx_x until it is
//   printed
//
//   pid_m = {{ lpid_m }}         from here on `lpid_m` may be written `pid_m`,
//   a = a_ptr + {{ a_tile }}     if pid_m is nowhere else assigned, and is still in scope
//
// Templates are in any language, so this looks at words and brackets only, and says no wherever it
// is not sure.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "heddle/emit/dialect.h"
#include "heddle/emit/inline_text.h"
#include "heddle/emit/template.h"

namespace heddle::notation {

/// `threadIdx.x` and its like become names of the expression language, a `_` for every dot; the
/// spelling leads back. What begins with a known name, or is called, means something else.
[[nodiscard]] emit::Spelling take_members(
    std::string& text, const std::function<bool(const std::string& name)>& is_known);

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
