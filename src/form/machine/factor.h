#pragma once

// The factors of a product D = A B + C and their dimensions: A is M x K, B is K x N, so that B is
// held as A is, with columns for rows.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::form {

enum class Factor : std::uint8_t { kA, kB };

/// The dimensions of a factor: that of M or N, and that of K.
struct FactorDims {
  std::string_view across;
  std::string_view along;
};
/// `along` is the name of the dimension of K if it is not `col` of A, `row` of B.
[[nodiscard]] inline FactorDims dims_of(Factor factor, std::string_view along = {}) {
  if (factor == Factor::kA) return {"row", along.empty() ? "col" : along};
  return {"col", along.empty() ? "row" : along};
}

/// Rows, then columns; blocks before them if there are several.
[[nodiscard]] inline std::vector<std::string_view> in_order(Factor factor, const FactorDims& dims,
                                                            bool blocks = false) {
  std::vector<std::string_view> names = {dims.across, dims.along};
  if (factor == Factor::kB) std::swap(names[0], names[1]);
  if (blocks) names.insert(names.begin(), "block");
  return names;
}

}  // namespace heddle::form
