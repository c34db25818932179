#include "heddle/expr/int.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Int, ExamplesOfTheHeader) {
  const Int m = 128;
  const Int n = 6;
  EXPECT_EQ(m * n + 1, Int(769));
  EXPECT_EQ(floor_div(Int(-7), 2), Int(-4));
  EXPECT_TRUE(known_divides(2, n));
  EXPECT_FALSE((Int(kMax) * 2).is_defined());
}

TEST(Int, UndefinedSpreads) {
  const Int undefined = Int(kMax) + 1;
  EXPECT_FALSE(undefined.is_defined());
  EXPECT_FALSE((undefined - undefined).is_defined());
  EXPECT_FALSE((undefined * 0).is_defined());
  EXPECT_FALSE(max(undefined, 1).is_defined());
  EXPECT_FALSE(gcd(undefined, 2).is_defined());
  EXPECT_EQ(undefined, Int::undefined());
}

TEST(Int, NothingIsKnownOfTheUndefined) {
  const Int undefined = Int::undefined();
  EXPECT_FALSE(known_equal(undefined, undefined));
  EXPECT_FALSE(known_less(undefined, 1));
  EXPECT_FALSE(known_at_most(undefined, undefined));
  EXPECT_FALSE(known_divides(1, undefined));
  EXPECT_FALSE(known_divides(undefined, 0));
}

TEST(Int, UnsignedNumbersPast64BitsAreUndefined) {
  EXPECT_TRUE(Int(std::size_t{7}).is_defined());
  EXPECT_FALSE(Int(std::numeric_limits<std::uint64_t>::max()).is_defined());
}

TEST(Int, Gcd) {
  EXPECT_EQ(gcd(Int(12), Int(18)), Int(6));
  EXPECT_EQ(gcd(Int(-12), Int(18)), Int(6));
  EXPECT_EQ(gcd(Int(0), Int(5)), Int(5));
  EXPECT_EQ(gcd(Int(0), Int(0)), Int(0));
  EXPECT_EQ(gcd(Int(kMin), Int(3)), Int(1));
  EXPECT_FALSE(gcd(Int(kMin), Int(0)).is_defined());  // 2^63
}

TEST(Int, SignAndAbs) {
  EXPECT_EQ(sign(Int(-5)), Int(-1));
  EXPECT_EQ(sign(Int(0)), Int(0));
  EXPECT_EQ(sign(Int(5)), Int(1));
  EXPECT_EQ(abs(Int(-5)), Int(5));
  EXPECT_FALSE(abs(Int(kMin)).is_defined());
}

TEST(Int, CeilDiv) {
  EXPECT_EQ(ceil_div(Int(7), Int(2)), Int(4));
  EXPECT_EQ(ceil_div(Int(-7), Int(2)), Int(-3));
  EXPECT_EQ(ceil_div(Int(kMax), Int(2)), Int(kMax / 2 + 1));
  EXPECT_EQ(ceil_div(Int(kMin), Int(1)), Int(kMin));
}

TEST(Int, ZeroDividesOnlyZero) {
  EXPECT_TRUE(known_divides(0, 0));
  EXPECT_FALSE(known_divides(0, 4));
  EXPECT_TRUE(known_divides(4, 0));
}

TEST(Int, CheckDefinedNamesTheQuantity) {
  EXPECT_EQ(check_defined(Int(5), "the size").value(), Int(5));
  const Result<Int> refused = check_defined(Int::undefined(), "the size of (4,8)");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "overflow");
  EXPECT_NE(refused.error().message().find("the size of (4,8)"), std::string::npos);
}

TEST(Int, TextAndHash) {
  EXPECT_EQ(to_string(Int(-42)), "-42");
  EXPECT_EQ(std::hash<Int>()(Int(42)), std::hash<Int>()(Int(42)));
  EXPECT_EQ(std::hash<Int>()(Int::undefined()), std::hash<Int>()(Int(kMax) * 2));
}

}  // namespace
}  // namespace heddle
