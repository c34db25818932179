#pragma once

// Layouts of any system as Axe layouts of memory: from the coordinates of a shape to addresses.

#include <optional>
#include <string_view>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/map/any_layout.h"

namespace heddle::machine {

struct MemoryLayout {
  axe::Layout layout;
  std::vector<Int> shape;
};

/// The layout, by default of its own shape; `name` says in messages which one it is. Refuses
/// `machine.memory` for replicas and for other axes than m, and what map::convert() does.
[[nodiscard]] Result<MemoryLayout> memory_layout(std::string_view name,
                                                 const map::AnyLayout& layout,
                                                 const std::optional<std::vector<Int>>& shape);

/// The offset on axis m.
[[nodiscard]] Int memory_offset(const axe::Layout& layout);

}  // namespace heddle::machine
