#include "heddle/cute/recast.h"

#include <algorithm>
#include <map>

#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "cute/layout/width.h"
#include "expr/assume_needed.h"

namespace heddle::cute {
namespace {

/// Whether a mode runs backwards within elements of width n.
template <std::invocable Call>
Result<bool> runs_backwards(const Mode& mode, const Int& n, Call call) {
  const Int& scale = mode.stride.scale();
  if (!known_less(scale, 0)) return false;
  HEDDLE_TRY(const bool within, decide({-scale, Predicate::kLess, n}, call));
  if (!within) return false;
  return decide({1, Predicate::kLess, mode.extent}, call);
}

}  // namespace

Result<Layout> upcast(const Layout& layout, const Int& n) {
  const auto call = calling("upcast", layout, n);
  HEDDLE_CHECK(check_factor(n, call));
  auto modes = leaves(layout);
  std::map<Basis, Int> within;
  for (Mode& mode : modes) {
    if (mode.stride.is_zero()) continue;
    HEDDLE_CHECK(check_moves(mode, call));
    const Int scale = mode.stride.scale();
    HEDDLE_TRY(const bool aligned, either_divides(n, scale, call));
    if (!aligned) {
      return refuse("recast.divisibility",
                    "upcast({},{}): neither of the stride {} and {} divides the other, so elements "
                    "of mode {} would begin inside a wider element",
                    layout, n, mode.stride, n, mode);
    }
    HEDDLE_TRY(const bool backwards, runs_backwards(mode, n, call));
    if (backwards) {
      return refuse("recast.divisibility",
                    "upcast({},{}): mode {} runs backwards through the wider elements, so its "
                    "first element is not where one begins",
                    layout, n, mode);
    }
    const Int narrow = ceil_div(n, abs(scale));
    within[mode.stride.basis()] += (min(mode.extent, narrow) - 1) * abs(scale);
    mode.extent = ceil_div(mode.extent, narrow);
    mode.stride = Stride(sign(scale) * ceil_div(abs(scale), n), mode.stride.basis());
  }
  for (const auto& [basis, furthest] : within) {
    HEDDLE_TRY(const bool stays, decide({furthest, Predicate::kLess, n}, call));
    if (!stays) {
      return refuse("recast.overlap",
                    "{}: the modes that run within an element of {} together run {} past its "
                    "first, into the next one",
                    call(), n, furthest);
    }
  }
  return nest(layout.profile(), modes);
}

Result<Layout> downcast(const Layout& layout, const Int& n) {
  const auto call = calling("downcast", layout, n);
  HEDDLE_CHECK(check_factor(n, call));
  auto modes = leaves(layout);
  std::size_t adjacent_modes = 0;
  for (const Mode& mode : modes) {
    HEDDLE_TRY(const bool is_adjacent, decide({mode.stride.scale(), Predicate::kEqual, 1}, call));
    adjacent_modes += is_adjacent && mode.stride.basis().empty() ? 1 : 0;
  }
  // Among several modes with stride 1 the first one of more than one element grows.
  for (const Mode& mode : modes) {
    if (adjacent_modes > 1 && known_equal(mode.stride, Stride(1))) {
      HEDDLE_CHECK(decide({mode.extent, Predicate::kEqual, 1}, call));
    }
  }
  const auto adjacent = [](const Mode& mode) { return known_equal(mode.stride, Stride(1)); };
  auto grows = std::ranges::find_if(
      modes, [&](const Mode& mode) { return adjacent(mode) && !known_equal(mode.extent, 1); });
  if (grows == modes.end()) grows = std::ranges::find_if(modes, adjacent);
  if (grows == modes.end()) {
    return refuse(
        "recast.no_adjacent",
        "downcast({},{}): no mode has stride 1, so there is no place for the narrower elements",
        layout, n);
  }
  for (Mode& mode : modes) mode.stride = n * mode.stride;
  HEDDLE_TRY(grows->extent, check_defined(grows->extent * n, [&] {
               return fmt::format("the size of downcast({},{})", layout, n);
             }));
  grows->stride = 1;
  return nest(layout.profile(), modes);
}

Result<Layout> recast(const Layout& layout, const Int& old_bits, const Int& new_bits) {
  return change_width(layout, old_bits, new_bits);
}

}  // namespace heddle::cute
