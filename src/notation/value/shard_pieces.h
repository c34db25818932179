#pragma once

// Shardings whose shards are uneven, as the relations that they are.

#include <string>

#include "heddle/core/result.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The pieces of the shards of a sharding with mesh and shape. Refuses as axe::shards_of() and
/// map::relation().
[[nodiscard]] Result<map::IntegerRelation> pieces_of(const axe::Sharding& sharding,
                                                     const map::Limits& limits = {});
/// A sharding whose shards are known and uneven as the relation of its pieces; any other value as
/// it is.
[[nodiscard]] Result<Value> with_pieces(const Value& value, const map::Limits& limits = {});
/// The text of the relation for uneven shards that are known, else of the sharding.
[[nodiscard]] std::string text_of(const axe::Sharding& sharding);

}  // namespace heddle::notation
