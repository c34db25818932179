#pragma once

// A matrix over GF(2): a function on bit vectors with f(x xor y) = f(x) xor f(y). Column i is the
// image of bit i; a word holds a column, so there are at most 64 rows, and any number of columns.
//
//   Swizzle<1,0,1> on 2 bits:  columns 01, 11      f(0b10) = 0b11
//
// What lives among the inputs (kernel, solutions, inverse, transpose) needs at most 64 columns and
// is refused as `bit_matrix.too_wide` beyond. Source: seed 000, sections 2.3 and 5.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/subspace.h"

#pragma GCC visibility push(default)
namespace heddle::form {

class BitMatrix {
 public:
  /// No rows and no columns.
  BitMatrix() = default;
  /// Column i is the image of bit i, cut off at `rows` bits, at most 64.
  BitMatrix(std::size_t rows, std::vector<std::uint64_t> columns);
  BitMatrix(std::size_t rows, std::initializer_list<std::uint64_t> columns)
      : BitMatrix(rows, std::vector<std::uint64_t>(columns)) {}
  /// The identity on `bits` bits, at most 64: more are cut off.
  [[nodiscard]] static BitMatrix identity(std::size_t bits);
  [[nodiscard]] static BitMatrix zeros(std::size_t rows, std::size_t columns);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::span<const std::uint64_t> columns() const { return columns_; }
  /// f(x): the XOR of the columns at the bits of x; bits past the last column lead to 0.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const;
  /// f(x) = this(other(x)).
  [[nodiscard]] BitMatrix operator*(const BitMatrix& other) const;
  /// The dimension of the image.
  [[nodiscard]] std::size_t rank() const { return image().dimension(); }
  /// The span of the columns.
  [[nodiscard]] Subspace image() const { return Subspace(columns_); }

  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

 private:
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> columns_;
};

/// The columns that are no XOR of columns before them: where the row-reduced form has its pivots.
[[nodiscard]] std::vector<std::size_t> pivots(const BitMatrix& matrix);

/// The reduced row echelon form: row i begins with a 1 at the i-th pivot column, which has no other
/// 1. Its rows span what the rows of the matrix span.
[[nodiscard]] BitMatrix row_reduced(const BitMatrix& matrix);

/// All x with f(x) = 0.
[[nodiscard]] Result<Subspace> kernel(const BitMatrix& matrix);

/// X with a*X = b, where each column of X has no bits but at the pivots of a (free variables are
/// 0). Refuses `bit_matrix.no_solution` with the first column of b outside the image of a.
[[nodiscard]] Result<BitMatrix> solve(const BitMatrix& a, const BitMatrix& b);

/// Refuses `bit_matrix.singular` where there is none, with the rank.
[[nodiscard]] Result<BitMatrix> inverse(const BitMatrix& matrix);

[[nodiscard]] Result<BitMatrix> transpose(const BitMatrix& matrix);

/// One line of 0 and 1 for each row, row 0 first, a blank between columns.
[[nodiscard]] std::string to_string(const BitMatrix& matrix);

}  // namespace heddle::form
#pragma GCC visibility pop
