#include "heddle/cute/inverse.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "cute/build.h"
#include "cute/constant.h"
#include "cute/format.h"
#include "cute/steps.h"
#include "expr/decide.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/manipulation.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxVerified = form::kMaxVerified;

std::string call_of(std::string_view operation, const Layout& layout) {
  return fmt::format("{}({})", operation, to_string(layout));
}

/// Few enough elements, and none of them symbolic.
bool can_try_each(const Layout& layout) {
  const Int cost = layout.size() * (1 + layout.extents().size() / 64);
  return is_constant(layout) && known_at_most(cost, kMaxVerified);
}

/// The first index that a layout misses or meets twice, as text.
std::string first_fault(const Layout& full) {
  const Layout layout = coalesce(full);
  if (!can_try_each(layout)) return "";
  std::vector<std::int64_t> indices;
  for (std::int64_t c = 0; c < layout.size().value(); ++c) indices.push_back(layout(c).value());
  std::ranges::sort(indices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto wanted = static_cast<std::int64_t>(i);
    if (indices[i] < wanted) return fmt::format("index {} is met twice", indices[i]);
    if (indices[i] > wanted) return fmt::format("index {} is not met", wanted);
  }
  return "";
}

/// Does R(L(c)) tell the element, at every coordinate: L(R(L(c))) = L(c)? L runs on past its end as
/// it is written.
std::optional<Witness> left_inverse_fault(const Layout& layout, const Layout& inverse) {
  for (std::int64_t c = 0; c < layout.size().value(); ++c) {
    const Int index = layout(c);
    const Int back = inverse(index);
    if (known_equal(layout(back), index)) continue;
    return Witness{std::to_string(c), to_string(index), ""};
  }
  return std::nullopt;
}

Refusal no_left_inverse(const Layout& layout, std::string why) {
  return refuse(
      Diagnostic("left_inverse.divisibility",
                 fmt::format("left_inverse({}): {}", to_string(layout), why))
          .with_hint("right_inverse reads back the indices 0, 1, 2, … as far as they go"));
}

/// The layout that takes an index apart in the radix of the strides, digit i being the coordinate
/// along step i. What lies below the first stride tells nothing.
struct Digits {
  Modes modes;
  /// Says which modes overlap, so that a digit does not tell a coordinate.
  std::optional<std::string> overlap;
};

/// A gap between two modes is read as digits of its own only where both move: of one element, a
/// mode leaves no gap.
template <std::invocable Call>
Result<void> check_gap(const Int& digit, const Steps& steps, std::size_t i, Call call) {
  const Int before = i > 0 ? steps[i - 1].extent : Int(1);
  if (known_equal(digit, before)) return {};
  const Condition moves{2, Relation::kAtMost, steps[i].extent};
  if (steps[i].extent.is_symbolic() && !known(moves)) return needed(call(), moves);
  const Condition moved{2, Relation::kAtMost, before};
  if (before.is_symbolic() && !known(moved)) return needed(call(), moved);
  return {};
}

Result<Digits> digits_in_radix(const Layout& layout, const Steps& steps) {
  Digits digits;
  Mode current{1, 0};
  Int radix = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const auto call = [&] { return call_of("left_inverse", layout); };
    HEDDLE_TRY(const bool divides, decide({radix, Relation::kDivides, step.stride}, call));
    if (!divides) {
      return no_left_inverse(layout,
                             fmt::format("the stride {} is no multiple of the stride {} before it",
                                         step.stride, radix));
    }
    current.extent = floor_div(step.stride, radix);
    HEDDLE_CHECK(check_gap(current.extent, steps, i, call));
    // A digit of one value takes no room.
    const Condition has_room{i > 0 ? steps[i - 1].extent : Int(1), Relation::kAtMost,
                             current.extent};
    HEDDLE_TRY(const bool fits, decide(has_room, call));
    if (!fits) {
      digits.overlap = fmt::format("the mode {}:{} runs into the next one, of stride {}",
                                   steps[i - 1].extent, steps[i - 1].stride, step.stride);
    }
    digits.modes.push_back(current);
    current.stride = step.coordinate;
    radix = step.stride;
  }
  current.extent = steps.back().extent;
  digits.modes.push_back(current);
  return digits;
}

/// `run` in whole steps of the mode of `back` in which it ends.
Int in_whole_steps(const Layout& back, const Int& run) {
  Int whole = 1;
  for (const Int& extent : back.extents()) {
    if (known_less(run, whole * extent)) break;
    whole *= extent;
  }
  return max(whole * floor_div(run, whole), 1);
}

/// Of equal strides the mode that comes first is inverted. Which one that is, and which of them
/// joins with its neighbours, is not known of symbolic sizes.
Result<void> check_no_tie(const Layout& layout, const Step& before, const Step& step) {
  if (is_constant(layout) || known_less(before.stride, step.stride)) return {};
  const std::string call = call_of("right_inverse", layout);
  const Condition apart{before.stride, Relation::kLess, step.stride};
  if (!known_false(apart)) return needed(call, apart);
  return refuse("assume.needed",
                fmt::format("{}: two modes have the stride {}, and which of them is inverted "
                            "depends on the numbers",
                            call, step.stride));
}

/// A mode that joins one that is left out is left out with it, so it has to be known which modes
/// join: neighbours, and those between which only modes of one element may stand.
Result<void> check_joins_known(const Layout& layout) {
  if (is_constant(layout)) return {};
  const Modes modes = leaves(coalesce(layout));
  const auto call = [&] { return call_of("right_inverse", layout); };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (std::size_t j = i + 1; j < modes.size(); ++j) {
      const Int end = modes[i].extent * modes[i].stride.scale();
      HEDDLE_CHECK(decide({end, Relation::kEqual, modes[j].stride.scale()}, call));
      if (known_at_most(2, modes[j].extent)) break;
    }
  }
  return {};
}

/// How far a layout counts 0, 1, 2, ….
Result<Int> counting_run(const Layout& layout) {
  const Layout common = coalesce(layout);
  Int run = 1;
  for (const Mode& mode : leaves(common)) {
    const auto call = [&] { return fmt::format("how far {} counts", to_string(common)); };
    const Condition goes_on{mode.stride.scale(), Relation::kEqual, run};
    HEDDLE_TRY(const bool counts, decide(goes_on, call));
    if (counts && mode.stride.basis().empty()) {
      run *= mode.extent;
      continue;
    }
    // A mode of one element would be no obstacle.
    const Condition moves{2, Relation::kAtMost, mode.extent};
    if (mode.extent.is_symbolic() && !known(moves)) return needed(call(), moves);
    break;
  }
  return run;
}

/// The greatest n with a(back(i)) = i for all i < n, a running on past its end as in CuTe.
Result<Int> common_run(const Layout& a, const Layout& back) {
  const Result<Layout> through = composition(a, back);
  if (through) return counting_run(*through);
  if (!is_constant(a) || !is_constant(back)) return refuse(through.error());
  // No layout is a after back, so the run is found by walking along it.
  const Int most = min(back.size(), kMaxVerified / (1 + a.extents().size() / 64));
  Int run = 0;
  while (known_less(run, most) && known_equal(a(back(run)), run)) run += 1;
  return in_whole_steps(back, run);
}

}  // namespace

Result<Layout> inverse(const Layout& layout) {
  HEDDLE_TRY(const Steps steps, steps_by_stride("inverse", layout));
  Int covered = 1;
  Modes modes;
  for (const Step& step : steps) {
    const Condition continues{step.stride, Relation::kEqual, covered};
    HEDDLE_TRY(const bool unbroken, decide(continues, [&] { return call_of("inverse", layout); }));
    if (!unbroken) {
      Diagnostic diagnostic(
          "inverse.not_bijective",
          fmt::format("inverse({}): the layout is no bijection onto its {} first indices: the "
                      "next stride is {} where {} is needed",
                      to_string(layout), layout.size(), step.stride, covered));
      const std::string fault = first_fault(layout);
      if (!fault.empty()) diagnostic = std::move(diagnostic).with_note(fault);
      return refuse(std::move(diagnostic).with_hint("see right_inverse and left_inverse"));
    }
    modes.push_back({step.extent, step.coordinate});
    covered *= step.extent;
  }
  return from_modes({modes.data(), modes.size()});
}

Result<Layout> right_inverse(const Layout& layout) {
  if (const auto result = constant::right_inverse(layout)) return layout_of(*result);
  HEDDLE_TRY(const Steps steps, steps_by_stride("right_inverse", coalesce(layout)));
  Int covered = 1;
  Modes modes;
  for (const Step& step : steps) {
    const Condition continues{step.stride, Relation::kEqual, covered};
    HEDDLE_TRY(const bool unbroken,
               decide(continues, [&] { return call_of("right_inverse", layout); }));
    if (!unbroken) {
      if (&step != &steps.front()) HEDDLE_CHECK(check_no_tie(layout, *(&step - 1), step));
      HEDDLE_CHECK(check_joins_known(layout));
      continue;
    }
    modes.push_back({step.extent, step.coordinate});
    covered = step.extent * step.stride;
  }
  HEDDLE_TRY(const Layout result, from_modes({modes.data(), modes.size()}));
  return coalesce(result);
}

/// Beside modes that repeat elements there is, for some sizes, none that moves.
bool all_may_stand_still(const Layout& layout, const Steps& steps) {
  const bool repeats =
      std::ranges::any_of(leaves(layout), [](const Mode& mode) { return mode.stride.is_zero(); });
  return repeats && std::ranges::none_of(
                        steps, [](const Step& step) { return known_at_most(2, step.extent); });
}

Result<Layout> left_inverse(const Layout& layout) {
  if (const auto result = constant::left_inverse(layout)) return layout_of(*result);
  HEDDLE_TRY(Steps steps, steps_by_stride("left_inverse", coalesce(layout)));
  const auto repeats = [](const Step& step) { return known_equal(step.stride, 0); };
  steps.erase(std::remove_if(steps.begin(), steps.end(), repeats), steps.end());
  if (steps.empty()) return coalesce(layout);
  if (all_may_stand_still(layout, steps)) {
    return needed(call_of("left_inverse", layout), {2, Relation::kAtMost, steps.front().extent});
  }
  if (known_less(steps.front().stride, 0)) {
    return refuse(
        "inverse.negative_stride",
        fmt::format(
            "left_inverse({}): the stride {} leads to indices below 0, which no layout reads",
            to_string(layout), steps.front().stride));
  }
  HEDDLE_TRY(const Digits digits, digits_in_radix(layout, steps));
  HEDDLE_TRY(const Layout by_digits, from_modes({digits.modes.data(), digits.modes.size()}));
  const Layout result = coalesce(by_digits);
  if (!digits.overlap) return result;
  // A layout with overlapping modes is not injective; the digits may still lead back to the same
  // index.
  if (!can_try_each(layout)) {
    return no_left_inverse(layout, *digits.overlap + ", and it has too many elements to try each");
  }
  if (left_inverse_fault(layout, result)) return no_left_inverse(layout, *digits.overlap);
  return result;
}

Result<Layout> nullspace(const Layout& layout) {
  Int coordinate = 1;
  Modes modes;
  for (const Mode& mode : leaves(layout)) {
    if (mode.stride.is_zero()) {
      modes.push_back({mode.extent, known_equal(mode.extent, 1) ? Int(0) : coordinate});
    }
    coordinate *= mode.extent;
  }
  return from_modes({modes.data(), modes.size()});
}

Result<Layout> max_common_layout(const Layout& a, const Layout& b) {
  HEDDLE_TRY(const Layout back, right_inverse(b));
  HEDDLE_TRY(const Int size, common_run(a, back));
  if (known_equal(size, 1)) return Layout();
  HEDDLE_TRY(const Layout run, make_layout(IntTuple(size)));
  return composition(back, run);
}

Result<Int> max_common_vector(const Layout& a, const Layout& b) {
  HEDDLE_TRY(const Layout back, right_inverse(b));
  return common_run(a, back);
}

Result<Int> max_alignment(const Layout& layout) {
  const Layout flat = coalesce(layout);
  HEDDLE_TRY(const Layout back, right_inverse(flat));
  HEDDLE_TRY(const Layout permuted, logical_divide(flat, back));
  const Layout rest = permuted.mode(1);
  Int alignment = permuted.mode(0).size();
  for (const Stride& stride : rest.strides()) alignment = gcd(alignment, stride.scale());
  return alignment;
}

}  // namespace heddle::cute
