#pragma once

// Digits as numbers, and the questions about them that by_digits() combines.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "map/decide/methods.h"

namespace heddle::map {

inline constexpr const char* kDigitForm = "digit form";

/// A digit with constant extent and stride.
struct Steps {
  std::int64_t extent = 1;
  std::vector<std::int64_t> stride;
};

[[nodiscard]] std::vector<Steps> in_numbers(std::span<const form::Digit> digits);

/// Whether the digits are the same, as far as is known.
[[nodiscard]] bool are_alike(std::span<const form::Digit> a, std::span<const form::Digit> b);
/// The point at which two different coalesced lists of one size first have different sums.
[[nodiscard]] std::int64_t first_difference(std::span<const form::Digit> a,
                                            std::span<const form::Digit> b);

/// The least and the greatest coordinate on an axis, both included, before a swizzle.
struct Ends {
  Int low = 0;
  Int high = 0;
};
[[nodiscard]] Ends ends_of(const StridedView& map, std::size_t axis);

/// The steps along one axis, made positive, shortest first. nullopt if a step leads along several
/// axes, or if the order of symbolic steps is not known.
[[nodiscard]] std::optional<std::vector<form::Digit>> steps_along(const StridedView& map,
                                                                  std::size_t axis);

/// Whether along some axis each step is longer than the reach of the shorter ones; for steps on
/// several axes, axis by axis. Then no two points have an image in common.
[[nodiscard]] bool stand_apart(const StridedView& map, std::size_t axes);

/// Half-open ranges, one for each axis.
using AxisRanges = std::vector<std::pair<Int, Int>>;

[[nodiscard]] Verdict equal_by_digits(const Claim& claim);
[[nodiscard]] Verdict injective_by_digits(const FlatMap& map);
[[nodiscard]] Verdict within_by_digits(const FlatMap& map, const AxisRanges& ranges);
[[nodiscard]] Verdict onto_by_digits(const Claim& claim);
[[nodiscard]] Verdict contiguous_by_digits(const FlatMap& map);
[[nodiscard]] Verdict disjoint_by_digits(const Claim& claim);
[[nodiscard]] Verdict meet_at_zero_by_digits(const Claim& claim);
[[nodiscard]] Verdict covers_by_digits(const Claim& claim);
[[nodiscard]] Verdict involution_by_digits(const Claim& claim);

}  // namespace heddle::map
