#pragma once

// What the ways to recover a map share: the candidate that a function's values at divisors allow,
// and holding it against the function.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/numbers_text.h"
#include "form/divisors.h"
#include "heddle/form/recover.h"

namespace heddle::form {

using Vector = std::vector<std::int64_t>;
// Sums of a hundred thousand 64-bit numbers, and of products of digits of one 64-bit number with
// 64-bit strides, fit into 128 bits.
__extension__ using Wide = __int128;
using WideVector = std::vector<Wide>;

/// The same number in 64 bits; nothing where it does not fit.
[[nodiscard]] std::optional<std::int64_t> narrow(Wide wide);
[[nodiscard]] std::optional<Vector> narrow(const WideVector& wide);

/// A digit in the making, in plain numbers.
struct Run {
  std::int64_t extent = 1;
  Vector stride;
};
[[nodiscard]] std::vector<Digit> to_digits(const std::vector<Run>& runs);

/// For each axis and each divisor m below the number, f(m) - f(m-1); the last entry is 0.
using Differences = std::vector<WideVector>;
[[nodiscard]] Differences differences_of(const Divisors& divisors, std::size_t axes,
                                         const Sampler& f);

/// The only digits that can have these differences; nothing where the levels form no chain or a
/// stride does not fit into 64 bits.
[[nodiscard]] std::optional<std::vector<Run>> runs_of(const Divisors& divisors,
                                                      Differences differences);

/// How a candidate and the function compare.
struct CandidateCheck {
  bool is_equal = false;
  /// A point where they differ, where one is known; the first where all were evaluated.
  std::optional<std::int64_t> difference = {};
};

/// Holds the candidate against f: a few points of a large domain, what the caller knows, then every
/// point. Refuses
/// `recover.too_large`, `recover.gave_up`.
[[nodiscard]] Result<CandidateCheck> compare(const StridedMap& candidate, const Sampler& f,
                                             const RecoverStridedOptions& options);

/// The product of the extents.
[[nodiscard]] std::int64_t point_count(std::span<const std::int64_t> extents);

/// Some points of [0, extent) all over it, the last one among them.
[[nodiscard]] std::vector<std::int64_t> probes(std::int64_t extent);

/// Counts evaluations and asks now and then whether to go on.
class Patience {
 public:
  using KeepGoing = std::function<bool(std::int64_t)>;
  explicit Patience(const KeepGoing& keep_going) : keep_going_(keep_going) {}
  /// Refuses `recover.gave_up`.
  [[nodiscard]] Result<void> count(std::int64_t evaluations = 1);

 private:
  const KeepGoing& keep_going_;
  std::int64_t evaluations_ = 0;
  std::int64_t next_ = 1 << 16;
};

/// `N points are too many to verify …`
[[nodiscard]] Refusal too_many_points(std::int64_t extent, std::int64_t limit);

}  // namespace heddle::form
