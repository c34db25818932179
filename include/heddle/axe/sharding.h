#pragma once

// Tensors cut up over a mesh: the specs of the frameworks as layouts, and layouts as specs.
//
//   mesh x:2, y:2 of the devices [[0, 2], [1, 3]], a tensor of 64 x 128
//
//   [Shard(0), Shard(1)]      PartitionSpec('x', 'y')      S0S1
//     S[(2,32,2,64):(1@gpuid,64@m,2@gpuid,1@m)]
//   [Shard(0), Replicate()]   PartitionSpec('x', None)     S0R
//     S[(2,32,128):(1@gpuid,128@m,1@m)] + R[(2):(2@gpuid)]
//
// DTensor's spec says for each axis of the mesh what it does, the other specs say for each
// dimension of the tensor which axes cut it. If several axes cut one dimension, the first one cuts
// it coarsest: in the order of the mesh's axes for DTensor, of the tuple for PartitionSpec and of
// the digits for Alpa. DTensor's _StridedShard(dim, split_factor) first cuts the part that a device
// has into that many pieces and takes a shard of every piece.
//
// Each device holds its part of the tensor row-major and without gaps, as frameworks do, unless
// other strides are given. (Seed 002, section 2.2 B, with the errata: its first example keeps the
// pitch 128 of the whole tensor.)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/axe/mesh.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The action of one axis of the mesh on a tensor of PyTorch's DTensor.
struct Placement {
  enum class Kind : std::uint8_t { kReplicate, kShard, kPartial };

  Kind kind = Kind::kReplicate;
  /// For a shard: the dimension, counted from the end if it is negative.
  std::int64_t dim = 0;
  /// For a shard: other than 1 for _StridedShard.
  Int split_factor = 1;
  /// For a partial value: sum, avg, product, max, min, ….
  std::string reduce_op = "sum";

  [[nodiscard]] static Placement replicate() { return {}; }
  [[nodiscard]] static Placement shard(std::int64_t dim, Int split_factor = 1) {
    return {Kind::kShard, dim, std::move(split_factor), "sum"};
  }
  [[nodiscard]] static Placement partial(std::string reduce_op = "sum") {
    return {Kind::kPartial, 0, 1, std::move(reduce_op)};
  }

  friend bool operator==(const Placement&, const Placement&) = default;
};
/// One placement for each axis of the mesh.
using Placements = std::vector<Placement>;

/// JAX's PartitionSpec: for each dimension the names of the axes that cut it, coarsest first.
/// Dimensions at the end may be omitted.
struct PartitionSpec {
  std::vector<std::vector<std::string>> dims;
  /// Axes over which sums still have to be taken.
  std::vector<std::string> unreduced = {};
  /// Axes over which they were taken: they replicate.
  std::vector<std::string> reduced = {};
  /// The dimensions that are left to the compiler (P.UNCONSTRAINED), ascending.
  std::vector<std::size_t> unconstrained = {};

  friend bool operator==(const PartitionSpec&, const PartitionSpec&) = default;
};

/// Alpa's S0R: for each dimension the numbers of the axes that cut it, coarsest first; R for none.
struct AlpaSpec {
  std::vector<std::vector<std::size_t>> dims;

  friend bool operator==(const AlpaSpec&, const AlpaSpec&) = default;
};

/// `[Shard(dim=0), Replicate()]`, `Partial(sum)`, `_StridedShard(dim=0, sf=2)`, as PyTorch prints
/// them.
[[nodiscard]] std::string to_string(const Placements& placements);
/// `PartitionSpec('x', None, ('y', 'z'))`, with `unreduced={'t'}, reduced={'u'}` at the end.
[[nodiscard]] std::string to_string(const PartitionSpec& spec);
/// `S0R`, `S01R`.
[[nodiscard]] std::string to_string(const AlpaSpec& spec);

/// An axis of the mesh over which the values are partial and still have to be reduced.
struct PartialAxis {
  std::string axis;
  std::string reduce_op = "sum";

  friend bool operator==(const PartialAxis&, const PartialAxis&) = default;
};

/// A tensor over a mesh. The layout maps an index of the tensor to the devices that hold it and its
/// place there; over a partial axis it has replicas too, each of which holds only a partial value.
struct Sharded {
  Layout layout;
  Mesh mesh;
  std::vector<Int> shape;
  std::vector<PartialAxis> partial = {};

  friend bool operator==(const Sharded&, const Sharded&) = default;
};

/// The layout as text, followed by `partial sum over y` if values are to be reduced.
[[nodiscard]] std::string to_string(const Sharded& sharded);

/// Strides of the tensor on a device, one for each dimension, as `tensor.stride()` gives them;
/// nullopt for row-major without gaps.
using LocalStrides = std::optional<std::vector<Int>>;

/// The layout of a DTensor. Refuses `axe.sharding_spec` (a placement for each axis of the mesh is
/// needed, dimensions must exist, split factors be positive; strides, if given, are one for each
/// dimension), `axe.uneven_shard` if a dimension does not divide evenly, with the numbers (PyTorch
/// gives the last devices less, and no layout has that), `axe.mesh_layout`, `assume.needed`.
[[nodiscard]] Result<Sharded> dtensor(const Mesh& mesh, const Placements& placements,
                                      std::vector<Int> shape, const LocalStrides& strides = {});
/// The layout of a jax.Array with a NamedSharding. Refuses as dtensor(), `axe.sharding_spec` for
/// names that the mesh does not have or that occur twice, for more dimensions than the tensor has,
/// and for dimensions that are left to the compiler.
[[nodiscard]] Result<Sharded> partition_spec(const Mesh& mesh, const PartitionSpec& spec,
                                             std::vector<Int> shape,
                                             const LocalStrides& strides = {});
/// The layout of Alpa's spec, which has an entry for every dimension. Refuses as partition_spec().
[[nodiscard]] Result<Sharded> alpa(const Mesh& mesh, const AlpaSpec& spec, std::vector<Int> shape,
                                   const LocalStrides& strides = {});

/// The placements that put every element on the devices that the layout names; how a device
/// arranges its part is ignored. Axes of the mesh with one device replicate. If DTensor's nesting,
/// in the order of the axes, is not that of the layout, the result has _StridedShard. Complete: a
/// refusal `axe.no_spec` is a proof that no placements do, and says why: an offset, a part of an
/// axis, devices left out, with an element and the devices that hold it. Also refuses
/// `axe.not_admitted`, `axe.mesh_layout`, `assume.needed`, `axe.undecided`.
[[nodiscard]] Result<Placements> to_dtensor(const Sharded& sharded);
/// The spec as a PartitionSpec, without trailing None; refuses `axe.no_spec` also if a device holds
/// pieces with gaps between them, and for partial values that are no sums.
[[nodiscard]] Result<PartitionSpec> to_partition_spec(const Sharded& sharded);
/// The spec in Alpa's notation, which has no partial values, and names axes by one digit.
[[nodiscard]] Result<AlpaSpec> to_alpa(const Sharded& sharded);

}  // namespace heddle::axe
#pragma GCC visibility pop
