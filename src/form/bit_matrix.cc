#include "heddle/form/bit_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/bits.h"
#include "core/text.h"

namespace heddle::form {
namespace {

constexpr std::size_t kWordBits = 64;

Result<void> check_columns_fit_a_word(const BitMatrix& matrix, std::string_view what) {
  if (matrix.columns().size() <= kWordBits) return {};
  return refuse("bit_matrix.too_wide",
                fmt::format("the {} of a matrix of {}: at most {}", what,
                            counted(matrix.columns().size(), "column"), kWordBits));
}

/// The span of the columns, in which each vector is expressed by the pivot columns.
Subspace labelled_image(const BitMatrix& matrix) {
  Subspace image;
  for (std::size_t i = 0; i < matrix.columns().size(); ++i) {
    image.insert(matrix.columns()[i], std::uint64_t{1} << i);
  }
  return image;
}

}  // namespace

BitMatrix::BitMatrix(std::size_t rows, std::vector<std::uint64_t> columns)
    : rows_(std::min(rows, kWordBits)), columns_(std::move(columns)) {
  const std::uint64_t mask = low_bits(static_cast<int>(rows_));
  for (std::uint64_t& column : columns_) column &= mask;
}

BitMatrix BitMatrix::identity(std::size_t bits) {
  std::vector<std::uint64_t> columns;
  for (std::size_t bit = 0; bit < std::min(bits, kWordBits); ++bit) {
    columns.push_back(std::uint64_t{1} << bit);
  }
  return {bits, std::move(columns)};
}

BitMatrix BitMatrix::zeros(std::size_t rows, std::size_t columns) {
  return {rows, std::vector<std::uint64_t>(columns)};
}

std::uint64_t BitMatrix::operator()(std::uint64_t x) const {
  if (columns_.size() < kWordBits) x &= low_bits(static_cast<int>(columns_.size()));
  std::uint64_t image = 0;
  for (; x != 0; x &= x - 1) image ^= columns_[static_cast<std::size_t>(std::countr_zero(x))];
  return image;
}

BitMatrix BitMatrix::operator*(const BitMatrix& other) const {
  std::vector<std::uint64_t> columns;
  columns.reserve(other.columns_.size());
  for (const std::uint64_t column : other.columns_) columns.push_back((*this)(column));
  return {rows_, std::move(columns)};
}

std::vector<std::size_t> pivots(const BitMatrix& matrix) {
  Subspace before;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < matrix.columns().size(); ++i) {
    if (before.insert(matrix.columns()[i])) places.push_back(i);
  }
  return places;
}

BitMatrix row_reduced(const BitMatrix& matrix) {
  // Row i of the reduced form says which columns contain the i-th pivot column.
  const Subspace image = matrix.image();
  std::vector<std::uint64_t> columns;
  columns.reserve(matrix.columns().size());
  for (const std::uint64_t column : matrix.columns()) columns.push_back(*image.express(column));
  return {matrix.rows(), std::move(columns)};
}

Result<Subspace> kernel(const BitMatrix& matrix) {
  HEDDLE_CHECK(check_columns_fit_a_word(matrix, "kernel"));
  Subspace before;
  Subspace result;
  for (std::size_t i = 0; i < matrix.columns().size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (before.insert(matrix.columns()[i], bit)) continue;
    result.insert(*before.express(matrix.columns()[i]) | bit);
  }
  return result;
}

Result<BitMatrix> solve(const BitMatrix& a, const BitMatrix& b) {
  HEDDLE_CHECK(check_columns_fit_a_word(a, "solution"));
  const Subspace image = labelled_image(a);
  std::vector<std::uint64_t> columns;
  columns.reserve(b.columns().size());
  for (const std::uint64_t column : b.columns()) {
    const auto solution = image.express(column);
    if (!solution) {
      return refuse("bit_matrix.no_solution",
                    fmt::format("column {} of the right side, {:#b}, is outside the image of the "
                                "left one, which has rank {}",
                                columns.size(), column, image.dimension()));
    }
    columns.push_back(*solution);
  }
  return BitMatrix(a.columns().size(), std::move(columns));
}

Result<BitMatrix> inverse(const BitMatrix& matrix) {
  const std::size_t bits = matrix.rows();
  const Subspace image = bits == matrix.columns().size() ? labelled_image(matrix) : matrix.image();
  if (bits != matrix.columns().size() || bits != image.dimension()) {
    return refuse("bit_matrix.singular",
                  fmt::format("a {} x {} matrix of rank {} has no inverse", bits,
                              matrix.columns().size(), image.dimension()));
  }
  std::vector<std::uint64_t> columns;
  columns.reserve(bits);
  for (std::size_t bit = 0; bit < bits; ++bit) {
    columns.push_back(*image.express(std::uint64_t{1} << bit));
  }
  return BitMatrix(bits, std::move(columns));
}

Result<BitMatrix> transpose(const BitMatrix& matrix) {
  HEDDLE_CHECK(check_columns_fit_a_word(matrix, "transpose"));
  std::vector<std::uint64_t> columns(matrix.rows());
  for (std::size_t i = 0; i < matrix.columns().size(); ++i) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      columns[row] |= (matrix.columns()[i] >> row & 1U) << i;
    }
  }
  return BitMatrix(matrix.columns().size(), std::move(columns));
}

std::string to_string(const BitMatrix& matrix) {
  std::string text;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    if (row != 0) text += '\n';
    for (std::size_t i = 0; i < matrix.columns().size(); ++i) {
      if (i != 0) text += ' ';
      text += (matrix.columns()[i] >> row & 1U) != 0 ? '1' : '0';
    }
  }
  return text;
}

}  // namespace heddle::form
