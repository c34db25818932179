#include "heddle/cute/int_tuple.h"

#include <gtest/gtest.h>

#include "support/refusal.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

using test::code;
using test::coordinate;
using test::tuple;

TEST(IntTuple, ExamplesOfTheHeader) {
  EXPECT_EQ(product(tuple("(4,(2,2))")), 16);
  EXPECT_EQ(shape_div(tuple("(6,(3,4))"), tuple("36")).value(), tuple("(1,(1,2))"));
  EXPECT_EQ(idx2crd(tuple("16"), tuple("(3,(2,3))")).value(), tuple("(1,(1,2))"));
  EXPECT_EQ(compact_row_major(tuple("(4,(2,2))")), tuple("(4,(2,1))"));
}

TEST(IntTuple, Folds) {
  const IntTuple t = tuple("(4,(-2,6))");
  EXPECT_EQ(sum(t), 8);
  EXPECT_EQ(max(t), 6);
  EXPECT_EQ(min(t), -2);
  EXPECT_EQ(gcd(t), 2);
  EXPECT_EQ(size(tuple("(4,(2,6))")), 48);
  EXPECT_EQ(inner_product(tuple("(1,(2,3))"), tuple("(4,(5,6))")).value(), 32);
  EXPECT_EQ(code(inner_product(tuple("(1,2)"), tuple("(1,2,3)"))), "tuple.incongruent");
}

TEST(IntTuple, FoldsOverflowToUndefined) {
  EXPECT_FALSE(product(tuple("(4294967296,4294967296)")).is_defined());
  EXPECT_FALSE(sum(tuple("(9223372036854775807,1)")).is_defined());
}

TEST(IntTuple, ProductEachAndLike) {
  EXPECT_EQ(product_each(tuple("(4,(2,3),((5)))")), tuple("(4,6,5)"));
  EXPECT_EQ(product_like(tuple("((2,3),4)"), tuple("(1,1)").profile()).value(), tuple("(6,4)"));
  EXPECT_EQ(product_like(tuple("((2,3),4)"), tuple("1").profile()).value(), tuple("24"));
  EXPECT_EQ(code(product_like(tuple("4"), tuple("(1,1)").profile())), "tuple.incongruent");
  EXPECT_EQ(repeat_like(tuple("(4,(2,3))").profile(), 7), tuple("(7,(7,7))"));
}

TEST(IntTuple, CeilDivFoldsANumberThroughTheModes) {
  EXPECT_EQ(ceil_div(tuple("(6,2)"), tuple("9")).value(), tuple("(1,1)"));
  EXPECT_EQ(ceil_div(tuple("(6,2)"), tuple("6")).value(), tuple("(1,2)"));
  EXPECT_EQ(ceil_div(tuple("(7,8)"), tuple("(2,3)")).value(), tuple("(4,3)"));
  EXPECT_EQ(ceil_div(tuple("(7,8)"), tuple("(2)")).value(), tuple("(4,8)"));
  EXPECT_EQ(code(ceil_div(tuple("7"), tuple("0"))), "tuple.divisor");
}

TEST(IntTuple, RoundUp) {
  EXPECT_EQ(round_up(tuple("(7,8)"), tuple("(2,3)")).value(), tuple("(8,9)"));
  EXPECT_EQ(round_up(tuple("6"), tuple("4")).value(), tuple("8"));
}

TEST(IntTuple, ShapeDivNeedsDivisibility) {
  EXPECT_EQ(shape_div(tuple("12"), tuple("6")).value(), tuple("2"));
  EXPECT_EQ(shape_div(tuple("6"), tuple("12")).value(), tuple("1"));
  EXPECT_EQ(code(shape_div(tuple("(6,2)"), tuple("9"))), "shape_div.divisibility");
}

TEST(IntTuple, ElemScale) {
  EXPECT_EQ(elem_scale(tuple("(2,3)"), tuple("(4,(5,6))")).value(), tuple("(8,90)"));
}

TEST(IntTuple, Congruence) {
  EXPECT_TRUE(congruent(tuple("(1,(2,3))").profile(), tuple("(9,(8,7))").profile()));
  EXPECT_FALSE(congruent(tuple("(24)").profile(), tuple("24").profile()));
  EXPECT_TRUE(weakly_congruent(tuple("1").profile(), tuple("(2,3)").profile()));
  EXPECT_FALSE(weakly_congruent(tuple("(2,3)").profile(), tuple("1").profile()));
}

TEST(IntTuple, Compatibility) {
  EXPECT_TRUE(compatible(tuple("24"), tuple("((2,3),4)")));
  EXPECT_TRUE(compatible(tuple("(6,4)"), tuple("((2,3),4)")));
  EXPECT_FALSE(compatible(tuple("(4,6)"), tuple("((2,3),4)")));
  EXPECT_TRUE(weakly_compatible(tuple("6"), tuple("((2,3),4)")));
  EXPECT_FALSE(weakly_compatible(tuple("5"), tuple("((2,3),4)")));
  EXPECT_TRUE(evenly_divides(tuple("(8,6)"), tuple("(4,3)")));
  EXPECT_TRUE(evenly_divides(tuple("(8,6)"), tuple("(4)")));
  EXPECT_FALSE(evenly_divides(tuple("(8,6)"), tuple("(3)")));
}

TEST(IntTuple, Unflatten) {
  EXPECT_EQ(unflatten(tuple("(1,2,3)"), tuple("(9,(9,9))").profile()).value(), tuple("(1,(2,3))"));
  EXPECT_EQ(code(unflatten(tuple("(1,2)"), tuple("(9,(9,9))").profile())), "tuple.incongruent");
}

TEST(IntTuple, Idx2crdWithStrides) {
  EXPECT_EQ(idx2crd(tuple("11"), tuple("(4,(2,2))"), tuple("(2,(1,8))")).value(),
            tuple("(1,(1,1))"));
  EXPECT_EQ(code(idx2crd(tuple("1"), tuple("(4,2)"), tuple("(1,0)"))), "idx2crd.zero_stride");
  EXPECT_EQ(code(idx2crd(tuple("1"), tuple("(0,2)"), tuple("(1,2)"))), "tuple.divisor");
  EXPECT_EQ(code(idx2crd(tuple("1"), tuple("(0,2)"))), "tuple.divisor");
  EXPECT_EQ(idx2crd(tuple("1"), tuple("(2,0)")).value(), tuple("(1,0)"));
}

TEST(IntTuple, ForEachCoordinateGoesFirstLeafFastest) {
  std::vector<IntTuple> met;
  for_each_coordinate(tuple("(2,(1,2))"), [&](const IntTuple& c) {
    met.push_back(c);
    return true;
  });
  EXPECT_EQ(met, (std::vector<IntTuple>{tuple("(0,(0,0))"), tuple("(1,(0,0))"), tuple("(0,(0,1))"),
                                        tuple("(1,(0,1))")}));
}

TEST(IntTuple, ForEachCoordinateStops) {
  int count = 0;
  for_each_coordinate(tuple("(1000000,1000000)"), [&](const IntTuple&) { return ++count < 5; });
  EXPECT_EQ(count, 5);
}

TEST(IntTuple, SliceAndDice) {
  EXPECT_EQ(slice(coordinate("(_,1)"), tuple("(3,4)")).value(), tuple("(3)"));
  EXPECT_EQ(dice(coordinate("(_,1)"), tuple("(3,4)")).value(), tuple("(4)"));
  EXPECT_EQ(slice(coordinate("_"), tuple("(3,4)")).value(), tuple("(3,4)"));
  EXPECT_EQ(slice(coordinate("(0,1)"), tuple("(3,4)")).value().rank(), 0U);
  EXPECT_EQ(slice(coordinate("1"), tuple("(3,4)")).value().rank(), 0U);
}

TEST(IntTuple, Orders) {
  EXPECT_TRUE(lex_less(tuple("(0,1,3)"), tuple("(0,8,2)")).value());
  EXPECT_TRUE(colex_less(tuple("((0,1,3))"), tuple("((0,0,6))")).value());
  EXPECT_FALSE(elem_less(tuple("(4,3)"), tuple("(4,3)")).value());
  EXPECT_TRUE(elem_leq(tuple("(4,3)"), tuple("(4,3)")).value());
  // leq(a, b) is not less(b, a), as in CuTe: neither of these is less than the other.
  EXPECT_TRUE(elem_leq(tuple("(1,5)"), tuple("(2,4)")).value());
  EXPECT_TRUE(elem_geq(tuple("(1,5)"), tuple("(2,4)")).value());
  EXPECT_EQ(code(lex_less(tuple("(1,2)"), tuple("3"))), "tuple.incongruent");
}

TEST(IntTuple, CompactStrides) {
  EXPECT_EQ(compact_col_major(tuple("(4,(1,3),2)")), tuple("(1,(0,4),12)"));
  EXPECT_EQ(compact_row_major(tuple("(4,(1,3),2)")), tuple("(6,(0,2),1)"));
  EXPECT_EQ(compact_col_major(tuple("(4,2)"), 5), tuple("(5,20)"));
  EXPECT_EQ(compact_order(tuple("(2,2,2,2)"), tuple("(0,2,3,1)")).value(), tuple("(1,4,8,2)"));
  EXPECT_EQ(compact_order(tuple("(2,3)"), tuple("(5,5)")).value(), tuple("(1,2)"));
}

TEST(IntTuple, DeepTuplesAreRefusedOrMeasuredButNeverOverflowTheStack) {
  Profile profile = Profile::incomplete();
  for (int i = 0; i < 1'000'000; ++i) profile.append_tuple(1);
  profile.append_leaf();
  const IntTuple deep(profile, {Int(6)});
  EXPECT_EQ(product(deep), 6);
  EXPECT_EQ(gcd(deep), 6);
  EXPECT_EQ(flatten(deep.view()), tuple("(6)"));
  EXPECT_TRUE(congruent(deep.profile(), deep.profile()));
}

// The examples of CuTe's documents on composition, and the listing in seed 004.
TEST(IntTuple, ShapeModKeepsTheFirstElements) {
  EXPECT_EQ(shape_mod(tuple("(6,2)"), tuple("2")).value(), tuple("(2,1)"));
  EXPECT_EQ(shape_mod(tuple("(6,2)"), tuple("6")).value(), tuple("(6,1)"));
  EXPECT_EQ(shape_mod(tuple("(3,6,2,8)"), tuple("6")).value(), tuple("(3,2,1,1)"));
  EXPECT_EQ(shape_mod(tuple("(3,6,2,8)"), tuple("9")).value(), tuple("(3,3,1,1)"));
  EXPECT_EQ(shape_mod(tuple("(1,2,2,8)"), tuple("16")).value(), tuple("(1,2,2,4)"));
  EXPECT_EQ(shape_mod(tuple("((3,6),(2,8))"), tuple("36")).value(), tuple("((3,6),(2,1))"));
  EXPECT_EQ(shape_mod(tuple("(8,6)"), tuple("(4,3)")).value(), tuple("(4,3)"));
  EXPECT_EQ(shape_mod(tuple("12"), tuple("30")).error().code(), "shape_mod.divisibility");
  EXPECT_EQ(shape_mod(tuple("12"), tuple("0")).error().code(), "tuple.divisor");
}

}  // namespace
}  // namespace heddle::cute
