#pragma once

// Layouts of any system as values of the expression language, and what may be given for one.

#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/convert.h"
#include "heddle/notation/operations.h"

namespace heddle::notation {

/// A layout of any system, as the alternative of Value that map::AnyLayout has too: a tuple as that
/// shape, a swizzle as the layout of the addresses that it permutes, a list of numbers as a table,
/// a text in isl's syntax as a relation. A tensor over a mesh stays one, for its shape. Nothing for
/// other values.
[[nodiscard]] Result<std::optional<Value>> as_any_layout(const Value& value,
                                                         const CallContext& context = {});

/// A layout with the shape that it brings with it: that of a tensor over a mesh.
struct BoxedLayout {
  map::AnyLayout layout;
  std::optional<std::vector<Int>> shape;
};

/// The layout that a value of as_any_layout() is; nothing for other values.
[[nodiscard]] std::optional<BoxedLayout> boxed_layout(const Value& value);

/// How a layout is converted: read as is said, on the shape that is given or that it brings with
/// it.
[[nodiscard]] map::ConvertOptions convert_options(const BoxedLayout& boxed,
                                                  std::optional<map::Reading> as,
                                                  const std::optional<std::vector<Int>>& shape,
                                                  const CallContext& context);

/// What to write for a value that has layouts but is none; empty for others.
[[nodiscard]] std::string layout_hint(const Value& value);

/// Whose words a layout is in: CuTe for thread-value layouts too; nothing for other values, tuples
/// and lists among them.
[[nodiscard]] std::optional<map::System> system_of(const Value& value);
/// A list, which beside a layout is a table: `[0,2,1]`, which alone is read as a tiler too.
[[nodiscard]] bool is_list(const Value& value);
/// Layouts of different systems, or one of them a relation or a table.
[[nodiscard]] bool are_compared_as_any_layouts(const Value& a, const Value& b);

}  // namespace heddle::notation
