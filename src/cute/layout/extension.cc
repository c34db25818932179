#include "cute/layout/extension.h"

#include <algorithm>

#include "cute/layout/axes.h"
#include "cute/layout/format.h"

namespace heddle::cute {
namespace {

Modes without_end(const Layout& layout) {
  Modes modes = leaves(layout);
  if (modes.empty()) modes.push_back({1, 0});
  if (known_equal(modes.back().extent, 1)) modes.back().extent = 2;
  return join_neighbours(modes);
}

}  // namespace

Extension::Extension(const Layout& layout) : modes_(without_end(layout)) {
  if (layout.is_integral()) {
    bases_.emplace_back();
    return;
  }
  const std::vector<Basis> bases = distinct_bases(layout.strides());
  bases_.assign(bases.begin(), bases.end());
}

std::optional<Vector> Extension::evaluate(Int coordinate) const {
  InlineVector<Int, 4> sums(bases_.size(), Int(0));
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const bool last = i + 1 == modes_.size();
    const Int digit = last ? coordinate : mod(coordinate, modes_[i].extent);
    sums[axis_of(modes_[i].stride)] += digit * modes_[i].stride.scale();
    coordinate = floor_div(coordinate, modes_[i].extent);
  }
  Vector values;
  values.reserve(sums.size());
  for (const Int& sum : sums) {
    if (!sum.is_constant()) return std::nullopt;
    values.push_back(sum.value());
  }
  return values;
}

std::optional<Stride> Extension::stride(const Vector& values) const {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis ? Stride(values[*axis], bases_[*axis]) : Stride(0);
}

std::string Extension::text(const Vector& values) const {
  if (bases_.size() == 1 && bases_.front().empty()) return std::to_string(values.front());
  AxisValues at_axes;
  for (std::size_t i = 0; i < values.size(); ++i) at_axes[bases_[i]] = values[i];
  return fmt::format("{}", assemble_coordinate(at_axes));
}

std::size_t Extension::axis_of(const Stride& stride) const {
  const auto found = std::ranges::find(bases_, stride.basis());
  return found == bases_.end() ? 0 : static_cast<std::size_t>(found - bases_.begin());
}

}  // namespace heddle::cute
