// What users paste: types as compilers print and sources spell them, tensors as CuTe prints them,
// types of CuTe DSL.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string value_of(std::string_view text) {
  const Result<Value> value = evaluate(text);
  return value ? to_string(*value) : value.error().code();
}

TEST(CppTypes, ReadLayoutsAsEveryCompilerPrintsThem) {
  for (const std::string_view text : {
           // nvcc
           "cute::Layout<cute::tuple<cute::_8, cute::_64>, cute::tuple<cute::C<64>, cute::_1>>",
           // g++
           "cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, "
           "cute::C<1> > >",
           // clang
           "cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, "
           "cute::C<1>>>",
           "Layout<Shape<_8,_64>,Stride<_64,_1>>",
           "Layout<Shape<_8, _64>, Stride<_64, _1>>{}",
           "const cute::Layout<cute::Shape<cute::Int<8>, cute::constant<int, 64> >, "
           "cute::Stride<std::integral_constant<int, 64>, cute::C<(int)1> > > &",
           "cute::Layout<cute::tuple<cute::C<8l>, cute::C<64L> >, cute::tuple<cute::C<64ul>, "
           "cute::C<(long)1> > >",
           "cute::Layout<Shape, Stride> [with Shape = cute::tuple<cute::C<8>, cute::C<64> >; "
           "Stride "
           "= cute::tuple<cute::C<64>, cute::C<1> >]",
           "cute::Layout<Shape, Stride> [with Shape=cute::tuple<cute::_8, cute::_64>, "
           "Stride=cute::tuple<cute::_64, cute::_1>]",
           "make_layout(make_shape(_8{}, Int<64>{}), make_stride(Int<64>{}, _1{}))",
           "make_layout(make_shape(8, 64), LayoutRight{})",
       }) {
    EXPECT_EQ(value_of(text), "(8,64):(64,1)") << text;
  }
}

TEST(CppTypes, WithoutStridesAreColumnMajor) {
  EXPECT_EQ(value_of("Layout<_8>"), "8:1");
  EXPECT_EQ(value_of("Layout<Shape<_8>>"), "(8):(1)");
  EXPECT_EQ(value_of("Layout<Shape<_2, Shape<_2,_4>>>"), "(2,(2,4)):(1,(2,4))");
  EXPECT_EQ(value_of("make_layout(make_shape(_2{}, 4), GenColMajor{})"), "(2,4):(1,2)");
}

TEST(CppTypes, AreWhatTheyDenote) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"cute::C<8>", "8"},
      {"cute::_16", "16"},
      {"cute::C<-4>", "-4"},
      {"cute::C<true>", "1"},
      {"cute::tuple<cute::_8, cute::tuple<cute::_2, cute::_4>>", "(8,(2,4))"},
      {"std::integer_sequence<int, 0, 2, 1>", "(0,2,1)"},
      {"cute::Swizzle<3, 4, 3>", "Sw<3,4,3>"},
      {"cute::Swizzle<2, 4>", "Sw<2,4,2>"},
      {"cute::ScaledBasis<cute::C<8>, 0, 1>", "8@1@0"},
      {"cute::Layout<cute::tuple<cute::_4, cute::_8>, cute::tuple<cute::E<0>, cute::E<1>>>",
       "(4,8):(1@0,1@1)"},
      {"cute::tuple<cute::Underscore, cute::_3>", "(_,3)"},
      {"Tile<_8, Layout<_4,_2>, Underscore>", "<8,4:2,_>"},
      {"cute::ComposedLayout<cute::Swizzle<3,3,3>, cute::C<0>, cute::Layout<cute::_8, cute::_8>>",
       "Sw<3,3,3> o 0 o 8:8"},
      {"cute::ComposedLayout<cute::Swizzle<3,4,3>, cute::smem_ptr_flag_bits<16>, "
       "cute::Layout<cute::tuple<cute::_8, cute::_64>, cute::tuple<cute::_64, cute::_1>>>",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"cute::Tensor<cute::ViewEngine<cute::gmem_ptr<float *>>, cute::Layout<cute::_8, cute::_1>>",
       "gmem_ptr[32b](unset) o 8:1"},
      {"cute::Tensor<cute::ViewEngine<cute::swizzle_ptr<cute::Swizzle<3,4,3>, "
       "cute::smem_ptr<cutlass::half_t *>>>, cute::Layout<cute::_8, cute::_1>> &",
       "Sw<3,4,3> o smem_ptr[16b](unset) o 8:1"},
      {"cute::Tensor<cute::ViewEngine<cute::smem_ptr<cute::subbyte_iterator<cutlass::"
       "integer_subbyte<4, true>>>>, cute::Layout<cute::_8, cute::_1>>",
       "smem_subptr[4b](unset) o 8:1"},
      {"cute::Tensor<cute::ArrayEngine<cutlass::half_t, 8UL>, cute::Layout<cute::_8, cute::_1>>",
       "ptr[16b](unset) o 8:1"},
      {"cute::Tensor<cute::ConstViewEngine<cute::ArithmeticTupleIterator<cute::ArithmeticTuple<"
       "cute::C<0>, cute::C<4>>>>, cute::Layout<cute::_8, cute::E<1>>>",
       "ArithTuple(0,4) o 8:1@1"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(value_of(text), expected) << text;
}

TEST(CppTypes, AreOperandsLikeAnyOther) {
  EXPECT_EQ(value_of("composition(Layout<Shape<_6,_2>,Stride<_8,_2>>{}, Layout<Shape<_4,_3>, "
                     "Stride<_3,_1>>{})"),
            "((2,2),3):((24,2),8)");
  EXPECT_EQ(value_of("size(cute::Layout<cute::tuple<cute::_8, cute::_64>>)"), "512");
  EXPECT_EQ(value_of("same(Layout<_8,_2>, 8:2)"), "true");
}

TEST(CppTypes, ComputeIntegersFromNames) {
  const auto value_with = [](std::string_view text) {
    Environment environment;
    environment.bind("kBlockM", Value(Int(64)));
    EXPECT_TRUE(environment.assume("N>=1"));
    const Result<Value> value = evaluate(text, environment);
    return value ? to_string(*value) : value.error().code();
  };
  EXPECT_EQ(value_with("Layout<Shape<Int<kBlockM>,_8>>"), "(64,8):(1,64)");
  EXPECT_EQ(value_with("Layout<Shape<Int<kBlockM/4*2>, cute::C<(kBlockM + 2ul) * 3>>>"),
            "(32,198):(1,32)");
  EXPECT_EQ(value_with("Layout<Int<4*2>, constant<int, -kBlockM>>"), "8:-64");
  EXPECT_EQ(value_with("Layout<Shape<Int<N>,_8>, Stride<_8,_1>>"), "(N,8):(8,1)");
  EXPECT_EQ(value_with("Layout<Shape<Int<M>,Int<2*K>>>"), "(M,2*K):(1,M)");
  EXPECT_EQ(value_with("integer_sequence<int, kBlockM, 1>"), "(64,1)");
  EXPECT_EQ(value_with("Layout<S> [with S = cute::tuple<cute::C<2*kM>, _8>; int kM = 16]"),
            "(32,8):(1,32)");
  EXPECT_EQ(value_with("Layout<Shape<Int<kBlockN>,_8>>"), "name.unknown");
  EXPECT_EQ(value_with("Int<kBlockM/5>"), "syntax.slash");
  for (const char* other :
       {"Int<int>", "Int<Traits::kM>", "Int<4*>", "Int<kM ? 1 : 2>", "Int<010*2>", "Int<size(kL)>",
        "Int<kM%2>", "Int<>", "index_sequence<Is...>"}) {
    EXPECT_EQ(value_with(other), "syntax.cpp_type") << other;
  }
}

TEST(CppTypes, OfOtherKindsAreRefusedWithTheirName) {
  const auto refusal = [](std::string_view text) { return evaluate(text).error(); };
  EXPECT_EQ(refusal("cute::Layout<Shape, Stride>").code(), "syntax.cpp_type");
  EXPECT_EQ(refusal("cute::Layout<Shape, Stride>").message(), "'Shape' is an unknown type");
  EXPECT_EQ(refusal("cute::Layout<Shape, Stride>").span(), (Span{13, 18}));
  EXPECT_EQ(refusal("std::vector<int>").message(),
            "'std::vector<int>' is not a layout, tuple or integer of CuTe");
  EXPECT_EQ(refusal("cute::Layout<cute::Swizzle<3,4,3>, cute::_1>").code(), "syntax.cpp_type");
  EXPECT_EQ(refusal("cute::tuple<cute::_8").code(), "syntax.unbalanced");
  EXPECT_EQ(refusal("cute::C<99999999999999999999>").code(), "syntax.number");
  EXPECT_EQ(refusal("cute::smem_ptr<unknown_t *>").code(), "syntax.cpp_type");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "cute::tuple<";
  EXPECT_EQ(refusal(deep).code(), "syntax.too_deep");
  std::string wide = "cute::tuple<_1";
  for (int i = 0; i < 70000; ++i) wide += ",_1";
  EXPECT_EQ(refusal(wide + ">").code(), "syntax.too_long");
}

TEST(UnknownNumbers, AreVariablesOfTheirOwn) {
  EXPECT_EQ(value_of("(?,64):(1,?)"), "(D0,64):(1,D1)");
  EXPECT_EQ(value_of("(?{div=16},64):(64,1)"), "(16*D0,64):(64,1)");
  EXPECT_EQ(value_of("cute::Layout<cute::tuple<int, cute::_4>, cute::tuple<cute::_4, cute::_1>>"),
            "(D0,4):(4,1)");
  EXPECT_EQ(value_of("size((?,4):(?,1)) == size((?,4):(?,1))").substr(0, 2), "no");
}

TEST(UnknownNumbers, AreNoneThatHaveANameAlready) {
  Environment environment;
  environment.bind("A", *evaluate("(?,64):(1,D7)"));
  EXPECT_EQ(to_string(*evaluate("(?,D1):(1,64)", environment)), "(D2,D1):(1,64)");
  EXPECT_EQ(to_string(*evaluate("size(A) == size((?,64):(1,4))", environment)).substr(0, 2), "no");
}

TEST(CppTypes, SubstitutionIsBounded) {
  std::string wide = "cute::tuple<cute::_1";
  for (int i = 0; i < 2000; ++i) wide += ",cute::_1";
  wide += ">";
  std::string uses = "cute::tuple<T";
  for (int i = 0; i < 2000; ++i) uses += ",T";
  EXPECT_EQ(evaluate(uses + "> [with T = " + wide + "]").error().code(), "syntax.too_long");
}

TEST(PrintedTensors, PrintBackTheSameText) {
  for (const std::string_view text :
       {"smem_ptr[16b](0x7f1e00000400) o (8,64):(64,1)", "gmem_ptr[32b](unset) o (8,64):(64,1)",
        "ptr[8b]((nil)) o 8:1", "rmem_ptr[64b](0x7f\u2026) o 8:1", "tmem_[32b](0x0000.0040) o 8:1",
        "smem_subptr[4b](0x7f00.1) o 8:1", "Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1)",
        "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "ArithTuple(0,0) o (4,8):(1@0,1@1)",
        "counting_iter(5) o 8:2", "gmem_ptr[16b](0x0) o Sw<3,3,3> o 0 o (8,64):(64,1)"}) {
    EXPECT_EQ(value_of(text), text);
  }
}

TEST(PrintedTensors, AreLayoutsOfElementIndicesWhereLayoutsAreNeeded) {
  EXPECT_EQ(value_of("coalesce(smem_ptr[16b](0x400) o (8,_64):(_64,8))"), "(8,64):(64,8)");
  EXPECT_EQ(value_of("zipped_divide(gmem_ptr[16b](0x0) o (8,64):(64,1), (4,8))"),
            "((4,8),(2,8)):((64,1),(256,8))");
  EXPECT_EQ(value_of("(Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1))(3,5)"), "221");
  EXPECT_EQ(value_of("(Sw<3,3,3> o 0 o (8,64):(64,1))(3,5)"), "221");
  EXPECT_EQ(value_of("(ArithTuple(3,_5) o (8,64):(1@0,1@1))(1,2)"), "(4,7)");
  EXPECT_EQ(value_of("(counting_iter(5) o 8:2)(3)"), "11");
  EXPECT_EQ(value_of("layout(Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1))"), "(8,64):(64,1)");
}

TEST(PrintedTensors, FromDifferentBeginningsAreNotCompared) {
  EXPECT_EQ(value_of("counting_iter(0) o 8:2 == counting_iter(5) o 8:2"), "call.type");
  EXPECT_EQ(value_of("smem_ptr[16b](0x0) o 8:2 == smem_ptr[16b](0x400) o 8:2").substr(0, 3), "yes");
}

TEST(Chains, CarryNoOffsetBetweenLayouts) {
  EXPECT_EQ(value_of("(8,8):(8,1) o 0 o 8:1"), "8:8");
  EXPECT_EQ(value_of("(8,8):(8,1) o 3 o 4:1"), "(8,8):(8,1) o 3 o 4:1");
  EXPECT_EQ(value_of("(8,8):(8,1) o 4"), "4:8");
}

TEST(MlirTypes, AreWhatTheyHold) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"!cute.layout<\"(8,64):(64,1)\">", "(8,64):(64,1)"},
      {"#cute.layout<\"8:1\">", "8:1"},
      {"!cute.composed_layout<\"S<3,4,3> o 0 o (8,64):(64,1)\">", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
      {"!cute.tile<\"[8:1;16:1]\">", "<8:1,16:1>"},
      {"!cute.shape<\"(8,(2,4))\">", "(8,(2,4))"},
      {"!cute.coord<\"(_,3)\">", "(_,3)"},
      {"!cute.int_tuple<\"16\">", "16"},
      {"!cute.swizzle<\"S<3,4,3>\">", "Sw<3,4,3>"},
      {"!cute.memref<f16, smem, align<128>, \"(8,64):(64,1)\">",
       "smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"!cute.memref<bf16, smem, align<128>, S<3,4,3>, \"(8,64):(64,1)\">",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"tensor<ptr<f8E4M3FN, gmem, align<16>> o (8,64):(64,1)>",
       "gmem_ptr[8b](unset) o (8,64):(64,1)"},
      {"raw_ptr(0x00007f00: f32, generic, align<4>) o (8,5):(5,1)",
       "ptr[32b](0x00007f00) o (8,5):(5,1)"},
      {"size(!cute.layout<\"(8,64):(64,1)\">) + 1", "513"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(value_of(text), expected) << text;
}

TEST(MlirTypes, OfOtherKindsAreRefused) {
  EXPECT_EQ(value_of("!cute.tiled_mma<\"8:1\">"), "syntax.mlir_type");
  EXPECT_EQ(value_of("!cute.memref<f16, smem>"), "syntax.mlir_type");
  EXPECT_EQ(value_of("!cute.layout<\"8:1\""), "syntax.unbalanced");
  EXPECT_EQ(evaluate("!cute.layout<\"(8,:1\">").error().span(), (Span{17, 18}));
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "tensor<";
  EXPECT_FALSE(evaluate(deep).has_value());
}

}  // namespace
}  // namespace heddle::notation
