#include "notation/operations/structure.h"

#include <fmt/format.h>

#include "notation/operations/tuples.h"

namespace heddle::notation {

Value value_of_tiler(cute::Tiler tiler) {
  if (!tiler.is_leaf()) return Value(std::move(tiler));
  const cute::Tile& tile = tiler.leaf();
  if (tile.layout() != nullptr) return Value(*tile.layout());
  if (tile.size() != nullptr) return Value(*tile.size());
  return Value(cute::Coordinate(cute::Index(cute::Underscore())));
}

Result<Value> shape_of_tiler(cute::TilerView tiler) {
  if (tiler.is_leaf()) {
    if (tiler.leaf().layout() != nullptr) return Value(tiler.leaf().layout()->shape());
    if (tiler.leaf().size() != nullptr) return Value(*tiler.leaf().size());
    return refuse("call.type", "a tiler with '_' has no shape: '_' is the whole mode, of any size");
  }
  std::vector<Value> shapes;
  for (const cute::TilerView mode : tiler.modes()) {
    HEDDLE_TRY(Value shape, shape_of_tiler(mode));
    shapes.push_back(std::move(shape));
  }
  return tuple_of(shapes);
}

Refusal no_mode(const Value& tuple, std::size_t mode) {
  return refuse("layout.mode", fmt::format("{} has no mode {}", to_string(tuple), mode));
}

Result<void> check_range(const Value& tuple, std::size_t rank, std::size_t begin, std::size_t end) {
  if (begin < end && end <= rank) return {};
  return refuse("layout.mode", fmt::format("modes [{},{}) are not a part of the {} modes of {}",
                                           begin, end, rank, to_string(tuple)));
}

}  // namespace heddle::notation
