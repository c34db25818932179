#pragma once

// A matrix over GF(2): a function on bit vectors with f(x xor y) = f(x) xor f(y). Column i is the
// image of bit i; a word holds a column, so there are at most 64 rows, and any number of columns.
//
//   Swizzle<1,0,1> on 2 bits:  columns 01, 11      f(0b10) = 0b11
//
// Results made of inputs (kernel, solutions, inverse, transpose) need at most 64 columns, and wider
// matrices are refused as `bit_matrix.too_wide`. Source: seed 000, sections 2.3 and 5.

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
  /// A matrix with no rows and no columns.
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
  /// f(x): the XOR of the columns at the bits of x; bits past the last column are mapped to 0.
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

/// The columns that are not an XOR of earlier columns: the pivots of the row-reduced form.
[[nodiscard]] std::vector<std::size_t> pivots(const BitMatrix& matrix);

/// The reduced row echelon form: row i begins with a 1 at the i-th pivot column, which has no other
/// 1. Its rows have the same span as the rows of the matrix.
[[nodiscard]] BitMatrix row_reduced(const BitMatrix& matrix);

/// All x with f(x) = 0.
[[nodiscard]] Result<Subspace> kernel(const BitMatrix& matrix);

/// X with a*X = b, where each column of X has bits only at the pivots of a (free variables are 0).
/// Refuses `bit_matrix.no_solution` with the first column of b outside the image of a.
[[nodiscard]] Result<BitMatrix> solve(const BitMatrix& a, const BitMatrix& b);

/// The inverse. Refuses `bit_matrix.singular` if there is none, with the rank.
[[nodiscard]] Result<BitMatrix> inverse(const BitMatrix& matrix);

[[nodiscard]] Result<BitMatrix> transpose(const BitMatrix& matrix);

/// One line of 0 and 1 for each row, row 0 first, with a space between columns.
[[nodiscard]] std::string to_string(const BitMatrix& matrix);

}  // namespace heddle::form
#pragma GCC visibility pop
