#pragma once

// What shardings mean, however they are written.
//
//   P('x') and P('x', None)                                   the same
//   {devices=[2,2]<=[4]} and {devices=[2,2]0,1,2,3}           the same
//   P('x') and {devices=[2,1]<=[2]}                           unknown: P('x') has no mesh

#include <span>

#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/core/verdict.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// Whether mesh and shape are known, and shards_of() lists shards that place() refuses because no
/// layout has them.
[[nodiscard]] bool is_uneven(const Sharding& sharding);

/// Whether both put every element on the same devices, at the same place there, with the same terms
/// of partial values. A mesh or a shape that one side does not state is taken from the other one;
/// where neither states it, the answer is about all that both can have. Dimensions that a sharding
/// does not name are whole. Without a shape, dimensions are compared that the devices divide
/// evenly. Unknown where the answer depends on what is missing, and for shardings that do not
/// decide the placement and are not written alike.
[[nodiscard]] Verdict equal(const Sharding& a, const Sharding& b);

/// Whether devices have the same terms; axes may have different names in the two meshes.
[[nodiscard]] bool have_same_terms(const Mesh& a, std::span<const PartialAxis> partial_a,
                                   const Mesh& b, std::span<const PartialAxis> partial_b);

}  // namespace heddle::axe
#pragma GCC visibility pop
