#include "heddle/expr/int.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "heddle/expr/proof.h"

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

TEST(Int, SymbolicExamplesOfTheHeader) {
  const Int t = Int::variable("t", 0, 127);
  EXPECT_EQ(to_string(4 * t + mod(t, 8) - t), "3*t+t%8");
  EXPECT_EQ(floor_div(32 * t + 5, 8), 4 * t);
  EXPECT_TRUE(known_less(t, 128));
  EXPECT_FALSE(known_equal(mod(t, 2), 0));
}

TEST(Int, VariablesOfOneNameAndRangeAreOne) {
  EXPECT_EQ(Int::variable("t", 0, 7), Int::variable("t", 0, 7));
  EXPECT_NE(Int::variable("t", 0, 7), Int::variable("t", 0, 8));
  EXPECT_EQ(Int::variable("t", 5, 5), Int(5));
  EXPECT_FALSE(Int::variable("t", 6, 5).is_defined());
}

TEST(Int, SymbolicText) {
  const Int m = Int::variable("M");
  const Int n = Int::variable("N");
  EXPECT_EQ(to_string(n * m * 3 - 2 * m + 1), "3*M*N-2*M+1");
  EXPECT_EQ(to_string(-m), "-M");
  EXPECT_EQ(to_string(floor_div(m + 1, 8)), "(M+1)//8");
  EXPECT_EQ(to_string(2 * floor_div(m, 8)), "2*(M//8)");
  EXPECT_EQ(to_string(mod(m, n)), "M%N");
  EXPECT_EQ(to_string(max(m, 3)), "max(3,M)");
  EXPECT_EQ(to_string(bit_xor(m, n)), "bit_xor(M,N)");
  EXPECT_EQ(to_string(Int::undefined()), "undefined");
}

TEST(Int, BitsThatOnlyOneOperandHasStayApart) {
  const Int s = Int::variable("s", -8, 8);
  const Int t = Int::variable("t", -8, 8);
  const Int j = Int::variable("j", 0, 3);
  const Int exclusive = bit_xor(4 * t + j, 4 * s);
  const Int inclusive = bit_or(8 * s, 4 * t + j);
  EXPECT_EQ(exclusive, 4 * bit_xor(t, s) + j);
  for (std::int64_t a = -8; a <= 8; ++a) {
    for (std::int64_t b = -8; b <= 8; ++b) {
      for (std::int64_t c = 0; c <= 3; ++c) {
        const Bindings values = {{"s", a}, {"t", b}, {"j", c}};
        EXPECT_EQ(instantiate(exclusive, values).value(), Int((4 * b + c) ^ (4 * a)));
        EXPECT_EQ(instantiate(inclusive, values).value(), Int((8 * a) | (4 * b + c)));
      }
    }
  }
  // Multiples of what is above all bits of a constant, whatever is below.
  EXPECT_EQ(bit_xor(24, 32 * s + 64 * t + j + 5), 32 * s + 64 * t + bit_xor(24, j + 5));
  EXPECT_EQ(bit_or(24, 32 * s + 5), 32 * s + 29);
  EXPECT_EQ(to_string(bit_xor(24, 16 * s + 5)), "bit_xor(24,16*s+5)");
  for (std::int64_t a = -8; a <= 8; ++a) {
    EXPECT_EQ(instantiate(bit_xor(24, 32 * s + j + 5), {{"s", a}, {"j", 3}}).value(),
              Int(24 ^ (32 * a + 8)));
  }
  // What may reach into the other operand's bits does not.
  const Int wide = Int::variable("j", 0, 4);
  EXPECT_EQ(to_string(bit_xor(4 * t + wide, 4 * s)), "bit_xor(4*s,j+4*t)");
}

TEST(Int, SymbolicShiftsTakeAnyNumberOfPlaces) {
  const Int m = Int::variable("M", 0, 1000);
  EXPECT_EQ(shift_left(m, 3), 8 * m);
  EXPECT_EQ(shift_right(m, 3), floor_div(m, 8));
  EXPECT_EQ(shift_right(m, 63), Int(0));
  EXPECT_EQ(shift_right(m, 1000), Int(0));
  EXPECT_EQ(shift_right(-m - 1, 64), Int(-1));
  EXPECT_FALSE(shift_left(m, 63).is_defined());
  EXPECT_FALSE(shift_right(m, -1).is_defined());
}

TEST(Int, MasksOfAllBits) {
  const Int m = Int::variable("M");
  EXPECT_EQ(bit_and(m, -1), m);
  EXPECT_EQ(bit_and(m, kMax), bit_and(kMax, m));
  EXPECT_TRUE(bit_and(m, kMax).is_defined());
  EXPECT_TRUE(bit_and(m, kMin).is_defined());
}

TEST(Int, TermsPastAllUseAreUndefined) {
  Int sum = 0;
  Int power = 1;
  for (int i = 0; i < 2000; ++i) sum += Int::variable("v" + std::to_string(i));
  for (int i = 0; i < 100; ++i) power *= Int::variable("x");
  EXPECT_FALSE(sum.is_defined());
  EXPECT_FALSE(power.is_defined());
  Int doubled = Int::variable("x");
  for (int i = 0; i < 100; ++i) doubled = floor_div(doubled * doubled + 1, 3);
  EXPECT_FALSE(doubled.is_defined());
}

// Shared between threads; the tsan preset looks for races.
TEST(Int, TermsAreSharedBetweenThreads) {
  const Int m = Int::variable("M", 1, Range::kNoHigh);
  const Int term = floor_div(m * m + 7, 128) + min(m, 64);
  const std::string wanted = to_string(term * 2 - term);
  std::vector<std::thread> threads;
  std::vector<std::string> found(4);
  for (std::string& text : found) {
    threads.emplace_back([&term, &text] {
      for (int i = 0; i < 200; ++i) {
        const Int copy = term;
        text = to_string(copy * 2 - term);
        (void)range(copy);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : found) EXPECT_EQ(text, wanted);
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
