// Inputs on which a plausible implementation answers wrongly, too late or not at all.

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "heddle/notation/evaluator.h"

namespace heddle {
namespace {

/// The value of an expression as text, or the code of the refusal.
std::string answer(const std::string& expression) {
  const Result<notation::Value> value = notation::evaluate(expression);
  return value ? notation::to_string(*value) : value.error().code();
}

TEST(Exactness, RecoveredStridesMayBeNearTheLimitOf64Bits) {
  EXPECT_EQ(answer("composition((8,8):(1152921504606846976,-144115188075855872), 6:3)"),
            "(3,2):(3458764513820540928,1008806316530991104)");
}

TEST(Exactness, AWitnessNearTheLimitOf64BitsDoesNotOverflow) {
  EXPECT_EQ(answer("composition((4,6):(2305843009213693951,1), 6:1)"), "composition.no_layout");
}

TEST(Exactness, LeavesOfOneElementCostNothing) {
  std::ostringstream ones;
  std::ostringstream zeros;
  for (int i = 0; i < 20000; ++i) {
    ones << ",1";
    zeros << ",1";
  }
  EXPECT_EQ(answer("size(composition((2,2,2,131072):(1,3,5,100), (2,2,131072" + ones.str() +
                   "):(3,1,8" + zeros.str() + ")))"),
            "524288");
  EXPECT_EQ(answer("table((512,512" + ones.str() + "):(512,1" + zeros.str() + "), 4)"),
            "[0,512,1024,1536]");
}

TEST(Exactness, AnInverseOfAComposedLayoutStaysInItsDomain) {
  EXPECT_EQ(answer("right_inverse(Sw<2,0,-3> o 0 o 2:1)"), "inverse.swizzle");
  EXPECT_EQ(answer("right_inverse(Sw<1,1,1> o 0 o 6:1)"), "inverse.swizzle");
}

TEST(Exactness, ADivideKeepsTheStrideOfALastModeOfOneElement) {
  EXPECT_EQ(answer("logical_divide(1:16, 8)"), "(8,1):(16,0)");
  EXPECT_EQ(answer("zipped_divide((1,64):(128,1), (16,8))"), "((16,8),(1,8)):((128,1),(0,8))");
}

TEST(Exactness, EqualOrdersWouldMakeCopiesMeet) {
  EXPECT_EQ(answer("tile_to_shape(4:1, (8,8), (1,1))"), "tile_to_shape.order");
}

TEST(Exactness, AnotherShapeHasTheSameSize) {
  EXPECT_EQ(answer("with_shape(4:1, 16)"), "with_shape.size");
  EXPECT_EQ(answer("with_shape((4,8):(8,1), (2,2,8))"), "(2,2,8):(8,16,1)");
}

TEST(Exactness, DisjointIntervalsOfDefinitionDoNotKeepASumFromCarrying) {
  EXPECT_EQ(answer("composition((12,2):(1,100), (2,2,3):(1,3,4))"), "composition.no_layout");
  EXPECT_EQ(answer("admissible_for_composition((12,2), (2,2,3):(1,3,4))").substr(0, 2), "no");
}

TEST(Exactness, ATableOfHugeCoordinatesIsRefused) {
  EXPECT_EQ(answer("table((262144):(1@60000))"), "stride.basis");
}

TEST(Exactness, ASwizzleThatMovesNothingIsNoObstacle) {
  EXPECT_EQ(answer("(1,3):(3,5) o Sw<1,1,2>"), "(1,3):(3,5)");
  EXPECT_EQ(answer("size(Sw<1,0,4> o 0 o (8,64):(64,1) o Sw<0,1,1>)"), "512");
}

TEST(Exactness, WhatDoesNotFitInto64BitsIsSaidOfTheOperands) {
  const auto message = [](const std::string& expression) {
    const Result<notation::Value> value = notation::evaluate(expression);
    return value ? std::string() : value.error().code() + ": " + value.error().message();
  };
  EXPECT_EQ(message("composition(4:2, 2:4611686018427387904)"),
            "overflow: 4:2 o 2:4611686018427387904: the indices do not fit into 64 bits");
  EXPECT_EQ(message("downcast(4611686018427387904:1, 2)"),
            "overflow: the size of downcast(4611686018427387904:1,2) has no 64-bit value: it "
            "overflows, divides by zero or exceeds the limit on terms");
  EXPECT_EQ(message("logical_divide(9223372036854775807:1, 2:1)"),
            "overflow: 9223372036854775807:1 rounded up to whole tiles 2:1 has no 64-bit value: it "
            "overflows, divides by zero or exceeds the limit on terms");
}

}  // namespace
}  // namespace heddle
