// One test an error code of the floors core to cute: the whole text that the terminal shows. A test
// has the name of its code with `_` for `.`; the last one asks that no code is left out, of linear
// layouts neither.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "heddle/cute/algebra.h"
#include "heddle/cute/tensor.h"
#include "heddle/form/recover.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

using test::composed;
using test::coordinate;
using test::layout;
using test::refusal;
using test::strides;
using test::swizzle;
using test::tiler;
using test::tuple;

Profile nested(std::size_t depth) {
  Profile profile = Profile::incomplete();
  for (std::size_t i = 0; i < depth; ++i) profile.append_tuple(1);
  profile.append_leaf();
  return profile;
}

TEST(ErrorText, complement_holes) {
  EXPECT_EQ(refusal(complement(layout("(2,2):(1,5)"), tuple("20"))),
            "error complement.holes: complement((2,2):(1,5),20): the stride 5 is no multiple of 2, "
            "so copies of the layout leave holes\n"
            "  CuTe's answer (2,2):(2,10) has 4 elements; 5 are needed\n"
            "  hint: complement_fill((2,2):(1,5),20) = (2,3):(2,9) fills what can be filled");
}

TEST(ErrorText, complement_negative_stride) {
  EXPECT_EQ(
      refusal(complement(layout("(4,2):(-1,4)"), tuple("16"))),
      "error complement.negative_stride: complement: the mode 4:-1 of (4,2):(-1,4) runs below 0\n"
      "  hint: take the complement of the layout with the stride made positive: it covers as many "
      "elements, above 0");
}

TEST(ErrorText, complement_not_injective) {
  EXPECT_EQ(
      refusal(complement(layout("(4,4):(1,2)"), tuple("32"))),
      "error complement.not_injective: complement: (4,4):(1,2) is not injective or interleaves: "
      "the mode 4:2 begins within the first 4 elements that the modes of lesser stride cover");
}

TEST(ErrorText, complement_target) {
  EXPECT_EQ(refusal(complement(layout("4:1"), tuple("(8,0)"))),
            "error complement.target: the target (8,0) for the complement of 4:1 is not positive");
}

TEST(ErrorText, complement_two_axes) {
  EXPECT_EQ(refusal(complement(layout("(4,8):(1@0,1@1)"), tuple("32"))),
            "error complement.two_axes: complement: (4,8):(1@0,1@1) has strides in several axes");
}

TEST(ErrorText, complement_fill_too_large) {
  EXPECT_EQ(refusal(complement_fill(layout("(2,2):(1,5)"), 16777217)),
            "error complement_fill.too_large: complement_fill((2,2):(1,5),16777217): the gaps are "
            "uneven and more than 4194304 numbers would have to be looked at");
}

TEST(ErrorText, composition_no_layout) {
  EXPECT_EQ(refusal(composition(layout("(4,6):(1,5)"), layout("6:1"))),
            "error composition.no_layout: (4,6):(1,5) o 6:1 is not a layout\n"
            "  6:1 runs through the left side's first mode (4) and 2 of its second (6); 6 is not a "
            "multiple of 4\n"
            "  witness: coordinate 4 maps to 5; a mode 6:1 would need 4");
}

TEST(ErrorText, composition_negative_coordinate) {
  EXPECT_EQ(refusal(composition(layout("(4,6):(1,5)"), layout("(2,4):(4,-1)"))),
            "error composition.negative_coordinate: (4,6):(1,5) o (2,4):(4,-1): the mode 4:-1 "
            "reaches coordinates below 0, where the left side has no elements\n"
            "  witness: coordinate (0,1) maps to -1");
}

TEST(ErrorText, composition_basis) {
  EXPECT_EQ(refusal(composition(layout("(4,8):(8,1)"), layout("(2,3):(1@0,1@2)"))),
            "error composition.basis: (4,8):(8,1) o (2,3):(1@0,1@2): the right side has a stride "
            "along axis 2, a mode that the left side does not have\n"
            "  (4,8):(8,1) has 2 modes, numbered from 0; there is no mode 2");
}

TEST(ErrorText, composition_two_axes) {
  EXPECT_EQ(refusal(composition(layout("(4,8):(1@0,1@1)"), layout("3:5"))),
            "error composition.two_axes: (4,8):(1@0,1@1) o 3:5: a mode of 3 steps of (1,1) would "
            "lie on two axes at once");
}

TEST(ErrorText, composition_undecided) {
  EXPECT_EQ(
      refusal(composition(layout("(2,2,2,2097152):(1,3,5,100)"), layout("(2,2,2097152):(3,1,8)"))),
      "error composition.undecided: (2,2,2,2097152):(1,3,5,100) o (2,2,2097152):(3,1,8): digits "
      "may carry, and 8388608 elements are too many to try each (at most 1048576)\n"
      "  the modes of the right side together carry past the left side's first mode (2)");
}

TEST(ErrorText, composition_swizzle) {
  EXPECT_EQ(
      refusal(composition(layout("(6,8):(8,1)"), swizzle("Sw<2,0,3>"))),
      "error composition.swizzle: (6,8):(8,1) o Sw<2,0,3> has no form swizzle o offset o layout\n"
      "  make_swizzle(0b100,0b11000): the masks are not two runs of equally many bits");
}

TEST(ErrorText, tiler_rank) {
  EXPECT_EQ(refusal(composition(layout("(4,8):(8,1)"), tiler("<2,4,2>"))),
            "error tiler.rank: the tiler <2,4,2> has 3 tiles for the 2 modes of (4,8):(8,1)");
}

TEST(ErrorText, domain_overflow_too_large) {
  EXPECT_EQ(refusal(domain_overflow(layout("4:1"), layout("33554432:1"))),
            "error domain_overflow.too_large: 4:1 o 33554432:1: some coordinates of the right side "
            "leave the left one, but its 33554432 elements are too many to list them");
}

TEST(ErrorText, inverse_not_bijective) {
  EXPECT_EQ(refusal(inverse(layout("(2,2):(1,8)"))),
            "error inverse.not_bijective: inverse((2,2):(1,8)): the layout is no bijection onto "
            "its 4 first indices: the next stride is 8 where 2 is needed\n"
            "  no coordinate maps to 2\n"
            "  hint: see right_inverse and left_inverse");
}

TEST(ErrorText, inverse_negative_stride) {
  EXPECT_EQ(refusal(left_inverse(layout("(4,2):(-1,4)"))),
            "error inverse.negative_stride: left_inverse((4,2):(-1,4)): the stride -1 leads to "
            "indices below 0, which no layout reads");
}

TEST(ErrorText, inverse_two_axes) {
  EXPECT_EQ(refusal(inverse(layout("(4,8):(1@0,1@1)"))),
            "error inverse.two_axes: inverse: (4,8):(1@0,1@1) has strides in several axes");
}

TEST(ErrorText, inverse_offset) {
  EXPECT_EQ(refusal(right_inverse(composed("Sw<2,0,3> o 8 o (8,8):(8,1)"))),
            "error inverse.offset: right_inverse(Sw<2,0,3> o 8 o (8,8):(8,1)): an inverse would "
            "have to begin at index 9, not at 0");
}

TEST(ErrorText, inverse_swizzle) {
  EXPECT_EQ(refusal(right_inverse(composed("Sw<1,0,2> o 0 o (5,3):(1,10)"))),
            "error inverse.swizzle: right_inverse(Sw<1,0,2> o 0 o (5,3):(1,10)): the swizzle mixes "
            "indices that the layout meets with others\n"
            "  witness: coordinate 4 maps to 10; an inverse would need 4");
}

TEST(ErrorText, left_inverse_divisibility) {
  EXPECT_EQ(refusal(left_inverse(layout("(2,2):(2,5)"))),
            "error left_inverse.divisibility: left_inverse((2,2):(2,5)): the stride 5 is no "
            "multiple of the stride 2 before it\n"
            "  hint: right_inverse reads back the indices 0, 1, 2, … as far as they go");
}

TEST(ErrorText, divide_uncovered) {
  EXPECT_EQ(refusal(logical_divide(layout("(5,5):(0,1)"), layout("(2,2):(5,25)"))),
            "error divide.uncovered: logical_divide((5,5):(0,1),(2,2):(5,25)): the tile and its "
            "copies (5,2):(1,10) do not meet every one of the 50 elements\n"
            "  2*10 = 20 does not divide the next stride 25");
}

TEST(ErrorText, tile_to_shape_divisibility) {
  EXPECT_EQ(refusal(tile_to_shape(layout("(8,64):(64,1)"), tuple("(100,64)"))),
            "error tile_to_shape.divisibility: tile_to_shape((8,64):(64,1),(100,64)): the block's "
            "8 elements in mode 0 do not divide 100\n"
            "  hint: the next multiple is 104");
}

TEST(ErrorText, recast_divisibility) {
  EXPECT_EQ(refusal(upcast(layout("(4,6):(1,6)"), 4)),
            "error recast.divisibility: upcast((4,6):(1,6),4): neither of the stride 6 and 4 "
            "divides the other, so elements of mode 6:6 would begin inside a wider element");
}

TEST(ErrorText, recast_overlap) {
  EXPECT_EQ(refusal(upcast(layout("(4,8):(1,1)"), 4)),
            "error recast.overlap: upcast((4,8):(1,1),4): the modes that run within an element of "
            "4 together run 6 past its first, into the next one");
}

TEST(ErrorText, recast_factor) {
  EXPECT_EQ(refusal(upcast(layout("8:1"), 0)),
            "error recast.factor: upcast(8:1,0): 0 is not positive");
}

TEST(ErrorText, recast_no_adjacent) {
  EXPECT_EQ(refusal(downcast(layout("(4,4):(2,8)"), 4)),
            "error recast.no_adjacent: downcast((4,4):(2,8),4): no mode has stride 1, so there is "
            "no place for the narrower elements");
}

TEST(ErrorText, recast_swizzle) {
  EXPECT_EQ(refusal(upcast(swizzle("Sw<2,0,-3>"), 2)),
            "error recast.swizzle: upcast(Sw<2,0,-3>,2): the lowest bits of an address, which "
            "count within a wider element, are swizzled, and that tears the element apart\n"
            "  witness: coordinate 1 maps to 9; an element that stays whole would need 1");
}

TEST(ErrorText, swizzle_parameters) {
  EXPECT_EQ(refusal(Swizzle::make(3, 4, 2)),
            "error swizzle.parameters: Sw<3,4,2>: |S| must be at least B, or the 3 bits that are "
            "read and those that are changed overlap");
}

TEST(ErrorText, swizzle_masks) {
  EXPECT_EQ(refusal(make_swizzle(40, 7)),
            "error swizzle.masks: make_swizzle(0b101000,0b111): the masks are not two runs of "
            "equally many bits");
}

TEST(ErrorText, swizzle_no_swizzle) {
  EXPECT_EQ(refusal(composition(swizzle("Sw<1,0,1>"), swizzle("Sw<1,0,-1>"))),
            "error swizzle.no_swizzle: Sw<1,0,1> o Sw<1,0,-1> is no single swizzle: it XORs the "
            "bits 0b11 onto 0b11, not one run of bits onto another\n"
            "  witness: coordinate 1 maps to 2");
}

TEST(ErrorText, swizzle_power_of_two) {
  EXPECT_EQ(refusal(upcast(swizzle("Sw<3,4,3>"), 3)),
            "error swizzle.power_of_two: Sw<3,4,3> acts on bits: its elements can become wider or "
            "narrower by a power of two, not by 3");
}

TEST(ErrorText, slice_not_strided) {
  EXPECT_EQ(
      refusal(slice_and_offset(coordinate("(_,1)"), composed("Sw<3,0,3> o 0 o (64,2):(1,64)"))),
      "error slice.not_strided: the slice Sw<3,0,3> o 64 o (64):(1) is not strided: it touches "
      "both bits of a swizzled pair\n"
      "  no strided layout on 64 points has this function: its step changes at 9, and 9 does not "
      "divide 64\n"
      "  hint: slice keeps it in the form swizzle o offset o layout");
}

TEST(ErrorText, composition_offset) {
  const AnyLayout swizzled = composed("Sw<2,0,2> o 0 o (4,4):(4,1)");
  EXPECT_EQ(
      refusal(make_composed_layout(layout("16:1"), IntTuple(3), swizzled)),
      "error composition.offset: 16:1 o 3 o Sw<2,0,2> o 0 o (4,4):(4,1): nothing can be added "
      "between this function and the swizzle\n"
      "  hint: an offset is followed by a plain layout: Sw<3,4,3> o 16 o (8,64):(64,1)");
}

TEST(ErrorText, composed_too_long) {
  AnyLayout chain = layout("9:1");
  for (std::size_t i = 1; i < ComposedLayout::kMaxChain; ++i)
    chain = ComposedLayout::make(chain, IntTuple(1), layout("9:1")).value();
  EXPECT_EQ(refusal(ComposedLayout::make(chain, IntTuple(1), layout("9:1"))),
            "error composed.too_long: a chain of more than 64 layouts: … o 1 o 9:1\n"
            "  hint: slice_and_offset() gives the strides of a chain that has some");
}

TEST(ErrorText, composed_not_integral) {
  EXPECT_EQ(refusal(ComposedLayout::make(swizzle("Sw<3,4,3>"), 0, layout("(4,8):(1@0,1@1)"))),
            "error composed.not_integral: (4,8):(1@0,1@1) cannot be swizzled: it maps to "
            "coordinates, and a swizzle acts on the bits of one number");
}

TEST(ErrorText, layout_incongruent) {
  EXPECT_EQ(
      refusal(Layout::make(tuple("(4,(2,2))"), strides("(1,4)"))),
      "error layout.incongruent: the shape (4,(2,2)) and the stride (1,4) are not nested alike\n"
      "  hint: shape and stride need the same parentheses, one stride for each extent");
}

TEST(ErrorText, layout_extent) {
  EXPECT_EQ(refusal(Layout::make(tuple("(4,0)"), strides("(1,4)"))),
            "error layout.extent: the extent 0 in the shape (4,0) is not positive\n"
            "  hint: every mode of a layout has at least one element");
}

TEST(ErrorText, layout_mode) {
  EXPECT_EQ(refusal(take(layout("(2,3,5):(1,2,6)"), 1, 4)),
            "error layout.mode: modes [1,4) are not a part of the 3 modes of (2,3,5):(1,2,6)");
}

TEST(ErrorText, layout_not_integral) {
  EXPECT_EQ(refusal(sort(layout("(4,8):(1@0,1@1)"))),
            "error layout.not_integral: sort: (4,8):(1@0,1@1) has strides in several axes, which "
            "have no order");
}

TEST(ErrorText, stride_basis) {
  EXPECT_EQ(refusal(Basis::make(std::vector<std::size_t>{0, 0, 0, 0, 0})),
            "error stride.basis: a basis stride of 5 steps; at most 4 are supported");
}

TEST(ErrorText, stride_mixed_axes) {
  EXPECT_EQ(
      refusal(Layout::make(tuple("(4,2)"), strides("(1@0,1@1@0)"))),
      "error stride.mixed_axes: the stride (1@0,1@1@0) has strides on axis 0 and on axis 0.1: "
      "an index cannot be both a number and a coordinate");
}

TEST(ErrorText, tuple_empty) {
  EXPECT_EQ(refusal(layout_of_table({})),
            "error tuple.empty: a table without entries is no layout");
}

TEST(ErrorText, with_shape_size) {
  EXPECT_EQ(refusal(with_shape(layout("(4,8):(8,1)"), tuple("(2,4)"))),
            "error with_shape.size: with_shape((4,8):(8,1),(2,4)): the layout has 32 elements, the "
            "shape 8\n"
            "  hint: composition takes a part of a layout, or runs on past its end");
}

TEST(ErrorText, tile_to_shape_order) {
  EXPECT_EQ(refusal(tile_to_shape(layout("4:1"), tuple("(8,8)"), tuple("(1,1)"))),
            "error tile_to_shape.order: tile_to_shape(4:1,(8,8)): two modes have the same place in "
            "the order (1,1), so that their copies would meet");
}

TEST(ErrorText, table_too_large) {
  EXPECT_EQ(refusal(table(layout("33554432:1"))),
            "error table.too_large: table(33554432:1): 33554432 values of 1 numbers each are more "
            "than 16777216 numbers");
}

TEST(ErrorText, tuple_too_deep) {
  EXPECT_EQ(refusal(check_depth(nested(257))),
            "error tuple.too_deep: the tuple nests 257 levels deep; at most 256 are allowed");
}

TEST(ErrorText, overflow) {
  EXPECT_EQ(
      refusal(Layout::make(tuple("(4294967296,4294967296)"), strides("(0,0)"))),
      "error overflow: the size of the shape (4294967296,4294967296) does not fit into 64 bits");
}

TEST(ErrorText, coordinate_incongruent) {
  EXPECT_EQ(
      refusal(evaluate(layout("(4,(2,2)):(2,(1,8))"), coordinate("(1,1,1)"))),
      "error coordinate.incongruent: the coordinate (1,1,1) does not fit the shape (4,(2,2))");
}

TEST(ErrorText, coordinate_negative) {
  EXPECT_EQ(refusal(evaluate(layout("(4,2):(2,1)"), coordinate("-1"))),
            "error coordinate.negative: the flat coordinate -1 of several modes of (4,2):(2,1) is "
            "negative");
}

TEST(ErrorText, coordinate_not_found) {
  EXPECT_EQ(refusal(get_hier_coord(layout("(2,10):(32,8)"), 18)),
            "error coordinate.not_found: index 18 of (2,10):(32,8) cannot be taken apart by "
            "division: the digits (0,2) lead to 16\n"
            "  hint: this works for compact layouts; left_inverse and right_inverse say more");
}

TEST(ErrorText, coordinate_underscore) {
  EXPECT_EQ(refusal(evaluate(layout("(4,2):(2,1)"), coordinate("(_,1)"))),
            "error coordinate.underscore: (_,1) is a slice of (4,2):(2,1), not one element");
}

TEST(ErrorText, idx2crd_zero_stride) {
  EXPECT_EQ(refusal(idx2crd(tuple("5"), tuple("(4,2)"), tuple("(1,0)"))),
            "error idx2crd.zero_stride: idx2crd: mode 2:0 of (4,2):(1,0) has stride 0, so an index "
            "does not tell its coordinate");
}

TEST(ErrorText, tuple_incongruent) {
  EXPECT_EQ(refusal(inner_product(tuple("(1,2)"), tuple("(1,2,3)"))),
            "error tuple.incongruent: inner_product: (1,2) and (1,2,3) are not nested alike");
}

TEST(ErrorText, tuple_divisor) {
  EXPECT_EQ(refusal(ceil_div(tuple("(8,4)"), tuple("(2,0)"))),
            "error tuple.divisor: 4 cannot be divided by 0: divisors are at least 1");
}

TEST(ErrorText, tensor_address) {
  const Pointer pointer{MemorySpace::kShared, 32, "0x402", false, Swizzle::make(3, 4, 3).value()};
  EXPECT_EQ(
      refusal(as_position_independent_swizzle_layout(Tensor{pointer, layout("8:1")})),
      "error tensor.address: Sw<3,4,3>_smem_ptr[32b](0x402): the address lies 2 bytes above a "
      "multiple of 1024, the size of Sw<3,4,3>, which is no whole number of 32-bit elements");
}

TEST(ErrorText, shape_mod_divisibility) {
  EXPECT_EQ(refusal(shape_mod(tuple("(6,2)"), tuple("9"))),
            "error shape_mod.divisibility: shape_mod(6,9): neither number divides the other\n"
            "  hint: weakly_left_divisible tells after how many elements a shape can be cut");
}

TEST(ErrorText, shape_div_divisibility) {
  EXPECT_EQ(refusal(shape_div(tuple("(6,2)"), tuple("9"))),
            "error shape_div.divisibility: shape_div(6,9): neither number divides the other\n"
            "  hint: ceil_div divides any two numbers, rounding up");
}

TEST(ErrorText, recover_no_layout) {
  EXPECT_EQ(
      refusal(form::recover(6, 1, [](std::int64_t c) { return std::vector<std::int64_t>{c * c}; })),
      "error recover.no_layout: no strided layout on 6 points has this function: its step changes "
      "at 3, and 3 is no multiple of 2, where the step changed before\n"
      "  witness: coordinate 3 maps to 9; a layout would need 5");
}

TEST(ErrorText, factorization_not_prime) {
  const std::vector<Int> factors = {2, 12};
  EXPECT_EQ(refusal(OrderedFactorization::make(factors)),
            "error factorization.not_prime: the factor 12 is not a prime number\n"
            "  hint: write its prime factors, such as 2,2,3");
}

TEST(ErrorText, factorization_symbolic) {
  EXPECT_EQ(refusal(permutation_layout_count(Int::variable("M"))),
            "error factorization.symbolic: M is symbolic, and only constants have known primes");
}

TEST(ErrorText, morphism_place) {
  const OrderedFactorization object = OrderedFactorization::make(std::vector<Int>{2, 3}).value();
  EXPECT_EQ(refusal(FactMorphism::make(object, std::vector<Int>{2, 3})),
            "error morphism.place: alpha(2) = 3 is no place of (2,3), which has 2");
}

TEST(ErrorText, morphism_incomposable) {
  const OrderedFactorization a = OrderedFactorization::make(std::vector<Int>{2, 3}).value();
  const OrderedFactorization b = OrderedFactorization::make(std::vector<Int>{3, 2}).value();
  EXPECT_EQ(refusal(composition(FactMorphism::identity(a), FactMorphism::identity(b))),
            "error morphism.incomposable: fact_morphism((3,2),(1,2)) leads to (3,2), and "
            "fact_morphism((2,3),(1,2)) begins at (2,3)");
}

TEST(ErrorText, morphism_not_invertible) {
  const OrderedFactorization object = OrderedFactorization::make(std::vector<Int>{2, 3}).value();
  EXPECT_EQ(refusal(inverse(FactMorphism::make(object, std::vector<Int>{2}).value())),
            "error morphism.not_invertible: fact_morphism((2,3),(2)) does not pick each of the 2 "
            "places of (2,3) exactly once");
}

TEST(ErrorText, morphism_not_found) {
  EXPECT_EQ(refusal(fact_morphism_of(layout("(2,2):(1,3)"))),
            "error morphism.not_found: no morphism of ordered factorizations has the function of "
            "(2,2):(1,3)\n"
            "  its modes begin or end at 2 and 3, and neither divides the other");
}

TEST(ErrorText, recover_too_large) {
  EXPECT_EQ(refusal(form::recover(1048577, 1,
                                  [](std::int64_t c) { return std::vector<std::int64_t>{c}; })),
            "error recover.too_large: 1048577 points are too many to verify a recovered layout at "
            "each of them (at most 1048576)");
}

/// Every code in the sources of these floors, with `_` for `.`.
std::set<std::string> codes_in_sources() {
  std::set<std::string> codes;
  const std::regex code("\"([a-z0-9_]+\\.[a-z][a-z0-9_]*|overflow)\"");
  for (const char* floor : {"core", "expr", "form", "cute", "linear"}) {
    const std::filesystem::path folder = std::filesystem::path(HEDDLE_SOURCE_DIR) / "src" / floor;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (file.path().extension() != ".cc") continue;
      std::stringstream text;
      text << std::ifstream(file.path()).rdbuf();
      const std::string source = text.str();
      for (std::sregex_iterator match(source.begin(), source.end(), code), end; match != end;
           ++match) {
        std::string name = (*match)[1];
        std::replace(name.begin(), name.end(), '.', '_');
        codes.insert(name);
      }
    }
  }
  return codes;
}

TEST(ErrorCodes, EachHasATest) {
  std::set<std::string> tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    if (std::string(suite.name()) != "ErrorText") continue;
    for (int t = 0; t < suite.total_test_count(); ++t) tests.insert(suite.GetTestInfo(t)->name());
  }
  const std::set<std::string> codes = codes_in_sources();
  EXPECT_GE(codes.size(), 50U);
  for (const std::string& code : codes) EXPECT_EQ(tests.count(code), 1U) << code << " has no test";
}

}  // namespace
}  // namespace heddle::cute
