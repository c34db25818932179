#pragma once

// Sums of bounded multiples: how often must each step be taken to reach a target?
//
//   find({{2, -3, 3}, {3, -1, 1}}, 0)         0 and 0; with the first at least 1: nullopt
//   find({{2, 1, 3}, {3, -2, 2}}, 0)          3 and -2: 3*2 = 2*3
//
// Injectivity of digits, values in common and a value among the images are questions of this kind.
// They are hard in general and easy for the strides that layouts have: with the largest step first,
// few multiples leave a rest that the others can reach and that their common divisor divides.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle::map {

/// `step` (one number per axis), taken from `low` to `high` times.
struct Multiple {
  std::vector<std::int64_t> step;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

class Combinations {
 public:
  /// Gives up after this many attempts over all questions.
  explicit Combinations(std::int64_t max_attempts = std::int64_t{1} << 20)
      : attempts_left_(max_attempts) {}

  /// How often each is taken so that the sum is the target; nullopt if no choice gives it, or if
  /// the search gave up. Sums must fit into 64 bits, as those of layouts do.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> find(std::span<const Multiple> multiples,
                                                              std::span<const std::int64_t> target);

  /// Whether some question was not searched to its end.
  [[nodiscard]] bool gave_up() const { return attempts_left_ <= 0; }

 private:
  std::int64_t attempts_left_;
};

}  // namespace heddle::map
