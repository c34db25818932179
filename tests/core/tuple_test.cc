#include "heddle/core/tuple.h"

#include <gtest/gtest.h>

#include <sstream>

#include "heddle/expr/int_tuple.h"

namespace heddle {
namespace {

template <class T>
std::string text(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

TEST(Tuple, AnIntegerIsALeafAndBracesMakeATuple) {
  EXPECT_TRUE(IntTuple(4).is_leaf());
  EXPECT_FALSE(IntTuple{4}.is_leaf());
  EXPECT_EQ(text(IntTuple(4)), "4");
  EXPECT_EQ(text(IntTuple{4}), "(4)");
  EXPECT_NE(IntTuple(4), IntTuple{4});
}

TEST(Tuple, ExampleOfTheHeader) {
  const IntTuple shape{4, {2, 2}};
  EXPECT_EQ(shape.rank(), 2U);
  EXPECT_EQ(shape.depth(), 2U);
  EXPECT_EQ(std::vector<Int>(shape.leaves().begin(), shape.leaves().end()),
            (std::vector<Int>{4, 2, 2}));
  EXPECT_EQ(text(shape), "(4,(2,2))");
}

TEST(Tuple, ModesAreTuples) {
  const IntTuple shape{4, {2, 3}, {{5}}};
  EXPECT_EQ(shape.mode(0), IntTuple(4));
  EXPECT_EQ(shape.mode(1), (IntTuple{2, 3}));
  EXPECT_EQ(text(shape.mode(2)), "((5))");
}

TEST(Tuple, ALeafIsItsOwnMode) {
  EXPECT_EQ(IntTuple(7).rank(), 1U);
  EXPECT_EQ(IntTuple(7).mode(0), IntTuple(7));
}

TEST(Tuple, MoreLeavesThanFitInline) {
  std::vector<Int> many;
  for (int i = 0; i < 1000; ++i) many.emplace_back(i);
  const IntTuple tuple = IntTuple::flat(many);
  const IntTuple copy = tuple;  // NOLINT: a copy is what is tested
  EXPECT_EQ(copy.rank(), 1000U);
  EXPECT_EQ(copy.leaves()[999], Int(999));
  EXPECT_EQ(copy, tuple);
}

TEST(Tuple, MovedFromAndAssigned) {
  IntTuple a{1, {2, 3}};
  IntTuple b = std::move(a);
  EXPECT_EQ(text(b), "(1,(2,3))");
  a = IntTuple(9);
  EXPECT_EQ(text(a), "9");
  b = a;
  EXPECT_EQ(b, IntTuple(9));
}

TEST(Tuple, OfModesNestsThem) {
  const std::vector<IntTuple> modes = {IntTuple(1), IntTuple{2, 3}};
  EXPECT_EQ(text(IntTuple::of(modes)), "(1,(2,3))");
  EXPECT_EQ(text(IntTuple::of({})), "()");
}

TEST(Tuple, HashAgreesWithEquality) {
  const std::hash<IntTuple> hash;
  EXPECT_EQ(hash(IntTuple{4, {2, 2}}), hash(IntTuple{4, {2, 2}}));
  EXPECT_NE(hash(IntTuple{4, {2, 2}}), hash(IntTuple{4, 2, 2}));
  EXPECT_NE(hash(IntTuple{4, {2, 2}}), hash(IntTuple{4, {2, 3}}));
}

TEST(Tuple, TransformLeavesKeepsTheNesting) {
  const IntTuple doubled =
      transform_leaves(IntTuple{4, {2, 3}}, [](const Int& n) { return n * 2; });
  EXPECT_EQ(text(doubled), "(8,(4,6))");
}

}  // namespace
}  // namespace heddle
