#pragma once

// The arguments of operations on Axe layouts, read from the several ways in which they are written.

#include <optional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// What can stand behind an @: letters, digits and _, no digit first, and no word of the language.
[[nodiscard]] bool is_axis_name(std::string_view name);
/// Tuples and lists of integers are tuples: `((0,8),(8,24))`, `[[0,8],[8,24]]`.
[[nodiscard]] std::optional<Value> as_tuple(const Value& value);
/// A tuple that does not nest; an integer is a shape of one extent.
[[nodiscard]] std::optional<Value> as_shape(const Value& value);
/// A tuple of such.
[[nodiscard]] std::optional<Value> as_shapes(const Value& value);
/// The same refusal without its place, which is one in a text within the text.
[[nodiscard]] Refusal without_place(Diagnostic diagnostic);
/// A mesh, its text, or the nested list of its devices; of a
/// tensor over a mesh that. Refuses what parse_mesh() refuses, without
/// the place in the text.
[[nodiscard]] Result<std::optional<Value>> as_mesh(const Value& value);

}  // namespace heddle::notation
