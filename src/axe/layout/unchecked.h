#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "heddle/axe/layout.h"

namespace heddle::axe {

/// Layouts made of the parts of others that were checked, where no size and no coordinate can have
/// grown: iters merged, split or put in another order.
struct Unchecked {
  [[nodiscard]] static Layout make(std::vector<Iter> shard, std::vector<Iter> replica,
                                   Coordinate offset, std::optional<Swizzle> swizzle) {
    Layout layout;
    if (!shard.empty()) layout.shard_ = std::move(shard);
    layout.replica_ = std::move(replica);
    layout.offset_ = std::move(offset);
    layout.swizzle_ = std::move(swizzle);
    return layout;
  }

  /// The layout with another shard list.
  [[nodiscard]] static Layout with_shard(Layout layout, std::vector<Iter> shard) {
    if (shard.empty()) shard.emplace_back();
    layout.shard_ = std::move(shard);
    return layout;
  }
};

}  // namespace heddle::axe
