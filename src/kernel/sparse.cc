#include "kernel/sparse.h"

namespace heddle::kernel {

namespace {

constexpr std::int64_t kOneOfTwo[] = {0b0100, 0b1110};
constexpr std::int64_t kTwoOfFour[] = {0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110};

}  // namespace

std::int64_t SparseGroup::place(std::int64_t code, std::int64_t nth) const {
  if (elements == 2) return code >> 3;
  return together * (code >> 2 * (nth / together) & 3) + nth % together;
}

SparseGroup sparse_group(DType type) {
  if (bits(type) >= 32) return {2, 1, kOneOfTwo};
  if (bits(type) >= 8) return {4, 1, kTwoOfFour};
  return {8, 2, kTwoOfFour};
}

}  // namespace heddle::kernel
