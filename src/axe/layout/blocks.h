#pragma once

// The shard list as one block of iters for each extent of a shape: grouping without a layout.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/result.h"

namespace heddle::axe {

/// Block j are the iters from seps[j] up to seps[j + 1].
struct Blocks {
  std::vector<Iter> iters;
  std::vector<std::size_t> seps;

  [[nodiscard]] std::span<const Iter> operator[](std::size_t j) const {
    return std::span<const Iter>(iters).subspan(seps[j], seps[j + 1] - seps[j]);
  }
};

/// The blocks with the fewest iters, for a layout in normal form and a shape that it admits; an
/// extent of 1 has a unit iter. Refuses `axe.no_grouping` and `assume.needed`, with the operation
/// named by `call`. Cost: linear.
[[nodiscard]] Result<Blocks> cut_into_blocks(const Layout& canonical, std::span<const Int> shape,
                                             const std::function<std::string()>& call);

}  // namespace heddle::axe
