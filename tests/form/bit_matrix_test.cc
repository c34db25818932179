#include "heddle/form/bit_matrix.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace heddle::form {
namespace {

BitMatrix random_matrix(test::Random& random) {
  std::vector<std::uint64_t> columns;
  for (std::int64_t n = random.between(0, 8); n > 0; --n) {
    columns.push_back(static_cast<std::uint64_t>(random.between(0, 255)));
  }
  return {8, columns};
}

TEST(BitMatrix, ExampleOfTheHeader) {
  const BitMatrix matrix(2, {0b01, 0b11});
  EXPECT_EQ(matrix(0b10), 0b11U);
  EXPECT_EQ(matrix(0b11), 0b10U);
}

TEST(BitMatrix, Identity) {
  const BitMatrix identity = BitMatrix::identity(5);
  for (std::uint64_t x = 0; x < 32; ++x) EXPECT_EQ(identity(x), x);
  EXPECT_EQ(identity.rank(), 5U);
}

TEST(BitMatrix, BitsPastTheLastColumnLeadToZero) { EXPECT_EQ(BitMatrix(1, {1})(0b110), 0U); }

TEST(BitMatrix, IsLinear) {
  test::Random random(7);
  for (int round = 0; round < 200; ++round) {
    const BitMatrix matrix = random_matrix(random);
    const auto x = static_cast<std::uint64_t>(random.between(0, 255));
    const auto y = static_cast<std::uint64_t>(random.between(0, 255));
    EXPECT_EQ(matrix(x ^ y), matrix(x) ^ matrix(y));
  }
}

TEST(BitMatrix, ProductIsOneAfterTheOther) {
  test::Random random(8);
  for (int round = 0; round < 200; ++round) {
    const BitMatrix a = random_matrix(random);
    const BitMatrix b = random_matrix(random);
    const BitMatrix product = a * b;
    for (std::uint64_t x = 0; x < 256; ++x) EXPECT_EQ(product(x), a(b(x)));
  }
}

// 2^rank different values.
TEST(BitMatrix, RankIsTheDimensionOfTheImage) {
  test::Random random(9);
  for (int round = 0; round < 100; ++round) {
    const BitMatrix matrix = random_matrix(random);
    std::vector<bool> met(256);
    std::size_t values = 0;
    for (std::uint64_t x = 0; x < 256; ++x) {
      if (!met[matrix(x)]) ++values;
      met[matrix(x)] = true;
    }
    EXPECT_EQ(std::size_t{1} << matrix.rank(), values);
  }
}

TEST(BitMatrix, SixtyFourBits) {
  const BitMatrix identity = BitMatrix::identity(64);
  EXPECT_EQ(identity(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(identity.rank(), 64U);
}

}  // namespace
}  // namespace heddle::form
