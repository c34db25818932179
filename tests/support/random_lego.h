#pragma once

// Random LEGO layouts for the property tests, and their plain evaluation: figures 4 and 5 of seed
// 001 on 64-bit integers, word by word, with GenPs counted out point by point.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/lego/layout.h"
#include "support/random.h"

namespace heddle::test {

using Numbers = std::vector<std::int64_t>;

[[nodiscard]] inline std::vector<Int> ints(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}
/// The product of the sizes.
[[nodiscard]] inline std::int64_t count(const Numbers& sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

/// B and its inverse (figure 4's canonical bijections).
[[nodiscard]] std::int64_t plain_flat(const Numbers& sizes, const Numbers& point);
[[nodiscard]] Numbers plain_point(const Numbers& sizes, std::int64_t flat);

struct PlainPermutation {
  Numbers dims;
  /// Empty for a GenP.
  Numbers sigma;
  /// A GenP by name, or by a formula with its inverse, or by one without.
  enum class Form { kNamed, kPair, kAlone } form = Form::kNamed;
  std::string name;
  Numbers parameters;
};

struct PlainOrder {
  std::vector<PlainPermutation> permutations;
  bool tiled = false;
};

struct PlainLego {
  std::vector<Numbers> tiles;
  bool tiled = false;
  std::vector<PlainOrder> chain;
  /// Of an ExpandBy; empty without.
  Numbers original;
  Numbers extended;
};

/// The sizes of the view.
[[nodiscard]] Numbers plain_dims(const PlainLego& layout);
[[nodiscard]] std::int64_t plain_apply(const PlainLego& layout, const Numbers& point);
[[nodiscard]] Numbers plain_inv(const PlainLego& layout, std::int64_t position);

/// The library's layout; throws std::invalid_argument where it refuses.
[[nodiscard]] lego::Layout to_layout(const PlainLego& layout);

struct LegoKind {
  std::int64_t max_size = 72;
  bool general = true;
  bool expanded = false;
};

/// A chain of any kind.
[[nodiscard]] PlainLego any_lego(Random& random, const LegoKind& kind = {});

/// A layout with symbolic sizes that are products of the same factors in every link, and values for
/// its variables.
struct SymbolicLego {
  lego::Layout layout;
  Bindings values;
};
[[nodiscard]] SymbolicLego symbolic_lego(Random& random);

}  // namespace heddle::test
