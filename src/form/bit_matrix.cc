#include "heddle/form/bit_matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::form {
namespace {

constexpr std::size_t kWordBits = 64;

std::uint64_t low_bits(std::size_t count) {
  return count >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

Result<void> check_columns_fit_a_word(const BitMatrix& matrix, std::string_view what) {
  if (matrix.columns().size() <= kWordBits) return {};
  return refuse("bit_matrix.too_wide", fmt::format("the {} of a matrix of {} columns: at most {}",
                                                   what, matrix.columns().size(), kWordBits));
}

/// Bit i of the choice goes to place places[i].
std::uint64_t spread(std::uint64_t choice, const std::vector<std::size_t>& places) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; choice != 0; ++i, choice >>= 1U) {
    if ((choice & 1U) != 0) result |= std::uint64_t{1} << places[i];
  }
  return result;
}

}  // namespace

BitMatrix::BitMatrix(std::size_t rows, std::vector<std::uint64_t> columns)
    : rows_(std::min(rows, kWordBits)), columns_(std::move(columns)) {
  const std::uint64_t mask = low_bits(rows_);
  for (std::uint64_t& column : columns_) column &= mask;
}

BitMatrix BitMatrix::identity(std::size_t bits) {
  std::vector<std::uint64_t> columns;
  for (std::size_t bit = 0; bit < bits; ++bit) columns.push_back(std::uint64_t{1} << bit);
  return {bits, std::move(columns)};
}

BitMatrix BitMatrix::zeros(std::size_t rows, std::size_t columns) {
  return {rows, std::vector<std::uint64_t>(columns)};
}

std::uint64_t BitMatrix::operator()(std::uint64_t x) const {
  std::uint64_t image = 0;
  for (const std::uint64_t column : columns_) {
    if ((x & 1U) != 0) image ^= column;
    x >>= 1U;
  }
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
  // Row i of the reduced form holds what each column has of the i-th pivot column.
  const Subspace image = matrix.image();
  std::vector<std::uint64_t> columns;
  columns.reserve(matrix.columns().size());
  for (const std::uint64_t column : matrix.columns()) columns.push_back(*image.express(column));
  return {matrix.rows(), std::move(columns)};
}

Result<Subspace> kernel(const BitMatrix& matrix) {
  HEDDLE_CHECK(check_columns_fit_a_word(matrix, "kernel"));
  Subspace before;
  std::vector<std::size_t> places;
  Subspace result;
  for (std::size_t i = 0; i < matrix.columns().size(); ++i) {
    const auto choice = before.express(matrix.columns()[i]);
    if (choice) {
      result.insert(spread(*choice, places) | std::uint64_t{1} << i);
      continue;
    }
    before.insert(matrix.columns()[i]);
    places.push_back(i);
  }
  return result;
}

Result<BitMatrix> solve(const BitMatrix& a, const BitMatrix& b) {
  HEDDLE_CHECK(check_columns_fit_a_word(a, "solution"));
  const Subspace image = a.image();
  const std::vector<std::size_t> places = pivots(a);
  std::vector<std::uint64_t> columns;
  columns.reserve(b.columns().size());
  for (const std::uint64_t column : b.columns()) {
    const auto choice = image.express(column);
    if (!choice) {
      return refuse("bit_matrix.no_solution",
                    fmt::format("column {} of the right side, {:#b}, is outside the image of the "
                                "left one, which has rank {}",
                                columns.size(), column, image.dimension()));
    }
    columns.push_back(spread(*choice, places));
  }
  return BitMatrix(a.columns().size(), std::move(columns));
}

Result<BitMatrix> inverse(const BitMatrix& matrix) {
  const std::size_t rank = matrix.rank();
  if (rank != matrix.rows() || rank != matrix.columns().size()) {
    return refuse("bit_matrix.singular", fmt::format("a {} x {} matrix of rank {} has no inverse",
                                                     matrix.rows(), matrix.columns().size(), rank));
  }
  return solve(matrix, BitMatrix::identity(matrix.rows()));
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
