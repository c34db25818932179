#include "heddle/form/recover_bits.h"

#include <gtest/gtest.h>

namespace heddle::form {
namespace {

using Values = std::vector<std::int64_t>;

Result<BitMap> bits_recovered_from(const Values& values) {
  return recover_bit_linear(static_cast<std::int64_t>(values.size()), 1, [&](std::int64_t c) {
    return Values{values.at(static_cast<std::size_t>(c))};
  });
}

TEST(RecoverBits, ExampleOfTheHeader) {
  const BitMap map = bits_recovered_from({0, 1, 3, 2}).value();
  EXPECT_EQ(map, (BitMap{{{1}, {3}}, {0}}));
  EXPECT_EQ(widths_of(map), std::vector<int>{2});
  EXPECT_EQ(bit_matrix(map, {2}).value(), BitMatrix(2, {1, 3}));
}

TEST(RecoverBits, FindsTheOffset) {
  EXPECT_EQ(bits_recovered_from({3, 2, 1, 0}).value(), (BitMap{{{1}, {2}}, {3}}));
  EXPECT_EQ(bits_recovered_from({9}).value(), (BitMap{{}, {9}}));
}

TEST(RecoverBits, FourValuesSayThatThereIsNone) {
  const auto refused = bits_recovered_from({0, 1, 2, 0});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "recover.no_bits");
  EXPECT_EQ(refused.error().message(),
            "no linear layout over bits has this function: f(0)^f(1)^f(2) = 3, and f(1^2) is 0");
  EXPECT_EQ(refused.error().witness()->coordinate, "3");
}

TEST(RecoverBits, NeedsPowersOfTwoAndNoSigns) {
  EXPECT_EQ(bits_recovered_from({0, 1, 2}).error().code(), "recover.no_bits");
  EXPECT_EQ(bits_recovered_from({0, -1}).error().code(), "recover.no_bits");
  EXPECT_EQ(bits_recovered_from({0, 1, 2, -3}).error().code(), "recover.no_bits");
}

TEST(RecoverBits, SeveralAxes) {
  const auto f = [](std::int64_t c) { return Values{c & 3, (c ^ (c >> 1)) & 6}; };
  const BitMap map = recover_bit_linear(8, 2, f).value();
  EXPECT_EQ(map, (BitMap{{{1, 0}, {2, 2}, {0, 6}}, {0, 0}}));
  EXPECT_EQ(widths_of(map), (std::vector<int>{2, 3}));
  EXPECT_EQ(bit_matrix(map, {2, 3}).value(), BitMatrix(5, {0b00001, 0b01010, 0b11000}));
  EXPECT_EQ(bit_matrix(map, {40, 40}).error().code(), "bit_matrix.too_wide");
}

TEST(RecoverBits, HugeSizesAreVerifiedByTheCaller) {
  const auto gray = [](std::int64_t c) { return Values{c ^ (c >> 1)}; };
  RecoverBitsOptions options;
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  EXPECT_EQ(recover_bit_linear(kHuge, 1, gray, options).error().code(), "recover.too_large");
  options.verify = [](const BitMap&) { return true; };
  EXPECT_EQ(recover_bit_linear(kHuge, 1, gray, options).value().columns[61].front(),
            3 * (std::int64_t{1} << 60));
  const auto sum = [](std::int64_t c) { return Values{c + c / 16}; };
  const auto refused = recover_bit_linear(kHuge, 1, sum, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "recover.no_bits");
}

TEST(BitsOf, StridesThatShareNoBit) {
  const StridedMap disjoint{{{{4, {1}}}, {{2, {8}}}}, {0}};
  EXPECT_EQ(bits_of(disjoint), (BitMap{{{1}, {2}, {8}}, {0}}));
  const StridedMap reversed{{{{4, {-1}}}}, {3}};
  EXPECT_EQ(bits_of(reversed), (BitMap{{{1}, {2}}, {3}}));
  const StridedMap sharing{{{{2, {1}}}, {{2, {1}}}}, {0}};
  EXPECT_EQ(bits_of(sharing), std::nullopt);
  const StridedMap three{{{{3, {1}}}}, {0}};
  EXPECT_EQ(bits_of(three), std::nullopt);
}

}  // namespace
}  // namespace heddle::form
