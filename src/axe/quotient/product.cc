#include "axe/quotient/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "axe/layout/iters.h"
#include "axe/layout/reach.h"
#include "axe/quotient/set_map.h"
#include "core/bits.h"
#include "core/text.h"

namespace heddle::axe {
namespace {

std::string_view name_of(Product kind) { return kind == Product::kTile ? "tile" : "direct_sum"; }

/// SW(W*a + b) = W*a + SW(b), because W*a is always a whole number of SW's periods.
bool keeps_periods(const Grouping& left, const Scale& scale, const Swizzle& swizzle) {
  const Int period = swizzle.period();
  const Int width = scale[swizzle.axis];
  const auto keeps = [&](const Iter& iter) {
    return iter.axis != swizzle.axis || iter.extent == Int(1) ||
           known_divides(period, iter.stride * width);
  };
  return std::ranges::all_of(left.layout.shard(), keeps) &&
         std::ranges::all_of(left.layout.replica(), keeps) &&
         known_divides(period, left.layout.offset()[swizzle.axis] * width);
}

/// W*SW(a) + b = SW'(W*a + b) with SW' the same bits log2(W) places up, because b stays within one
/// stretch of W addresses and does not affect the bits of SW'.
std::optional<Swizzle> lifted(const Swizzle& swizzle, const Scale& scale, const Layout& right) {
  const Int width = scale[swizzle.axis];
  if (!width.is_constant() || !is_power_of_two(width.value())) return std::nullopt;
  const Reach all = reach(right, swizzle.axis);
  const Int stretch = floor_div(all.low, width);
  if (!known_equal(stretch, floor_div(all.high, width))) return std::nullopt;
  if (!known_divides(swizzle.period(), stretch)) return std::nullopt;
  const Result<Swizzle> higher =
      Swizzle::make(swizzle.per_element + log2_exact(width.value()), swizzle.swizzle_len,
                    swizzle.atom_len, swizzle.inner, swizzle.axis);
  return higher ? std::optional(*higher) : std::nullopt;
}

/// The product whose map is evaluated at every point; refuses where no layout has it.
Result<Layout> multiply_by_evaluation(const Layout& left, const Scale& scale, const Layout& right,
                                      std::span<const Int> left_shape,
                                      std::span<const Int> right_shape,
                                      const std::function<std::string()>& call) {
  const std::optional<SetMap> left_map = evaluate(left);
  const std::optional<SetMap> right_map = evaluate(right);
  std::optional<SetMap> map;
  if (left_map && right_map) {
    map = combine(*left_map, scale, *right_map, {left_shape, right_shape});
  }
  if (!map) {
    return refuse(diagnose("axe.undecided",
                           "{}: one side's swizzle and the other side's part overlap, and there "
                           "are too many places to look for another layout",
                           call())
                      .with_note(fmt::format("up to {} places are evaluated", kMaxPlaces)));
  }
  Recovery recovery = recover(*map, {});
  if (recovery.layout) return *std::move(recovery.layout);
  if (!recovery.is_proof) {
    return refuse("axe.undecided", "{}: the search for a layout with this map took too many steps",
                  call());
  }
  const Shape shape = product_shape(left_shape, right_shape);
  Diagnostic diagnostic =
      diagnose("axe.swizzle_mixed",
               "{} is not a layout: the swizzle of one side would have to act on the other's part",
               call())
          .with_hint(
              "a swizzled right side needs a left one that steps by whole periods of the swizzle; "
              "a swizzled left side needs a right one that fills 2^k places");
  if (const auto obstacle = plain_obstacle(*map)) {
    diagnostic = std::move(diagnostic)
                     .with_witness({.coordinate = tuple_text(unflatten(shape, obstacle->index)),
                                    .found = obstacle->found,
                                    .wanted = obstacle->wanted,
                                    .wanted_by = "a layout without a swizzle"});
  }
  return refuse(std::move(diagnostic));
}

Result<Layout> multiply_swizzled(Product kind, const Grouping& left, const Scale& scale,
                                 const Grouping& right, std::span<const Int> left_shape,
                                 std::span<const Int> right_shape, const Trace& trace) {
  const std::optional<Swizzle>& of_left = left.layout.swizzle();
  const std::optional<Swizzle>& of_right = right.layout.swizzle();
  if (!of_left && keeps_periods(left, scale, *of_right)) {
    trace([&] {
      return step("swizzle", fmt::format("{} acts last: the left side steps by whole periods of {}",
                                         *of_right, of_right->period()));
    });
    return interleave(left, scale, right, of_right);
  }
  if (!of_right) {
    const std::optional<Swizzle> higher = lifted(*of_left, scale, right.layout);
    if (higher) {
      trace([&] {
        return step(
            "swizzle",
            fmt::format("{} acts last, on the bits above the right side's places", *of_left),
            to_string(*higher));
      });
      return interleave(left, scale, right, higher);
    }
  }
  trace([&] {
    return step("places",
                "The swizzle of one side does not pass the other: all places are computed, "
                "and a layout with them is looked for.");
  });
  return multiply_by_evaluation(left.layout, scale, right.layout, left_shape, right_shape, [&] {
    return call_text(name_of(kind), left.layout, left_shape, right.layout, right_shape);
  });
}

/// Unit iters are left out: they only fill up blocks.
void append(std::vector<Iter>& list, std::span<const Iter> iters, const Scale& scale) {
  for (const Iter& iter : iters) {
    if (iter.extent == Int(1)) continue;
    list.push_back({iter.extent, iter.stride * scale[iter.axis], iter.axis});
  }
}

}  // namespace

bool Scale::has(const Axis& axis) const {
  return std::ranges::find(widths_, axis, &std::pair<Axis, Int>::first) != widths_.end();
}

Int Scale::operator[](const Axis& axis) const {
  const auto found = std::ranges::find(widths_, axis, &std::pair<Axis, Int>::first);
  return found == widths_.end() ? Int(1) : found->second;
}

Result<Scale> spans_on_axes_of(const Layout& layout, const Layout& other) {
  Scale scale;
  const auto add = [&](const Axis& axis) -> Result<void> {
    if (scale.has(axis)) return {};
    HEDDLE_TRY(Int width, span(layout, axis));
    scale.set(axis, std::move(width));
    return {};
  };
  for (const std::span<const Iter> iters : {other.shard(), other.replica()}) {
    for (const Iter& iter : iters) HEDDLE_CHECK(add(iter.axis));
  }
  for (const auto& [axis, value] : other.offset()) HEDDLE_CHECK(add(axis));
  if (other.swizzle()) HEDDLE_CHECK(add(other.swizzle()->axis));
  return scale;
}

std::vector<Iter> scaled(std::span<const Iter> iters, const Scale& scale) {
  std::vector<Iter> result(iters.begin(), iters.end());
  for (Iter& iter : result) iter.stride *= scale[iter.axis];
  return result;
}

Coordinate scaled(const Coordinate& coordinate, const Scale& scale) {
  Coordinate result;
  for (const auto& [axis, value] : coordinate) result.add(axis, value * scale[axis]);
  return result;
}

Result<void> check_ranks(std::string_view operation, std::span<const Int> a,
                         std::span<const Int> b) {
  if (a.size() == b.size()) return {};
  return refuse(
      diagnose("axe.ranks", "{}: the shapes {} and {} have {} and {}", operation, tuple_text(a),
               tuple_text(b), a.size(), counted(b.size(), "dimension"))
          .with_hint("both shapes have the same number of dimensions; extents of 1 fill up"));
}

Result<Layout> interleave(const Grouping& left, const Scale& scale, const Grouping& right,
                          const std::optional<Swizzle>& swizzle) {
  std::vector<Iter> shard;
  shard.reserve(left.layout.shard().size() + right.layout.shard().size());
  for (std::size_t j = 0; j < left.rank(); ++j) {
    append(shard, left.block(j), scale);
    append(shard, right.block(j), {});
  }
  std::vector<Iter> replica;
  replica.reserve(left.layout.replica().size() + right.layout.replica().size());
  append(replica, left.layout.replica(), scale);
  append(replica, right.layout.replica(), {});
  Coordinate offset = scaled(left.layout.offset(), scale);
  offset += right.layout.offset();
  return Layout::make(std::move(shard), std::move(replica), std::move(offset), swizzle);
}

Result<Grouping> group_for(std::string_view operation, const Layout& layout,
                           std::span<const Int> shape) {
  Result<Grouping> grouping = group(layout, shape);
  // group() makes the same check, but under its own name.
  if (!grouping) HEDDLE_CHECK(check_admits(layout, shape, operation));
  return grouping;
}

namespace {

void trace_dimensions(const Trace& trace, Product kind, const Grouping& left, const Scale& scale,
                      std::span<const Int> left_shape, const Grouping& right,
                      std::span<const Int> right_shape) {
  for (std::size_t j = 0; j < left.rank(); ++j) {
    trace([&] {
      std::vector<Iter> block = scaled(left.block(j), scale);
      block.insert(block.end(), right.block(j).begin(), right.block(j).end());
      return step(
          fmt::format("dim {}", j),
          kind == Product::kTile
              ? fmt::format("{} of {}", counted(left_shape[j], "tile"), right_shape[j])
              : fmt::format("{} on the left, {} on the right", left_shape[j], right_shape[j]),
          iters_text(block));
    });
  }
  const std::span<const Iter> of_left = left.layout.replica();
  const std::span<const Iter> of_right = right.layout.replica();
  if (!of_left.empty() || !of_right.empty()) {
    trace([&] {
      std::vector<Iter> all = scaled(of_left, scale);
      all.insert(all.end(), of_right.begin(), of_right.end());
      return step("replicas", "those of the left side, then those of the right one",
                  iters_text(all));
    });
  }
  const Coordinate& offset = left.layout.offset();
  const Coordinate& other = right.layout.offset();
  if (!offset.is_zero() || !other.is_zero()) {
    trace([&] {
      const Coordinate moved = scaled(offset, scale);
      return step("offset", fmt::format("{} and {}", moved, other), to_string(moved + other));
    });
  }
}

}  // namespace

void trace_scaling(const Trace& trace, const Layout& layout, const Scale& scale,
                   std::string_view tile) {
  for (const Axis& axis : axes(layout)) {
    trace([&] {
      const Int width = scale[axis];
      Explanation on_this =
          step("span on " + axis.name(), fmt::format("the {} takes {}", tile, width));
      for (const std::span<const Iter> iters : {layout.shard(), layout.replica()}) {
        for (const Iter& iter : iters) {
          if (iter.axis != axis || width == Int(1)) continue;
          const Int stride = iter.stride * width;
          on_this.steps.push_back(step(
              iter_text(iter), fmt::format("{}*{} = {}", factor_text(iter.stride), width, stride),
              iter_text({iter.extent, stride, iter.axis})));
        }
      }
      return on_this;
    });
  }
}

Result<Layout> multiply(Product kind, const Layout& left, std::span<const Int> left_shape,
                        const Layout& right, std::span<const Int> right_shape, const Trace& trace) {
  HEDDLE_CHECK(check_ranks(name_of(kind), left_shape, right_shape));
  HEDDLE_TRY(const Grouping left_groups, group_for(name_of(kind), left, left_shape));
  HEDDLE_TRY(const Grouping right_groups, group_for(name_of(kind), right, right_shape));
  Scale scale;
  if (kind == Product::kTile) {
    HEDDLE_TRY(scale, spans_on_axes_of(right_groups.layout, left_groups.layout));
    trace_scaling(trace, left_groups.layout, scale, "tile");
  }
  trace_dimensions(trace, kind, left_groups, scale, left_shape, right_groups, right_shape);
  if (!left_groups.layout.swizzle() && !right_groups.layout.swizzle()) {
    return interleave(left_groups, scale, right_groups, {});
  }
  return multiply_swizzled(kind, left_groups, scale, right_groups, left_shape, right_shape, trace);
}

Result<Layout> scaled_layout(const Layout& layout, const Scale& scale,
                             const std::function<std::string()>& call) {
  std::optional<Swizzle> swizzle = layout.swizzle();
  if (swizzle && scale[swizzle->axis] != Int(1)) {
    const Layout origin;
    swizzle = lifted(*swizzle, scale, origin);
    const Shape all = {size(layout)};
    if (!swizzle) {
      Result<Layout> other = multiply_by_evaluation(layout, scale, origin, all, Shape{1}, call);
      if (other || other.error().code() != "axe.swizzle_mixed") return other;
      Diagnostic diagnostic =
          diagnose("axe.swizzle_mixed", "{} is not a layout: no swizzle acts on places {} apart",
                   call(), scale[layout.swizzle()->axis])
              .with_hint("a swizzle goes with its bits if the width on its axis is a power of two");
      if (other.error().witness()) {
        diagnostic = std::move(diagnostic).with_witness(*other.error().witness());
      }
      return refuse(std::move(diagnostic));
    }
  }
  return Layout::make(scaled(layout.shard(), scale), scaled(layout.replica(), scale),
                      scaled(layout.offset(), scale), std::move(swizzle));
}

std::string call_text(std::string_view operation, const Layout& a, std::span<const Int> a_shape,
                      const Layout& b, std::span<const Int> b_shape) {
  return fmt::format("{}({}, {}, {}, {})", operation, a, tuple_text(a_shape), b,
                     tuple_text(b_shape));
}

}  // namespace heddle::axe
