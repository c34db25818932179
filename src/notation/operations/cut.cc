#include "notation/operations/cut.h"

#include <fmt/format.h>

namespace heddle::notation {

Result<Cut> cut_of(const Value& a, const Value& b) {
  const bool is_swapped =
      a.has_map() || (!b.has_map() && !a.is<cute::Coordinate>() && b.is<cute::Coordinate>());
  HEDDLE_TRY(const auto coordinate, convert<cute::Coordinate>(is_swapped ? b : a));
  HEDDLE_TRY(const auto target, convert<Structure>(is_swapped ? a : b));
  if (coordinate && target) {
    return Cut{coordinate->get<cute::Coordinate>(), Reader<Structure>::read(*target)};
  }
  return refuse("call.type", fmt::format("a coordinate and a layout are needed, not {} and {}",
                                         kind_name(a), kind_name(b)));
}

}  // namespace heddle::notation
