// What is recovered where more is known (a shape, strides), or with an offset, or of a huge size.

#include <gtest/gtest.h>

#include <limits>

#include "heddle/form/recover.h"

namespace heddle::form {
namespace {

using Values = std::vector<std::int64_t>;
constexpr std::int64_t kHuge = std::int64_t{1} << 62;

Sampler sampler(const Values& values) {
  return [values](std::int64_t c) { return Values{values.at(static_cast<std::size_t>(c))}; };
}

std::string text(const Result<StridedMap>& map) {
  if (!map) return map.error().code();
  std::string text;
  for (const auto& mode : map->modes) {
    text += "|";
    for (const Digit& digit : mode) {
      text += " " + to_string(digit.extent) + ":" + to_string(digit.stride.front());
    }
  }
  return std::to_string(map->offset.front()) + " +" + text;
}

TEST(RecoverStrided, FindsTheOffset) {
  EXPECT_EQ(text(recover_strided(4, 1, sampler({7, 5, 3, 1}))), "7 +| 4:-2");
  EXPECT_EQ(text(recover_strided(1, 1, sampler({7}))), "7 +|");
}

TEST(RecoverStrided, StridesThatFitNoWordAreNoLayout) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(text(recover_strided(2, 1, sampler({-2, kMost}))), "recover.no_layout");
  EXPECT_EQ(text(recover_strided(2, 1, sampler({-1, kMost}))), "recover.no_layout");
  EXPECT_EQ(text(recover_strided(2, 1, sampler({0, kMost}))), "0 +| 2:9223372036854775807");
}

TEST(RecoverStrided, HugeSizesAreVerifiedByTheCaller) {
  const auto rotated = [](std::int64_t c) { return Values{c % 8 * (kHuge / 8) + c / 8}; };
  RecoverStridedOptions options;
  EXPECT_EQ(text(recover_strided(kHuge, 1, rotated, options)), "recover.too_large");
  options.verify = [](const StridedMap&) { return true; };
  EXPECT_EQ(text(recover_strided(kHuge, 1, rotated, options)),
            "0 +| 8:576460752303423488 576460752303423488:1");
  options.verify = [](const StridedMap&) { return false; };
  EXPECT_EQ(text(recover_strided(kHuge, 1, rotated, options)), "recover.no_layout");
}

TEST(RecoverStrided, HugeSizesAreRefutedByTheirOwnValues) {
  const auto square = [](std::int64_t c) { return Values{c % 1000 * (c % 1000)}; };
  EXPECT_EQ(text(recover_strided(kHuge, 1, square)), "recover.no_layout");
}

TEST(RecoverStrided, SizesWithLargePrimes) {
  RecoverStridedOptions options;
  options.verify = [](const StridedMap&) { return true; };
  for (const std::int64_t prime : {4093L, 4099L, 16769023L, 1000000007L, 2147483647L}) {
    for (const std::int64_t other : {1L, 3L, 4099L, 1000003L, 2147483647L}) {
      const auto f = [&](std::int64_t c) { return Values{c % prime * 3 + c / prime * 2}; };
      const auto map = recover_strided(prime * other, 1, f, options);
      const std::string wanted = "0 +| " + std::to_string(prime) + ":3" +
                                 (other == 1 ? "" : " " + std::to_string(other) + ":2");
      EXPECT_EQ(text(map), wanted);
    }
  }
}

TEST(RecoverStrided, GivesUpWhenTold) {
  RecoverStridedOptions options;
  options.keep_going = [](std::int64_t evaluations) { return evaluations < 100'000; };
  const auto line = [](std::int64_t c) { return Values{c}; };
  EXPECT_EQ(text(recover_strided(kMaxVerified, 1, line, options)), "recover.gave_up");
}

TEST(RecoverCompatible, KeepsTheModes) {
  const auto line = [](std::int64_t c) { return Values{c}; };
  EXPECT_EQ(text(recover_compatible(Values{4, 4}, 1, line)), "0 +| 4:1| 4:4");
  EXPECT_EQ(text(recover_compatible(Values{1, 16}, 1, line)), "0 +|| 16:1");
  EXPECT_EQ(text(recover_compatible(Values{4, 2}, 1, sampler({1, 3, 2, 4, 9, 11, 10, 12}))),
            "1 +| 2:2 2:1| 2:8");
}

TEST(RecoverCompatible, NamesTheModeOrTheSumThatBreaks) {
  const auto broken_mode = recover_compatible(Values{3, 2}, 1, sampler({0, 1, 3, 8, 9, 11}));
  EXPECT_EQ(text(broken_mode), "recover.no_layout");
  EXPECT_NE(broken_mode.error().message().find("of mode 0"), std::string::npos);
  const auto broken_sum = recover_compatible(Values{2, 2}, 1, sampler({5, 6, 7, 9}));
  EXPECT_EQ(broken_sum.error().message(),
            "no layout compatible with (2,2) has this function: its modes add up to 6 + 7 - 5 at "
            "(1,1), where the value is 9");
  EXPECT_EQ(broken_sum.error().witness()->wanted, "8");
}

TEST(RecoverWithShape, KeepsEveryExtent) {
  const auto line = [](std::int64_t c) { return Values{3 * c + 2}; };
  EXPECT_EQ(text(recover_with_shape(Values{2, 1, 6}, 1, line)), "2 +| 2:3| 1:0| 6:6");
  const auto refused = recover_with_shape(Values{3, 2}, 1, sampler({0, 1, 4, 5, 8, 9}));
  EXPECT_EQ(refused.error().code(), "recover.no_layout");
  EXPECT_EQ(refused.error().witness()->coordinate, "2");
  EXPECT_EQ(refused.error().witness()->wanted, "2");
}

TEST(RecoverWithStrides, FindsTheExtents) {
  const Values f{0, 1, 2, 3, 8, 9, 10, 11};
  const auto shape_of = [](const Values& values, const std::vector<Values>& strides) {
    return text(
        recover_with_strides(static_cast<std::int64_t>(values.size()), strides, sampler(values)));
  };
  EXPECT_EQ(shape_of(f, {{1}, {2}, {8}}), "0 +| 2:1| 2:2| 2:8");
  EXPECT_EQ(shape_of(f, {{1}, {8}}), "0 +| 4:1| 2:8");
  EXPECT_EQ(shape_of(f, {{5}, {1}, {8}, {16}}), "0 +| 1:5| 4:1| 2:8| 1:16");
  EXPECT_EQ(shape_of(f, {{1}, {3}}), "recover.strides");
  EXPECT_EQ(shape_of({0, 0, 0, 0}, {{0}, {0}}), "0 +| 4:0| 1:0");
  EXPECT_EQ(shape_of({9, 7, 9, 7}, {{-2}, {0}}), "9 +| 2:-2| 2:0");
  EXPECT_EQ(shape_of({3}, {}), "3 +");
}

}  // namespace
}  // namespace heddle::form
