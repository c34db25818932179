#pragma once

// Layouts of any system as values of the expression language, and conversions to them.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/convert.h"
#include "heddle/notation/operations.h"

namespace heddle::notation {

/// The layout of an encoding on a tensor of this shape. Refuses what to_linear_layout() refuses,
/// and a symbolic shape.
[[nodiscard]] Result<Value> layout_of_encoding(const Value& encoding, std::span<const Int> shape);

/// The value as a layout that map::AnyLayout can hold: a tuple as that shape, a swizzle as the
/// layout of the addresses that it permutes, a list of numbers as a table, a text in isl's syntax
/// as a relation. A tensor over a mesh is kept for its shape. nullopt for other values.
[[nodiscard]] Result<std::optional<Value>> as_any_layout(const Value& value,
                                                         const CallContext& context = {});

/// A layout and, for a tensor over a mesh, its shape.
struct BoxedLayout {
  map::AnyLayout layout;
  std::optional<std::vector<Int>> shape;
};

/// The layout of a value from as_any_layout(); nullopt for other values.
[[nodiscard]] std::optional<BoxedLayout> boxed_layout(const Value& value);

/// The options of a conversion: the reading if given, and the given shape or the layout's own.
[[nodiscard]] map::ConvertOptions convert_options(const BoxedLayout& boxed,
                                                  std::optional<map::Reading> as,
                                                  const std::optional<std::vector<Int>>& shape,
                                                  const CallContext& context);

/// A hint for a value that contains layouts but is none; empty for others.
[[nodiscard]] std::string layout_hint(const Value& value);

/// The system of a layout, CuTe for thread-value layouts too; nullopt for other values, including
/// tuples and lists.
[[nodiscard]] std::optional<map::System> system_of(const Value& value);
/// Whether the value is a list: `[0,2,1]` is a table next to a layout, but may also be read as a
/// tiler.
[[nodiscard]] bool is_list(const Value& value);
/// Whether the layouts are of different systems, or one of them is a relation or a table.
[[nodiscard]] bool are_compared_as_any_layouts(const Value& a, const Value& b);

/// Whether the text begins as one of isl's does: `{ [i] …`, `[N] -> { …`; JSON objects instead
/// begin with a quote. A relation has an arrow within its braces, a set has none.
[[nodiscard]] bool looks_like_relation(std::string_view text);
[[nodiscard]] bool looks_like_set(std::string_view text);

}  // namespace heddle::notation
