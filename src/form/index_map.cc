#include "heddle/form/index_map.h"

#include <utility>

namespace heddle::form {

Int product(std::span<const Int> extents) {
  Int product = 1;
  for (const Int& extent : extents) product *= extent;
  return product;
}

Int flatten(std::span<const Int> extents, std::span<const Int> point) {
  Int flat = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) flat = flat * extents[i] + point[i];
  return flat;
}

std::vector<Int> unflatten(std::span<const Int> extents, Int flat) {
  std::vector<Int> point(extents.size());
  for (std::size_t i = extents.size(); i-- > 1; flat = floor_div(flat, extents[i])) {
    point[i] = mod(flat, extents[i]);
  }
  if (!point.empty()) point[0] = std::move(flat);
  return point;
}

IndexMap::IndexMap(std::vector<Int> extents, FlatOrder order, std::vector<Axis> axes,
                   Evaluator evaluator)
    : extents_(std::move(extents)),
      order_(order),
      axes_(std::move(axes)),
      evaluator_(std::move(evaluator)) {}

Int IndexMap::size() const { return product(extents_); }

std::vector<Int> IndexMap::operator()(std::span<const Int> indices) const {
  return evaluator_(indices);
}

std::vector<Int> IndexMap::indices(const Int& flat) const {
  std::vector<Int> indices(extents_.size());
  Int rest = flat;
  for (std::size_t step = 0; step < extents_.size(); ++step) {
    const std::size_t i = order_ == FlatOrder::kFirstFastest ? step : extents_.size() - 1 - step;
    // The slowest index is the last quotient, which keeps symbolic indices simple.
    const bool is_slowest = step + 1 == extents_.size();
    indices[i] = is_slowest ? rest : mod(rest, extents_[i]);
    rest = floor_div(rest, extents_[i]);
  }
  return indices;
}

std::vector<Int> IndexMap::at(const Int& flat) const { return evaluator_(indices(flat)); }

}  // namespace heddle::form
