#pragma once

// Shards that no layout can say: those of uneven size, as a relation with a piece for each box.
//
//   10 elements over 4 devices of PyTorch, [0,3) [3,6) [6,9) [9,10):
//     { [c0] -> [gpuid = 0, m = c0] : 0 <= c0 <= 2; [c0] -> [gpuid = 1, m = c0 - 3] : … }

#include <span>

#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The relation from an element of the tensor to each device that holds it, and its place there:
/// row-major in the extents of the shard, from where its box begins. Refuses `relation.too_large`
/// for more than 1024 shards or 128 dimensions, `overflow`, `relation.gave_up`.
[[nodiscard]] Result<IntegerRelation> relation(std::span<const axe::Shard> shards,
                                               const Limits& limits = {});

}  // namespace heddle::map
#pragma GCC visibility pop
