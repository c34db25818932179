// One test an error code of meshes and sharding specs: the whole text that the terminal shows. A
// test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "heddle/axe/shard.h"
#include "heddle/axe/sharding.h"
#include "heddle/map/xla_layout.h"
#include "heddle/notation/sharding.h"
#include "heddle/notation/xla.h"
#include "support/random_axe.h"
#include "support/refusal.h"

namespace heddle::axe {
namespace {

using test::kM;
using test::refusal;

const Axis kGpu = device_axis();

Mesh square() { return *Mesh::make({2, 2}, {"x", "y"}); }

Layout made(std::vector<Iter> shard, std::vector<Iter> replica = {}, Coordinate offset = {}) {
  return *Layout::make(std::move(shard), std::move(replica), std::move(offset));
}

TEST(ErrorText, axe_mesh) {
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {}, {0, 1, 1, 2})),
            "error axe.mesh: the entries (0,1) and (1,0) of a mesh are both device 1");
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {}, {0, 1, 2})),
            "error axe.mesh: a mesh of extents (2,2) has 4 entries, and 3 ids are given");
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {"x"})),
            "error axe.mesh: a mesh of 2 axes has the names (x)");
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {"x", "x"})),
            "error axe.mesh: axes 0 and 1 of a mesh are both called x");
  EXPECT_EQ(refusal(Mesh::make({2, 2}, {"x", ""})), "error axe.mesh: axis 1 of a mesh has no name");
  EXPECT_EQ(refusal(Mesh::make({2, 0})),
            "error axe.mesh: a mesh has the extents (2,0), and 0 is below 1");
  EXPECT_EQ(refusal(Mesh::make({1 << 20, 1 << 20})),
            "error axe.mesh: a mesh of extents (1048576,1048576); up to 65536 devices are taken");
  EXPECT_EQ(refusal(Mesh::make(std::vector<std::int64_t>(65, 1))),
            "error axe.mesh: a mesh of 65 axes; up to 64 are taken");
  EXPECT_EQ(refusal(Mesh::make({2}, {}, {0, -1})),
            "error axe.mesh: the entry (1) of a mesh is the device -1; ids start at 0");
  EXPECT_EQ(refusal(Mesh::make({2}, {}, made({{2, 1, kM}}))),
            "error axe.mesh: S[(2):(1@m)] takes entry 1 to 1@m; the entries of a mesh are numbers "
            "on gpuid");
  EXPECT_EQ(refusal(Mesh::make({2}, {}, made({{2, 1, kGpu}}, {{2, 2, kGpu}}))),
            "error axe.mesh: S[(2):(1@gpuid)] + R[(2):(2@gpuid)] has replicas; an entry of a mesh "
            "is one device");
  EXPECT_EQ(refusal(notation::parse_mesh("[[0, 1], [2]]")),
            "error axe.mesh: a mesh has rows of the shapes (2) and (1)");
}

TEST(ErrorText, axe_mesh_layout) {
  EXPECT_EQ(
      refusal(layout(*Mesh::make({2, 2}, {"x", "y"}, {0, 1, 3, 2}))),
      "error axe.mesh_layout: the devices of a mesh do not run in strides along its axes\n  the "
      "mesh is DeviceMesh([[0, 1], [3, 2]], mesh_dim_names=('x', 'y'))\n  the entry (1,1) is "
      "device 2; after the entries before it strides lead to 4\n  hint: number the devices so that "
      "a step on an axis adds the same to the id everywhere, or by digits of the coordinate");
  EXPECT_EQ(refusal(layout(*Mesh::make({2, 3}, {}, {0, 2, 4, 1, 3, 6}))),
            "error axe.mesh_layout: the devices of a mesh do not run in strides along its axes\n  "
            "the mesh is DeviceMesh([[0, 2, 4], [1, 3, 6]])\n  the entry (1,2) is device 6; after "
            "the entries before it strides lead to 5\n  hint: number the devices so that a step on "
            "an axis adds the same to the id everywhere, or by digits of the coordinate");
  EXPECT_EQ(refusal(layout(*Mesh::make({2, 3}, {}, {0, 1, 10, 11, 20, 21}))),
            "error axe.mesh_layout: the devices of a mesh do not run in strides along its axes\n  "
            "the mesh is DeviceMesh([[0, 1, 10], [11, 20, 21]])\n  in row-major order the ids run "
            "as S[(3,2):(10@gpuid,1@gpuid)], and a step on one axis adds different numbers at "
            "different places\n  hint: number the devices so that a step on an axis adds the same "
            "to the id everywhere, or by digits of the coordinate");
  const Mesh threes = *Mesh::make({2, 6}, {}, {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112});
  EXPECT_EQ(refusal(dtensor(threes, {Placement::shard(0, 3), Placement::shard(0)}, {36})),
            "error axe.mesh_layout: axis 1 of the mesh is cut into (3,2), and its devices do not "
            "run in strides over these\n  the axis is S[(2,3):(10@gpuid,1@gpuid)]");
}

TEST(ErrorText, axe_uneven_shard) {
  const Mesh four = *Mesh::make({4}, {"dp"});
  EXPECT_EQ(
      refusal(dtensor(four, {Placement::shard(0)}, {10, 8})),
      "error axe.uneven_shard: dimension 0 of (10,8) does not come apart evenly over axis dp of 4 "
      "devices\n  it has 10 elements, and 4 shards are wanted: 10 = 4*2 + 2\n  PyTorch would give "
      "3 elements to 3 devices, 1 to the next; JAX refuses it\n  hint: pad the dimension to 12");
  EXPECT_EQ(
      refusal(dtensor(four, {Placement::shard(1)}, {8, 1})),
      "error axe.uneven_shard: dimension 1 of (8,1) does not come apart evenly over axis dp of 4 "
      "devices\n  it has 1 element, and 4 shards are wanted: 1 = 4*0 + 1\n  PyTorch would give 1 "
      "element to 1 device, nothing to 3; JAX refuses it\n  hint: pad the dimension to 4");
  EXPECT_EQ(
      refusal(dtensor(square(), {Placement::shard(0), Placement::shard(0)}, {6})),
      "error axe.uneven_shard: dimension 0 of (6) does not come apart evenly over axis y of 2 "
      "devices\n  axes before it leave 3 of 6 elements to a device, and 2 shards are wanted: 3 = "
      "2*1 + 1\n  PyTorch would give 2 elements to 1 device, 1 to the next; JAX refuses it");
  EXPECT_EQ(
      refusal(dtensor(four, {Placement::shard(0, 3)}, {16})),
      "error axe.uneven_shard: dimension 0 of (16) does not come apart evenly over axis dp of 4 "
      "devices\n  it has 16 elements, and 3 pieces of 4 shards are wanted: 16 = 12*1 + 4");
  const Mesh six = *Mesh::make({2, 3}, {"dp", "tp"});
  EXPECT_EQ(refusal(dtensor(six, {Placement::shard(0, 2), Placement::shard(0)}, {12})),
            "error axe.uneven_shard: dimension 0 of (12) does not come apart evenly over axis tp "
            "of 3 devices\n  axes before it leave 6 of 12 elements to a device, in pieces that 3 "
            "shards would cut across");
}

TEST(ErrorText, axe_sharding_spec) {
  EXPECT_EQ(refusal(dtensor(square(), {Placement::shard(0)}, {8, 8})),
            "error axe.sharding_spec: [Shard(dim=0)] has 1 placement; the mesh has 2 axes");
  EXPECT_EQ(refusal(dtensor(square(), {Placement::shard(2), Placement::replicate()}, {8, 8})),
            "error axe.sharding_spec: [Shard(dim=2), Replicate()] shards dimension 2; (8,8) has 2 "
            "dimensions");
  EXPECT_EQ(refusal(dtensor(square(), {Placement::shard(0, 0), Placement::replicate()}, {8, 8})),
            "error axe.sharding_spec: [_StridedShard(dim=0, sf=0), Replicate()] has the split "
            "factor 0, which is not known to be at least 1");
  EXPECT_EQ(refusal(dtensor(square(), {Placement::shard(0), Placement::replicate()}, {8, 8},
                            std::vector<Int>{1})),
            "error axe.sharding_spec: a tensor of 2 dimensions has strides (1): one a dimension is "
            "needed");
  EXPECT_EQ(refusal(partition_spec(square(), {{{"z"}}}, {8, 8})),
            "error axe.sharding_spec: the mesh has no axis called z\n  its axes are (x, y)");
  EXPECT_EQ(refusal(partition_spec(square(), {{{"x"}, {"x"}}}, {8, 8})),
            "error axe.sharding_spec: PartitionSpec('x', 'x') uses axis x of the mesh twice");
  EXPECT_EQ(refusal(partition_spec(square(), {{{"x"}, {}}}, {8})),
            "error axe.sharding_spec: PartitionSpec('x', None) is for 2 dimensions; (8) has 1");
  EXPECT_EQ(refusal(alpa(square(), {{{0}}}, {8, 8})),
            "error axe.sharding_spec: S0 is for 1 dimension; (8,8) has 2");
  EXPECT_EQ(refusal(alpa(square(), {{{2}}}, {8})),
            "error axe.sharding_spec: S2 uses axis 2 of the mesh, which has 2");
  EXPECT_EQ(
      refusal(partition_spec(square(), *notation::parse_partition_spec("P(P.UNCONSTRAINED)"), {8})),
      "error axe.sharding_spec: UNCONSTRAINED leaves the placement to the compiler; there is "
      "no layout of it\n  hint: give the names of axes, or None");
}

TEST(ErrorText, axe_no_spec) {
  const auto placements = [](const Layout& layout, std::vector<Int> shape) {
    return refusal(to_dtensor({layout, square(), std::move(shape)}));
  };
  EXPECT_EQ(
      placements(made({{2, 2, kGpu}, {4, 1, kM}}), {8}),
      "error axe.no_spec: no placements over the mesh leave (8) on the devices of "
      "S[(2,4):(2@gpuid,1@m)]\n  its replicas are not all devices along the axes (y), which cut no "
      "dimension\n  the axes of the mesh are x (2, 2@gpuid), y (2, 1@gpuid)\n  witness: coordinate "
      "0 maps to gpuid 0; [Shard(dim=0), Replicate()] would need gpuid 0, 1");
  EXPECT_EQ(placements(made({{2, 2, kGpu}, {4, 1, kM}}, {{2, 1, kGpu}}, {{kGpu, 4}}), {8}),
            "error axe.no_spec: no placements over the mesh leave (8) on the devices of "
            "S[(2,4):(2@gpuid,1@m)] + R[(2):(1@gpuid)] + 4@gpuid\n  it begins at device 4, the "
            "mesh at 0\n  the axes of the mesh are x (2, 2@gpuid), y (2, 1@gpuid)\n  witness: "
            "coordinate 0 maps to gpuid 4, 5; [Shard(dim=0), Replicate()] would need gpuid 0, 1");
  EXPECT_EQ(placements(made({{2, 4, kGpu}, {4, 1, kM}}), {8}),
            "error axe.no_spec: no placements over the mesh leave (8) on the devices of "
            "S[(2,4):(4@gpuid,1@m)]\n  dimension 0 steps over devices by (2, 4@gpuid), which is no "
            "axis of the mesh\n  the axes of the mesh are x (2, 2@gpuid), y (2, 1@gpuid)");
  EXPECT_EQ(placements(made({{3, 1, kGpu}, {4, 1, kM}}), {2, 6}),
            "error axe.no_spec: no placements over the mesh leave (2,6) on the devices of "
            "S[(3,4):(1@gpuid,1@m)]\n  a boundary between dimensions falls into an iter over "
            "devices\n  the axes of the mesh are x (2, 2@gpuid), y (2, 1@gpuid)");
  EXPECT_EQ(placements(made({{4, 1, kGpu}, {2, 1, kM}}, {{2, 4, kGpu}}), {8}),
            "error axe.no_spec: no placements over the mesh leave (8) on the devices of "
            "S[(4,2):(1@gpuid,1@m)] + R[(2):(4@gpuid)]\n  every axis cuts a dimension, and it has "
            "replicas\n  the axes of the mesh are x (2, 2@gpuid), y (2, 1@gpuid)\n  witness: "
            "coordinate 0 maps to gpuid 0, 4; [Shard(dim=0), Shard(dim=0)] would need gpuid 0");
  const Mesh four = *Mesh::make({4}, {"x"});
  const Layout part = made({{2, 1, kGpu}, {4, 1, kM}}, {{2, 2, kGpu}});
  EXPECT_EQ(refusal(to_dtensor({part, four, {8}})),
            "error axe.no_spec: no placements over the mesh leave (8) on the devices of "
            "S[(2,4):(1@gpuid,1@m)] + R[(2):(2@gpuid)]\n  dimension 0 steps over devices by (2, "
            "1@gpuid), which is no axis of the mesh\n  the axes of the mesh are x (4, 1@gpuid)");
  EXPECT_EQ(refusal(to_dtensor({made({{4, 1, kGpu}}), four, {4}, {{"x", "sum"}}})),
            "error axe.no_spec: no placements over the mesh leave (4) on the devices of "
            "S[(4):(1@gpuid)]\n  axis x cuts dimension 0, and values over it are partial\n  the "
            "axes of the mesh are x (4, 1@gpuid)");
  const Sharded strided = *dtensor(square(), {Placement::shard(0, 2), Placement::replicate()}, {8});
  EXPECT_EQ(
      refusal(to_partition_spec(strided)),
      "error axe.no_spec: no PartitionSpec leaves (8) on the devices of "
      "S[(2,2,2):(2@m,2@gpuid,1@m)] + R[(2):(1@gpuid)]\n  a device holds 2 pieces of dimension 0, "
      "with gaps that axis x makes; DTensor writes [_StridedShard(dim=0, sf=2), Replicate()]");
  const Mesh wide = *Mesh::make({2, 4}, {"a", "b"});
  const Sharded crossed = *dtensor(wide, {Placement::shard(0, 2), Placement::shard(0)}, {16});
  EXPECT_EQ(refusal(to_alpa(crossed)),
            "error axe.no_spec: no spec of Alpa leaves (16) on the devices of "
            "S[(2,2,2,2):(2@gpuid,4@gpuid,1@gpuid,1@m)]\n  axis b cuts dimension 0 both before and "
            "after another axis; DTensor writes [_StridedShard(dim=0, sf=2), Shard(dim=0)]");
  const Sharded largest = *dtensor(four, {Placement::partial("max")}, {8});
  EXPECT_EQ(refusal(to_partition_spec(largest)),
            "error axe.no_spec: no PartitionSpec leaves (8) on the devices of S[(8):(1@m)] + "
            "R[(4):(1@gpuid)]\n  values over axis x are to be reduced by max; unreduced means sum");
  EXPECT_EQ(refusal(to_alpa(largest)),
            "error axe.no_spec: no spec of Alpa leaves (8) on the devices of S[(8):(1@m)] + "
            "R[(4):(1@gpuid)]\n  values over axis x are partial, which Alpa does not write");
}

TEST(ErrorText, axe_element_bits) {
  EXPECT_EQ(refusal(bytes_per_device(made({{4, 1, kM}}), 0)),
            "error axe.element_bits: an element of 0 bits; 1 to 65536 are taken");
}

TEST(ErrorText, xla_layout) {
  const std::vector<Int> shape = {4, 4};
  EXPECT_EQ(refusal(map::offsets({{0}}, shape)),
            "error xla.layout: {0} is for 1 dimension, and the array has 2");
  EXPECT_EQ(refusal(map::offsets({{0, 0}}, shape)),
            "error xla.layout: {0,0} is no order of dimensions");
  EXPECT_EQ(refusal(map::offsets({{1, 0}, {{8, 8, 8}}}, shape)),
            "error xla.layout: {1,0:T(8,8,8)} has a tile of more extents than the array has");
}

TEST(ErrorText, syntax_xla) {
  EXPECT_EQ(refusal(notation::parse_xla("f32[4]{0:D(C)}")),
            "error syntax.xla: there is 'D(C)}' where tiles T(8,128), a memory space S(1) or "
            "element bits E(4) is expected");
}

TEST(ErrorText, syntax_sharding) {
  EXPECT_EQ(refusal(notation::parse_placements("[Shard(0), Replicated()]")),
            "error syntax.sharding: there is 'Replicated()' where Shard(dim), Replicate(), "
            "Partial() or _StridedShard(dim, split_factor) is expected");
  EXPECT_EQ(refusal(notation::parse_placements("[Shard(0) Replicate()]")),
            "error syntax.sharding: there is 'Replicate()]' where ',' or ']' is expected");
  EXPECT_EQ(refusal(notation::parse_alpa("S0X")),
            "error syntax.sharding: 'S0X' is no spec of Alpa: one S with the digits of mesh axes, "
            "or R, for each dimension, as in S01R");
}

}  // namespace
}  // namespace heddle::axe
