#include "heddle/cute/inverse.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cute/layout/axes.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "cute/layout/steps.h"
#include "expr/assume_needed.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/permutation.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxVerifiedInverse = form::kMaxVerified;
/// The most elements of a layout of symbolic sizes that are examined one by one.
constexpr std::int64_t kMaxSymbolicSteps = 4096;

std::string call_of(std::string_view operation, const Layout& layout) {
  return fmt::format("{}({})", operation, layout);
}

Refusal no_left_inverse(const Layout& layout, std::string why) {
  return refuse(diagnose("left_inverse.divisibility", "left_inverse({}): {}", layout, why)
                    .with_hint(fmt::format(
                        "right_inverse({}) reads back the indices 0, 1, 2, … as far as they "
                        "go",
                        layout)));
}

/// A gap between two modes is read as digits of its own only if both modes move: a mode of one
/// element leaves no gap.
template <std::invocable Call>
Result<void> check_gap(const Int& digit, const Steps& steps, std::size_t i, Call call) {
  const Int before = i > 0 ? steps[i - 1].extent : Int(1);
  if (known_equal(digit, before)) return {};
  const Condition moves{2, Predicate::kAtMost, steps[i].extent};
  if (steps[i].extent.is_symbolic() && !known(moves)) return needed(call(), moves);
  const Condition moved{2, Predicate::kAtMost, before};
  if (before.is_symbolic() && !known(moved)) return needed(call(), moved);
  return {};
}

/// A mode of one element conflicts with no other: a refusal because of two modes holds for all
/// sizes only if both modes move.
template <std::invocable Call>
Result<void> check_both_move(const Steps& steps, std::size_t i, Call call) {
  for (std::size_t k = i > 0 ? i - 1 : i; k <= i; ++k) {
    const Int& extent = steps[k].extent;
    if (!known_at_most(2, extent)) return needed(call(), {extent, Predicate::kEqual, 1});
  }
  return {};
}

/// The modes that decompose an index in the radix of the strides, digit i being the coordinate
/// along step i. The part of the index below the first stride tells nothing. If a mode runs into
/// the next one, the greatest index has a digit above the last coordinate, which leads past the
/// end.
Result<Modes> digits_in_radix(const Layout& layout, const Steps& steps) {
  const auto call = [&] { return call_of("left_inverse", layout); };
  Modes digits;
  Mode current{1, 0};
  Int radix = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ModeStep& step = steps[i];
    HEDDLE_TRY(const bool divides, decide({radix, Predicate::kDivides, step.stride}, call));
    if (!divides) {
      HEDDLE_CHECK(check_both_move(steps, i, call));
      return no_left_inverse(
          layout, fmt::format("the stride {} is not a multiple of the stride {} before it",
                              step.stride, radix));
    }
    current.extent = floor_div(step.stride, radix);
    // A digit of one value takes no space.
    const Int before = i > 0 ? steps[i - 1].extent : Int(1);
    HEDDLE_TRY(const bool fits, decide({before, Predicate::kAtMost, current.extent}, call));
    if (!fits) {
      HEDDLE_CHECK(check_both_move(steps, i, call));
      return no_left_inverse(
          layout, fmt::format("the mode {}:{} runs into the next one, of stride {}", before,
                              steps[i - 1].stride, step.stride));
    }
    HEDDLE_CHECK(check_gap(current.extent, steps, i, call));
    digits.push_back(current);
    current.stride = step.coordinate;
    radix = step.stride;
  }
  current.extent = steps.back().extent;
  digits.push_back(current);
  return digits;
}

/// `run` rounded to whole steps of the mode of `back` in which it ends.
Int in_whole_steps(const Layout& back, const Int& run) {
  Int whole = 1;
  for (const Int& extent : back.extents()) {
    if (known_less(run, whole * extent)) break;
    whole *= extent;
  }
  return max(whole * floor_div(run, whole), 1);
}

/// Among equal strides the mode that leads furthest is inverted. For symbolic sizes it is not known
/// which one that is, nor which of them joins with its neighbours. Only a mode along which the
/// layout counts has rivals.
Result<void> check_no_tie(const Layout& layout, const ModeStep& counting, const ModeStep& step) {
  if (known_less(counting.stride, step.stride)) return {};
  const std::string call = call_of("right_inverse", layout);
  const Condition apart{counting.stride, Predicate::kLess, step.stride};
  if (!known_false(apart)) return needed(call, apart);
  return refuse(
      "assume.needed",
      "{}: two modes have the stride {}, and which of them is inverted depends on the numbers",
      call, step.stride);
}

/// A mode that joins one that is left out is left out with it, so it must be known which modes
/// join: neighbours, and modes with only modes of one element between them.
Result<void> check_joins_known(const Layout& layout) {
  const Modes modes = leaves(coalesce(layout));
  const auto call = [&] { return call_of("right_inverse", layout); };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (std::size_t j = i + 1; j < modes.size(); ++j) {
      const Int end = modes[i].extent * modes[i].stride.scale();
      HEDDLE_CHECK(decide({end, Predicate::kEqual, modes[j].stride.scale()}, call));
      if (known_at_most(2, modes[j].extent)) break;
    }
  }
  return {};
}

/// The modes along which a layout counts 0, 1, 2, …, in this order, and the others.
struct Count {
  Steps along;
  Steps beside;
};

Count count_up_numbers(const Steps& steps) {
  const ModeNumbers chain = longest_chain(
      steps.size(), [&](std::size_t i) { return steps[i].stride.value(); },
      [&](std::size_t i) { return steps[i].extent.value(); });
  Count count;
  auto next = chain.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool counts = next != chain.end() && *next == i;
    if (counts) ++next;
    (counts ? count.along : count.beside).push_back(steps[i]);
  }
  return count;
}

/// Refuses `assume.needed` if the sizes decide which modes these are.
Result<Count> count_up(const Layout& layout) {
  HEDDLE_TRY(const Steps steps, steps_by_stride("right_inverse", coalesce(layout)));
  if (is_constant(layout)) return count_up_numbers(steps);
  Int covered = 1;
  Count count;
  for (const ModeStep& step : steps) {
    const Condition continues{step.stride, Predicate::kEqual, covered};
    HEDDLE_TRY(const bool unbroken,
               decide(continues, [&] { return call_of("right_inverse", layout); }));
    if (!unbroken) {
      if (!count.along.empty()) HEDDLE_CHECK(check_no_tie(layout, count.along.back(), step));
      HEDDLE_CHECK(check_joins_known(layout));
      count.beside.push_back(step);
      continue;
    }
    count.along.push_back(step);
    covered = step.extent * step.stride;
  }
  return count;
}

/// The greatest n such that the layout counts 0, 1, 2, …, n-1.
Result<Int> counting_run(const Layout& layout) {
  const Layout common = coalesce(layout);
  Int run = 1;
  for (const Mode& mode : leaves(common)) {
    const auto call = [&] { return fmt::format("how far {} counts", common); };
    const Condition goes_on{mode.stride.scale(), Predicate::kEqual, run};
    HEDDLE_TRY(const bool counts, decide(goes_on, call));
    if (counts && mode.stride.basis().empty()) {
      run *= mode.extent;
      continue;
    }
    // A mode of one element would be no obstacle.
    const Condition moves{2, Predicate::kAtMost, mode.extent};
    if (mode.extent.is_symbolic() && !known(moves)) return needed(call(), moves);
    break;
  }
  return run;
}

/// The first part of `back`, in whole steps of its modes, whose coordinates are below `end`.
template <std::invocable Call>
Result<Layout> part_below(const Int& end, const Layout& back, Call call) {
  Int furthest = 0;
  Modes part;
  const Modes modes = leaves(back);
  for (const Mode& mode : modes) {
    const Int& step = mode.stride.scale();
    const Int room = known_equal(step, 0) ? mode.extent : floor_div(end - 1 - furthest, step) + 1;
    part.push_back({min(mode.extent, room), mode.stride});
    if (part.size() == modes.size()) break;
    HEDDLE_TRY(const bool stays, decide({mode.extent, Predicate::kAtMost, room}, call));
    if (!stays) break;
    furthest += (mode.extent - 1) * step;
  }
  return from_modes(part);
}

/// As common_run() below, if no layout is a after back: walks along it, as long as that is certain.
template <std::invocable Call>
Result<Int> walk_along(const Layout& a, const Layout& back, Call call) {
  const std::int64_t tries = is_constant(a) ? kMaxVerifiedInverse : kMaxSymbolicSteps;
  const Int most = min(back.size(), tries / static_cast<std::int64_t>(1 + a.extents().size() / 64));
  Int run = 0;
  for (; known_less(run, most); run += 1) {
    const Condition inside{back(run), Predicate::kLess, a.size()};
    const Condition same{a(back(run)), Predicate::kEqual, run};
    const std::optional<bool> stays = answer_to(inside);
    const std::optional<bool> counts = answer_to(same);
    if (stays == false || counts == false) break;
    if (!stays) return needed_either_way(call(), inside);
    if (!counts) return needed_either_way(call(), same);
  }
  return in_whole_steps(back, run);
}

/// The greatest n with a(back(i)) = i for all i < n, each back(i) being a coordinate of a.
Result<Int> common_run(const Layout& a, const Layout& back) {
  const auto call = [&] { return fmt::format("how far {} counts along {}", a, back); };
  const Result<Layout> inside = part_below(a.size(), back, call);
  const Result<Layout> through = inside ? composition(a, *inside) : inside;
  if (through) return counting_run(*through);
  // Symbolic sizes can be walked along if they do not matter.
  if (!is_constant(back)) return refuse(through.error());
  Result<Int> walked = walk_along(a, back, call);
  if (!walked && walked.error().code() == "assume.needed") return refuse(through.error());
  return walked;
}

/// A layout for each axis, ascending.
using AxisLayouts = std::vector<std::pair<Basis, Layout>>;

/// The layouts nested as the coordinate that has these axes, 1:0 where it has none. All axes share
/// their first `level` steps.
Result<Layout> nested_by_axis(std::span<const AxisLayouts::value_type> axes, std::size_t level) {
  if (axes.front().first.length() == level) return axes.front().second;
  std::vector<Layout> modes(axes.back().first[level] + 1);
  while (!axes.empty()) {
    const std::size_t mode = axes.front().first[level];
    const auto end =
        std::ranges::find_if(axes, [&](const auto& axis) { return axis.first[level] != mode; });
    const auto count = static_cast<std::size_t>(end - axes.begin());
    HEDDLE_TRY(modes[mode], nested_by_axis(axes.first(count), level + 1));
    axes = axes.subspan(count);
  }
  return make_layout(modes);
}

/// The inverse of a layout with strides along modes: it takes a coordinate, each part of which is
/// read back along its axis. No two axes share a mode of the layout, so the parts add up without a
/// carry.
Result<Layout> inverse_by_axis(const Layout& layout, Result<Layout> (*inverse_of)(const Layout&)) {
  AxisLayouts axes;
  for (const Basis& axis : distinct_bases(layout.strides())) {
    HEDDLE_TRY(const Layout along, along_axis(layout, axis));
    const Layout moving = coalesce(along);
    const bool stands_still = std::ranges::all_of(moving.strides(), &Stride::is_zero);
    HEDDLE_TRY(Layout back, stands_still ? Layout() : inverse_of(along));
    axes.emplace_back(axis, std::move(back));
  }
  if (axes.empty()) return Layout();
  return nested_by_axis(axes, 0);
}

}  // namespace

Result<Layout> inverse(const Layout& layout) {
  HEDDLE_TRY(const Steps steps, steps_by_stride("inverse", layout));
  Int covered = 1;
  Modes modes;
  for (const ModeStep& step : steps) {
    const Condition continues{step.stride, Predicate::kEqual, covered};
    HEDDLE_TRY(const bool unbroken, decide(continues, [&] { return call_of("inverse", layout); }));
    if (!unbroken) {
      if (!known_at_most(2, step.extent)) {
        return needed(call_of("inverse", layout), {step.extent, Predicate::kEqual, 1});
      }
      Diagnostic diagnostic = diagnose("inverse.not_bijective",
                                       "inverse({}): the layout is not a bijection onto its {} "
                                       "first indices: the next stride is {} where {} is needed",
                                       layout, layout.size(), step.stride, covered);
      const Verdict verdict = is_permutation(layout);
      if (verdict.is_no()) diagnostic = std::move(diagnostic).with_note(verdict.method());
      return refuse(std::move(diagnostic)
                        .with_hint(fmt::format("right_inverse({0}) or left_inverse({0})", layout)));
    }
    modes.push_back({step.extent, step.coordinate});
    covered *= step.extent;
  }
  return from_modes(modes);
}

Result<Layout> right_inverse(const Layout& layout) {
  if (!layout.is_integral()) return inverse_by_axis(layout, right_inverse);
  if (const auto result = constant::right_inverse(layout)) return layout_of(*result);
  HEDDLE_TRY(const Count count, count_up(layout));
  Modes modes;
  for (const ModeStep& step : count.along) modes.push_back({step.extent, step.coordinate});
  HEDDLE_TRY(const Layout result, from_modes(modes));
  return coalesce(result);
}

/// Whether some modes repeat elements while no other mode is known to have more than one element.
bool all_may_stand_still(const Layout& layout, const Steps& steps) {
  const bool repeats =
      std::ranges::any_of(leaves(layout), [](const Mode& mode) { return mode.stride.is_zero(); });
  return repeats && std::ranges::none_of(
                        steps, [](const ModeStep& step) { return known_at_most(2, step.extent); });
}

Result<Layout> left_inverse(const Layout& layout) {
  if (!layout.is_integral()) return inverse_by_axis(layout, left_inverse);
  if (const auto result = constant::left_inverse(layout)) return layout_of(*result);
  HEDDLE_TRY(Steps steps, steps_by_stride("left_inverse", coalesce(layout)));
  const auto repeats = [](const ModeStep& step) { return known_equal(step.stride, 0); };
  steps.erase(std::remove_if(steps.begin(), steps.end(), repeats), steps.end());
  if (steps.empty()) return coalesce(layout);
  HEDDLE_CHECK(moving_leaves(layout, [&] { return call_of("left_inverse", layout); }));
  if (all_may_stand_still(layout, steps)) {
    return needed(call_of("left_inverse", layout), {2, Predicate::kAtMost, steps.front().extent});
  }
  if (known_less(steps.front().stride, 0)) {
    return refuse("inverse.negative_stride",
                  "left_inverse({}): the stride {} leads to indices below 0, which no layout reads",
                  layout, steps.front().stride);
  }
  HEDDLE_TRY(const Modes digits, digits_in_radix(layout, steps));
  HEDDLE_TRY(const Layout result, from_modes(digits));
  return coalesce(result);
}

Result<Layout> nullspace(const Layout& layout) {
  Int coordinate = 1;
  Modes modes;
  for (const Mode& mode : leaves(layout)) {
    HEDDLE_CHECK(check_moves(mode, [&] { return call_of("nullspace", layout); }));
    if (mode.stride.is_zero()) {
      modes.push_back({mode.extent, known_equal(mode.extent, 1) ? Int(0) : coordinate});
    }
    coordinate *= mode.extent;
  }
  return from_modes(modes);
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
  HEDDLE_TRY(const Count count, count_up(layout));
  Int alignment = 1;
  for (const ModeStep& step : count.along) alignment *= step.extent;
  const auto moves = [](const ModeStep& step) { return known_at_most(2, step.extent); };
  for (const ModeStep& step : count.beside) {
    if (moves(step)) alignment = gcd(alignment, step.stride);
  }
  // With one element a mode would not matter, so its stride must not matter either.
  for (const ModeStep& step : count.beside) {
    if (moves(step) || known_divides(alignment, step.stride)) continue;
    return needed(call_of("max_alignment", layout), {2, Predicate::kAtMost, step.extent});
  }
  return alignment;
}

}  // namespace heddle::cute
