#pragma once

// Shared by all functions that recover a map: the candidate that follows from a function's values
// at divisors, and its comparison with the function.

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
#include "heddle/form/recover_mixed.h"

namespace heddle::form {

using Vector = std::vector<std::int64_t>;
// Sums of a hundred thousand 64-bit numbers, and of products of digits of one 64-bit number with
// 64-bit strides, fit into 128 bits.
__extension__ using Wide = __int128;
using WideVector = std::vector<Wide>;

/// The same number in 64 bits; nullopt if it does not fit.
[[nodiscard]] std::optional<std::int64_t> narrow(Wide wide);
[[nodiscard]] std::optional<Vector> narrow(const WideVector& wide);

/// The value of the digits, which are constants, at a point; the last digit continues past the end.
[[nodiscard]] std::optional<Vector> value_of(std::span<const Digit> digits, const Vector& offset,
                                             std::int64_t point);

/// The values of a function at the divisors of the extent except the last, and just before them.
struct Samples {
  Divisors divisors;
  std::vector<Vector> at;
  std::vector<Vector> before;
};
/// The samples of f along one mode of a box, with the other coordinates 0.
[[nodiscard]] Samples samples_of(std::int64_t extent, std::int64_t step, const Sampler& f);

/// The only digits that can have these values, swizzled on one axis; nullopt if the levels form no
/// chain or a stride does not fit into 64 bits.
[[nodiscard]] std::optional<std::vector<Digit>> digits_of(const Samples& samples, std::size_t axes,
                                                          const SwizzleBits& swizzle = {},
                                                          std::size_t swizzled_axis = 0);

/// The product of the extents.
[[nodiscard]] std::int64_t point_count(std::span<const std::int64_t> extents);

/// Some points spread over [0, extent), including the last one.
[[nodiscard]] std::vector<std::int64_t> probes(std::int64_t extent);

/// Counts evaluations and asks from time to time whether to continue.
class Patience {
 public:
  using KeepGoing = std::function<bool(std::int64_t)>;
  explicit Patience(const KeepGoing& keep_going) : keep_going_(keep_going) {}
  /// Refuses `recover.gave_up`.
  [[nodiscard]] Result<void> count();

 private:
  const KeepGoing& keep_going_;
  std::int64_t evaluations_ = 0;
  std::int64_t next_ = 1 << 16;
};

/// `N points are too many to verify …`
[[nodiscard]] Refusal too_many_points(std::int64_t extent, std::int64_t limit);

/// How a candidate and the function compare.
struct CandidateCheck {
  bool is_equal = false;
  /// A point where they differ, if one is known; the first one, if all points were evaluated.
  std::optional<std::int64_t> difference = {};
};

/// Compares the candidate with f: at a few points of a large domain, by the caller's `verify`, then
/// at every point, along which `walk` goes from 0. Refuses `recover.too_large`, `recover.gave_up`.
template <class Map, class Walk>
[[nodiscard]] Result<CandidateCheck> compare(const Map& candidate, std::int64_t extent, Walk walk,
                                             const Sampler& f, const RecoverOptions<Map>& options) {
  const bool is_large = extent > options.max_points;
  if (is_large) {
    for (const std::int64_t point : probes(extent)) {
      if (value_at(candidate, point) != f(point)) return CandidateCheck{.difference = point};
    }
  }
  const std::optional<bool> known = options.verify ? options.verify(candidate) : std::nullopt;
  if (known == true) return CandidateCheck{.is_equal = true};
  if (is_large && known) return CandidateCheck{};
  if (is_large) return too_many_points(extent, options.max_points);
  Patience patience(options.keep_going);
  for (std::int64_t point = 0; point < extent; ++point, walk.step()) {
    HEDDLE_CHECK(patience.count());
    if (!walk.is_at(f(point))) return CandidateCheck{.difference = point};
  }
  return CandidateCheck{.is_equal = true};
}
[[nodiscard]] Result<CandidateCheck> compare(const StridedMap& candidate, const Sampler& f,
                                             const RecoverStridedOptions& options);

/// The value of f at the point, and the value of the map there.
[[nodiscard]] Witness witness_at(std::string where, std::int64_t point, const Sampler& f,
                                 const StridedMap& wanted);

/// Refuses: the only candidate is not f, with a point where they differ if one is known.
[[nodiscard]] Refusal no_candidate(const StridedMap& candidate, const CandidateCheck& comparison,
                                   const Sampler& f, std::string what, std::string wanted_by = {});

}  // namespace heddle::form
