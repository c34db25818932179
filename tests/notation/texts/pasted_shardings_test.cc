// Shardings, meshes, arrays and types of MLIR as users paste them into an expression.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/map/mlir_text.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/mlir.h"
#include "support/law.h"
#include "support/random.h"

namespace heddle::notation {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;

std::string pasted(std::string_view text) {
  const Result<Value> value = evaluate(text);
  return value ? to_string(*value) : value.error().code();
}

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

void expect(const Pairs& pairs) {
  for (const auto& [text, wanted] : pairs) EXPECT_EQ(pasted(text), wanted) << text;
}

/// Each text is printed as it is.
void expect_same(const std::vector<std::string_view>& texts) {
  for (const std::string_view text : texts) EXPECT_EQ(pasted(text), text);
}

TEST(PastedShardings, OfShardy) {
  expect_same({
      R"(#sdy.sharding<@mesh, [{"x"}, {}]>)",
      R"(#sdy.sharding<@mesh, [{"x":(1)2, "y", ?}p1, {?}], replicated={"z"}>)",
      R"(#sdy.sharding<@mesh, [{}, {}], unreduced=max{"x", "y"}>)",
      R"(#sdy.sharding<mesh<["a"=2, "b"=2], device_ids=[3, 1, 2, 0]>, [{"b"}, {?}]>)",
      R"(#sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, []>]>)",
      R"(#sdy.sharding_per_value<[]>)",
  });
  expect({
      {R"(#sdy.sharding<@mesh, [{\22a\22}]>)", R"(#sdy.sharding<@mesh, [{"a"}]>)"},
      {R"(sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>)",
       "DeviceMesh([[3, 2], [1, 0]], mesh_dim_names=('x', 'y'))"},
      {R"(<["x"=2]>)", "DeviceMesh([0, 1], mesh_dim_names=('x',))"},
      {R"(sharding(#sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)4}]>, <["x"=8]>, (4,8)))",
       "S[(2,2,4,2):(4@gpuid,2@m,1@gpuid,1@m)]"},
      {R"(sharding(#sdy.sharding<@mesh, [{"x":(1)3}]>, <["x"=8]>, (12)))", "axe.sharding_spec"},
      {R"(#sdy.sharding<@foo, [{"a"}p01, {"b"}]>)", "axe.sharding_spec"},
      {R"(#sdy.sharding<@mesh, [{}p1, {}]>)", "axe.sharding_spec"},
      {R"(#sdy.sharding<@mesh, [{"a"}, {"a":(1)2}]>)", "axe.sharding_spec"},
      {R"(#sdy.sharding<@mesh, [{"a":(1)2, "a":(2)2}]>)", "axe.sharding_spec"},
      {R"(#sdy.sharding<@mesh, [{a}]>)", "syntax.sharding"},
      {R"(<["x"=2], device_ids=[2, 1]>)", "axe.mesh"},
  });
}

TEST(PastedShardings, OfXla) {
  expect_same(
      {"{replicated}", "{manual}", "{maximal device=0}", "{devices=[2,2]0,1,2,3}",
       "{devices=[6,35]<=[7,10,3]T(2,1,0)}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
       "{devices=[2,1,2]<=[4] last_tile_dims={manual}}", "{{devices=[2]<=[2]}, {replicated}}",
       "{replicated shard_as 1}", R"({devices=[2]<=[2] metadata={op_name="a}b"}})"});
  expect({
      {"GSPMDSharding({devices=[2,1]0,1}, memory_kind=device)", "{devices=[2,1]0,1}"},
      {"sharding({devices=[2,1,4]<=[8] last_tile_dim_replicate}, shape=(8,8))",
       "S[(2,4,8):(4@gpuid,8@m,1@m)] + R[(4):(1@gpuid)]"},
      {"sharding({maximal device=3}, shape=(4))", "S[(4):(1@m)] + 3@gpuid"},
      {"sharding({replicated}, Mesh('x'=4), (8))", "S[(8):(1@m)] + R[(4):(1@gpuid)]"},
      {"sharding({manual}, Mesh('x'=4), (8))", "axe.sharding_spec"},
      {"{devices=[2,2]<=[8]}", "axe.sharding_spec"},
      {"{devices=[2,2]<=[4]T(1,0)}", "axe.sharding_spec"},
      {"{devices=[2,2]<=[x]}", "syntax.sharding"},
  });
}

TEST(PastedShardings, OfXlaOverAMeshWithNames) {
  expect_same({
      "{mesh['a'=2,'b'=4,'c'=3,'d'=8], [{'c'}, {'a', 'b':(2)2, ?}]}",
      "{mesh['a'=2,'b'=8], replicated}",
      "{mesh['a'=2,'b'=8], manual}",
      "{mesh['a'=2,'b'=8], unreduced=max}",
      "{mesh['a'=2,'b'=8], [], replicated={'b'}}",
      "{mesh['a'=2,'b'=2], device_ids=(0,2,1,3), [{'a'}, {?}], unreduced=max{'b'}}",
      R"({mesh['a'=2,'b'=4], [{'a'}], manual={'b':(2)2}, metadata={{op_name="f"}, {op_name="}"}}})",
      "{@mesh, [{'x'}, {}]}",
      "{{mesh['x'=2], [{'x'}]}, {replicated}}",
  });
  expect({
      {"{mesh[a=2,b=4], [{b}, {a}]}", "{mesh['a'=2,'b'=4], [{'b'}, {'a'}]}"},
      {"{mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)), [{'a'}]}",
       "{mesh['a'=2,'b'=2], device_ids=(0,2,1,3), [{'a'}]}"},
      {"{mesh[], replicated}", "{replicated}"},
      {"{maximal_mesh[device_id=5]}", "{maximal device=5}"},
      {"{single_device[device_id=5]}", "{maximal device=5}"},
      // The same as Shardy says.
      {"sharding({mesh['x'=8], [{'x':(1)2}, {'x':(2)4}]}, shape=(4,8))",
       "S[(2,2,4,2):(4@gpuid,2@m,1@gpuid,1@m)]"},
      {"sharding({mesh['x'=2,'y'=2], unreduced=max}, shape=(4))",
       "S[(4):(1@m)] + R[(2,2):(2@gpuid,1@gpuid)]  partial max over x, partial max over y"},
      {"sharding({mesh['x'=2], [{}], manual={'x'}}, shape=(4))", "axe.sharding_spec"},
      {"{mesh['x'=2,'y'=2], device_ids=(0,1,1,3), [{'x'}]}", "axe.mesh"},
      {"{mesh['x'=2], [{'x'}, {'x'}]}", "axe.sharding_spec"},
      {"{mesh['x'=2] [{'x'}]}", "syntax.sharding"},
      {"{mesh['x'=2], [{'x'}], other={'x'}}", "syntax.sharding"},
      {"{mesh['x'=2], [{'x}]}", "syntax.unbalanced"},
  });
}

TEST(PastedShardings, OfJax) {
  expect_same({"PartitionSpec('x', None)", "PartitionSpec(UNCONSTRAINED, ('y', 'z'))",
               "PartitionSpec(None, unreduced={'x'}, reduced={'y'})", "PartitionSpec()",
               "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x',))",
               "NamedSharding(mesh=Mesh(device_ids=array([1, 0]), axis_names=('x',)), "
               "spec=PartitionSpec('x',))"});
  expect({
      {"jax.P(('x', 'y'))", "PartitionSpec(('x', 'y'),)"},
      {"P(['x'])", "PartitionSpec('x',)"},
      {"jax.sharding.PartitionSpec(\"x\")", "PartitionSpec('x',)"},
      {"sharding(P('x',None), Mesh('x'=8), (64,32))", "S[(8,8,32):(1@gpuid,32@m,1@m)]"},
      {"P('x', unreduced={'x'})", "axe.sharding_spec"},
      {"jax.P(('x', ('y',)))", "syntax.sharding"},
      {"AbstractMesh((2,), ('x',), axis_types=\"explicit\")",
       "DeviceMesh([0, 1], mesh_dim_names=('x',))"},
      {"jax.make_mesh((2, 2), ('x', 'y'), axis_types=(jax.sharding.AxisType.Explicit,)*2)",
       "DeviceMesh([[0, 1], [2, 3]], mesh_dim_names=('x', 'y'))"},
      {"f32[8@X, 4]", "PartitionSpec('X', None) on (8, 4)"},
      {"float32[8@(x,y)]{U:z}", "PartitionSpec(('x', 'y'), unreduced={'z'}) on (8,)"},
      {"NamedSharding(mesh, P('x'))", "PartitionSpec('x',)"},
      {"injective(P('x'))", "call.type"},
      {"Format(layout=Layout(major_to_minor=(1, 0), tiling=None), sharding=P('x'))",
       "Format(layout=Layout(major_to_minor=(1, 0)), sharding=PartitionSpec('x',))"},
      {"Format(None, P('x'))", "PartitionSpec('x',)"},
      {"sharding(Format(Layout((1,0)), P('x')), Mesh('x'=2), (4,8))",
       "S[(2,2,8):(1@gpuid,1@m,2@m)]"},
      {"sharding(Format(Layout((1,0,2)), P('x')), Mesh('x'=2), (4,8))", "axe.sharding_spec"},
      {"Format(Layout((1, 1)), P('x'))", "syntax.sharding"},
      {"Format(Layout((1,0), ((8,128),)), P('x'))", "axe.sharding_spec"},
  });
}

TEST(PastedShardings, OfPyTorch) {
  expect({
      {"(Shard(dim=0), Replicate())", "[Shard(dim=0), Replicate()]"},
      {"RS(0)", "[Replicate(), Shard(dim=0)]"},
      {"(P, S(0))", "[Partial(sum), Shard(dim=0)]"},
      {"[_SS(0, split_factor=2), S(0)]", "[_StridedShard(dim=0, sf=2), Shard(dim=0)]"},
      {"(_NormPartial(reduce_op='sum', norm_type=2), Replicate())",
       "[_NormPartial(reduce_op='sum', norm_type=2), Replicate()]"},
      {"{0: [1], 1: [0]}", "PartitionSpec('1', '0')"},
      {"Spec(S(0) on (2048, 256))", "Spec([Shard(dim=0)] on (2048, 256))"},
      {"fp32[8, 4][S(0), R]", "Spec([Shard(dim=0), Replicate()] on (8, 4))"},
      {"Spec(f32[16, 16](S(0)R)) @ mesh: (2, 4)",
       "S[(2,8,16):(4@gpuid,16@m,1@m)] + R[(4):(1@gpuid)]"},
      {"DTensorSpec(mesh=DeviceMesh([0, 1]), placements=(Shard(dim=0),), "
       "tensor_meta=TensorMeta(shape=torch.Size([4, 8]), stride=(8, 1), dtype=torch.float32))",
       "S[(2,2,8):(1@gpuid,8@m,1@m)]"},
      {"DTensorSpec(mesh=DeviceMesh([0, 1]), placements=(Shard(dim=0),), "
       "tensor_meta=TensorMeta(shape=torch.Size([4, 8]), stride=(1, 4)))",
       "axe.sharding_spec"},
      {"sharding([_StridedShard(dim=0, sf=2)], [0,1], (6))",
       "{ [c0] -> [gpuid = 0, m = c0] : 0 <= c0 <= 1; [c0] -> [gpuid = 0, m = c0 - 1] : 3 <= c0 <= "
       "4; [c0] -> [gpuid = 1, m = c0 - 2] : c0 = 2; [c0] -> [gpuid = 1, m = c0 - 4] : c0 = 5 }"},
      {"sharding([Shard(0)], [0,1], (3))",
       "{ [c0] -> [gpuid = 0, m = c0] : 0 <= c0 <= 1; [c0] -> [gpuid = 1, m = c0 - 2] : c0 = 2 }"},
  });
}

/// The answer alone, without its evidence.
std::string answer_to(const std::string& text) {
  const std::string all = pasted(text);
  return all.substr(0, all.find_first_of(" :"));
}

TEST(PastedShardings, AreEqualWhereTheyMeanTheSame) {
  struct Case {
    std::string left;
    std::string right;
    std::string equal;
    std::string different;
  };
  const std::string mesh = "mesh<[\"x\"=2, \"y\"=4]>";
  const std::vector<Case> cases = {
      {"{devices=[2,2]<=[4]}", "{devices=[2,2]0,1,2,3}", "yes", "no"},
      {"{devices=[2,2]<=[4]}", "{devices=[2,2]<=[2,2]T(1,0)}", "no", "unknown"},
      {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}", "yes", "no"},
      {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       "{devices=[2,1,2]1,0,3,2 last_tile_dim_replicate}", "yes", "no"},
      {"{replicated}", "{devices=[1,1,4]<=[4] last_tile_dim_replicate}", "yes", "no"},
      {"{replicated}", "P()", "yes", "no"},
      {"{replicated}", "{devices=[2,1]<=[2]}", "no", "unknown"},
      {"P('x')", "P('x', None)", "yes", "no"},
      {"P('x')", "P(None, 'x')", "no", "unknown"},
      {"P(('x', 'y'))", "P(('y', 'x'))", "no", "unknown"},
      {"P('x')", "P(('x',), None, None)", "yes", "no"},
      {"P('x', unreduced={'y'})", "P('x')", "no", "unknown"},
      {"P('x')", "{devices=[2,1]<=[2]}", "unknown", "unknown"},
      {"P('x')", "[Shard(0)]", "unknown", "unknown"},
      {"NamedSharding(mesh=Mesh('x': 2), spec=P('x'))", "{devices=[2]<=[2]}", "yes", "no"},
      {"NamedSharding(mesh=Mesh('x': 2), spec=P('x'))", "[Shard(0)]", "yes", "no"},
      {"[Shard(0), Replicate()]", "[Shard(0), Replicate()]", "yes", "no"},
      {"[Shard(0), Replicate()]", "[Replicate(), Shard(0)]", "no", "unknown"},
      // -1 is 0 for one dimension alone.
      {"[Shard(-1)]", "[Shard(0)]", "unknown", "unknown"},
      {"#sdy.sharding<@mesh, [{\"x\"}]>", "#sdy.sharding<@mesh, [{\"x\"}, {}]>", "yes", "no"},
      {"#sdy.sharding<@mesh, [{\"x\"}, {}]>", "#sdy.sharding<@mesh, [{}, {\"x\"}]>", "no",
       "unknown"},
      {"#sdy.sharding<@mesh, [{\"x\"}, {?}]>", "#sdy.sharding<@mesh, [{\"x\"}, {}]>", "unknown",
       "unknown"},
      // A whole axis is not a part of it, but for a mesh with as many devices.
      {"#sdy.sharding<@mesh, [{\"x\"}]>", "#sdy.sharding<@mesh, [{\"x\":(1)2}]>", "no", "unknown"},
      {"#sdy.sharding<" + mesh + ", [{\"y\"}]>", "{mesh['x'=2,'y'=4], [{'y'}]}", "yes", "no"},
      {"{manual}", "{manual}", "yes", "no"},
      {"{manual}", "{replicated}", "unknown", "unknown"},
      {"{{replicated}, {devices=[2]<=[2]}}", "{{replicated}, {devices=[2]0,1}}", "yes", "no"},
      {"sharding([Shard(0)], [0,1], (3))", "sharding(P('x'), Mesh('x': 2), (4))", "no", "yes"},
      {"sharding([Shard(0)], [0,1], (3))", "sharding({devices=[2]<=[2]}, shape=(3))", "yes", "no"},
      {"sharding([Shard(0)], [0,1], (3))", "{devices=[2]<=[2]}", "yes", "no"},
      {"sharding(P('x'), Mesh('x': 2), (4,2))", "P('x', None)", "yes", "no"},
      {"sharding([Partial()], [0,1], (4))", "sharding(P(unreduced={'x'}), Mesh('x': 2), (4))",
       "yes", "no"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(answer_to(test.left + " == " + test.right), test.equal)
        << test.left << " == " << test.right << ": " << pasted(test.left + " == " + test.right);
    EXPECT_EQ(answer_to(test.right + " == " + test.left), test.equal) << test.left << ", reversed";
    EXPECT_EQ(answer_to(test.left + " != " + test.right), test.different) << test.left;
  }
}

TEST(PastedShardings, MayBeUnevenWhereverMeshesAre) {
  const std::string rows = "sharding([Shard(0)], [0,1,2,3], (10,8))";
  expect({
      {"shard_of(" + rows + ", 3)", "[9,10) x [0,8)"},
      {"shard_of(sharding([Shard(0)], [0,1,2], (2)), 2)", "nothing"},
      {"devices_of(" + rows + ", (4,0))", "[1]"},
      {"devices_of(sharding([Shard(0), Replicate()], [[0,1],[2,3]], (3)), (2))", "[2,3]"},
      {"devices_of(" + rows + ", (10,0))", "axe.point"},
      {"bytes_per_device(" + rows + ", 16)",
       "48 bytes on each of devices 0 to 2: 24 elements of 16 bits\n"
       "16 bytes on device 3: 8 elements of 16 bits\n"
       "  copies     1 of each element\n"
       "  in all     160 bytes"},
      // XLA pads its last shards.
      {"bytes_per_device(sharding({devices=[4]<=[4]}, shape=(5)), 8)",
       "2 bytes on each of devices 0, 1: 2 elements of 8 bits\n"
       "1 byte on device 2: 1 element of 8 bits\n"
       "nothing on device 3\n"
       "  copies     1 of each element\n"
       "  in all     5 bytes"},
      {"(" + rows + ")(9,1)", "(3,1)"},
  });
  // A side that states its own mesh and shape is as one to which both are given.
  EXPECT_EQ(pasted("redistribute(sharding([Shard(0)], [0,1,2], (2)), [Replicate()], 8)"),
            pasted("redistribute([Shard(0)], [Replicate()], 8, mesh=[0,1,2], shape=(2))"));
}

TEST(PastedArrays, TakeMemoryForWholeTiles) {
  expect({
      {"xla_bytes('u32[12582912,1]{1,0:T(8,128)}')",
       "6442450944 bytes: 1610612736 elements of 32 bits, of which the array has 12582912"},
      {"xla_bytes('bf16[16,256]{1,0:T(8,128)(2,1)}')",
       "8192 bytes: 4096 elements of 16 bits, of which the array has 4096"},
      {"xla_bytes('s4[3]{0:E(4)}')", "2 bytes: 3 elements of 4 bits, of which the array has 3"},
      {"xla_bytes('pred[3]')", "3 bytes: 3 elements of 8 bits, of which the array has 3"},
      {"xla_bytes('{1,0:T(8,128)}', (9,1), 32)",
       "8192 bytes: 2048 elements of 32 bits, of which the array has 9"},
      {"xla_bytes('{1,0}')", "call.arity"},
  });
}

TEST(PastedArrays, OfXla) {
  expect({
      {"f32[2]{0}", "2:1"},
      {"f32[3,4]{0,1}", "(3,4):(1,3)"},
      {"bf16[16,256]{1,0:T(8,128)(2,1)S(1)}", "((2,4,2),(128,2)):((1,256,2048),(2,1024))"},
      {"f32[<=8,2]", "(8,2):(2,1)"},
      {"{1,0:T(8,128)(2,1)S(1)}", "{1,0:T(8,128)(2,1)S(1)}"},
      {"Layout(major_to_minor=(1, 0))", "{0,1}"},
      {"Layout(major_to_minor=(0, 1), _tiling=((8, 128),), _sub_byte_element_size_in_bits=4)",
       "{1,0:T(8,128)E(4)}"},
      {"{1,0:T(*,4)}", "{1,0:T(*,4)}"},
      {"f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,5)}",
       "(2,7,(2,4),11,(5,2)):(6160,880,(5,220),20,(1,10))"},
      {"f32[2,6]{1,0:T(4,*)}", "xla.layout"},
      {"f32[2,6]{1,0:T(-1,4)}", "syntax.xla"},
      {"xla_layout({0,1}, (3,4))", "(3,4):(1,3)"},
      {"f32[10]{0:T(4)}", "{ [c0] -> [4*floor((c0)/4) + (c0) mod 4] : 0 <= c0 <= 9 }"},
      {"f32[4,4]{0}", "xla.layout"},
      {"f32[4]{0:D(C)}", "syntax.xla"},
      {"{}", "{}"},
  });
}

TEST(PastedTypes, OfMlir) {
  expect({
      {"affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 mod 8 + s0, d0)>",
       "[s0] -> { [d0, d1] -> [s0 + 4d0 + (d1) mod 8, d0] }"},
      {"(affine_map<(d0) -> (d0 ceildiv 4, d0 floordiv 4)>)(5)", "(2,1)"},
      {"memref<4x8xf32>", "(4,8):(8,1)"},
      {"vector<4x8xf16>", "(4,8):(8,1)"},
      {"memref<4x8xf32, strided<[1, 4]>, #gpu.address_space<workgroup>>", "(4,8):(1,4)"},
      {"(memref<4x8xf32, strided<[8, 1], offset: 3>>)(1,2)", "13"},
      {"(memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>>)(1,2)", "(2,1)"},
      {"affine_map<(d0, d1) -> (d0 * d1)>", "relation.not_affine"},
      {"affine_map<(d0)[s0] -> (d0 floordiv s0)>", "relation.not_affine"},
      {"affine_map<(d0) -> (d0 mod 0)>", "relation.not_affine"},
      {"memref<?x8xf32>", "(D0,8):(8,1)"},
      {"affine_map<(d0) -> (d1)>", "syntax.mlir_type"},
      {"convert((4,8):(8,1), 'mlir')", "memref<4x8xf32>"},
      {"convert(3 + 0, 'mlir')", "memref<3xf32>"},
      {"convert((4,(2,4)):(2,(1,8)), 'mlir')",
       "affine_map<(d0, d1) -> (d0 * 2 + d1 mod 2 + (d1 floordiv 2) * 8)>"},
  });
  EXPECT_EQ(pasted("affine_set<(d0, d1) : (d0 - 10 >= 0, d1 == 0)>"),
            "{ [d0, d1 = 0] : d0 >= 10 }");
}

// ---- Laws ----

/// A random affine expression with its value at a point.
struct Affine {
  std::string text;
  std::int64_t value = 0;
};

std::int64_t floored(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Affine random_affine(Random& random, const std::vector<std::int64_t>& point, int depth) {
  if (depth == 0 || random.chance(20)) {
    if (random.chance(30)) {
      const std::int64_t value = random.between(0, 9);
      return {std::to_string(value), value};
    }
    const auto i = static_cast<std::size_t>(random.between(0, std::ssize(point) - 1));
    return {"d" + std::to_string(i), point[i]};
  }
  const Affine a = random_affine(random, point, depth - 1);
  const std::int64_t k = random.between(1, 7);
  const std::string by = std::to_string(k);
  switch (random.between(0, 5)) {
    case 0:
      return {"(" + a.text + ") floordiv " + by, floored(a.value, k)};
    case 1:
      return {"(" + a.text + ") ceildiv " + by, -floored(-a.value, k)};
    case 2:
      return {"(" + a.text + ") mod " + by, a.value - k * floored(a.value, k)};
    case 3:
      return {"-" + by + " * (" + a.text + ")", -k * a.value};
    default:
      break;
  }
  const Affine b = random_affine(random, point, depth - 1);
  if (random.chance(50)) return {a.text + " + " + b.text, a.value + b.value};
  return {a.text + " - (" + b.text + ")", a.value - b.value};
}

TEST(PastedTypesLaw, AffineMapsAreTheirExpressions) {
  for_all_seeds({.percent = 20}, [](Random& random) -> Finding {
    const std::vector<std::int64_t> point = {random.between(0, 40), random.between(0, 40)};
    const Affine wanted = random_affine(random, point, 3);
    const std::string text = "affine_map<(d0, d1) -> (" + wanted.text + ")>";
    const Result<map::AnyLayout> got = parse_mlir(text);
    if (!got) return found(text, ": ", got.error());
    const std::vector<Int> at(point.begin(), point.end());
    const auto image = map::images(std::get<map::IntegerRelation>(*got), at);
    if (!image) return found(text, ": ", image.error());
    if (*image == std::vector<std::vector<Int>>{{Int(wanted.value)}}) return kHolds;
    return found(text, " at ", at[0], " ", at[1], " is not ", wanted.value);
  });
}

/// What is applied after a layout: nothing, a swizzle, or another layout, with an offset.
std::string any_outer(Random& random) {
  const std::int64_t offset = random.between(0, 9);
  switch (random.between(0, 3)) {
    case 0:
      return "Sw<1,0,2> o 0 o ";
    case 1:
      return fmt::format("Sw<{},{},{}> o {} o ", random.between(1, 2), random.between(0, 2),
                         random.between(2, 3), offset);
    case 2:
      return fmt::format("({},{}):({},{}) o {} o ", random.between(2, 6), random.between(2, 6),
                         random.between(1, 9), random.between(1, 9), offset);
    default:
      return "";
  }
}

TEST(PastedTypes, OfOneElementHaveNoSizes) {
  expect({{"memref<f32>", "1:0"},
          {"memref<f32, strided<[]>>", "1:0"},
          {"memref<f32, strided<[], offset: 3>>", "Sw<0,4,3> o 3 o 1:0"},
          {"memref<f32, 3>", "1:0"},
          {"vector<f32>", "1:0"},
          {"f32[]", "1:0"},
          {"tensor<f32>", "encoding.missing"}});
}

TEST(PastedTypes, OfUnknownSizesNameThem) {
  expect({{"memref<?xf32>", "D0:1"},
          {"memref<?x4xf32>", "(D0,4):(4,1)"},
          {"memref<4x?x?xf32, 3>", "(4,D0,D1):(D0*D1,D1,1)"},
          {"memref<4x?xf32, strided<[?, 1]>>", "(4,D0):(D1,1)"},
          {"memref<4x8xf32, strided<[8, 1], offset: ?>>", "Sw<0,4,3> o D0 o (4,8):(8,1)"},
          {"memref<f32, strided<[], offset: ?>>", "Sw<0,4,3> o D0 o 1:0"},
          {"memref<?xf32, strided<[1, 2]>>", "syntax.mlir_type"},
          {"memref<?x4xf32, affine_map<(d0, d1) -> (d1, d0)>>", "syntax.mlir_type"}});
}

TEST(PastedTypesLaw, WhatMlirIsWrittenIsTheSameMap) {
  for_all_seeds({.one_in = 4, .percent = 90}, [](Random& random) -> Finding {
    // Layouts of two modes of up to two digits, with something after them or not.
    std::string shape;
    std::string stride;
    for (int mode = 0; mode < 2; ++mode) {
      const bool is_split = random.chance(50);
      for (int digit = 0; digit <= static_cast<int>(is_split); ++digit) {
        const std::string separator = digit > 0 ? "," : (mode > 0 ? ",(" : "(");
        shape += separator + std::to_string(random.one_of<int>({2, 3, 4, 5}));
        stride += separator + std::to_string(random.one_of<int>({1, 2, 4, 7, 8, 16}));
      }
      shape += ")";
      stride += ")";
    }
    const std::string text = any_outer(random) + "(" + shape + "):(" + stride + ")";
    const Result<map::AnyLayout> layout = parse_any_layout(text);
    if (!layout) return found(text, ": ", layout.error());
    const Result<map::MlirText> written = map::mlir_text(*layout);
    if (!written) return found(text, ": ", written.error());
    const Result<map::AnyLayout> back = parse_mlir(written->text);
    if (!back) return found(written->text, ": ", back.error());
    const Result<map::View> view = map::view(*layout);
    for (std::int64_t i = 0; i < view->extents[0].value(); ++i) {
      for (std::int64_t j = 0; j < view->extents[1].value(); ++j) {
        const std::vector<Int> point = {i, j};
        const auto* relation = std::get_if<map::IntegerRelation>(&*back);
        const auto image =
            relation != nullptr ? map::images(*relation, point) : map::evaluate(*back, point);
        if (!image || *image != *map::images(*view, point)) return found(text, ": ", written->text);
      }
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::notation
