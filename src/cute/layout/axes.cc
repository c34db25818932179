#include "cute/layout/axes.h"

#include <algorithm>
#include <utility>

namespace heddle::cute {
namespace {

/// All bases in `values` share their first `level` steps.
IntTuple assemble(const AxisValues& values, std::size_t level) {
  if (values.empty()) return Int(0);
  if (values.begin()->first.length() == level) return values.begin()->second;
  const std::size_t rank = values.rbegin()->first[level] + 1;
  std::vector<IntTuple> modes;
  auto next = values.begin();
  for (std::size_t i = 0; i < rank; ++i) {
    AxisValues mode;
    for (; next != values.end() && next->first[level] == i; ++next) mode.insert(*next);
    modes.push_back(assemble(mode, level + 1));
  }
  return IntTuple::of(modes);
}

}  // namespace

std::vector<Basis> distinct_bases(std::span<const Stride> strides) {
  std::vector<Basis> bases;
  for (const Stride& stride : strides) {
    if (!stride.is_zero()) bases.push_back(stride.basis());
  }
  std::ranges::sort(bases);
  const auto repeated = std::ranges::unique(bases);
  bases.erase(repeated.begin(), repeated.end());
  return bases;
}

IntTuple assemble_coordinate(const AxisValues& values) { return assemble(values, 0); }

Result<Layout> along_axis(const Layout& layout, const Basis& axis) {
  Layout::Strides strides;
  for (const Stride& stride : layout.strides()) {
    strides.push_back(stride.basis() == axis ? Stride(stride.scale()) : Stride(0));
  }
  return Layout::make(Profile(layout.profile()),
                      Layout::Extents(layout.extents().begin(), layout.extents().end()),
                      std::move(strides));
}

}  // namespace heddle::cute
