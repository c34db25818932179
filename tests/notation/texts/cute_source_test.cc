// CuTe as its users write it: CUTLASS's C++, the Python of CuTe DSL and pycute, and what they
// print.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string text_or_code(std::string_view text) {
  const Result<Value> value = evaluate(text);
  return value ? to_string(*value) : value.error().code();
}

using TextCases = std::vector<std::pair<std::string_view, std::string_view>>;

void expect_each(const TextCases& cases) {
  for (const auto& [text, expected] : cases) EXPECT_EQ(text_or_code(text), expected) << text;
}

TEST(CppStyle, MayHaveABlankBeforeTheBracket) {
  expect_each({
      {"Layout<Shape <_8,_64>, Stride<_64, _1>>", "(8,64):(64,1)"},
      {"Layout<Shape <Shape < _4, _8>,Shape <_16, _2>>, Stride<Stride<_256,_16>,Stride< _1,_128>>>",
       "((4,8),(16,2)):((256,16),(1,128))"},
      {"Layout< Shape< Shape <_32,_4 >,_64>, Stride<Stride< _1,_2048>,_32>>",
       "((32,4),64):((1,2048),32)"},
      {"Shape < _8, Int<64>>{}", "(8,64)"},
      {"Int<4>{} * _2{}", "8"},
      {"Layout<Shape<_2,_2>{}, Stride<_1,_2>>", "(2,2):(1,2)"},
      {"composition(Swizzle<3,3,3>{}, Layout<Shape <_64, _8>, Stride< _1,_64>>{})",
       "Sw<3,3,3> o 0 o (64,8):(1,64)"},
  });
}

TEST(CppStyle, TakesTheTypeOfAnExpression) {
  EXPECT_EQ(text_or_code("decltype(composition(Swizzle<3,3,3>{}, "
                         "Layout<Shape<_8,_64>,Stride<_64,_1>>{}))"),
            "Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(text_or_code("tile_to_shape(decltype(Layout<Shape<_8,_8>>{}){}, (16,8))"),
            text_or_code("tile_to_shape((8,8):(1,8), (16,8))"));
  EXPECT_EQ(text_or_code("decltype((4,8)"), "syntax.unbalanced");
}

TEST(CppStyle, LeavesComparisonsAlone) {
  Environment environment;
  environment.bind("Tile", *evaluate("4"));
  for (const std::string_view text :
       {"if Tile < 8 then 1 else 2", "if Tile < 8 and 9 > 3 then 1 else 2"}) {
    const Result<Value> value = evaluate(text, environment);
    ASSERT_TRUE(value.has_value()) << text << ": " << value.error().message();
    EXPECT_EQ(to_string(*value), "1") << text;
  }
}

TEST(CppAtoms, AreReadByTheirTypes) {
  for (const auto& [type, name] : TextCases{
           {"MMA_Atom<SM80_8x8x4_F64F64F64F64_TN>{}", "SM80_8x8x4_F64F64F64F64_TN"},
           {"MMA_Atom<MMA_Traits<cute::SM80_8x8x4_F64F64F64F64_TN>>", "SM80_8x8x4_F64F64F64F64_TN"},
           {"SM90_64x64x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}",
            "SM90_64x64x16_F16F16F16_SS"},
           {"UniversalFMA<float, half_t, half_t>{}", "UniversalFMA"},
           {"Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}", "copy_atom(SM75_U32x4_LDSM_N, 16)"},
           {"Copy_Atom<UniversalCopy<uint128_t>, cute::half_t>", "universal_copy(128, 16)"},
           {"Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<cute::uint128_t>, tfloat32_t>",
            "universal_copy(128, 32)"},
           {"Copy_Atom<Copy_Traits<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>>, double>",
            "universal_copy(128, 64)"},
           {"Copy_Atom<DefaultCopy, float>",
            "copy_atom_of(1:0, (1,1):(0,0), (1,1):(0,0), (1,1):(0,0), 32)"},
           {"TiledMMA<MMA_Atom<SM80_8x8x4_F64F64F64F64_TN>, Layout<Shape<_2,_2,_1>>, "
            "Tile<Underscore, Underscore, Underscore>>",
            "make_tiled_mma(SM80_8x8x4_F64F64F64F64_TN, (2,2,1))"},
           {"make_tiled_mma(SM70_8x8x4_F32F16F16F32_NT{}, Layout<Shape <_2,_2>, Stride<_2,_1>>{}, "
            "Tile<Layout<Shape <_4,_4,_2>, Stride<_1,_8,_4>>, _32, _4>{})",
            "make_tiled_mma(SM70_8x8x4_F32F16F16F32_NT, (2,2):(2,1), "
            "<(4,4,2):(1,8,4),32,4>)"},
       }) {
    EXPECT_EQ(text_or_code(type), text_or_code(name)) << type;
    EXPECT_NE(text_or_code(type).find('\n'), std::string::npos) << type;
  }
  EXPECT_EQ(text_or_code("Copy_Atom<SM75_U32x4_LDSM_N>"), "syntax.cpp_type");
  EXPECT_EQ(text_or_code("MMA_Atom<SM80_1x1x1_NOTHING>"), "syntax.cpp_type");
}

TEST(CppAtoms, OfTensorCoresHaveTheirSizesAsArguments) {
  EXPECT_EQ(text_or_code("SM100_MMA_F16BF16_SS<half_t, half_t, float, 64, 96, UMMA::Major::K, "
                         "UMMA::Major::K>{}"),
            "MMA_Atom\n  ThrID:      1:0\n  Shape_MNK:  (64,96,16)\n"
            "  LayoutA_TV: (1,(64,16)):(0,(1,64))\n  LayoutB_TV: (1,(96,16)):(0,(1,96))\n"
            "  LayoutC_TV: (1,(64,96)):(0,(1,64))");
  EXPECT_EQ(text_or_code("MMA_Atom<SM100_MMA_TF32_2x1SM_SS<tfloat32_t, tfloat32_t, float, 128, 32, "
                         "UMMA::Major::K, UMMA::Major::K>>"),
            "MMA_Atom\n  ThrID:      2:1\n  Shape_MNK:  (128,32,8)\n"
            "  LayoutA_TV: (2,(64,8)):(64,(1,128))\n  LayoutB_TV: (2,(16,8)):(16,(1,32))\n"
            "  LayoutC_TV: (2,(64,32)):(64,(1,128))");
  EXPECT_EQ(text_or_code("SM100_MMA_F16BF16_SS<half_t, half_t, float>"), "syntax.cpp_type");
}

TEST(CppAtoms, OfSharedMemoryAreTensorsThatAreNotSet) {
  expect_each({
      {"GMMA::Layout_K_SW128_Atom<half_t>{}", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"GMMA::Layout_SW32_Atom<float, GMMA::Major::MN>",
       "Sw<1,4,3> o smem_ptr[32b](unset) o (8,8):(1,8)"},
      {"UMMA::Layout_MN_SW64_Atom<float_e4m3_t>",
       "Sw<2,4,3> o smem_ptr[8b](unset) o (64,8):(1,64)"},
      {"UMMA::Layout_MN_SW128_32B_Atom<tfloat32_t>",
       "Sw<2,5,2> o smem_ptr[32b](unset) o (32,4):(1,32)"},
      {"tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape <_128,_64>{})",
       "Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))"},
      {"Layout_K_SW32_Atom<unknown_t>", "syntax.cpp_type"},
      {"GMMA::Layout_SW32_Atom<float>", "syntax.cpp_type"},
      {"UMMA::DescriptorIterator o (_1,_1,_4):(_0,_0,_2)",
       "UMMA::DescriptorIterator o (1,1,4):(0,0,2)"},
      {"GMMA::DescriptorIterator o (1,4):(0,2)", "GMMA::DescriptorIterator o (1,4):(0,2)"},
  });
}

TEST(CppAtoms, OfTheTmaUnitHaveTheirBitsAsAnArgument) {
  for (const auto& [type, made] : TextCases{
           {"Copy_Traits<SM90_TMA_LOAD, C<65536>, AuxTmaParams<int, int, int>>{}",
            "copy_atom_of(1:0, (1,65536):(0,1), (1,65536):(0,1), (1,65536):(0,1))"},
           {"Copy_Atom<Copy_Traits<cute::SM90_TMA_STORE, cute::C<1024>>, cutlass::half_t>",
            "copy_atom(copy_atom_of(1:0, (1,1024):(0,1), (1,1024):(0,1), (1,1024):(0,1)), 16)"},
           {"Copy_Traits<SM100_TMA_2SM_LOAD_OP, Int<1024>>",
            "copy_atom_of(2:1, (2,1024):(1024,1), (2,1024):(1024,1), (2,1024):(1024,1))"},
           {"Copy_Traits<SM90_BULK_COPY_G2S, C<256>>",
            "copy_atom_of(1:0, (1,256):(0,1), (1,256):(0,1), (1,256):(0,1))"}}) {
    EXPECT_EQ(text_or_code(type), text_or_code(made)) << type;
  }
  expect_each({{"Copy_Atom<SM90_TMA_LOAD, half_t>", "syntax.cpp_type"},
               {"Copy_Traits<SM90_TMA_LOAD>", "syntax.cpp_type"},
               {"SM90_TMA_LOAD", "name.unknown"}});
}

TEST(Fractions, AreStridesThatRoundTowardsZero) {
  expect_each({
      {"Layout<tuple<_32>, tuple<R<1,16>>>", "((16,2)):((0,1))"},
      {"cute::Layout<cute::tuple<cute::_32, cute::_8>, cute::tuple<cute::ScaledBasis<cute::R<1, "
       "16>, 0>, cute::ScaledBasis<cute::_1, 1>>>",
       "((16,2),8):((0@0,1@0),1@1)"},
      {"(_32,_8):(_1/_16@0,_1@1)", "((16,2),8):((0@0,1@0),1@1)"},
      {"32:_1/_16", "((16,2)):((0,1))"},
      {"8:_1/_16", "8:0"},
      {"8:_4/_2", "8:2"},
      {"(?{div=16}):(_1/_16)", "((16,D0)):((0,1))"},
      {"cute::R<6,3>", "2"},
      {"24:_1/_16", "stride.fraction"},
      {"8:_2/_3", "stride.fraction"},
      {"8:_1/_0", "stride.fraction"},
      {"cute::R<1,16>", "stride.fraction"},
      {"8 / 16", "syntax.slash"},
  });
}

TEST(Fractions, LawValuesAreTheIndexTimesTheFractionRoundedTowardsZero) {
  int layouts = 0;
  for (std::int64_t n = -13; n <= 13; ++n) {
    for (std::int64_t d = 1; d <= 6; ++d) {
      for (std::int64_t extent = 1; extent <= 12; ++extent) {
        const std::string text = fmt::format("{}:_{}/_{}", extent, n, d);
        const Result<Value> value = evaluate(text);
        bool has_digits = false;
        if (!value) {
          EXPECT_EQ(value.error().code(), "stride.fraction") << text;
        } else {
          ++layouts;
          for (std::int64_t i = 0; i < extent; ++i) {
            EXPECT_EQ(text_or_code(fmt::format("({})({})", text, i)), std::to_string(i * n / d))
                << text << " at " << i;
          }
          has_digits = true;
        }
        // Whole numbers and unit fractions of an extent that they divide always are layouts.
        const bool is_layout = n % d == 0 || (n == 1 && extent % d == 0);
        EXPECT_TRUE(has_digits || !is_layout) << text;
      }
    }
  }
  EXPECT_GT(layouts, 800);
}

TEST(CoordinateTensors, BeginAtTheTupleInFront) {
  expect_each({{"(0,0) o (2,3):(1@0,1@1)", "ArithTuple(0,0) o (2,3):(1@0,1@1)"},
               {"(4,8) o (2,3):(1@0,1@1)", "ArithTuple(4,8) o (2,3):(1@0,1@1)"},
               {"(4,8):(1,4) o (2,3):(1@0,1@1)", "(2,3):(1,4)"}});
}

TEST(Pointers, HaveNamesForAddresses) {
  for (const std::string_view text :
       {"gmem_ptr[16b](GMEM_ADDR_B + offset_for_mma_tile) o (256,64,4):(256,1,64)",
        "ptr[32b](ADDR_C) o (512,1024):(1024,1)",
        "Sw<3,4,3>_smem_ptr[16b](SMEM_ADDR_A) o ((8192,1)):((1,0))"}) {
    EXPECT_EQ(text_or_code(text), text);
  }
}

TEST(PythonStyle, NamesShapeAndStride) {
  expect_each({
      {"make_layout((4,8), stride=(8,1))", "(4,8):(8,1)"},
      {"cute.make_layout(shape=(128, 2, 2), stride=(1, 256, 128), )", "(128,2,2):(1,256,128)"},
      {"cute.make_layout((128,), stride=(1,))", "(128):(1)"},
      {"make_layout([4,8], stride=[8,1])", "(4,8):(8,1)"},
      {"make_layout((4,4), stride=(E(0), E(1)))", "(4,4):(1@0,1@1)"},
      {"make_layout(2, stride=16 * E(0))", "2:16@0"},
      {"make_layout((4, 8), stride=(ScaledBasis(2, 0), ScaledBasis(1, [1,0])))",
       "(4,8):(2@0,1@0@1)"},
      {"make_layout((4, 8), stride=(ScaledBasis(2, 0), ScaledBasis(1, 1)))", "(4,8):(2@0,1@1)"},
      {"E(0,1)", "1@1@0"},
      {"(E,4):(4,1)", "(E,4):(4,1)"},
      {"cute.make_identity_layout(shape=(8, 4))", "(8,4):(1@0,1@1)"},
  });
}

TEST(PythonStyle, WritesSwizzlesAsCalls) {
  expect_each({
      {"make_swizzle(3, 4, 3)", "Sw<3,4,3>"},
      {"Swizzle(2, 4, 3)", "Sw<2,4,3>"},
      {"make_swizzle(448, 7)", "Sw<3,0,6>"},
      {"SW_3_4_3 o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
      {"SW_2_0_-3", "Sw<2,0,-3>"},
      {"compose(Swizzle(2, 0, 2), Layout((4, 4), (4, 1)))", "Sw<2,0,2> o 0 o (4,4):(4,1)"},
      {"compose(Layout(8, 2), Layout(4, 1))", "4:2"},
      {"compose(identity_1d(2, \"lane\", \"x\"), strided_1d(2, 2, \"x\", \"dim0\")) == "
       "strided_1d(2, 2, \"lane\", \"dim0\")",
       "yes  (basis by basis)"},
      {"upcast(2, (8,4):(1,8))", "(4,4):(1,4)"},
      {"downcast(3, (4,4):(1,4))", "(12,4):(1,12)"},
  });
}

TEST(Structures, OfAnyKindHaveTheirModesChosen) {
  expect_each({
      {"flatten([1, [2, 4]])", "(1,2,4)"},
      {"flatten((1,(_,3)))", "(1,_,3)"},
      {"flatten(<<8:1,4:1>,_,2:1>)", "<8:1,4:1,_,2:1>"},
      {"get(<(4,8):(1,4),(2,3):(1,2)>, 0)", "(4,8):(1,4)"},
      {"get(<4,_>, 1)", "_"},
      {"get((1@0,1@1), 0)", "1@0"},
      {"get((4,8), 2)", "layout.mode"},
      {"get((4,8):(1,4))", "(4,8):(1,4)"},
      {"select((4,8,2), 0, 2)", "(4,2)"},
      {"select(((1@0@0,1@1@0),1@1), 1, 0)", "(1@1,(1@0@0,1@1@0))"},
      {"select(<(4,8):(1,4),_,(2,3):(1,2)>, 1, 2)", "<_,(2,3):(1,2)>"},
      {"take((4,8,2), 1, 3)", "(8,2)"},
      {"take((4,8,2), 2, 2)", "layout.mode"},
      {"group_modes((2,3,4), 0, 2)", "((2,3),4)"},
      {"group_modes((2,3,4):(1,2,6), 0, 2)", "((2,3),4):((1,2),6)"},
      {"shape(<(4,8):(1,4),(2,3):(1,2)>)", "((4,8),(2,3))"},
      {"shape((4,8))", "(4,8)"},
      {"shape(<(4,8):(1,4),_>)", "call.type"},
      {"append((4,8), 1, rank=4)", "(4,8,1,1)"},
      {"prepend((?,2), 0, rank=4)", "(0,0,D0,2)"},
      {"append((4,3), 2:12)", "(4,3,2):(1,4,12)"},
      {"append((4,8,2,1), 1, rank=3)", "(4,8,2,1)"},
      {"append((4,8,2):(1,4,32), 1:0, rank=2)", "(4,8,2):(1,4,32)"},
      {"append((4,8):(1,4))", "(4,8,1):(1,4,0)"},
      {"slice((_,_,1), (0,_,1))", "(0,_)"},
      {"dice((_,1,1), (0,_,1))", "(_,1)"},
      {"dice((_,1), <4:1,8>)", "<8>"},
  });
}

TEST(UnknownNumbers, AreSizesInShapes) {
  expect_each({
      {"make_layout((?,?), (?,?))", "(D0,D1):(D2,D3)"},
      {"make_layout((?,5,6), stride=(1,?,?))", "(D0,5,6):(1,D1,D2)"},
      {"make_identity_layout((?,2))", "(D0,2):(1@0,1@1)"},
      {"make_ordered_layout((4,3,?), (3,2,1))", "(4,3,D0):(3*D0,D0,1)"},
      {"complement(3:2, ?)", "(2,(D0+5)//6):(1,6)"},
      {"size(?)", "D0"},
      // A coordinate may be 0, and so may a stride.
      {"(elem_less((0,0), (?,?)))", "assume.needed"},
      {"filter((4,8):(1,?))", "assume.needed"},
  });
}

TEST(CoordinateStrides, AreInvertedMultipliedAndDividedAlongTheirAxes) {
  expect_each({
      {"left_inverse((4,5):(1@1,1@1@4))", "(1,4,1,1,(1,5)):(0,1,0,0,(0,4))"},
      {"left_inverse(((2,2,2),(2,2,2)):((1@0,2@1,6@0),(1@1,2@0,6@1)))",
       "((2,3,2),(2,3,2)):((1,16,4),(8,2,32))"},
      {"right_inverse((4,5):(1@0,1@1))", "(4,5):(1,4)"},
      {"right_inverse((2,3):(0,1@0))", "(3):(2)"},
      {"right_inverse((((16,4),64),1,1):(((1@1,32@1),2@0),0,0))", "(1,16):(0,1)"},
      {"logical_product((4,3):(1@0,1@1), (2,5):(1,2))", "((4,3),(2,5)):((1@0,1@1),(3@1,6@1))"},
      {"logical_product((4,3):(2@0,1@1), (2,5):(1,2))", "((4,3),(2,5)):((2@0,1@1),(1@0,3@1))"},
      {"logical_product(4:1@0, 3:1)", "(4,3):(1@0,4@0)"},
      {"raked_product((4,3):(1@0,1@1), (2,5):(1,2))", "((2,4),(5,3)):((3@1,1@0),(6@1,1@1))"},
      {"tiled_divide((128,64):(1@1,1@0), 2:64@0)", "(2,64,64):(64@1,1@1,1@0)"},
      {"complement(2:64@0, (128,64))", "complement.two_axes"},
      {"zipped_divide((8,8):(1@1,1@0), 3:2@0)", "divide.uncovered"},
      {"complement(2:64@0, 128)", "complement.two_axes"},
      {"complement(3:2, 6:1)", "2:1"},
  });
}

TEST(PrintedAtoms, AreReadBack) {
  for (const std::string_view text :
       {"SM80_16x8x16_F32F16F16F32_TN", "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))",
        "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,4,1):(4,1,0), <32,_,16>)",
        "make_tiled_mma(SM70_8x8x4_F32F16F16F32_NT, (2,2):(2,1), <(4,4,2):(1,8,4),32,4>)",
        "make_tiled_mma(SM90_64x64x16_F16F16F16_SS)", "make_tiled_mma(UniversalFMA, (16,16,1))",
        "copy_atom(SM75_U32x4_LDSM_N, 16)",
        "make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8))",
        "make_tiled_copy(copy_atom(SM75_U32x4_LDSM_N, 16), (16,2), (1,8))"}) {
    const std::string printed = text_or_code(text);
    EXPECT_NE(printed.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text_or_code(printed), printed) << text;
  }
}

TEST(PrintedAtoms, AreReadAsCuTeDslPrintsThem) {
  EXPECT_EQ(text_or_code("Tiled Copy\n"
                         "  Tiler MN:        (16:1,64:1)\n"
                         "  TV Layout tiled: ((8,16),8):((128,1),16)\n"
                         "Copy Atom\n"
                         "  ThrID:         1:0\n"
                         "  TV Layout Src: (1,8):(0,1)\n"
                         "  TV Layout Dst: (1,8):(0,1)\n"
                         "  Value type:    f16"),
            text_or_code("make_tiled_copy_impl(universal_copy(128, 16), "
                         "((8,16),8):((128,1),16), <16:1,64:1>)"));
  EXPECT_EQ(text_or_code("Tiled MMA\n"
                         "  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)\n"
                         "  Permutation MNK: (_,_,_)\n"
                         "MMA Atom\n"
                         "  ThrID:       32:1\n"
                         "  Shape MNK:   (16,8,16)\n"
                         "  TV Layout A: ((4,8),(2,2,2)):((32,1),(16,8,128))\n"
                         "  TV Layout B: ((4,8),(2,2)):((16,1),(8,64))\n"
                         "  TV Layout C: ((4,8),(2,2)):((32,1),(16,8))"),
            text_or_code("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))"));
  EXPECT_EQ(text_or_code("Copy_Atom\n  ThrID: 1:0\n"), "syntax.unexpected");
  EXPECT_EQ(text_or_code("size(MMA_Atom"), "syntax.unbalanced");
}

TEST(DslTexts, ArePrintedTensors) {
  expect_each({
      {"!cute.coord_tensor<\"(0,32)\", \"(8,64):(1@0,1@1)\">",
       "ArithTuple(0,32) o (8,64):(1@0,1@1)"},
      {"!cute.coord_tensor<\"5\", \"8:2\">", "counting_iter(5) o 8:2"},
      {"tensor(raw_ptr(0x00007ffe26625780: f32, rmem, align<32>) o (4,3):(1,4), data=\n"
       "       [[-0.4, 1.0, 2.0, ],\n        [ 3.0, 4.0, 5.0, ]])",
       "rmem_ptr[32b](0x00007ffe26625780) o (4,3):(1,4)"},
      {"tensor(raw_ptr(0x00007ffe26625780: f32, rmem, align<32>) o (4,3):(1,4))",
       "rmem_ptr[32b](0x00007ffe26625780) o (4,3):(1,4)"},
      {"tensor(raw_ptr(0x00007ffe26625780: f32, rmem, align<32>) o (4,3):(1,4)",
       "rmem_ptr[32b](0x00007ffe26625780) o (4,3):(1,4)"},
      {"!cute.coord_tensor<\"(0,32)\">", "syntax.mlir_type"},
      {"tensor(", "syntax.unexpected"},
  });
}

}  // namespace
}  // namespace heddle::notation
