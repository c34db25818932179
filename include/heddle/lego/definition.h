#pragma once

// The index of a LEGO layout by its definition (seed 001, figure 4): every link of the chain splits
// the flat index into all of its digits. Layout::apply() splits only stretches whose sizes differ,
// so that much of what ranges prove never arises; an explanation begins here.
//
//   GroupBy([6,4]).OrderBy(RegP([2,3,2,2],[1,3,2,4]))   at (i, j)
//
//   start   4*i+j
//   link    12*(p//12) + 6*(p//2%2) + 2*(p//4%3) + p%2     of any index p

#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

struct ChainDefinition {
  /// The flat index of the point in the logical view.
  Int start;
  /// The index after each OrderBy, as an expression in `variable`.
  std::vector<Int> links;
  std::string variable;
};

/// Refuses as the permutations do, and `call.type` for a layout with ExpandBy, whose index is not
/// one of the chain alone.
[[nodiscard]] Result<ChainDefinition> definition_at(const Layout& layout,
                                                    std::span<const Int> point);

}  // namespace heddle::lego
#pragma GCC visibility pop
