// Decisions by digits: sums of steps, whatever the size.
//
//   equal              the coalesced digits are alike; else the first point that differs is where
//                      the first digit that differs begins or ends
//   injective          no sum of steps, each taken less often than its extent, is 0
//   within             the least and the greatest sum
//   onto, contiguous   with the steps in order, each begins where the ones before it end
//
// A swizzle after both sides, or after the only one, permutes the images and changes no answer.

#include "map/decide/digits.h"

#include <algorithm>

#include "axe/layout/iters.h"
#include "map/decide/combination.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

using DigitNumbers = std::vector<std::int64_t>;

// ---- Copies ----

/// The set of values that the copies add, as a base and lexicographically positive steps, in order
/// and coalesced.
struct CopySet {
  std::vector<Int> base;
  std::vector<form::Digit> steps;
};

/// For digits whose numbers are all constant.
CopySet copy_set(const StridedView& digits) {
  CopySet set{digits.offset, {}};
  for (form::Digit copy : digits.copies) {
    const auto lead = std::ranges::find_if(copy.stride, [](const Int& n) { return n != Int(0); });
    if (lead == copy.stride.end() || copy.extent == Int(1)) continue;
    if (lead->value() < 0) {
      for (std::size_t axis = 0; axis < copy.stride.size(); ++axis) {
        set.base[axis] += (copy.extent - 1) * copy.stride[axis];
        copy.stride[axis] = -copy.stride[axis];
      }
    }
    set.steps.push_back(std::move(copy));
  }
  const auto text = [](const form::Digit& digit) {
    DigitNumbers numbers;
    for (const Int& number : digit.stride) numbers.push_back(number.value());
    numbers.push_back(digit.extent.value());
    return numbers;
  };
  std::ranges::sort(set.steps, {}, text);
  set.steps = coalesced(set.steps);
  return set;
}

/// All sums of the steps; nullopt if there are too many.
std::optional<std::vector<DigitNumbers>> sums_of(std::span<const form::Digit> steps,
                                                 std::size_t axes) {
  constexpr std::size_t kMaxSums = std::size_t{1} << 20;
  std::vector<DigitNumbers> sums = {DigitNumbers(axes, 0)};
  for (const Steps& digit : in_numbers(steps)) {
    const std::size_t before = sums.size();
    if (static_cast<std::size_t>(digit.extent) > kMaxSums / before) return std::nullopt;
    for (std::int64_t count = 1; count < digit.extent; ++count) {
      for (std::size_t i = 0; i < before; ++i) {
        DigitNumbers sum = sums[sums.size() - before];
        for (std::size_t axis = 0; axis < axes; ++axis) sum[axis] += digit.stride[axis];
        sums.push_back(std::move(sum));
      }
    }
    axe::sort_once(sums);
  }
  return sums;
}

std::optional<bool> same_sets(const CopySet& a, const CopySet& b, std::size_t axes) {
  if (are_alike(a.steps, b.steps)) return true;
  const auto left = sums_of(a.steps, axes);
  const auto right = sums_of(b.steps, axes);
  if (!left || !right) return std::nullopt;
  return *left == *right;
}

// ---- Injectivity ----

/// The smallest x whose image an earlier y has too, found from its slowest digit down.
class Collision {
 public:
  Collision(const StridedView& map, std::size_t axes)
      : steps_(in_numbers(one_mode(map))), axes_(axes) {
    for (const Steps& step : steps_) multiples_.push_back({step.stride, 0, 0});
    for (const Steps& copy : in_numbers(map.copies)) {
      multiples_.push_back({copy.stride, 1 - copy.extent, copy.extent - 1});
    }
  }

  struct Found {
    std::int64_t x = 0;
    std::int64_t y = 0;
  };

  [[nodiscard]] std::optional<Found> find() {
    for (std::size_t top = 0; top < steps_.size(); ++top) {
      // Digits above are the same in both points, and 0 in the smallest pair.
      if (steps_[top].extent > 1 && narrow_to_least(top, 1)) return settled(top);
      multiples_[top].low = 1 - steps_[top].extent;
      multiples_[top].high = steps_[top].extent - 1;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool gave_up() const { return combinations_.gave_up(); }

 private:
  [[nodiscard]] bool is_open() {
    return combinations_.find(multiples_, DigitNumbers(axes_, 0)).has_value();
  }

  /// Reduces the digit to the least count from `low` on that the others can make up for.
  [[nodiscard]] bool narrow_to_least(std::size_t digit, std::int64_t low) {
    Multiple& multiple = multiples_[digit];
    multiple.low = low;
    multiple.high = steps_[digit].extent - 1;
    if (!is_open()) return false;
    std::int64_t below = low;
    std::int64_t above = multiple.high;
    while (below < above) {
      multiple.high = below + (above - below) / 2;
      if (is_open()) {
        above = multiple.high;
      } else {
        below = multiple.high + 1;
      }
    }
    multiple.low = multiple.high = below;
    return true;
  }

  [[nodiscard]] std::optional<Found> settled(std::size_t top) {
    for (std::size_t digit = top; digit-- > 0;) {
      multiples_[digit].low = 1 - steps_[digit].extent;
      multiples_[digit].high = 0;
      if (!is_open() && !narrow_to_least(digit, 1)) return std::nullopt;
    }
    const auto counts = combinations_.find(multiples_, DigitNumbers(axes_, 0));
    if (!counts) return std::nullopt;
    Found found;
    std::int64_t weight = 1;
    for (std::size_t digit = 0; digit <= top; ++digit) {
      const std::int64_t count = (*counts)[digit];
      (count > 0 ? found.x : found.y) += weight * (count > 0 ? count : -count);
      weight *= steps_[digit].extent;
    }
    return found;
  }

  std::vector<Steps> steps_;
  std::size_t axes_;
  std::vector<Multiple> multiples_;
  Combinations combinations_;
};

}  // namespace

bool stand_apart(const StridedView& map, std::size_t axes) {
  const auto stays = [](const form::Digit& digit) {
    const auto is_zero = [](const Int& stride) { return known_equal(stride, 0); };
    return !known_equal(digit.extent, 1) && std::ranges::all_of(digit.stride, is_zero);
  };
  if (std::ranges::any_of(one_mode(map), stays) || std::ranges::any_of(map.copies, stays)) {
    return false;
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto steps = steps_along(map, axis);
    if (!steps) return false;
    Int reach = 0;
    for (const form::Digit& step : *steps) {
      if (!known_less(reach, step.stride.front())) return false;
      reach += (step.extent - 1) * step.stride.front();
    }
  }
  return true;
}

std::vector<Steps> in_numbers(std::span<const form::Digit> digits) {
  std::vector<Steps> steps;
  for (const form::Digit& digit : digits) {
    steps.push_back({digit.extent.value(), *constants(digit.stride)});
  }
  return steps;
}

bool are_alike(std::span<const form::Digit> a, std::span<const form::Digit> b) {
  return std::ranges::equal(a, b, [&](const form::Digit& x, const form::Digit& y) {
    return known_equal(x.extent, y.extent) && are_equal(x.stride, y.stride);
  });
}

std::int64_t first_difference(std::span<const form::Digit> a, std::span<const form::Digit> b) {
  std::int64_t begin = 1;
  for (std::size_t i = 0;; ++i) {
    if (a[i].stride != b[i].stride) return begin;
    // After the shorter digit ends, its list does not continue as the longer digit does.
    if (a[i].extent != b[i].extent) {
      return begin * std::min(a[i].extent.value(), b[i].extent.value());
    }
    begin *= a[i].extent.value();
  }
}

Verdict equal_by_digits(const Claim& claim) {
  const StridedView& a = *claim.a.strided;
  const StridedView& b = *claim.b->strided;
  if (a.swizzle != b.swizzle) return Verdict::unknown("the swizzles differ");
  const auto no_at = [&](std::int64_t flat) {
    return Verdict::no(kDigitForm, difference_at(claim, flat));
  };
  const std::vector<form::Digit> left = form::coalesced(one_mode(a));
  const std::vector<form::Digit> right = form::coalesced(one_mode(b));
  const bool same_steps = are_alike(left, right);
  if (same_steps && are_alike(a.copies, b.copies) && are_equal(a.offset, b.offset)) {
    return Verdict::yes(kDigitForm);
  }
  if (!claim.is_constant()) return Verdict::unknown("the digits are not known to differ");
  const CopySet copies_a = copy_set(a);
  const CopySet copies_b = copy_set(b);
  // The least images are base + sum on both sides.
  if (copies_a.base != copies_b.base) return no_at(0);
  const std::optional<bool> same = same_sets(copies_a, copies_b, claim.a.axes.size());
  if (same == false) return no_at(0);
  if (!same_steps) return no_at(first_difference(left, right));
  return same ? Verdict::yes(kDigitForm) : Verdict::unknown("too many copies to compare");
}

Verdict injective_by_digits(const FlatMap& map) {
  const StridedView& digits = *map.strided;
  if (stand_apart(digits, map.axes.size())) return Verdict::yes(kDigitForm);
  if (!is_number(digits)) return Verdict::unknown("the steps are not known to be disjoint");
  Collision collision(digits, map.axes.size());
  if (const auto found = collision.find()) {
    return Verdict::no(kDigitForm, collision_at(map, found->x, map, found->y));
  }
  if (collision.gave_up()) return Verdict::unknown("too many sums of steps to try");
  return Verdict::yes(kDigitForm);
}

Verdict by_digits(const Claim& claim) {
  if (!claim.a.strided || (claim.b && !claim.b->strided)) {
    return Verdict::unknown("no digits are known of a side");
  }
  switch (claim.question) {
    case Question::kEqual:
      return equal_by_digits(claim);
    case Question::kInjective:
      return injective_by_digits(claim.a);
    case Question::kOnto:
      return onto_by_digits(claim);
    case Question::kContiguous:
      return contiguous_by_digits(claim.a);
    case Question::kDisjoint:
      return disjoint_by_digits(claim);
    case Question::kMeetAtZero:
      return meet_at_zero_by_digits(claim);
    case Question::kCovers:
      return covers_by_digits(claim);
    case Question::kWithin:
      return within_by_digits(claim.a, AxisRanges(claim.a.axes.size(), {claim.low, claim.high}));
    case Question::kInvolution:
      return involution_by_digits(claim);
  }
  return Verdict::unknown("");
}

}  // namespace heddle::map
