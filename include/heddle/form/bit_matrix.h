#pragma once

// A matrix over GF(2): a function on bit vectors with f(x xor y) = f(x) xor f(y). Column i is the
// image of bit i. At most 64 rows and 64 columns.
//
//   Swizzle<1,0,1> on 2 bits:  columns 01, 11      f(0b10) = 0b11

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace heddle::form {

class BitMatrix {
 public:
  BitMatrix() = default;
  /// Column i is the image of bit i.
  explicit BitMatrix(std::vector<std::uint64_t> columns) : columns_(std::move(columns)) {}
  /// The identity on `bits` bits, at most 64.
  [[nodiscard]] static BitMatrix identity(std::size_t bits);

  [[nodiscard]] std::span<const std::uint64_t> columns() const { return columns_; }
  /// f(x): the XOR of the columns at the bits of x; bits past the last column lead to 0.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const;
  /// f(x) = this(other(x)).
  [[nodiscard]] BitMatrix operator*(const BitMatrix& other) const;
  /// The dimension of the image.
  [[nodiscard]] std::size_t rank() const;

  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

 private:
  std::vector<std::uint64_t> columns_;
};

}  // namespace heddle::form
