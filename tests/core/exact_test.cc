#include "heddle/core/exact.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::exact {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Exact, NothingWrapsAround) {
  EXPECT_EQ(add(kMax, 1), std::nullopt);
  EXPECT_EQ(add(kMax, -1), kMax - 1);
  EXPECT_EQ(subtract(kMin, 1), std::nullopt);
  EXPECT_EQ(multiply(kMax, 2), std::nullopt);
  EXPECT_EQ(multiply(kMin, -1), std::nullopt);
  EXPECT_EQ(multiply(1'000'000, 1'000'000), 1'000'000'000'000);
  EXPECT_EQ(absolute(kMin), std::nullopt);
  EXPECT_EQ(absolute(-7), 7);
}

TEST(Exact, DivisionIsEuclidean) {
  EXPECT_EQ(floor_divide(-7, 2), -4);
  EXPECT_EQ(floor_modulo(-7, 2), 1);
  EXPECT_EQ(floor_divide(-7, -2), 4);
  EXPECT_EQ(floor_modulo(-7, -2), 1);
  EXPECT_EQ(floor_divide(7, -2), -3);
  EXPECT_EQ(floor_modulo(7, -2), 1);
}

TEST(Exact, DivisionAtTheEdges) {
  EXPECT_EQ(floor_divide(1, 0), std::nullopt);
  EXPECT_EQ(floor_modulo(1, 0), std::nullopt);
  EXPECT_EQ(floor_divide(kMin, -1), std::nullopt);
  EXPECT_EQ(floor_modulo(kMin, -1), 0);
  EXPECT_EQ(floor_divide(kMin, 1), kMin);
  EXPECT_EQ(floor_modulo(kMin, kMin), 0);
  EXPECT_EQ(floor_modulo(-1, kMin), kMax);
}

}  // namespace
}  // namespace heddle::exact
