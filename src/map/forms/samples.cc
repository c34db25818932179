// The values of a map, if its notation does not show its form.

#include <fmt/format.h>

#include "map/forms/conversion.h"

namespace heddle::map {

std::int64_t Samples::size() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

std::span<const std::int64_t> Samples::at(std::int64_t flat) const {
  return std::span(values).subspan(static_cast<std::size_t>(flat) * axes, axes);
}

std::int64_t Samples::flat(std::span<const std::int64_t> point) const {
  std::int64_t flat = 0;
  for (std::size_t i = extents.size(); i-- > 0;) flat = flat * extents[i] + point[i];
  return flat;
}

std::vector<std::int64_t> Samples::point(std::int64_t flat) const {
  std::vector<std::int64_t> point;
  for (const std::int64_t extent : extents) {
    point.push_back(flat % extent);
    flat /= extent;
  }
  return point;
}

Result<Samples> samples_of(const Task& task) {
  Samples samples;
  samples.axes = task.view.axes.size();
  for (const Int& extent : task.view.extents) {
    if (!extent.is_constant()) {
      return refuse(needs_numbers(task, fmt::format("the size {}", to_string(extent))));
    }
    samples.extents.push_back(extent.value());
  }
  const Int size = task.view.size();
  if (!size.is_constant() || size.value() > kMaxConverted) return refuse(undecided(task));
  samples.values.reserve(static_cast<std::size_t>(size.value()) * samples.axes);
  std::vector<Int> point(samples.extents.size(), Int(0));
  for (std::int64_t flat = 0; flat < size.value(); ++flat) {
    const std::vector<std::int64_t> indices = samples.point(flat);
    point.assign(indices.begin(), indices.end());
    for (const Int& coordinate : task.view.evaluate(point, 0)) {
      HEDDLE_TRY(const Int value, check_defined(coordinate, [&] {
                   return fmt::format("the value of {} at {}", task.source, point_text(indices));
                 }));
      if (!value.is_constant()) {
        return refuse(needs_numbers(task, fmt::format("the value {}", to_string(value))));
      }
      samples.values.push_back(value.value());
    }
  }
  return samples;
}

}  // namespace heddle::map
