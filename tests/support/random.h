#pragma once

// Random operands for the property tests, from one seeded generator. Layouts come in kinds, because
// the interesting cases (operations that succeed, conditions that only just fail) are rare among
// arbitrary numbers: compact and permuted, gappy, padded, broadcast, negative, powers of two, and
// arbitrary ones.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/plain.h"

namespace heddle::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high].
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high);
  /// True in `percent` of a hundred cases.
  [[nodiscard]] bool chance(int percent) { return between(1, 100) <= percent; }
  template <class T>
  [[nodiscard]] const T& one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(
        between(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1],
                items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// What one law is tried on.
struct Operands {
  std::vector<Plain> layouts;
  std::vector<std::int64_t> numbers;
};

/// `A = (4,2):(1,4), B = 3:2, n = 5`.
[[nodiscard]] std::string to_string(const Operands& operands);

/// A layout of any kind with at most `max_size` elements.
[[nodiscard]] Plain any_layout(Random& random, std::int64_t max_size = 256);
/// The same without negative strides.
[[nodiscard]] Plain positive_layout(Random& random, std::int64_t max_size = 256);
/// Injective, without negative strides, sometimes with gaps.
[[nodiscard]] Plain injective_layout(Random& random, std::int64_t max_size = 256);
/// A bijection onto [0, size): compact, modes in any order.
[[nodiscard]] Plain compact_layout(Random& random, std::int64_t max_size = 256);
/// A layout whose indices are coordinates of `a`: steps and extents follow the modes of `a` most of
/// the time, so that the two often compose.
[[nodiscard]] Plain layout_within(Random& random, const Plain& a, std::int64_t max_size = 256);
/// One mode n:d with n*d dividing (mostly) the size of `a`: a tile.
[[nodiscard]] Plain tile_of(Random& random, std::int64_t size);
/// The leaves in the same order under another random nesting.
[[nodiscard]] Plain renested(Random& random, const Plain& layout);
/// Factors of n in order, with product n.
[[nodiscard]] std::vector<std::int64_t> random_factors(Random& random, std::int64_t n);

/// Simpler operands to try when a law fails: fewer modes, smaller extents, simpler strides, smaller
/// numbers.
[[nodiscard]] std::vector<Operands> simpler(const Operands& operands);

/// Any layout, as the only operand.
[[nodiscard]] Operands one_layout(Random& random);

}  // namespace heddle::test
