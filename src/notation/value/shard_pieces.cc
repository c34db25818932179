#include "notation/value/shard_pieces.h"

#include <vector>

#include "heddle/axe/sharding_equality.h"
#include "heddle/map/shards.h"

namespace heddle::notation {

Result<map::IntegerRelation> pieces_of(const axe::Sharding& sharding, const map::Limits& limits) {
  HEDDLE_TRY(const std::vector<axe::Shard> shards, axe::shards_of(sharding));
  return map::relation(shards, limits);
}

Result<Value> with_pieces(const Value& value, const map::Limits& limits) {
  const auto* sharding = value.get_if<axe::Sharding>();
  if (sharding == nullptr || !axe::is_uneven(*sharding)) return value;
  HEDDLE_TRY(map::IntegerRelation relation, pieces_of(*sharding, limits));
  return Value(std::move(relation));
}

std::string text_of(const axe::Sharding& sharding) {
  if (!axe::is_uneven(sharding)) return axe::to_string(sharding);
  const auto pieces = pieces_of(sharding);
  return pieces ? map::to_string(*pieces) : axe::to_string(sharding);
}

}  // namespace heddle::notation
