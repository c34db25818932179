#include "heddle/cute/complement.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "cute/algebra/gaps.h"
#include "cute/algebra/tiling.h"
#include "cute/layout/axes.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"

namespace heddle::cute {
namespace {

constexpr std::int64_t kMaxFilled = std::int64_t{1} << 22;

const Int& scale_of(const Mode& mode) { return mode.stride.scale(); }

std::string complement_of(const Layout& layout) { return fmt::format("complement of {}", layout); }

/// The modes of the filtered layout in the order of their strides; refused if they have no order.
Result<Modes> sorted_modes(const Layout& layout, const Trace& trace) {
  if (!layout.is_integral()) {
    return refuse("complement.two_axes", "complement: {} has strides in several axes", layout);
  }
  HEDDLE_TRY(const Modes moving, moving_leaves(layout, [&] { return complement_of(layout); }));
  Modes modes = join_neighbours(moving);
  if (text_of(modes) != text_of(leaves(layout))) {
    trace([&] {
      return step("filter", "without modes of stride 0 or extent 1, coalesced",
                  modes.empty() ? "1:0" : fmt::format("{}", *from_modes(modes)));
    });
  }
  for (const Mode& mode : modes) {
    if (known_less(mode.stride.scale(), 0)) {
      return refuse(
          diagnose("complement.negative_stride", "complement: the mode {} of {} runs below 0", mode,
                   layout)
              .with_hint("take the complement of the layout with the stride made positive: it "
                         "covers as many elements, above 0"));
    }
  }
  const std::string before = text_of(modes);
  HEDDLE_CHECK(sort_by(modes, scale_of, [&] { return complement_of(layout); }));
  if (text_of(modes) != before) trace([&] { return step("sort by stride", text_of(modes)); });
  return modes;
}

Result<void> check_target(const Layout& layout, const IntTuple& cotarget) {
  for (const Int& extent : cotarget.leaves()) {
    const auto call = [&] {
      return fmt::format("the target {} for the {}", cotarget, complement_of(layout));
    };
    HEDDLE_TRY(const bool positive, decide({1, Predicate::kAtMost, extent}, call));
    if (!positive) return refuse("complement.target", call() + " is not positive");
  }
  HEDDLE_CHECK(check_defined(product(cotarget),
                             [&] { return fmt::format("the size of the target {}", cotarget); }));
  return {};
}

std::string hint_of_fill(const Layout& layout, const Int& target) {
  const Result<Layout> filled = complement_fill(layout, target);
  if (!filled) return "";
  return fmt::format("complement_fill({},{}) = {} fills what can be filled", layout, target,
                     *filled);
}

Refusal not_injective(const Layout& layout, const Mode& mode, const Int& covered) {
  return refuse("complement.not_injective",
                "complement: {} is not injective or interleaves: the mode {} begins within the "
                "first {} elements that the modes of smaller stride cover",
                layout, mode, covered);
}

/// Does the target hold as many steps of `step` as steps of `stride` with those between them?
bool goes_on_to_the_end(const Int& step, const Int& stride, const IntTuple& cotarget) {
  if (cotarget.is_leaf() && known_divides(stride, cotarget.leaf())) return true;
  const Result<IntTuple> fine = ceil_div(cotarget, IntTuple(step));
  const Result<IntTuple> coarse = ceil_div(cotarget, IntTuple(stride));
  return fine && coarse && known_equal(product(*fine), floor_div(stride, step) * product(*coarse));
}

/// If mode i has one element, do the copies continue evenly from the mode before it to the next
/// mode that surely has more, or to the end? The modes between may have one element too.
bool goes_on_without(std::size_t i, const Gaps& gaps, const IntTuple& cotarget) {
  const Modes& sorted = gaps.sorted;
  const Int& stride = scale_of(sorted[i]);
  const Int& covered = scale_of(gaps.modes[i]);
  if (known_equal(stride, covered)) return true;
  if (!known_divides(covered, stride)) return false;
  for (std::size_t next = i + 1; next < sorted.size(); ++next) {
    if (!known_divides(stride, scale_of(sorted[next]))) return false;
    if (known_at_most(2, sorted[next].extent)) return true;
  }
  return goes_on_to_the_end(covered, stride, cotarget);
}

/// A mode of one element leaves no gap. So if a mode may have one element, the gaps on both sides
/// of it must together be one gap that the mode merely divides.
Result<void> check_single_elements(const Layout& layout, const Gaps& gaps,
                                   const IntTuple& cotarget) {
  for (std::size_t i = 0; i < gaps.sorted.size(); ++i) {
    const Condition several{2, Predicate::kAtMost, gaps.sorted[i].extent};
    if (known(several) || goes_on_without(i, gaps, cotarget)) continue;
    return needed(fmt::format("complement({},{})", layout, cotarget), several);
  }
  return {};
}

Explanation gap_step(const Mode& mode, const Int& covered, const Int& steps) {
  const Int& stride = mode.stride.scale();
  const bool even = known_divides(covered, stride);
  std::string text = even ? fmt::format("{}/{} = {}", stride, covered, steps)
                          : fmt::format("floor({}/{}) = {}", stride, covered, steps);
  text += known_equal(steps, 1) ? ": no gap" : fmt::format(" copies, {} apart", covered);
  if (!even) {
    text += fmt::format("; {} - {}*{} = {} left open", stride, steps, covered,
                        stride - steps * covered);
  }
  text += fmt::format("; {}*{} = {} covered", mode.extent, stride, mode.extent * stride);
  return step(fmt::format("gap before {}", mode), std::move(text),
              fmt::format("{}", Mode{steps, covered}));
}

Explanation rest_step(const IntTuple& cotarget, const Int& covered, const IntTuple& rest) {
  const Mode mode{product(rest), covered};
  return step(
      fmt::format("rest of {}", cotarget),
      cotarget.is_leaf()
          ? fmt::format("ceil({}/{}) = {}", cotarget.leaf(), covered, mode.extent)
          : fmt::format("{} covered in {}, rounded up mode by mode: {}", covered, cotarget, rest),
      fmt::format("{}", mode));
}

}  // namespace

Result<Gaps> gaps_of(const Layout& layout, const IntTuple& cotarget, const Trace& trace) {
  HEDDLE_CHECK(check_target(layout, cotarget));
  Gaps gaps;
  HEDDLE_TRY(gaps.sorted, sorted_modes(layout, trace));
  Int covered = 1;
  for (const Mode& mode : gaps.sorted) {
    const Int& stride = mode.stride.scale();
    const auto call = [&] { return complement_of(layout); };
    const Int steps = floor_div(stride, covered);
    HEDDLE_TRY(const bool even, decide({covered, Predicate::kDivides, stride}, call));
    if (!even) {
      HEDDLE_TRY(const bool fits, decide({covered, Predicate::kAtMost, stride}, call));
      if (!fits && !known_at_most(2, mode.extent)) {
        return needed(call(), {mode.extent, Predicate::kEqual, 1});
      }
      if (!fits) {
        trace([&] {
          return step(fmt::format("gap before {}", mode),
                      fmt::format("none: {} begins at {}, within the first {} that are covered",
                                  mode, stride, covered));
        });
        return not_injective(layout, mode, covered);
      }
      if (!gaps.uneven) gaps.uneven = {mode, covered};
    }
    gaps.modes.push_back({steps, covered});
    trace([&] { return gap_step(mode, covered, steps); });
    covered = mode.extent * stride;
  }
  HEDDLE_CHECK(check_defined(covered, [&] { return "the cosize of " + to_string(layout); }));
  HEDDLE_TRY(const IntTuple rest, ceil_div(cotarget, IntTuple(covered)));
  gaps.modes.push_back({product(rest), covered});
  trace([&] { return rest_step(cotarget, covered, rest); });
  HEDDLE_CHECK(check_single_elements(layout, gaps, cotarget));
  return gaps;
}

namespace {

bool is_positive(const Mode& mode) {
  return mode.stride.basis().empty() && known_less(0, mode.stride.scale());
}

/// The modes in the order of their strides, as far as each stride is a multiple of extent times
/// stride of the mode before it (seed 004, definition 2.5).
struct Chain {
  /// Extent times stride of the last mode in the chain, 1 before the first.
  Int covered = 1;
  std::optional<Mode> last;
  /// The first mode that does not continue the chain.
  std::optional<Mode> broken_at;
};

Result<Chain> divisor_chain(const Layout& layout, const Trace& trace = {}) {
  const auto call = [&] { return complement_of(layout); };
  Modes sorted = join_neighbours(leaves(layout));
  HEDDLE_CHECK(sort_by(sorted, scale_of, call));
  trace([&] { return step("sort by stride", "coalesced", text_of(sorted)); });
  Chain chain;
  for (const Mode& mode : sorted) {
    if (!is_positive(mode)) {
      trace([&] { return step(fmt::format("mode {}", mode), "its stride is not positive"); });
      chain.broken_at = mode;
      return chain;
    }
    const Condition continues{chain.covered, Predicate::kDivides, mode.stride.scale()};
    HEDDLE_TRY(const bool unbroken, decide(continues, call));
    trace([&] {
      const Int& stride = mode.stride.scale();
      const std::string title = fmt::format("mode {}", mode);
      if (!unbroken)
        return step(title, fmt::format("{} is not a multiple of {}", stride, chain.covered));
      return step(title, fmt::format("{}/{} = {}; {}*{} = {} covered", stride, chain.covered,
                                     floor_div(stride, chain.covered), mode.extent, stride,
                                     mode.extent * stride));
    });
    if (!unbroken) {
      chain.broken_at = mode;
      return chain;
    }
    chain.covered = mode.extent * mode.stride.scale();
    chain.last = mode;
  }
  return chain;
}

Result<Layout> coalesced(const Modes& modes, const Trace& trace) {
  HEDDLE_TRY(const Layout written, from_modes(modes));
  Layout result = coalesce(written);
  if (result != written) {
    trace([&] { return step("coalesce", text_of(modes), fmt::format("{}", result)); });
  }
  return result;
}

/// The indices of a layout and its copies, ascending. No two copies meet, because a copy is moved
/// by less than the gap it goes into.
class Filled {
 public:
  explicit Filled(const Modes& modes) : values_{0} {
    for (const Mode& mode : modes) repeat(mode.extent.value(), mode.stride.scale().value());
  }

  /// Adds the copies of all values at 1, …, count-1 steps.
  void repeat(std::int64_t count, std::int64_t step) {
    const std::size_t before = values_.size();
    for (std::int64_t n = 1; n < count; ++n) {
      for (std::size_t i = 0; i < before; ++i) values_.push_back(values_[i] + n * step);
    }
    std::ranges::sort(values_);
  }

  /// The least number from `first` on that is not filled.
  [[nodiscard]] std::int64_t gap_from(std::int64_t first) const {
    for (auto it = std::ranges::lower_bound(values_, first); it != values_.end() && *it == first;
         ++it) {
      ++first;
    }
    return first;
  }

  /// The least filled number from `first` on; there must be one.
  [[nodiscard]] std::int64_t value_from(std::int64_t first) const {
    return *std::ranges::lower_bound(values_, first);
  }

  [[nodiscard]] std::int64_t cosize() const { return values_.back() + 1; }

 private:
  std::vector<std::int64_t> values_;
};

/// Appends the modes with their strides along the axis.
void add_along(const Layout& layout, const Basis& axis, Modes& modes) {
  for (const Mode& mode : leaves(layout)) {
    modes.push_back({mode.extent, Stride(mode.stride.scale(), axis)});
  }
}

/// Refuses `complement.two_axes` if the shape does not have all of the axes.
Result<void> check_axes(const Layout& layout, const std::vector<Basis>& axes,
                        const IntTuple& shape) {
  for (const Basis& axis : axes) {
    IntTupleView part = shape;
    for (std::size_t level = 0; level < axis.length(); ++level) {
      if (part.is_leaf() || axis[level] >= part.rank()) {
        return refuse("complement.two_axes", "complement: {} has strides along modes that {} lacks",
                      layout, shape);
      }
      part = part.mode(axis[level]);
    }
  }
  return {};
}

/// Appends the complement of the layout along each axis of the shape, which is at `path`.
Result<void> add_complements(const Layout& layout, const std::vector<Basis>& axes,
                             IntTupleView shape, std::vector<std::size_t>& path, Modes& modes) {
  HEDDLE_TRY(const Basis axis, Basis::make(path));
  const bool has_axes_within = std::ranges::any_of(
      axes, [&](const Basis& other) { return axis != other && axis.is_prefix_of(other); });
  if (!has_axes_within) {
    HEDDLE_TRY(const Layout along, along_axis(layout, axis));
    HEDDLE_TRY(const Layout own, filter(along));
    HEDDLE_TRY(const Layout rest, complement(own, IntTuple(product(shape))));
    if (!known_equal(rest.size(), 1)) add_along(rest, axis, modes);
    return {};
  }
  for (std::size_t mode = 0; mode < shape.rank(); ++mode) {
    path.push_back(mode);
    HEDDLE_CHECK(add_complements(layout, axes, shape.mode(mode), path, modes));
    path.pop_back();
  }
  return {};
}

}  // namespace

Result<Layout> rest_by_axis(const Layout& tile, const IntTuple& shape) {
  const std::vector<Basis> axes = distinct_bases(tile.strides());
  std::vector<std::size_t> path;
  Modes modes;
  HEDDLE_CHECK(check_axes(tile, axes, shape));
  HEDDLE_CHECK(add_complements(tile, axes, shape, path, modes));
  return from_modes(modes);
}

Result<Layout> free_positions_by_axis(const Layout& layout, const Int& count) {
  const std::vector<Basis> axes = distinct_bases(layout.strides());
  Modes modes;
  Int gaps = 1;
  for (const Basis& axis : axes) {
    HEDDLE_TRY(const Layout along, along_axis(layout, axis));
    HEDDLE_TRY(const Layout own, filter(along));
    if (axis == axes.back()) {
      HEDDLE_TRY(const Layout free,
                 free_positions(own, IntTuple(own.size() * ceil_div(count, gaps))));
      add_along(free, axis, modes);
      break;
    }
    HEDDLE_TRY(const Layout free, complement(own));
    gaps *= free.size();
    if (!known_equal(free.size(), 1)) add_along(free, axis, modes);
  }
  return from_modes(modes);
}

Result<Layout> free_positions(const Layout& layout, const IntTuple& cotarget) {
  HEDDLE_TRY(const Gaps gaps, gaps_of(layout, cotarget));
  return from_modes(gaps.modes);
}

Result<Layout> complement(const Layout& layout, const IntTuple& cotarget) {
  if (const auto result = constant::complement(layout, cotarget)) {
    return layout_of(*result);
  }
  HEDDLE_TRY(const Gaps gaps, gaps_of(layout, cotarget));
  const Modes joined = join_neighbours(gaps.modes);
  HEDDLE_TRY(Layout result, from_modes(joined));
  // Even gaps and a target rounded up leave nothing uncovered, whatever the values of the symbols.
  if (!gaps.uneven && cotarget.is_leaf()) return result;
  const Int target = product(cotarget);
  HEDDLE_TRY(const Layout own, filter(layout));
  const Int wanted = floor_div(target, own.size());
  if (known_at_most(wanted, result.size())) return result;
  HEDDLE_TRY(const bool covers, decide({wanted, Predicate::kAtMost, result.size()},
                                       calling("complement", layout, cotarget)));
  if (covers) return result;
  const std::string why =
      gaps.uneven
          ? fmt::format(
                "the stride {} is not a multiple of {}, so copies of the layout leave holes",
                gaps.uneven->first.stride, gaps.uneven->second)
          : fmt::format(
                "whole steps of {} do not fit the modes of the target, so that rounding up mode by "
                "mode leaves a part uncovered",
                gaps.modes.back().stride);
  return refuse(diagnose("complement.holes", "complement({},{}): {}", layout, cotarget, why)
                    .with_note(fmt::format("CuTe's answer {} has {}; {} are needed", result,
                                           counted(result.size(), "element"), wanted))
                    .with_hint(hint_of_fill(layout, target)));
}

Result<Layout> complement(const Layout& layout) {
  HEDDLE_TRY(const Layout own, filter(layout));
  HEDDLE_TRY(const Int target, cosize(own));
  return complement(layout, IntTuple(target));
}

Result<Layout> complement_fill(const Layout& layout, const Int& target) {
  return complement_fill(layout, target, Trace());
}

Result<Layout> complement_fill(const Layout& layout, const Int& target, const Trace& trace) {
  HEDDLE_TRY(const Gaps gaps, gaps_of(layout, IntTuple(target), trace));
  const Modes& sorted = gaps.sorted;
  HEDDLE_TRY(const Int reach, cosize(layout));
  if (!gaps.uneven) {
    return coalesced(gaps.modes, trace);
  }
  const Int end = max(reach, target);
  const bool can_fill = end.is_constant() && std::ranges::all_of(sorted, [](const Mode& mode) {
                          return mode.extent.is_constant() && mode.stride.scale().is_constant();
                        });
  if (!can_fill || !known_at_most(end, kMaxFilled)) {
    return refuse("complement_fill.too_large",
                  "complement_fill({},{}): the gaps are uneven and more than {} numbers would have "
                  "to be examined",
                  layout, target, kMaxFilled);
  }
  trace([&] {
    return step("gap by gap",
                fmt::format("{} is not a multiple of {}, so the numbers themselves are looked at",
                            gaps.uneven->first.stride, gaps.uneven->second));
  });
  const Filled original(sorted);
  Filled filled(sorted);
  const std::int64_t end_of_target = end.value();
  Modes modes;
  for (std::int64_t done = 1; done < end_of_target;) {
    std::int64_t begin = filled.gap_from(done);
    if (begin >= end_of_target) break;
    const bool inside = begin < original.cosize();
    if (!inside) begin = filled.cosize();
    const std::int64_t stop = inside ? original.value_from(begin) : end_of_target;
    const std::int64_t copies = inside ? stop / begin : (stop + begin - 1) / begin;
    trace([&] {
      const std::string title = fmt::format("gap at {}", begin);
      const std::string text =
          inside ? fmt::format("up to {}: floor({}/{}) = {}", stop, stop, begin, copies)
                 : fmt::format("past the last number: ceil({}/{}) = {}", stop, begin, copies);
      if (copies < 2) return step(title, text + ", no further copy");
      return step(title, fmt::format("{} copies of all so far, {} apart", text, begin),
                  fmt::format("{}", Mode{copies, begin}));
    });
    if (copies > 1) {
      filled.repeat(copies, begin);
      modes.push_back({copies, begin});
    }
    done = std::max(stop, done + 1);
  }
  return coalesced(modes, trace);
}

Result<bool> fills_exactly(const Layout& layout, const Int& target) {
  HEDDLE_TRY(const Chain chain, divisor_chain(layout));
  if (chain.broken_at) return false;
  return decide({chain.covered, Predicate::kDivides, target},
                [&] { return complement_of(layout); });
}

Result<Verdict> admissible_for_complementation(const Layout& layout, const Int& target) {
  return admissible_for_complementation(layout, target, Trace());
}

Result<Verdict> admissible_for_complementation(const Layout& layout, const Int& target,
                                               const Trace& trace) {
  HEDDLE_CHECK(check_target(layout, IntTuple(target)));
  HEDDLE_TRY(const Chain chain, divisor_chain(layout, trace));
  if (chain.broken_at && !is_positive(*chain.broken_at)) {
    return Verdict::no(
        fmt::format("the stride {} is not a positive number", chain.broken_at->stride));
  }
  const std::string covered =
      chain.last ? fmt::format("{}*{} = {}", chain.last->extent, chain.last->stride, chain.covered)
                 : "1";
  if (chain.broken_at) {
    return Verdict::no(
        fmt::format("{} does not divide the next stride {}", covered, chain.broken_at->stride));
  }
  HEDDLE_TRY(const bool divides, decide({chain.covered, Predicate::kDivides, target},
                                        [&] { return complement_of(layout); }));
  trace([&] {
    return step("target", divides
                              ? fmt::format("{}/{} = {} copies fill it", target, chain.covered,
                                            floor_div(target, chain.covered))
                              : fmt::format("{} is not a multiple of {}", target, chain.covered));
  });
  if (!divides) {
    return Verdict::no(fmt::format("{} does not divide {}", covered, target));
  }
  return Verdict::yes(
      fmt::format("every stride is a multiple of the extent times stride before it, and {} of {}",
                  target, chain.covered));
}

}  // namespace heddle::cute
