#include "heddle/form/index_map.h"

#include <utility>

namespace heddle::form {

IndexMap::IndexMap(std::vector<Int> extents, FlatOrder order, std::vector<Axis> axes,
                   Evaluator evaluator)
    : extents_(std::move(extents)),
      order_(order),
      axes_(std::move(axes)),
      evaluator_(std::move(evaluator)) {}

Int IndexMap::size() const {
  Int size = 1;
  for (const Int& extent : extents_) size *= extent;
  return size;
}

std::vector<Int> IndexMap::operator()(std::span<const Int> indices) const {
  return evaluator_(indices);
}

std::vector<Int> IndexMap::indices(const Int& flat) const {
  std::vector<Int> indices(extents_.size());
  Int rest = flat;
  for (std::size_t step = 0; step < extents_.size(); ++step) {
    const std::size_t i = order_ == FlatOrder::kFirstFastest ? step : extents_.size() - 1 - step;
    indices[i] = mod(rest, extents_[i]);
    rest = floor_div(rest, extents_[i]);
  }
  return indices;
}

std::vector<Int> IndexMap::at(const Int& flat) const { return evaluator_(indices(flat)); }

}  // namespace heddle::form
