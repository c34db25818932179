#include "kernel/wide_offsets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstddef>
#include <vector>

#include "heddle/expr/variables.h"
#include "heddle/form/index_map.h"
#include "heddle/map/any_layout.h"

namespace heddle::kernel {

namespace {

/// The offset of the last element, or of any element of a layout.
Result<Int> offset_of(const Tensor& parameter) {
  if (!parameter.layout) return form::product(parameter.shape) - 1;
  HEDDLE_TRY(map::View view, map::view(*parameter.layout));
  HEDDLE_TRY(view, map::reshaped(view, parameter.shape));
  std::vector<Int> point;
  for (std::size_t d = 0; d != parameter.shape.size(); ++d) {
    point.push_back(Int::variable(fmt::format("i{}", d), 0, range(parameter.shape[d] - 1).high));
  }
  const std::vector<Int> place = view.evaluate(point, 0);
  return place.size() == 1 ? place.front() : Int();
}

bool is_past(std::int64_t bound) { return kGreatestInt < bound && bound != Range::kNoHigh; }

}  // namespace

bool has_wide_offsets(const Tensor& parameter) {
  if (parameter.space == Space::kValue) return false;
  const auto offset = offset_of(parameter);
  if (!offset || !offset->is_defined()) return false;
  const Range offsets = range(*offset);
  return is_past(offsets.low) || is_past(offsets.high);
}

std::string bounds_for_wide_offsets(const Tensor& parameter,
                                    const std::vector<std::int64_t>& shape) {
  std::vector<std::string> bounds;
  for (std::size_t d = 0; d != shape.size(); ++d) {
    const Int& extent = parameter.shape[d];
    if (range(extent).high != Range::kNoHigh) continue;
    const auto bound = std::bit_ceil(static_cast<std::uint64_t>(shape[d]));
    bounds.push_back(fmt::format("{} <= {}", heddle::to_string(extent), bound));
  }
  if (bounds.empty()) return {};
  return fmt::format("assume {} before the launch, and offsets in {} have 64 bits",
                     fmt::join(bounds, ", "), parameter.name);
}

}  // namespace heddle::kernel
