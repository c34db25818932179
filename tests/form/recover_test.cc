#include "heddle/form/recover.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::form {
namespace {

using Values = std::vector<std::int64_t>;

Result<std::vector<Digit>> recover_from(const Values& values) {
  return recover(static_cast<std::int64_t>(values.size()), 1,
                 [&](std::int64_t c) { return Values{values.at(static_cast<std::size_t>(c))}; });
}

TEST(Recover, ExampleOfTheHeader) {
  const auto digits = recover_from({0, 24, 48, 9, 33, 57}).value();
  ASSERT_EQ(digits.size(), 2U);
  EXPECT_EQ(digits[0], (Digit{3, {24}}));
  EXPECT_EQ(digits[1], (Digit{2, {9}}));
}

TEST(Recover, OnePointHasNoDigit) { EXPECT_TRUE(recover_from({0}).value().empty()); }

TEST(Recover, ZeroAndNegativeStrides) {
  const auto digits = recover_from({0, 0, -5, -5, 2, 2, -3, -3}).value();
  ASSERT_EQ(digits.size(), 3U);
  EXPECT_EQ(digits[0], (Digit{2, {0}}));
  EXPECT_EQ(digits[1], (Digit{2, {-5}}));
  EXPECT_EQ(digits[2], (Digit{2, {2}}));
}

TEST(Recover, LevelsMustBeAChain) {
  const auto refused = recover_from({0, 2, 4, 1, 3, 5, 6, 8, 7, 9, 10, 11});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "recover.no_layout");
}

TEST(Recover, WitnessIsWhereTheOnlyCandidateDiffers) {
  const auto refused = recover_from({0, 1, 2, 3, 5});  // 5 is prime: only 5:1 can be
  ASSERT_FALSE(refused.has_value());
  ASSERT_TRUE(refused.error().witness().has_value());
  EXPECT_EQ(refused.error().witness()->coordinate, "4");
  EXPECT_EQ(refused.error().witness()->found, "5");
  EXPECT_EQ(refused.error().witness()->wanted, "4");
}

TEST(Recover, LargestDomain) {
  const auto line = [](std::int64_t c) { return Values{3 * c}; };
  EXPECT_EQ(recover(kMaxVerified, 1, line).value().front(), (Digit{kMaxVerified, {3}}));
  EXPECT_EQ(recover(kMaxVerified + 1, 1, line).error().code(), "recover.too_large");
}

TEST(Recover, TwoAxes) {
  const auto grid = [](std::int64_t c) { return Values{c % 3, c / 3}; };
  const auto digits = recover(12, 2, grid).value();
  ASSERT_EQ(digits.size(), 2U);
  EXPECT_EQ(digits[0], (Digit{3, {1, 0}}));
  EXPECT_EQ(digits[1], (Digit{4, {0, 1}}));
}

// Differences of huge values must not wrap around.
TEST(Recover, ValuesAtTheEdgeOf64Bits) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const auto refused = recover_from({0, kMax, kMin, 0});
  EXPECT_FALSE(refused.has_value());
}

}  // namespace
}  // namespace heddle::form
