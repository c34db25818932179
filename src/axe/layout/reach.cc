#include "axe/layout/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace heddle::axe {
namespace {

/// Whether some address has a 1 among the bits from `low` up to but not `high`. nullopt if numbers
/// are symbolic, or `low` is too high to examine all residues.
std::optional<bool> has_ones(const Layout& layout, const Axis& axis, int low, int high) {
  constexpr int kMaxLow = 20;
  if (low > kMaxLow || !layout.offset()[axis].is_constant()) return std::nullopt;
  const std::int64_t period = std::int64_t{1} << high;
  const std::int64_t limit = std::int64_t{1} << low;
  // The addresses modulo 2^high; as long as the answer is no they are less than 2^low.
  std::vector<std::int64_t> residues = {mod(layout.offset()[axis], period).value()};
  if (residues.front() >= limit) return true;
  for (const std::span<const Iter> iters : {layout.shard(), layout.replica()}) {
    for (const Iter& iter : iters) {
      if (iter.axis != axis) continue;
      if (!is_constant(iter)) return std::nullopt;
      const std::int64_t step = mod(iter.stride, period).value();
      const std::int64_t round = period / gcd(step, period).value();
      const std::int64_t steps = std::min(iter.extent.value(), round);
      const std::size_t before = residues.size();
      for (std::int64_t digit = 1; digit < steps; ++digit) {
        for (std::size_t k = 0; k < before; ++k) {
          const std::int64_t last = residues[residues.size() - before];
          const std::int64_t next = (last + step) & (period - 1);
          if (next >= limit) return true;
          residues.push_back(next);
        }
      }
      sort_once(residues);
    }
  }
  return false;
}

/// Whether all addresses from the lowest to the highest occur and make up whole periods of the
/// swizzle, which permutes each period within itself.
bool fills_periods(const Layout& layout, const Swizzle& swizzle, const Reach& all) {
  if (!known_divides(swizzle.period(), all.low)) return false;
  if (!known_divides(swizzle.period(), all.high + 1)) return false;
  std::vector<Iter> iters;
  const auto take = [&](const Iter& iter) {
    if (iter.axis == swizzle.axis) iters.push_back({iter.extent, abs(iter.stride), iter.axis});
  };
  std::ranges::for_each(layout.shard(), take);
  std::ranges::for_each(layout.replica(), take);
  if (!std::ranges::all_of(iters, [](const Iter& iter) { return iter.stride.is_constant(); })) {
    return false;
  }
  std::ranges::sort(iters, {}, [](const Iter& iter) { return iter.stride.value(); });
  Int filled = 1;  // the addresses [0, filled) occur
  for (const Iter& iter : iters) {
    if (!known_at_most(iter.stride, filled)) return false;
    filled += (iter.extent - 1) * iter.stride;
  }
  return true;
}

/// Each iter on the axis: the sign says to which side it reaches.
Reach traced_reach(const Layout& layout, const Axis& axis, const Trace& trace) {
  for (const std::span<const Iter> iters : {layout.shard(), layout.replica()}) {
    const bool is_replica = iters.data() == layout.replica().data();
    for (const Iter& iter : iters) {
      if (iter.axis != axis || iter.extent == Int(1)) continue;
      trace([&] {
        const Int last = (iter.extent - 1) * iter.stride;
        return step(fmt::format("{}{}:{}", is_replica ? "replica " : "", iter.extent, iter.stride),
                    fmt::format("{}*{} = {} from first to last", iter.extent - 1,
                                factor_text(iter.stride), last),
                    to_string(last));
      });
    }
  }
  const Reach all = reach(layout, axis);
  trace([&] {
    return step(
        fmt::format("on {}", axis.name()),
        fmt::format("from {} to {}, the offset {} added: {} - {} + 1 = {}", all.low, all.high,
                    layout.offset()[axis], all.high, factor_text(all.low), all.high - all.low + 1),
        to_string(all.high - all.low + 1));
  });
  return all;
}

Result<Int> swizzled_span(const Layout& layout, const Swizzle& swizzle, const Trace& trace) {
  const Reach plain = traced_reach(layout, swizzle.axis, trace);
  const Int width = plain.high - plain.low + 1;
  const auto keeps = [&](std::string_view why) {
    trace([&] { return step(to_string(swizzle), std::string(why), to_string(width)); });
    return width;
  };
  if (is_idle(swizzle, layout)) return keeps("changes no address here");
  if (fills_periods(layout, swizzle, plain)) {
    return keeps("permutes whole periods, which are all filled");
  }
  const Int count = size(layout) * replication(layout);
  if (!count.is_constant() || count.value() > kMaxPlaces) {
    return refuse("axe.undecided", "the span of {} on axis {}: its {} places are too many to list",
                  layout, swizzle.axis.name(), count);
  }
  Int low;
  Int high;
  for (std::int64_t index = 0; index < size(layout).value(); ++index) {
    HEDDLE_TRY(const std::vector<Coordinate> all, places(layout, index));
    for (const Coordinate& place : all) {
      const Int value = place[swizzle.axis];
      const bool first = index == 0 && &place == &all.front();
      low = first ? value : min(low, value);
      high = first ? value : max(high, value);
    }
  }
  trace([&] {
    return step(to_string(swizzle),
                fmt::format("after it, over all {} places: {} - {} + 1 = {}", count, high,
                            factor_text(low), high - low + 1),
                to_string(high - low + 1));
  });
  return high - low + 1;
}

}  // namespace

void extend(Reach& reach, std::span<const Iter> iters, const Axis& axis) {
  for (const Iter& iter : iters) {
    if (iter.axis != axis) continue;
    const Int last = (iter.extent - 1) * iter.stride;
    reach.low += min(last, 0);
    reach.high += max(last, 0);
  }
}

Reach reach(const Layout& layout, const Axis& axis) {
  const Int origin = layout.offset()[axis];
  Reach result{origin, origin};
  extend(result, layout.shard(), axis);
  extend(result, layout.replica(), axis);
  return result;
}

bool is_idle(const Swizzle& swizzle, const Layout& layout) {
  if (swizzle.is_identity()) return true;
  const int lowest_read = swizzle.per_element + (swizzle.inner ? swizzle.atom_len : 0);
  const Reach all = reach(layout, swizzle.axis);
  if (known_at_most(0, all.low) && known_less(all.high, Int(std::int64_t{1} << lowest_read))) {
    return true;
  }
  const int behind_read = lowest_read + swizzle.swizzle_len;
  return has_ones(layout, swizzle.axis, lowest_read, behind_read) == false;
}

Result<Int> span(const Layout& layout, const Axis& axis) { return span(layout, axis, Trace()); }

Result<Int> span(const Layout& layout, const Axis& axis, const Trace& trace) {
  const std::optional<Swizzle>& swizzle = layout.swizzle();
  if (swizzle && swizzle->axis == axis) return swizzled_span(layout, *swizzle, trace);
  const Reach all = traced_reach(layout, axis, trace);
  return check_defined(all.high - all.low + 1, [&] {
    return fmt::format("the span of {} on axis {}", layout, axis.name());
  });
}

}  // namespace heddle::axe
