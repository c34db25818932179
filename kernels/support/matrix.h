// Matrices on the host, as references need them: row by row, in one vector.

#pragma once

#include "support/driver.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::kernels {

// The place of an element; -Wconversion wants it said that it is not negative.
inline std::size_t at(std::int64_t place) { return static_cast<std::size_t>(place); }

// The elements of a matrix of rows x columns, column by column: the transpose, row by row.
inline std::vector<float> transposed(const std::vector<float>& matrix, std::int64_t rows,
                                     std::int64_t columns) {
  std::vector<float> result(matrix.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      result[at(j * rows + i)] = matrix[at(i * columns + j)];
    }
  }
  return result;
}

// A B for A of m x k and B of k x n numbers.
inline std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b,
                                  std::int64_t m, std::int64_t n, std::int64_t k) {
  std::vector<float> c(at(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < k; ++l) {
      for (std::int64_t j = 0; j < n; ++j) c[at(i * n + j)] += a[at(i * k + l)] * b[at(l * n + j)];
    }
  }
  return c;
}

// How far an element of a product of matrices may be off where all of their elements lie in [-1,
// 1). A sum of k products, each operation of which is off by a factor of 1 + 2^-24 at most, differs
// from the exact one by less than c / (1 - c) times the sum of the products' magnitudes, which is
// below k, where c = k 2^-24: in whatever order it adds, and whether it rounds products or fuses
// them. The reference is such a sum as well.
inline Tolerance product_tolerance(std::int64_t k) {
  const double c = static_cast<double>(k) * 0x1p-24;
  return {0, 2 * static_cast<double>(k) * c / (1 - c)};
}

}  // namespace heddle::kernels
