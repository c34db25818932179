#pragma once

// Shardings of every system as values, which may be written before the mesh and the tensor are
// known.
//
//   P('x', None)                                  JAX: for each dimension the axes that cut it
//   [Shard(0), Replicate()]                       PyTorch: for each axis of the mesh what it does
//   #sdy.sharding<@mesh, [{"x":(1)2}, {?}]>       Shardy: as JAX, and also with parts of axes
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}     XLA: a grid of devices, which is the mesh
//   {mesh['x'=8], [{'x':(1)2}, {?}]}              XLA's newer form, which says what Shardy's says
//
// With a mesh and the shape of a tensor each says which device holds which element, and where:
//
//   place(P('x', None) over Mesh('x': 2), of (8,4))        S[(2,4,4):(1@gpuid,4@m,1@m)]
//   shards_of([Shard(0)] over 4 devices, of (10))          [0,3) [3,6) [6,9) [9,10)
//
// A sub-axis "x":(2)4 of Shardy is the part of axis x with 4 devices that 2 larger parts precede:
// an axis of 8 is "x":(1)2 and "x":(2)4, coarsest first, as a number is its digits.
//
// Where devices do not divide a dimension evenly, XLA and Shardy round the shards up and pad the
// last ones; PyTorch cuts as torch.chunk does, one axis after the other, and pads nothing;
// _StridedShard cuts each of the pieces that its split factor gives; JAX refuses. No layout has
// such shards: place() refuses them, and shards_of() lists them.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding.h"
#include "heddle/core/hash.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// An axis of a mesh, `"x"`, or a part of one, `"x":(2)4`.
struct AxisPart {
  std::string axis;
  /// The devices along the larger parts of the axis.
  std::int64_t pre_size = 1;
  /// The devices along this part; nullopt for the whole axis.
  std::optional<std::int64_t> size = {};

  friend bool operator==(const AxisPart&, const AxisPart&) = default;
};

/// `{"x", "y":(1)2, ?}p1`: the axes that cut a dimension, coarsest first.
struct ShardyDimension {
  std::vector<AxisPart> axes;
  /// Whether the compiler may cut it further.
  bool is_open = false;
  /// 0 is propagated first.
  std::optional<std::int64_t> priority = {};

  friend bool operator==(const ShardyDimension&, const ShardyDimension&) = default;
};

/// `#sdy.sharding<@mesh, [{"x"}, {}], replicated={"y"}>`; as XLA's HLO has it,
/// `{mesh['x'=2,'y'=2], [{'x'}, {}], replicated={'y'}}`.
struct ShardySpec {
  /// The name of its mesh; empty if the mesh is written in it.
  std::string mesh_name;
  std::vector<ShardyDimension> dims;
  /// The axes that the compiler must leave alone.
  std::vector<AxisPart> replicated = {};
  /// The axes over which the values are partial.
  std::vector<AxisPart> unreduced = {};
  std::string reduce_op = "sum";
  /// The axes that are left to the program on each device. Only HLO names them.
  std::vector<AxisPart> manual = {};
  /// Whether it is written as HLO writes it, and its `metadata={…}` as written.
  bool is_hlo = false;
  std::string notes = {};

  friend bool operator==(const ShardySpec&, const ShardySpec&) = default;
};

/// XLA's HloSharding.
struct HloSpec {
  enum class Kind : std::uint8_t { kTiled, kReplicated, kMaximal, kManual, kUnknown, kUnreduced };
  enum class Subgroup : std::uint8_t { kReplicated, kManual, kUnreduced };

  Kind kind = Kind::kReplicated;
  /// The grid: shards of each dimension, then the extents of the subgroups.
  std::vector<std::int64_t> tiles = {};
  /// The devices in the order of the grid: written one by one; or as the numbers from 0 on,
  /// reshaped to `iota` and transposed. For a maximal sharding the only device.
  std::vector<std::int64_t> devices = {};
  std::vector<std::int64_t> iota = {};
  std::vector<std::size_t> transpose = {};
  /// What the devices along the last extents of the grid do.
  std::vector<Subgroup> subgroups = {};
  /// Whether the only subgroup is written `last_tile_dim_replicate`.
  bool replicates_last = false;
  /// How the values are to be reduced that are unreduced over the whole mesh.
  std::string reduce_op = "sum";
  /// ` shard_as 1`, ` metadata={…}`, as written.
  std::string notes = {};

  friend bool operator==(const HloSpec&, const HloSpec&) = default;
};

struct Sharding;

/// Shardings of several tensors: Shardy's `#sdy.sharding_per_value<[…]>`, a tuple of XLA.
struct ShardingTuple {
  std::vector<Sharding> parts;
  bool is_shardy = false;
};

/// A sharding, with what is known of its mesh and its tensor.
struct Sharding {
  std::variant<PartitionSpec, Placements, ShardySpec, HloSpec, ShardingTuple> spec;
  std::optional<Mesh> mesh = {};
  std::optional<std::vector<Int>> shape = {};
  /// How a device orders the dimensions of its part, the slowest first, as JAX's Format says; empty
  /// for row-major.
  std::vector<std::size_t> major_to_minor = {};
};

/// Whether both have the same text.
[[nodiscard]] bool operator==(const Sharding& a, const Sharding& b);

/// In the notation of its system: `PartitionSpec('x', None)`, `NamedSharding(mesh=Mesh('x': 2),
/// spec=PartitionSpec('x',))`, `#sdy.sharding<@mesh, [{"x"}, {}]>`, `{devices=[2,1]<=[2]}`,
/// `{mesh['x'=2], [{'x'}, {}]}`, `Spec([Shard(dim=0)] on (16,4))`,
/// `Format(layout=Layout(major_to_minor=(1, 0)), sharding=PartitionSpec('x',))`.
[[nodiscard]] std::string to_string(const Sharding& sharding);
[[nodiscard]] std::string to_string(const ShardySpec& spec);
[[nodiscard]] std::string to_string(const HloSpec& spec);
/// `Mesh('x': 2, 'y': 4)`, or `Mesh(device_ids=array([[0, 2], [1, 3]]), axis_names=('x', 'y'))`.
[[nodiscard]] std::string jax_text(const Mesh& mesh);

/// The mesh of the sharding: the grid of XLA's, else the given one. Refuses `axe.sharding_spec` if
/// there is none, or if the devices of the grid are not those of the given mesh; `axe.mesh`.
[[nodiscard]] Result<Mesh> mesh_of(const Sharding& sharding);

/// The layout of a tensor. Refuses `axe.sharding_spec` if mesh or shape are missing, for a spec or
/// an order that does not fit them, and for one that does not decide the placement (UNCONSTRAINED,
/// manual, unknown); `axe.uneven_shard`, `axe.mesh_layout`, `assume.needed`.
[[nodiscard]] Result<Sharded> place(const Sharding& sharding);

/// A box of the tensor that one device holds. All that a device holds lies row-major there.
struct Shard {
  std::int64_t device = 0;
  /// For each dimension the first element, and the end.
  std::vector<std::pair<std::int64_t, std::int64_t>> box;
  /// The extents of the memory for all of it: those of the boxes together, or more if it is padded.
  std::vector<std::int64_t> extents;
  /// For each dimension where the box begins there; empty for 0.
  std::vector<std::int64_t> first = {};

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// The shards of all devices, in the order of the mesh; a box may be empty. A device has several
/// boxes only after _StridedShard. Refuses as place(), but `axe.mesh_layout` never and
/// `axe.uneven_shard` only where the system refuses it (JAX), and for more than 65536 boxes;
/// `assume.needed` for symbolic shapes and split factors. Cost: linear in the boxes.
[[nodiscard]] Result<std::vector<Shard>> shards_of(const Sharding& sharding);

std::ostream& operator<<(std::ostream& stream, const Sharding& sharding);

}  // namespace heddle::axe
#pragma GCC visibility pop
