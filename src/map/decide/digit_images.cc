// Images by digits: their bounds, their gaps, and the images that two maps share.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "heddle/cute/composition.h"
#include "map/decide/combination.h"
#include "map/decide/digits.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

using ImageNumbers = std::vector<std::int64_t>;

/// The smallest point with a coordinate of at least `bound` on the axis, or, for a `sign` of -1, of
/// at most `bound`; one must exist.
std::int64_t first_beyond(const StridedView& map, std::size_t axis, std::int64_t bound, int sign) {
  __extension__ using Wide = __int128;
  const std::vector<Steps> steps = in_numbers(one_mode(map));
  Wide reach = static_cast<Wide>(sign) * map.offset[axis].value();
  const auto gain = [&](const Steps& step) {
    return std::max<Wide>(0, static_cast<Wide>(sign) * step.stride[axis] * (step.extent - 1));
  };
  for (const Steps& step : steps) reach += gain(step);
  for (const Steps& copy : in_numbers(map.copies)) reach += gain(copy);
  const Wide wanted = static_cast<Wide>(sign) * bound;

  std::int64_t weight = 1;
  for (const Steps& step : steps) weight *= step.extent;
  std::int64_t point = 0;
  // From the slowest digit down, each only as large as the faster ones require.
  for (std::size_t i = steps.size(); i-- > 0;) {
    weight /= steps[i].extent;
    const Wide step = static_cast<Wide>(sign) * steps[i].stride[axis];
    if (step <= 0) continue;
    const Wide without = reach - gain(steps[i]);
    const Wide count = wanted <= without ? 0 : (wanted - without + step - 1) / step;
    point += weight * static_cast<std::int64_t>(count);
    reach = without + count * step;
  }
  return point;
}

/// Whether the swizzle permutes these numbers among themselves.
bool keeps(const SwizzleStep& swizzle, const Int& low, const Int& high) {
  std::uint64_t all = static_cast<std::uint64_t>(swizzle.source);
  all |= swizzle.shift >= 0 ? all >> swizzle.shift : all << -swizzle.shift;
  const Int period = std::int64_t{1} << std::bit_width(all);
  return known_divides(period, low) && known_divides(period, high);
}

// ---- Images without gaps ----

/// How far the sums of the steps go from 0 without a gap, and whether steps beyond are left out.
struct Filled {
  Int last = 0;
  bool has_gap = false;
  bool is_known = true;
};

Filled filled_by(std::span<const form::Digit> sorted) {
  Filled filled;
  for (const form::Digit& digit : sorted) {
    const Int next = filled.last + 1;
    if (!known_at_most(digit.stride.front(), next)) {
      filled.has_gap = true;
      filled.is_known = known_less(next, digit.stride.front());
      return filled;
    }
    filled.last += (digit.extent - 1) * digit.stride.front();
  }
  return filled;
}

// ---- Images of two maps ----

/// The smallest point of `a`, and one of `b`, with an image in common.
class Meeting {
 public:
  Meeting(const StridedView& a, const StridedView& b) {
    count_ = append(one_mode(a), 1);
    weights_a_ = weights_of(one_mode(a));
    append(a.copies, 1);
    begin_b_ = multiples_.size();
    append(one_mode(b), -1);
    weights_b_ = weights_of(one_mode(b));
    append(b.copies, -1);
    for (std::size_t axis = 0; axis < a.offset.size(); ++axis) {
      target_.push_back((b.offset[axis] - a.offset[axis]).value());
    }
  }

  /// x and y.
  using Found = std::pair<std::int64_t, std::int64_t>;

  [[nodiscard]] std::optional<Found> find() { return find_below(count_); }

  /// The same among the points of `a` that some digit moves. Digits whose step is 0 are 0 in the
  /// smallest of them.
  [[nodiscard]] std::optional<Found> find_moved() {
    std::vector<std::int64_t> ends;
    for (std::size_t digit = 0; digit < count_; ++digit) {
      ends.push_back(std::exchange(multiples_[digit].high, 0));
    }
    for (std::size_t top = 0; top < count_; ++top) {
      const bool stays =
          std::ranges::all_of(multiples_[top].step, [](std::int64_t n) { return n == 0; });
      if (stays || ends[top] == 0) continue;
      multiples_[top].low = 1;
      multiples_[top].high = ends[top];
      if (auto found = find_below(top + 1)) return found;
      multiples_[top].low = 0;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool gave_up() const { return combinations_.gave_up(); }

 private:
  [[nodiscard]] std::optional<Found> find_below(std::size_t end) {
    auto counts = combinations_.find(multiples_, target_);
    if (!counts) return std::nullopt;
    for (std::size_t digit = end; digit-- > 0;) narrow(digit, *counts);
    std::int64_t x = 0;
    std::int64_t y = 0;
    for (std::size_t i = 0; i < weights_a_.size(); ++i) x += weights_a_[i] * (*counts)[i];
    for (std::size_t i = 0; i < weights_b_.size(); ++i) {
      y += weights_b_[i] * (*counts)[begin_b_ + i];
    }
    return std::pair(x, y);
  }

  std::size_t append(std::span<const form::Digit> digits, std::int64_t sign) {
    for (Steps& step : in_numbers(digits)) {
      for (std::int64_t& number : step.stride) number *= sign;
      multiples_.push_back({std::move(step.stride), 0, step.extent - 1});
    }
    return digits.size();
  }
  static ImageNumbers weights_of(std::span<const form::Digit> digits) {
    ImageNumbers weights;
    std::int64_t weight = 1;
    for (const form::Digit& digit : digits) {
      weights.push_back(weight);
      weight *= digit.extent.value();
    }
    return weights;
  }

  /// Reduces the digit to its least count, by bisection, and finds a choice with that count.
  void narrow(std::size_t digit, ImageNumbers& counts) {
    Multiple& multiple = multiples_[digit];
    multiple.high = counts[digit];
    while (multiple.low < multiple.high) {
      const std::int64_t high = multiple.high;
      multiple.high = multiple.low + (high - multiple.low - 1) / 2;
      if (auto fewer = combinations_.find(multiples_, target_)) {
        counts = *std::move(fewer);
        multiple.high = counts[digit];
      } else {
        multiple.low = multiple.high + 1;
        multiple.high = high;
      }
    }
  }

  std::vector<Multiple> multiples_;
  std::size_t count_ = 0;
  std::size_t begin_b_ = 0;
  ImageNumbers weights_a_;
  ImageNumbers weights_b_;
  ImageNumbers target_;
  Combinations combinations_;
};

/// A point where a digit begins or ends that the map, applied twice, does not restore.
std::optional<Witness> not_restored(const FlatMap& map) {
  std::int64_t begin = 1;
  for (const Steps& step : in_numbers(one_mode(*map.strided))) {
    for (const std::int64_t point : {begin, begin * (step.extent - 1)}) {
      const auto there = map.numbers_at(point, 0);
      const auto back = there ? map.numbers_at(there->front(), 0) : std::nullopt;
      if (back && back->front() != point) return not_restored_at(map, point);
    }
    begin *= step.extent;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<form::Digit>> steps_along(const StridedView& map, std::size_t axis) {
  std::vector<form::Digit> steps;
  const auto take = [&](const form::Digit& digit) {
    if (known_equal(digit.extent, 1) || known_equal(digit.stride[axis], 0)) return true;
    for (std::size_t other = 0; other < digit.stride.size(); ++other) {
      if (other != axis && !known_equal(digit.stride[other], 0)) return false;
    }
    steps.push_back({digit.extent, {abs(digit.stride[axis])}});
    return true;
  };
  if (!std::ranges::all_of(one_mode(map), take)) return std::nullopt;
  if (!std::ranges::all_of(map.copies, take)) return std::nullopt;
  std::vector<form::Digit> sorted;
  while (!steps.empty()) {
    const auto least = std::ranges::find_if(steps, [&](const form::Digit& one) {
      return std::ranges::all_of(steps, [&](const form::Digit& other) {
        return known_at_most(one.stride.front(), other.stride.front());
      });
    });
    if (least == steps.end()) return std::nullopt;
    sorted.push_back(*least);
    steps.erase(least);
  }
  return sorted;
}

Ends ends_of(const StridedView& map, std::size_t axis) {
  Ends ends{map.offset[axis], map.offset[axis]};
  const auto extend = [&](const form::Digit& digit) {
    const Int last = (digit.extent - 1) * digit.stride[axis];
    ends.low += min(last, 0);
    ends.high += max(last, 0);
  };
  std::ranges::for_each(one_mode(map), extend);
  std::ranges::for_each(map.copies, extend);
  return ends;
}

Verdict within_by_digits(const FlatMap& map, const AxisRanges& ranges) {
  const StridedView& digits = *map.strided;
  bool all_within = true;
  std::optional<std::int64_t> first;
  std::string wanted;
  for (std::size_t axis = 0; axis < map.axes.size(); ++axis) {
    const auto [low, high] = ranges[axis];
    if (digits.swizzle && digits.swizzle->axis == axis && !keeps(*digits.swizzle, low, high)) {
      return Verdict::unknown("the swizzle reaches past the limits");
    }
    const Ends ends = ends_of(digits, axis);
    if (known_at_most(low, ends.low) && known_less(ends.high, high)) continue;
    all_within = false;
    if (!is_number(digits) || !low.is_constant() || !high.is_constant()) continue;
    const auto note = [&](std::int64_t bound, int sign, std::string text) {
      const std::int64_t point = first_beyond(digits, axis, bound, sign);
      if (first && *first <= point) return;
      first = point;
      wanted = std::move(text);
    };
    if (known_at_most(high, ends.high)) note(high.value(), 1, below_text(high));
    if (known_less(ends.low, low))
      note(low.value() - 1, -1, fmt::format("at least {}", low.value()));
  }
  if (all_within) return Verdict::yes(kDigitForm);
  if (!first) return Verdict::unknown("the limits are not known to hold");
  return Verdict::no(kDigitForm, outside_at(map, *first, std::move(wanted)));
}

Verdict onto_by_digits(const Claim& claim) {
  const FlatMap& map = claim.a;
  const StridedView& digits = *map.strided;
  AxisRanges ranges;
  for (const Int& size : claim.sizes) ranges.emplace_back(0, size);
  Verdict within = within_by_digits(map, ranges);
  if (!within.is_yes()) return within;
  ImageNumbers missing(map.axes.size(), 0);
  bool misses = false;
  for (std::size_t axis = 0; axis < map.axes.size(); ++axis) {
    const auto steps = steps_along(digits, axis);
    if (!steps) return Verdict::unknown("a step leads along several axes");
    const Filled filled = filled_by(*steps);
    const Int low = ends_of(digits, axis).low;
    if (!filled.is_known) return Verdict::unknown("the steps are not known to leave a gap");
    if (known_equal(low, 0) && known_equal(filled.last + 1, claim.sizes[axis])) continue;
    if (!claim.is_constant() || !claim.sizes[axis].is_constant()) {
      return Verdict::unknown("the images are not known to fill the box");
    }
    if (digits.swizzle) return Verdict::unknown("the swizzle moves the gaps");
    // A number is missing on this axis; with the least numbers on the others it is the first.
    if (!misses) missing[axis] = low.value() > 0 ? 0 : low.value() + filled.last.value() + 1;
    misses = true;
  }
  if (misses) return Verdict::no(kDigitForm, not_met(missing));
  return Verdict::yes(kDigitForm);
}

Verdict contiguous_by_digits(const FlatMap& map) {
  if (map.axes.size() > 1) return Verdict::unknown("the images are on several axes");
  const StridedView& digits = *map.strided;
  std::vector<form::Digit> all = one_mode(digits);
  all.insert(all.end(), digits.copies.begin(), digits.copies.end());
  std::erase_if(all, [](const form::Digit& digit) { return known_equal(digit.extent, 1); });
  Int next = 1;
  while (!all.empty()) {
    const auto following = std::ranges::find_if(all, [&](const form::Digit& digit) {
      return known_equal(abs(digit.stride.front()), next);
    });
    if (following == all.end()) break;
    next += (following->extent - 1) * next;
    all.erase(following);
  }
  const bool is_chain = all.empty();
  if (digits.swizzle) {
    const Ends ends = map.axes.empty() ? Ends{} : ends_of(digits, 0);
    const bool stays = keeps(*digits.swizzle, ends.low, ends.high + 1);
    return is_chain && stays ? Verdict::yes(kDigitForm)
                             : Verdict::unknown("the swizzle moves the ends of the interval");
  }
  if (is_chain) return Verdict::yes(kDigitForm);
  if (!is_number(digits)) return Verdict::unknown("the steps are not known to follow each other");
  Verdict injective = injective_by_digits(map);
  if (!injective.is_yes()) return injective;
  const Filled filled = filled_by(*steps_along(digits, 0));
  if (!filled.has_gap) return Verdict::yes(kDigitForm);
  const Int gap = ends_of(digits, 0).low + filled.last + 1;
  return Verdict::no(kDigitForm, not_met(ImageNumbers{gap.value()}));
}

Verdict disjoint_by_digits(const Claim& claim) {
  const StridedView& a = *claim.a.strided;
  const StridedView& b = *claim.b->strided;
  if (a.swizzle != b.swizzle) return Verdict::unknown("the swizzles differ");
  for (std::size_t axis = 0; axis < claim.a.axes.size(); ++axis) {
    const Ends left = ends_of(a, axis);
    const Ends right = ends_of(b, axis);
    if (known_less(left.high, right.low) || known_less(right.high, left.low)) {
      return Verdict::yes(kDigitForm);
    }
  }
  const auto is_number = [](const Int& x, const Int& y) { return (x - y).is_constant(); };
  if (!claim.is_constant() || !std::ranges::equal(a.offset, b.offset, is_number)) {
    return Verdict::unknown("the images are not known to stay apart");
  }
  Meeting meeting(a, b);
  if (const auto found = meeting.find()) {
    return Verdict::no(kDigitForm, collision_at(claim.a, found->first, *claim.b, found->second));
  }
  if (meeting.gave_up()) return Verdict::unknown("too many sums of steps to try");
  return Verdict::yes(kDigitForm);
}

namespace {

bool begins_at_zero(const StridedView& map) {
  return std::ranges::all_of(map.offset, [](const Int& n) { return known_equal(n, 0); });
}

/// On each axis, do all steps lead the same way? Then a point that a digit moves has an image other
/// than 0.
bool leads_one_way(const StridedView& map) {
  for (std::size_t axis = 0; axis < map.offset.size(); ++axis) {
    const Ends ends = ends_of(map, axis);
    if (!known_equal(ends.low, 0) && !known_equal(ends.high, 0)) return false;
  }
  return true;
}

/// The sum of a point of each, without digits that stay.
StridedView sum_of_both(const StridedView& a, const StridedView& b) {
  StridedView sum;
  sum.offset = a.offset;
  sum.modes.emplace_back();
  for (const StridedView* map : {&a, &b}) {
    for (const form::Digit& digit : one_mode(*map)) {
      const bool stays =
          std::ranges::all_of(digit.stride, [](const Int& n) { return known_equal(n, 0); });
      if (!stays && !known_equal(digit.extent, 1)) sum.modes.front().push_back(digit);
    }
  }
  return sum;
}

}  // namespace

Verdict meet_at_zero_by_digits(const Claim& claim) {
  const StridedView& a = *claim.a.strided;
  const StridedView& b = *claim.b->strided;
  if (a.swizzle != b.swizzle) return Verdict::unknown("the swizzles differ");
  if (!a.copies.empty() || !b.copies.empty()) return Verdict::unknown("points have copies");
  if (!begins_at_zero(a) || !begins_at_zero(b)) return Verdict::unknown("a side has an offset");
  // If every sum of both has one way to be made, x = y only for 0 = 0.
  if (stand_apart(sum_of_both(a, b), claim.a.axes.size())) return Verdict::yes(kDigitForm);
  if (!claim.is_constant()) return Verdict::unknown("the steps are not known to be disjoint");
  if (!leads_one_way(a)) return Verdict::unknown("steps of the first side go both ways");
  Meeting meeting(a, b);
  if (const auto found = meeting.find_moved()) {
    return Verdict::no(kDigitForm, collision_at(claim.a, found->first, *claim.b, found->second));
  }
  if (meeting.gave_up()) return Verdict::unknown("too many sums of steps to try");
  return Verdict::yes(kDigitForm);
}

Verdict covers_by_digits(const Claim& claim) {
  const StridedView& a = *claim.a.strided;
  const StridedView& b = *claim.b->strided;
  if (a.swizzle != b.swizzle) return Verdict::unknown("the swizzles differ");
  for (std::size_t axis = 0; axis < claim.a.axes.size(); ++axis) {
    const auto steps = steps_along(a, axis);
    if (!steps) return Verdict::unknown("a step leads along several axes");
    if (filled_by(*steps).has_gap) return Verdict::unknown("the images of the first have gaps");
  }
  AxisRanges ranges;
  for (std::size_t axis = 0; axis < claim.a.axes.size(); ++axis) {
    const Ends ends = ends_of(a, axis);
    ranges.emplace_back(ends.low, ends.high + 1);
  }
  FlatMap plain = *claim.b;
  plain.strided->swizzle.reset();
  Verdict within = within_by_digits(plain, ranges);
  if (!within.is_no() || !within.counterexample()) return within;
  Witness witness = *within.counterexample();
  witness.wanted = "no image of the first";
  return Verdict::no(kDigitForm, std::move(witness));
}

Verdict involution_by_digits(const Claim& claim) {
  const FlatMap& map = claim.a;
  const StridedView& digits = *map.strided;
  if (digits.swizzle || !digits.copies.empty() || map.axes.size() > 1 || !map.is_constant()) {
    return Verdict::unknown("only strided maps of numbers onto one axis are composed");
  }
  Verdict within = within_by_digits(map, AxisRanges(map.axes.size(), {0, map.points}));
  if (within.is_no() && !map.axes.empty()) return first_not_restored(map, std::move(within));
  if (!within.is_yes()) return within;
  if (!map.axes.empty() && digits.offset.front() != Int(0)) {
    // f(0) is not 0: a map that is its own inverse maps it back to 0.
    const std::int64_t there = digits.offset.front().value();
    const auto back = map.numbers_at(there, 0);
    if (back && back->front() == 0) return Verdict::unknown("the offset is not composed");
    return Verdict::no(kDigitForm, outside_at(map, 0, fmt::format("back from {}", there)));
  }
  std::vector<Int> extents;
  std::vector<cute::Stride> strides;
  for (const form::Digit& digit : form::coalesced(one_mode(digits))) {
    extents.push_back(digit.extent);
    strides.emplace_back(digit.stride.empty() ? Int(0) : digit.stride.front());
  }
  if (extents.empty()) return Verdict::yes(kDigitForm);
  const auto layout = cute::make_layout(IntTuple::flat(extents), cute::StrideTuple::flat(strides));
  if (!layout) return Verdict::unknown(layout.error().message());
  // Digits show a point that is not restored, but it need not be the smallest.
  const auto refuted = [&](std::optional<Witness> shown) {
    Verdict no = Verdict::no(kDigitForm, std::move(shown));
    return map.axes.empty() ? no : first_not_restored(map, std::move(no));
  };
  const auto twice = cute::composition(*layout, *layout);
  // The identity is a layout on any modes, so a map that is no layout is not the identity.
  if (!twice && twice.error().code() == "composition.no_layout") {
    return refuted(not_restored(map));
  }
  if (!twice) return Verdict::unknown(twice.error().message());
  const std::vector<form::Digit> identity = {{map.points, {1}}};
  std::vector<form::Digit> composed;
  for (std::size_t i = 0; i < twice->extents().size(); ++i) {
    composed.push_back({twice->extents()[i], {twice->strides()[i].scale()}});
  }
  const std::vector<form::Digit> wanted = form::coalesced(identity);
  composed = form::coalesced(composed);
  if (are_alike(composed, wanted)) return Verdict::yes(kDigitForm);
  return refuted(not_restored_at(map, first_difference(composed, wanted)));
}

}  // namespace heddle::map
