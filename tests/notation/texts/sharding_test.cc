#include "heddle/notation/sharding.h"

#include <gtest/gtest.h>

namespace heddle::notation {
namespace {

using axe::Mesh;
using axe::PartitionSpec;
using axe::Placement;
using axe::Placements;

const Mesh kNamed = *Mesh::make({2, 2}, {"dp", "tp"});

template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().to_string();
}

TEST(ShardingText, MeshesOfPyTorch) {
  for (const char* text :
       {"DeviceMesh([[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))",
        "DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))",
        "DeviceMesh(\"cuda\", mesh=[[0,1],[2,3]], mesh_dim_names=[\"dp\", \"tp\"])",
        "DeviceMesh(device_type='cuda', mesh=tensor([[0, 1],\n        [2, 3]], dtype=torch.int32), "
        "mesh_dim_names=('dp', 'tp',))",
        "DeviceMesh((dp=2, tp=2), 'cuda', stride=(2, 1))",
        "DeviceMesh((dp=2, tp=2), device: 'cuda', stride: (2, 1))",
        "torch.distributed.init_device_mesh('cuda', (2, 2), mesh_dim_names=('dp', 'tp'))",
        "DeviceMesh('cuda', torch.arange(4).reshape(2, 2), mesh_dim_names=('dp', 'tp'))"}) {
    const Result<Mesh> mesh = parse_mesh(text);
    ASSERT_TRUE(mesh) << text << "\n" << mesh.error();
    EXPECT_EQ(*mesh, kNamed) << text;
  }
  EXPECT_EQ(*parse_mesh("DeviceMesh((2, 2), 'cuda', stride=(1, 2))"),
            *Mesh::make({2, 2}, {}, {0, 2, 1, 3}));
  EXPECT_EQ(*parse_mesh("DeviceMesh('cuda', [0, 1], mesh_dim_names=('dp',))"),
            *Mesh::make({2}, {"dp"}));
  EXPECT_EQ(*parse_mesh("[[0, 1], [2, 3]]"), *Mesh::make({2, 2}));
}

TEST(ShardingText, MeshesOfJax) {
  const Mesh wanted = *Mesh::make({2, 2}, {"x", "y"});
  for (const char* text :
       {"Mesh('x': 2, 'y': 2)", "Mesh('x': 2, 'y': 2, axis_types=(Auto, Auto))",
        "Mesh(device_ids=array([[0, 1],\n       [2, 3]]), axis_names=('x', 'y'))",
        "Mesh(array([[0,1],[2,3]]), axis_names=('x','y'))",
        "jax.sharding.Mesh(np.array([[0, 1], [2, 3]]), ('x', 'y'))",
        "Mesh(array([[CpuDevice(id=0), CpuDevice(id=1)], [TpuDevice(id=2, process_index=0, "
        "coords=(0,1,0), core_on_chip=0), CpuDevice(id=3)]], dtype=object), ('x', 'y'))",
        "Mesh(axis_sizes=(2, 2), axis_names=('x', 'y'), axis_types=(Auto, Auto))",
        "jax.make_mesh((2, 2), ('x', 'y'))", "{'x': 2, 'y': 2}",
        "Mesh(np.arange(4), (2, 2), ('x', 'y'))",
        "NamedSharding(mesh=Mesh('x': 2, 'y': 2), spec=PartitionSpec('x',), "
        "memory_kind=unpinned_host)"}) {
    const Result<Mesh> mesh = parse_mesh(text);
    ASSERT_TRUE(mesh) << text << "\n" << mesh.error();
    EXPECT_EQ(*mesh, wanted) << text;
  }
}

TEST(ShardingText, MeshesReadBack) {
  for (const Mesh& mesh : {kNamed, *Mesh::make({3}, {"x"}, {7, 1, 4}), *Mesh::make({2, 1, 2})}) {
    EXPECT_EQ(*parse_mesh(to_string(mesh)), mesh);
  }
}

TEST(ShardingText, PlacementsOfPyTorch) {
  const Placements wanted = {Placement::shard(0), Placement::replicate()};
  for (const char* text : {"[Shard(0), Replicate()]", "[Shard(dim=0), Replicate()]",
                           "(Shard(dim=0), Replicate())", "Shard(0), Replicate()", "(S(0), R)",
                           "[torch.distributed.tensor.Shard(0), Replicate(),]"}) {
    const Result<Placements> placements = parse_placements(text);
    ASSERT_TRUE(placements) << text << "\n" << placements.error();
    EXPECT_EQ(*placements, wanted) << text;
  }
  EXPECT_EQ(*parse_placements("[Shard(-1), Partial(), Partial(sum), Partial('avg'), P(max)]"),
            (Placements{Placement::shard(-1), Placement::partial(), Placement::partial(),
                        Placement::partial("avg"), Placement::partial("max")}));
  EXPECT_EQ(*parse_placements("(Shard(dim=1),)"), (Placements{Placement::shard(1)}));
  EXPECT_EQ(*parse_placements("Shard(1)"), (Placements{Placement::shard(1)}));
  for (const char* text : {"[_StridedShard(0, split_factor=2)]", "[_StridedShard(dim=0, sf=2)]",
                           "(_S(0, 2),)", "[_StridedShard(dim=0, split_factor=2)]"}) {
    EXPECT_EQ(*parse_placements(text), (Placements{Placement::shard(0, 2)})) << text;
  }
  const Placements all = {Placement::shard(1), Placement::shard(0, 4), Placement::replicate(),
                          Placement::partial("min")};
  EXPECT_EQ(*parse_placements(axe::to_string(all)), all);
}

TEST(ShardingText, PartitionSpecsOfJax) {
  const PartitionSpec wanted{.dims = {{"x"}, {}, {"y", "z"}}};
  for (const char* text : {"PartitionSpec('x', None, ('y', 'z'))", "P(\"x\", None, (\"y\",\"z\"))",
                           "jax.sharding.PartitionSpec('x', None, ('y', 'z'))",
                           "('x', None, ('y', 'z'))", "P(('x',), None, ('y', 'z'))",
                           "NamedSharding(mesh=Mesh('x': 2, 'y': 2, 'z': 2), "
                           "spec=PartitionSpec('x', None, ('y', 'z')), memory_kind=device)"}) {
    const Result<PartitionSpec> spec = parse_partition_spec(text);
    ASSERT_TRUE(spec) << text << "\n" << spec.error();
    EXPECT_EQ(*spec, wanted) << text;
  }
  EXPECT_EQ(*parse_partition_spec("P()"), PartitionSpec{});
  EXPECT_EQ(*parse_partition_spec("P('x', unreduced={'y'})"), (PartitionSpec{{{"x"}}, {"y"}}));
  EXPECT_EQ(*parse_partition_spec("P(None, unreduced=frozenset({'y'}), reduced={'z'})"),
            (PartitionSpec{{{}}, {"y"}, {"z"}}));
  const PartitionSpec unreduced{{{"x"}, {}, {"y", "z"}}, {"t"}};
  EXPECT_EQ(*parse_partition_spec(axe::to_string(unreduced)), unreduced);
  EXPECT_EQ(*parse_partition_spec(axe::to_string(wanted)), wanted);
}

TEST(ShardingText, SpecsOfAlpa) {
  using Dims = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(parse_alpa("S0S1")->dims, (Dims{{0}, {1}}));
  EXPECT_EQ(parse_alpa("S^0S^1")->dims, (Dims{{0}, {1}}));
  EXPECT_EQ(parse_alpa("S⁰S¹")->dims, (Dims{{0}, {1}}));
  EXPECT_EQ(parse_alpa("S01R")->dims, (Dims{{0, 1}, {}}));
  EXPECT_EQ(parse_alpa("S^{01}R")->dims, (Dims{{0, 1}, {}}));
  EXPECT_EQ(parse_alpa("RS0")->dims, (Dims{{}, {0}}));
  EXPECT_EQ(parse_alpa("RR")->dims, (Dims{{}, {}}));
  for (const char* text : {"", "S", "SR", "R0", "S0X", "0", "S0 S"}) {
    const auto refused = parse_alpa(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), "syntax.sharding") << text;
  }
}

TEST(ShardingText, WhatIsNoneIsRefusedAtItsPlace) {
  for (const char* text : {"", "Shard", "[Shard()]", "[Shard(x)]", "[Shard(0, 1)]",
                           "[_StridedShard(0)]", "[Replicate(1)]", "[Partial(mean)]",
                           "[_MaskPartial()]", "[Shard(0)", "[Shard(0) Replicate()]", "[3]",
                           "Shard(0))", "['Shard(0)']", "[Shard(99999999999999999999)]"}) {
    const auto refused = parse_placements(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), "syntax.sharding") << text;
    EXPECT_TRUE(refused.error().span()) << text;
  }
  for (const char* text : {"DeviceMesh()", "DeviceMesh('cuda')", "Mesh('x': 'y')", "[[0, x]]", "[]",
                           "Mesh(array([0, ...]), ('x',))", "Grid([0])", "NamedSharding()",
                           "make_mesh()", "'x", "DeviceMesh((a=2), 'cuda', stride=(1, 2))"}) {
    const auto refused = parse_mesh(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), "syntax.sharding") << text << refused.error();
  }
  EXPECT_EQ(error_of(parse_mesh("[[0, 1], [2]]")),
            "error axe.mesh: a mesh has rows of the shapes (2) and (1)");
  EXPECT_EQ(error_of(parse_partition_spec("P('x', unreduced={'x'})")),
            "error axe.sharding_spec: PartitionSpec('x', unreduced={'x'}) gives axis x two roles");
  std::string deep(1000, '[');
  EXPECT_EQ(parse_mesh(deep).error().code(), "syntax.sharding");
}

}  // namespace
}  // namespace heddle::notation
