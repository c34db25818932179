#pragma once

// Meshes and sharding specs, as PyTorch, JAX, XLA, Shardy and Alpa write and print them.
//
//   parse_mesh("DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))")
//   parse_mesh("Mesh('x': 2, 'y': 2)")
//   parse_placements("[Shard(dim=0), Replicate()]")
//   parse_partition_spec("PartitionSpec('x', None, ('y', 'z'))")
//   parse_alpa("S0R")
//
// Module prefixes of names (torch.distributed., jax.sharding.) are ignored.

#include <string_view>

#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Parses a mesh:
///   DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))     also without the device
///   DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1))                       as PyTorch prints it now
///   init_device_mesh('cuda', (2, 2), mesh_dim_names=('dp', 'tp'))
///   Mesh(array([[0, 1], [2, 3]]), axis_names=('x', 'y'))                  also device_ids=array(…)
///   Mesh('x': 2, 'y': 2)      jax.make_mesh((2, 2), ('x', 'y'))
///   NamedSharding(mesh=Mesh(…), spec=…)
///   AbstractMesh((2, 2), ('x', 'y'))
///   sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>      <["x"=2, "y"=2]>
///   [[0, 1], [2, 3]]          {'x': 2, 'y': 2}
/// Arrays may also be tensor(…), np.arange(4).reshape(2, 2), or hold devices with an id. Refuses
/// `syntax.sharding` with the place, and what Mesh::make() refuses; `axe.mesh` for a list whose
/// rows differ in length.
[[nodiscard]] Result<axe::Mesh> parse_mesh(std::string_view text);

/// A list or tuple of Shard(0), Shard(dim=-1), Replicate(), Partial(), Partial(sum),
/// Partial('avg'), _StridedShard(0, split_factor=2) and _StridedShard(dim=0, sf=2), or in short
/// S(0), R, P, P(sum), _S(0, 2). Refuses `syntax.sharding`.
[[nodiscard]] Result<axe::Placements> parse_placements(std::string_view text);

/// PartitionSpec('x', None, ('y', 'z')), P('x', unreduced={'y'}), a bare tuple, and a NamedSharding
/// with one. Axes that are `reduced` replicate. Refuses `syntax.sharding`, and `axe.sharding_spec`
/// for an axis in two roles.
[[nodiscard]] Result<axe::PartitionSpec> parse_partition_spec(std::string_view text);

/// S0S1, S01R, RS0, RR, also S^0S^1, S^{01}R and S⁰S¹. Refuses `syntax.sharding`.
[[nodiscard]] Result<axe::AlpaSpec> parse_alpa(std::string_view text);

/// A sharding of any system, with the mesh and the shape if they are written in it:
///   P('x', None), NamedSharding(mesh=Mesh('x': 2), spec=P('x')), GSPMDSharding({replicated})
///   Format(layout=Layout(major_to_minor=(1, 0)), sharding=NamedSharding(…))
///   [Shard(0), Replicate()], S(0)R, {0: [1, 0]}
///   DTensorSpec(mesh=…, placements=…, tensor_meta=TensorMeta(shape=torch.Size([16, 4]), …))
///   Spec(S(0)R on (16, 4)) @ mesh: (2, 2), Spec(f32[16, 4](S(0)R))
///   #sdy.sharding<@mesh, [{"x"}, {?}]>, #sdy.sharding_per_value<[<@mesh, [{}]>]>
///   {devices=[2,1]<=[2]}, {{replicated}, {manual}}, {mesh['x'=2], [{'x'}, {}]}
/// Refuses `syntax.sharding` with the place, and `axe.sharding_spec` and `axe.mesh` for what the
/// system refuses of every tensor.
[[nodiscard]] Result<axe::Sharding> parse_sharding(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop
