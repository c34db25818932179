#include "machine/tma/pairing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "expr/numbers_text.h"
#include "heddle/axe/group.h"
#include "heddle/form/index_map.h"
#include "machine/tma/memory_layout.h"

namespace heddle::machine {
namespace {

using Region = std::vector<axe::Interval>;

/// A part as an Axe layout with its shape and region.
struct Side {
  axe::Layout layout;
  std::vector<Int> shape;
  Region region;
};

/// The steps of one side, the slowest digit first.
struct Step {
  Int extent;
  Int stride;
  std::optional<std::size_t> whole = {};
};

struct SlicedSide {
  std::vector<Step> steps;
  /// The steps of dimension j begin at seps[j].
  std::vector<std::size_t> seps;
  std::vector<Int> extents;
  Int offset;
  std::optional<axe::Swizzle> swizzle;
  std::string text;
};

std::string region_text(const Region& region) {
  std::string text;
  for (const axe::Interval& interval : region) {
    if (!text.empty()) text += " x ";
    text += fmt::format("[{},{})", interval.begin, interval.end);
  }
  return text;
}

Region whole_region(std::span<const Int> shape) {
  Region region;
  for (const Int& extent : shape) region.push_back({0, extent});
  return region;
}

Result<Side> side_of(std::string_view name, const TensorPart& part) {
  HEDDLE_TRY(MemoryLayout memory, memory_layout(name, part.layout, part.shape));
  Region region = part.region.value_or(whole_region(memory.shape));
  return Side{std::move(memory.layout), std::move(memory.shape), std::move(region)};
}

Result<SlicedSide> sliced(const Side& side) {
  HEDDLE_TRY(const axe::Layout part, axe::slice(side.layout, side.shape, side.region));
  SlicedSide result;
  for (const axe::Interval& interval : side.region) {
    result.extents.push_back(interval.end - interval.begin);
  }
  HEDDLE_TRY(const axe::Grouping grouping, axe::group(part, result.extents));
  for (const axe::Iter& iter : grouping.layout.shard()) {
    result.steps.push_back({iter.extent, iter.stride});
  }
  result.seps = grouping.seps;
  result.offset = memory_offset(part);
  result.swizzle = part.swizzle();
  result.text = axe::to_string(part);
  return result;
}

/// Marks the steps that belong to a dimension with one stride, and takes the beginnings of these
/// dimensions out of the offset.
std::vector<WholeDimension> take_whole_dimensions(const Side& side, SlicedSide& part) {
  const auto whole = axe::group(side.layout, side.shape);
  std::vector<WholeDimension> dims;
  if (!whole) return dims;
  for (std::size_t j = 0; j < side.shape.size(); ++j) {
    if (whole->block(j).size() != 1 || part.seps[j + 1] - part.seps[j] != 1) continue;
    const axe::Iter& iter = whole->block(j).front();
    if (known_equal(iter.stride, 0)) continue;
    part.steps[part.seps[j]].whole = dims.size();
    dims.push_back({iter.extent, iter.stride, side.region[j].begin});
    part.offset -= side.region[j].begin * iter.stride;
  }
  return dims;
}

std::vector<Int> without_units(std::span<const Int> extents) {
  std::vector<Int> kept;
  std::ranges::copy_if(extents, std::back_inserter(kept),
                       [](const Int& extent) { return !known_equal(extent, 1); });
  return kept;
}

/// The products of the last extents, which say where a shape cuts the row-major order.
std::vector<Int> cuts_of(std::span<const Int> extents) {
  std::vector<Int> cuts;
  Int product = 1;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    product *= *extent;
    cuts.push_back(product);
  }
  return cuts;
}

bool contains_all(const std::vector<Int>& cuts, const std::vector<Int>& others) {
  return std::ranges::all_of(others, [&](const Int& other) {
    return std::ranges::any_of(cuts, [&](const Int& cut) { return known_equal(cut, other); });
  });
}

/// A region of the global tensor as large as the shared one, where it has room for it.
std::string shapes_hint(const SlicedSide& global, const SlicedSide& shared) {
  const bool has_room = std::ranges::equal(
      global.extents, shared.extents,
      [](const Int& room, const Int& extent) { return !known_less(room, extent); });
  if (!has_room) return "regions of one copy have the same shape, up to extents of 1";
  std::vector<std::string> parts;
  for (const Int& extent : shared.extents)
    parts.push_back(fmt::format("[0,{}]", to_string(extent)));
  const std::string region = fmt::format("[{}]", fmt::join(parts, ","));
  return fmt::format(
      "say which part is copied, as the first one: --region '{}', or "
      "global_region={}",
      region, region);
}

/// Refuses regions whose shapes differ, unless one cuts dimensions of the other.
Result<void> check_shapes(const SlicedSide& global, const SlicedSide& shared,
                          const std::string& call) {
  const std::vector<Int> left = without_units(global.extents);
  const std::vector<Int> right = without_units(shared.extents);
  HEDDLE_TRY(const bool same_size,
             decide_needed({form::product(left), Predicate::kEqual, form::product(right)},
                           [&] { return call; }));
  const auto left_cuts = cuts_of(left);
  const auto right_cuts = cuts_of(right);
  if (same_size && (contains_all(left_cuts, right_cuts) || contains_all(right_cuts, left_cuts)))
    return {};
  return refuse(diagnose("tma.shapes", "a region of {} is copied to one of {}",
                         counted(tuple_text(global.extents), "element"), tuple_text(shared.extents))
                    .with_hint(shapes_hint(global, shared)));
}

/// Cuts the fast end off both lists of steps where the shorter one ends.
Result<PairedDigit> next_digit(std::vector<Step>& global, std::vector<Step>& shared,
                               const Int& weight, const std::string& call) {
  Step& left = global.back();
  Step& right = shared.back();
  PairedDigit digit{left.extent, left.stride, right.stride, weight, left.whole};
  const auto shorten = [](Step& step, const Int& by) {
    step.extent = floor_div(step.extent, by);
    step.stride *= by;
  };
  if (known_equal(left.extent, right.extent)) {
    global.pop_back();
    shared.pop_back();
    return digit;
  }
  HEDDLE_TRY(const bool is_nested, either_divides(left.extent, right.extent, [&] { return call; }));
  if (!is_nested) {
    return refuse(
        diagnose("tma.digits",
                 "the global part has a digit {}:{} where the shared part has {}:{}; neither "
                 "extent divides the other",
                 left.extent, left.stride, right.extent, right.stride)
            .with_hint("a box has one extent in both memories, so both must be cut alike"));
  }
  if (known_divides(left.extent, right.extent)) {
    shorten(right, left.extent);
    global.pop_back();
  } else {
    digit.extent = right.extent;
    shorten(left, right.extent);
    shared.pop_back();
  }
  return digit;
}

Result<std::vector<PairedDigit>> paired(std::vector<Step> global, std::vector<Step> shared,
                                        const std::string& call) {
  const auto is_unit = [](const Step& step) { return known_equal(step.extent, 1); };
  std::erase_if(global, is_unit);
  std::erase_if(shared, is_unit);
  std::vector<PairedDigit> digits;
  Int weight = 1;
  while (!global.empty() && !shared.empty()) {
    HEDDLE_TRY(PairedDigit digit, next_digit(global, shared, weight, call));
    weight *= digit.extent;
    digits.push_back(std::move(digit));
  }
  return digits;
}

/// Refuses a step whose sign is wrong or not known.
Result<void> check_steps(std::span<const PairedDigit> digits, const std::string& call) {
  for (const PairedDigit& digit : digits) {
    for (const auto& [name, stride] :
         {std::pair("global", digit.global), std::pair("shared", digit.shared)}) {
      HEDDLE_TRY(const bool is_forward,
                 decide_needed({Int(0), Predicate::kAtMost, stride}, [&] { return call; }));
      if (is_forward) continue;
      return refuse(
          diagnose("tma.negative", "the {} part steps by {}", name, counted(stride, "element"))
              .with_hint("strides of a tensor map are not negative; copy to a layout "
                         "that runs the same way"));
    }
    if (!known_equal(digit.shared, 0)) continue;
    return refuse(diagnose("tma.overlap",
                           "{} elements of the region have the same place in shared memory: its "
                           "stride there is 0",
                           digit.extent)
                      .with_hint("broadcast when reading, not when copying"));
  }
  return {};
}

/// Whether the sorted digits never meet: each step is past all that the smaller ones reach.
bool is_ladder(std::span<const PairedDigit> digits) {
  Int reach = 0;
  for (const PairedDigit& digit : digits) {
    if (!known_less(reach, digit.shared)) return false;
    reach += digit.shared * (digit.extent - 1);
  }
  return true;
}

/// Refuses two elements at one place.
Result<void> check_injective(std::span<const PairedDigit> digits, const std::string& call) {
  if (is_ladder(digits)) return {};
  std::vector<Int> extents;
  for (const PairedDigit& digit : digits) extents.push_back(digit.extent);
  const Int size = form::product(extents);
  const bool is_small = size.is_constant() && size.value() <= axe::kMaxPlaces &&
                        std::ranges::all_of(digits, [](const PairedDigit& digit) {
                          return digit.shared.is_constant();
                        });
  if (!is_small) {
    return refuse(diagnose("axe.undecided",
                           "{}: whether two elements have the same place in shared memory is not "
                           "decided: there are {} of them",
                           call, size));
  }
  std::set<std::int64_t> places;
  for (std::int64_t flat = 0; flat < size.value(); ++flat) {
    const std::vector<Int> point = form::unflatten(extents, flat);
    Int place = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) place += point[i] * digits[i].shared;
    if (places.insert(place.value()).second) continue;
    return refuse("tma.overlap", "two elements of the region have the place {} in shared memory",
                  place);
  }
  return {};
}

/// One more than the last address; refuses one whose bits cannot be counted.
Result<Int> addresses_of(std::string_view name, const axe::Layout& layout, int element_bits) {
  HEDDLE_TRY(Int span, axe::span(layout, Axis::memory()));
  const Int first = memory_offset(layout);
  if (known_at_most(0, first)) span += first;
  HEDDLE_CHECK(check_defined(span * element_bits, [&] {
    return fmt::format("the size in bits of the {} layout {}", name, axe::to_string(layout));
  }));
  return span;
}

/// The swizzles of the hardware that do to the shared part what its own does: none where it changes
/// nothing, then its own, then those whose further bits are 0 everywhere.
Result<std::vector<SharedSwizzle>> swizzles_of(const SlicedSide& shared,
                                               std::span<const PairedDigit> digits,
                                               int element_bits) {
  std::vector<SharedSwizzle> same;
  if (!shared.swizzle) return std::vector{shared_swizzles().front()};
  const axe::Swizzle& swizzle = *shared.swizzle;
  Int last = shared.offset;
  for (const PairedDigit& digit : digits) last += digit.shared * (digit.extent - 1);
  const auto is_below = [&](int bit) {
    return known_at_most(0, shared.offset) && known_less(last, Int(std::int64_t{1} << bit));
  };
  const int first_source = swizzle.per_element + swizzle.atom_len;
  if (swizzle.inner && is_below(first_source)) same.push_back(shared_swizzles().front());
  if (const auto known = shared_swizzle(swizzle, element_bits)) {
    same.push_back(*known);
    for (const SharedSwizzle& mode : shared_swizzles()) {
      const bool has_same_bits = mode.low == known->low && mode.shift == known->shift;
      if (!has_same_bits || mode.bits == known->bits) continue;
      if (is_below(first_source + std::min(mode.bits, known->bits))) same.push_back(mode);
    }
  }
  if (!same.empty()) return same;
  Diagnostic diagnostic = diagnose(
      "tma.swizzle", "{} on elements of {} bits is not a swizzle that the hardware applies",
      axe::to_string(swizzle), element_bits);
  std::string modes;
  for (const SharedSwizzle& mode : shared_swizzles()) {
    const std::int64_t kept = (std::int64_t{8} << mode.low) / element_bits;
    if (mode.bits == 0 || kept < 1) continue;
    if (!modes.empty()) modes += ", ";
    int low = 0;
    while ((std::int64_t{1} << low) < kept) ++low;
    modes += fmt::format("Sw<{0},{1},{2}> = SW({1},{0},{2}) ({3})", mode.bits, low, mode.shift,
                         mode.name);
  }
  return refuse(std::move(diagnostic).with_hint("it has " + modes));
}

std::string digit_text(const PairedDigit& digit) {
  return fmt::format("{} (global {}, shared {})", digit.extent, digit.global, digit.shared);
}

Explanation digits_step(std::span<const PairedDigit> digits) {
  std::string text;
  for (const PairedDigit& digit : digits) {
    if (!text.empty()) text += ", ";
    text += digit_text(digit);
  }
  return step("digits", "Both parts are cut where either one changes its step.",
              text.empty() ? std::string("none, one element") : text);
}

/// Merges neighbours that run on without a gap on both sides.
template <class MayMerge>
std::vector<PairedDigit> merged(std::span<const PairedDigit> digits, MayMerge may_merge) {
  std::vector<PairedDigit> result;
  for (const PairedDigit& digit : digits) {
    if (!result.empty()) {
      PairedDigit& last = result.back();
      const bool runs_on = known_equal(digit.shared, last.shared * last.extent) &&
                           known_equal(digit.global, last.global * last.extent);
      if (runs_on && may_merge(last, digit)) {
        last.extent *= digit.extent;
        continue;
      }
    }
    result.push_back(digit);
  }
  return result;
}

}  // namespace

std::string call_text(const TensorPart& global, const TensorPart& shared) {
  return fmt::format("tma_descriptor({}, {})", map::to_string(global.layout),
                     map::to_string(shared.layout));
}

Result<Pairing> pair_digits(const TensorPart& global, const TensorPart& shared, int element_bits) {
  const std::string call = call_text(global, shared);
  HEDDLE_TRY(const Side from, side_of("global", global));
  HEDDLE_TRY(const Side to, side_of("shared", shared));
  if (from.layout.swizzle() && !from.layout.swizzle()->is_identity()) {
    return refuse(
        diagnose("tma.swizzle", "the global layout {} has a swizzle", axe::to_string(from.layout))
            .with_hint("a tensor map swizzles shared memory only"));
  }
  HEDDLE_TRY(SlicedSide left, sliced(from));
  HEDDLE_TRY(const SlicedSide right, sliced(to));
  HEDDLE_CHECK(check_shapes(left, right, call));

  Pairing pairing;
  pairing.steps = {
      step("global", region_text(from.region) + " of the global tensor is sliced.", left.text),
      step("shared", region_text(to.region) + " of the shared tensor is sliced.", right.text)};
  pairing.whole = take_whole_dimensions(from, left);
  pairing.extents = left.extents;
  pairing.global_offset = left.offset;
  pairing.shared_offset = right.offset;
  HEDDLE_TRY(pairing.global_span, addresses_of("global", from.layout, element_bits));
  HEDDLE_CHECK(addresses_of("shared", to.layout, element_bits));
  HEDDLE_TRY(pairing.digits, paired(left.steps, right.steps, call));
  HEDDLE_CHECK(check_steps(pairing.digits, call));
  HEDDLE_CHECK(sort_by(
      pairing.digits, [](const PairedDigit& digit) -> const Int& { return digit.shared; },
      [&] { return call; }));
  HEDDLE_CHECK(check_injective(pairing.digits, call));
  pairing.digits = merged(pairing.digits, [](const PairedDigit& a, const PairedDigit& b) {
    return a.whole == b.whole;
  });
  HEDDLE_TRY(pairing.swizzles, swizzles_of(right, pairing.digits, element_bits));
  pairing.swizzle = pairing.swizzles.front();
  pairing.steps.push_back(digits_step(pairing.digits));
  return pairing;
}

Pairing merged_across_dimensions(Pairing pairing) {
  std::set<std::size_t> joined;
  const auto join = [&](PairedDigit& last, const PairedDigit& digit) {
    for (const auto& whole : {last.whole, digit.whole}) {
      if (whole) joined.insert(*whole);
    }
    last.whole.reset();
    return true;
  };
  pairing.digits = merged(pairing.digits, join);
  for (PairedDigit& digit : pairing.digits) {
    if (digit.whole && joined.contains(*digit.whole)) digit.whole.reset();
  }
  for (const std::size_t dim : joined) {
    WholeDimension& whole = pairing.whole[dim];
    pairing.global_offset += whole.begin * whole.stride;
    whole.begin = 0;
  }
  return pairing;
}

}  // namespace heddle::machine
