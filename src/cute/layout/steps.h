#pragma once

// The modes of a layout in the order of their strides, for operations that read indices back.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>
#include <string_view>

#include "heddle/core/exact.h"
#include "heddle/cute/layout.h"

namespace heddle::cute {

/// A mode together with the flat coordinate of one step along it.
struct ModeStep {
  Int extent;
  Int stride;
  Int coordinate;
};

using Steps = InlineVector<ModeStep, kInlineLeaves>;

/// The modes of `layout` by ascending stride; extents of 1 are left out. Refuses, for `operation`,
/// `inverse.two_axes` and, if the order is not known, `assume.needed`.
[[nodiscard]] Result<Steps> steps_by_stride(std::string_view operation, const Layout& layout);

/// Numbers of modes.
using ModeNumbers = InlineVector<std::size_t, kInlineLeaves>;

/// The modes along which 0, 1, 2, … goes furthest: the first has stride 1, the stride of each next
/// one is extent times stride of the one before it. Of several such chains that reach equally far,
/// the one whose modes come first. The `count` modes are numbered by ascending stride. Cost: n log
/// n.
template <class StrideOf, class ExtentOf>
[[nodiscard]] ModeNumbers longest_chain(std::size_t count, StrideOf stride, ExtentOf extent) {
  struct Link {
    std::int64_t reach = 0;
    /// The best mode whose stride is the end of this one; `count` if there is none.
    std::size_t next = 0;
    /// The best mode with the stride of this one, at or after it.
    std::size_t best = 0;
  };
  InlineVector<Link, kInlineLeaves> links(count, Link());
  const auto best_with = [&](std::int64_t wanted, std::size_t from) {
    const auto numbers = std::views::iota(from, count);
    const auto found = std::ranges::lower_bound(numbers, wanted, {}, stride);
    return found != numbers.end() && stride(*found) == wanted ? links[*found].best : count;
  };
  for (std::size_t i = count; i-- > 0;) {
    const exact::Value covered = exact::multiply(stride(i), extent(i));
    const std::size_t next = covered ? best_with(*covered, i + 1) : count;
    const std::int64_t end = covered.value_or(std::numeric_limits<std::int64_t>::max());
    const bool tied = i + 1 < count && stride(i + 1) == stride(i);
    links[i] = {next < count ? links[next].reach : end, next, i};
    if (tied && links[links[i + 1].best].reach > links[i].reach) links[i].best = links[i + 1].best;
  }
  ModeNumbers chain;
  for (std::size_t i = best_with(1, 0); i < count; i = links[i].next) chain.push_back(i);
  return chain;
}

}  // namespace heddle::cute
