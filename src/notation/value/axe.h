#pragma once

// Reads arguments of operations on Axe layouts from their several notations.

#include <optional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Whether the name may follow an @: letters, digits and _, no digit first, and no keyword.
[[nodiscard]] bool is_axis_name(std::string_view name);
/// Tuples and lists of integers as a tuple: `((0,8),(8,24))`, `[[0,8],[8,24]]`.
[[nodiscard]] std::optional<Value> as_tuple(const Value& value);
/// A flat tuple as a shape; an integer is a shape of one extent.
[[nodiscard]] std::optional<Value> as_shape(const Value& value);
/// A tuple of shapes.
[[nodiscard]] std::optional<Value> as_shapes(const Value& value);
/// The refusal without its place, which refers to a text within the text.
[[nodiscard]] Refusal without_place(Diagnostic diagnostic);
/// The mesh of a mesh, its text, the nested list of its devices, or a tensor over it. Refuses what
/// parse_mesh() refuses, without the place in the text.
[[nodiscard]] Result<std::optional<Value>> as_mesh(const Value& value);

}  // namespace heddle::notation
