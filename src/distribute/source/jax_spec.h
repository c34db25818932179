#pragma once

// Distributions as JAX has them: every device of a mesh holds a box of one size, row-major, and the
// axes of the mesh tell which.
//
//   (8,4) over x (2), y (2); device (x,y) holds [4x,4x+4) x [2y,2y+2)     P('x', 'y')
//
// And what JAX's own functions make of one such spec to have another:
//
//   P('x', None) to P(None, 'x')     all_to_all over x
//   P('x', 'y') to P(None, None)     all_gather over x, then over y

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// Axes by their numbers in a mesh.
using AxisNumbers = std::vector<std::size_t>;

struct JaxSpec {
  /// For each dimension the axes that cut it, coarsest first.
  std::vector<AxisNumbers> dims;
  /// The extents of a shard.
  std::vector<std::int64_t> extents;
};

/// Both sides of a plan over one mesh.
struct JaxSides {
  axe::Mesh mesh;
  JaxSpec from;
  JaxSpec to;
  /// The axes over which terms are reduced.
  AxisNumbers reduced;
};

/// Refuses `distribute.shards` where JAX has no such arrays.
[[nodiscard]] Result<JaxSides> jax_sides(const Plan& plan);

struct JaxCall {
  enum class Kind : std::uint8_t { kSlice, kAllGather, kAllToAll, kReduce, kReduceScatter };
  Kind kind = Kind::kSlice;
  AxisNumbers axes;
  /// The dimension that is cut or put together; of an all-to-all the one put together.
  std::size_t dim = 0;
  /// Of an all-to-all the dimension that is cut.
  std::size_t cut = 0;
};

/// Functions of JAX that do it one after the other, moving no more than the plan; nullopt if there
/// are none.
[[nodiscard]] std::optional<std::vector<JaxCall>> jax_calls(const JaxSides& sides,
                                                            const std::string& reduce_op);

}  // namespace heddle::distribute
