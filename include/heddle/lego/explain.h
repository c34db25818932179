#pragma once

// How LEGO layouts are evaluated, step by step along their chain, with numbers:
//
//   explain_apply(GroupBy([6,4]).OrderBy(Col(6,4)), (4,1))
//     the view 6 x 4   4*4+1 = 17
//     Col(6,4)         17 is [4,1] in 6 x 4, stored as [1,4] in 4 x 6: 1*6+4 = 10

#include <span>
#include <string>

#include "heddle/core/explanation.h"
#include "heddle/core/result.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// Shows the flat index of a point of the view after each OrderBy. Refuses as Layout::apply().
/// Cost: that of apply() twice.
[[nodiscard]] Result<Explanation> explain_apply(const Layout& layout, std::span<const Int> point);

/// Shows the inverse of each OrderBy, the last one first. Refuses as Layout::inv(). Cost: that of
/// inv() twice.
[[nodiscard]] Result<Explanation> explain_inv(const Layout& layout, const Int& position);

/// Describes a layout in whole sentences: its view, the dimensions that each OrderBy reorders, the
/// points that ExpandBy leaves out, and how it is known that it is a bijection.
[[nodiscard]] std::string description(const Layout& layout);

}  // namespace heddle::lego
#pragma GCC visibility pop
