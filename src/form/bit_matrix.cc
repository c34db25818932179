#include "heddle/form/bit_matrix.h"

#include <bit>

namespace heddle::form {

BitMatrix BitMatrix::identity(std::size_t bits) {
  std::vector<std::uint64_t> columns;
  for (std::size_t bit = 0; bit < bits; ++bit) columns.push_back(std::uint64_t{1} << bit);
  return BitMatrix(std::move(columns));
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
  for (const std::uint64_t column : other.columns_) columns.push_back((*this)(column));
  return BitMatrix(std::move(columns));
}

std::size_t BitMatrix::rank() const {
  std::vector<std::uint64_t> basis;
  for (std::uint64_t column : columns_) {
    for (const std::uint64_t pivot : basis) {
      if ((column & std::bit_floor(pivot)) != 0) column ^= pivot;
    }
    if (column != 0) basis.push_back(column);
  }
  return basis.size();
}

}  // namespace heddle::form
