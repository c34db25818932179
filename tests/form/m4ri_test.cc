// Bit matrices beside M4RI, a library for dense linear algebra over GF(2).

#include <gtest/gtest.h>
#include <m4ri/m4ri.h>

#include <memory>

#include "heddle/form/bit_matrix.h"
#include "support/law.h"

namespace heddle::form {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;

struct Free {
  void operator()(mzd_t* matrix) const { mzd_free(matrix); }
};
using Mzd = std::unique_ptr<mzd_t, Free>;

int rows_of(const BitMatrix& matrix) { return static_cast<int>(matrix.rows()); }
int columns_of(const BitMatrix& matrix) { return static_cast<int>(matrix.columns().size()); }

/// M4RI's matrix with the same entries.
Mzd mzd(const BitMatrix& matrix) {
  Mzd result(mzd_init(rows_of(matrix), columns_of(matrix)));
  for (int row = 0; row < rows_of(matrix); ++row) {
    for (int column = 0; column < columns_of(matrix); ++column) {
      const std::uint64_t bits = matrix.columns()[static_cast<std::size_t>(column)];
      mzd_write_bit(result.get(), row, column, static_cast<BIT>(bits >> row & 1U));
    }
  }
  return result;
}

BitMatrix bit_matrix(const mzd_t* matrix) {
  std::vector<std::uint64_t> columns(static_cast<std::size_t>(matrix->ncols));
  for (int row = 0; row < matrix->nrows; ++row) {
    for (int column = 0; column < matrix->ncols; ++column) {
      const auto bit = static_cast<std::uint64_t>(mzd_read_bit(matrix, row, column));
      columns[static_cast<std::size_t>(column)] |= bit << row;
    }
  }
  return {static_cast<std::size_t>(matrix->nrows), std::move(columns)};
}

/// A matrix of that size whose rank is often less than full: arbitrary columns, sums of others,
/// zeros.
BitMatrix random_matrix(Random& random, std::size_t rows, std::size_t columns) {
  const bool sparse = random.chance(30);
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < columns; ++i) {
    std::uint64_t column = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      column |= std::uint64_t{random.chance(sparse ? 10 : 50)} << row;
    }
    if (!result.empty() && random.chance(20)) column = random.one_of(result);
    if (result.size() > 1 && random.chance(10)) {
      column = random.one_of(result) ^ random.one_of(result);
    }
    result.push_back(column);
  }
  return {rows, std::move(result)};
}

std::size_t some_size(Random& random) {
  return static_cast<std::size_t>(random.chance(20) ? 64 : random.between(1, 64));
}

TEST(BitMatrixBesideM4ri, RankAndRowReducedForm) {
  for_all_seeds([](Random& random) -> Finding {
    const BitMatrix matrix = random_matrix(random, some_size(random), some_size(random));
    const Mzd reduced = mzd(matrix);
    const auto rank = static_cast<std::size_t>(mzd_echelonize(reduced.get(), /*full=*/1));
    if (matrix.rank() != rank) return found("rank of\n", to_string(matrix));
    if (row_reduced(matrix) != bit_matrix(reduced.get())) return found(to_string(matrix));
    return kHolds;
  });
}

TEST(BitMatrixBesideM4ri, Product) {
  for_all_seeds([](Random& random) -> Finding {
    const std::size_t inner = some_size(random);
    const BitMatrix a = random_matrix(random, some_size(random), inner);
    const BitMatrix b = random_matrix(random, inner, some_size(random));
    const Mzd product(mzd_mul(nullptr, mzd(a).get(), mzd(b).get(), 0));
    if (a * b != bit_matrix(product.get())) return found(to_string(a), "\ntimes\n", to_string(b));
    return kHolds;
  });
}

TEST(BitMatrixBesideM4ri, Transpose) {
  for_all_seeds([](Random& random) -> Finding {
    const BitMatrix matrix = random_matrix(random, some_size(random), some_size(random));
    const Mzd transposed(mzd_transpose(nullptr, mzd(matrix).get()));
    if (transpose(matrix) != bit_matrix(transposed.get())) return found(to_string(matrix));
    return kHolds;
  });
}

// The kernels are the same space.
TEST(BitMatrixBesideM4ri, Kernel) {
  for_all_seeds([](Random& random) -> Finding {
    const BitMatrix matrix = random_matrix(random, some_size(random), some_size(random));
    const Mzd basis(mzd_kernel_left_pluq(mzd(matrix).get(), 0));
    const Subspace wanted = basis ? bit_matrix(basis.get()).image() : Subspace();
    const auto got = kernel(matrix);
    if (got != wanted) return found("kernel of\n", to_string(matrix));
    return kHolds;
  });
}

TEST(BitMatrixBesideM4ri, Inverse) {
  test::Tally tally;
  for_all_seeds([&](Random& random) -> Finding {
    const std::size_t size = random.chance(50) ? some_size(random) : some_size(random) % 8 + 1;
    const BitMatrix matrix = random_matrix(random, size, size);
    const auto inverted = inverse(matrix);
    const bool exists = mzd_echelonize(mzd(matrix).get(), 0) == static_cast<rci_t>(size);
    if (inverted.has_value() != exists) return found(to_string(matrix));
    if (!exists) return kHolds;
    tally.count();
    const Mzd wanted(mzd_inv_m4ri(nullptr, mzd(matrix).get(), 0));
    if (*inverted != bit_matrix(wanted.get())) return found(to_string(matrix));
    return kHolds;
  });
  tally.expect_at_least(5);
}

// There is a solution here just where there is one there, and it solves.
TEST(BitMatrixBesideM4ri, Solution) {
  test::Tally solved;
  for_all_seeds([&](Random& random) -> Finding {
    const std::size_t rows = some_size(random);
    const BitMatrix a = random_matrix(random, rows, some_size(random));
    const BitMatrix b = random.chance(50)
                            ? a * random_matrix(random, a.columns().size(), some_size(random))
                            : random_matrix(random, rows, 1 + some_size(random) % 4);
    const Mzd left = mzd(a);
    const Mzd both(mzd_concat(nullptr, left.get(), mzd(b).get()));
    const bool exists = mzd_echelonize(both.get(), 0) == mzd_echelonize(left.get(), 0);
    const auto x = solve(a, b);
    if (x.has_value() != exists) return found(to_string(a), "\nand\n", to_string(b));
    if (!x) return kHolds;
    solved.count();
    if (a * *x != b) return found(to_string(a), "\nand\n", to_string(b));
    return kHolds;
  });
  solved.expect_at_least(40);
}

}  // namespace
}  // namespace heddle::form
