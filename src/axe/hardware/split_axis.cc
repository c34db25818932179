#include "axe/hardware/split_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "axe/layout/progressions.h"
#include "axe/layout/reach.h"
#include "core/bits.h"
#include "expr/assume_needed.h"

namespace heddle::axe {
namespace {

class Splitter {
 public:
  Splitter(const Layout& layout, const AxisSplit& split)
      : layout_(layout),
        split_(split),
        unit_(split.unit),
        high_(floor_div(layout.offset()[split.from], unit_)),
        low_(mod(layout.offset()[split.from], unit_)) {}

  Result<Layout> run() {
    HEDDLE_TRY(const std::optional<Swizzle> swizzle, split_swizzle());
    HEDDLE_TRY(std::vector<Iter> shard, cut_all(layout_.shard()));
    HEDDLE_TRY(std::vector<Iter> replica, cut_all(layout_.replica()));
    HEDDLE_CHECK(check_carry(shard, {}));
    HEDDLE_TRY(const bool is_plain, stays_below(reach_of(shard, replica)));
    if (!is_plain) {
      HEDDLE_CHECK(collect_replica_points());
      HEDDLE_TRY(replica, product_of_progressions());
      HEDDLE_CHECK(check_carry(shard, replica));
    }
    Coordinate offset = layout_.offset();
    offset.set(split_.from, 0);
    offset.add(split_.high, high_);
    offset.add(split_.low, low_);
    return Layout::make(std::move(shard), std::move(replica), std::move(offset), swizzle);
  }

 private:
  /// The swizzle on the part whose bits it moves.
  Result<std::optional<Swizzle>> split_swizzle() const {
    std::optional<Swizzle> swizzle = layout_.swizzle();
    if (!swizzle || swizzle->axis != split_.from) return swizzle;
    const int bits = log2_exact(split_.unit);
    if (swizzle->per_element >= bits) {
      swizzle->per_element -= bits;
      swizzle->axis = split_.high;
      return swizzle;
    }
    if (swizzle->per_element + swizzle->swizzle_len + swizzle->atom_len <= bits) {
      swizzle->axis = split_.low;
      return swizzle;
    }
    return refuse(refusal().with_note(
        fmt::format("{} mixes bits of {} (the lowest {} of {}) with bits of {}", *layout_.swizzle(),
                    split_.low.name(), bits, split_.from.name(), split_.high.name())));
  }

  Result<std::vector<Iter>> cut_all(std::span<const Iter> iters) const {
    std::vector<Iter> result;
    for (const Iter& iter : iters) {
      if (iter.axis != split_.from) {
        result.push_back(iter);
        continue;
      }
      HEDDLE_TRY(const std::vector<Iter> parts, cut(iter));
      result.insert(result.end(), parts.begin(), parts.end());
    }
    return result;
  }

  /// The iter on one of the axes, or cut where its steps have filled the lower one. An iter that
  /// fits nowhere is left on the lower axis, where the carry is found.
  Result<std::vector<Iter>> cut(const Iter& iter) const {
    if (known_divides(unit_, iter.stride)) {
      return std::vector<Iter>{{iter.extent, floor_div(iter.stride, unit_), split_.high}};
    }
    const std::vector<Iter> whole = {{iter.extent, iter.stride, split_.low}};
    const Int size = abs(iter.stride);
    if (known_less((iter.extent - 1) * size, unit_)) return whole;
    const auto call = [&] { return split_.call; };
    HEDDLE_TRY(const bool is_high, decide({unit_, Predicate::kDivides, iter.stride}, call));
    if (is_high)
      return std::vector<Iter>{{iter.extent, floor_div(iter.stride, unit_), split_.high}};
    HEDDLE_TRY(const bool fills, decide({size, Predicate::kDivides, unit_}, call));
    if (!fills) return whole;
    const Int steps = floor_div(unit_, size);
    HEDDLE_TRY(const bool is_cut, decide_needed({steps, Predicate::kDivides, iter.extent}, call));
    if (!is_cut) return whole;
    return std::vector<Iter>{
        {floor_div(iter.extent, steps), floor_div(iter.stride * steps, unit_), split_.high},
        {steps, iter.stride, split_.low}};
  }

  /// The range of coordinates on the lower axis.
  [[nodiscard]] Reach reach_of(std::span<const Iter> shard, std::span<const Iter> replica) const {
    Reach result{low_, low_};
    extend(result, shard, split_.low);
    extend(result, replica, split_.low);
    return result;
  }

  Result<bool> stays_below(const Reach& reach) const {
    const auto call = [&] { return split_.call; };
    HEDDLE_TRY(const bool above, decide_needed({0, Predicate::kAtMost, reach.low}, call));
    if (!above) return false;
    return decide_needed({reach.high, Predicate::kLess, unit_}, call);
  }

  Result<void> check_carry(std::span<const Iter> shard, std::span<const Iter> replica) const {
    const Reach reach = reach_of(shard, replica);
    HEDDLE_TRY(const bool stays, stays_below(reach));
    if (stays) return {};
    const bool over = known_at_most(unit_, reach.high);
    Diagnostic diagnostic = refusal().with_note(fmt::format(
        "an iter on {} would run {} {}, {} {}", split_.low.name(), over ? "up to" : "down to",
        over ? reach.high : reach.low, over ? "past" : "below", over ? to_string(unit_ - 1) : "0"));
    if (auto witness = carry(shard, replica, over)) {
      diagnostic = std::move(diagnostic).with_witness(*std::move(witness));
    }
    return refuse(std::move(diagnostic));
  }

  /// The index whose fastest digits reach the carry, after the replicas have moved as far as they
  /// can.
  [[nodiscard]] std::optional<Witness> carry(std::span<const Iter> shard,
                                             std::span<const Iter> replica, bool over) const {
    Reach start{low_, low_};
    extend(start, replica, split_.low);
    Int low = over ? start.high : start.low;
    Int index = 0;
    Int place = 1;
    const auto is_out = [&] { return over ? !known_less(low, unit_) : !known_at_most(0, low); };
    for (std::size_t i = shard.size(); i-- > 0 && !is_out();) {
      const Iter& iter = shard[i];
      if (!is_constant(iter)) return std::nullopt;
      if (iter.axis == split_.low && (over == (iter.stride.value() > 0))) {
        const Int missing = over ? unit_ - low : low + 1;
        const Int digit = min(iter.extent - 1, ceil_div(missing, abs(iter.stride)));
        low += digit * iter.stride;
        index += digit * place;
      }
      place *= iter.extent;
    }
    if (!is_out() || !low.is_constant() || !high_.is_constant()) return std::nullopt;
    Coordinate along;
    add_steps(shard, index, along);
    const Int high = high_ + along[split_.high];
    const Int whole = high * unit_ + low;
    const bool in_replica = start.low != start.high;
    return Witness{.coordinate = fmt::format("{}{}", index, in_replica ? ", in a replica," : ""),
                   .found = fmt::format("{}, which is {} and {}", step_text(whole, split_.from),
                                        step_text(floor_div(whole, unit_), split_.high),
                                        step_text(mod(whole, unit_), split_.low)),
                   .wanted = fmt::format("{} and {}", step_text(high, split_.high),
                                         step_text(low, split_.low))};
  }

  /// The replicas' points on the axis, around the offset, as points on the two axes.
  Result<void> collect_replica_points() {
    const auto all = points(on_axis(layout_.replica(), split_.from));
    if (!all || !high_.is_constant() || !low_.is_constant()) {
      return refuse("axe.undecided",
                    "{}: whether the replicas on {} split depends on the set of their points, "
                    "which is past {} of them or symbolic",
                    split_.call, split_.from.name(), kMaxPlaces);
    }
    for (const std::int64_t point : *all) {
      const Int moved = layout_.offset()[split_.from] + point;
      highs_.push_back(floor_div(moved, unit_).value());
      lows_.push_back(mod(moved, unit_).value());
    }
    pairs_ = all->size();
    sort_once(highs_);
    sort_once(lows_);
    if (highs_.size() * lows_.size() == pairs_) return {};
    return refuse(no_product(*all));
  }

  [[nodiscard]] Diagnostic no_product(const Points& all) const {
    Diagnostic diagnostic =
        refusal().with_note(fmt::format("the {} points of the replicas have {} values of {} and {} "
                                        "of {}; a layout would have all {} pairs",
                                        pairs_, highs_.size(), split_.high.name(), lows_.size(),
                                        split_.low.name(), highs_.size() * lows_.size()));
    const Int origin = layout_.offset()[split_.from];
    for (const std::int64_t high : highs_) {
      for (const std::int64_t low : lows_) {
        const Int whole = unit_ * high + low;
        if (std::ranges::binary_search(all, (whole - origin).value())) continue;
        return std::move(diagnostic)
            .with_witness({.coordinate = "0",
                           .found = fmt::format("no {}", step_text(whole, split_.from)),
                           .wanted = fmt::format("one at {} and {}", step_text(high, split_.high),
                                                 step_text(low, split_.low))});
      }
    }
    return diagnostic;
  }

  /// The replicas as lists of iters again, with the offset moved to the least point of each axis.
  Result<std::vector<Iter>> product_of_progressions() {
    std::vector<Iter> result;
    for (const Iter& iter : layout_.replica()) {
      if (iter.axis != split_.from) result.push_back(iter);
    }
    HEDDLE_CHECK(add_progressions(result, highs_, split_.high));
    HEDDLE_CHECK(add_progressions(result, lows_, split_.low));
    high_ = highs_.front();
    low_ = lows_.front();
    return result;
  }

  Result<void> add_progressions(std::vector<Iter>& result, const Points& all,
                                const Axis& axis) const {
    Points from_zero;
    for (const std::int64_t point : all) from_zero.push_back(point - all.front());
    const Progressions search = progressions(from_zero, axis);
    if (search.iters) {
      result.insert(result.end(), search.iters->begin(), search.iters->end());
      return {};
    }
    if (search.is_complete) {
      return refuse(refusal().with_note(
          fmt::format("the {} points of the replicas on {} are not a sum of progressions",
                      all.size(), axis.name())));
    }
    return refuse("axe.undecided",
                  "{}: whether the {} points of the replicas on {} are a sum of progressions",
                  split_.call, all.size(), axis.name());
  }

  [[nodiscard]] Diagnostic refusal() const {
    return {split_.code,
            fmt::format("{}: no layout has {} = {}*{} + {} taken apart", split_.call,
                        split_.from.name(), split_.unit, split_.high.name(), split_.low.name())};
  }

  const Layout& layout_;
  const AxisSplit& split_;
  Int unit_;
  Int high_;
  Int low_;
  Points highs_;
  Points lows_;
  std::size_t pairs_ = 0;
};

}  // namespace

Result<Layout> split_axis(const Layout& canonical, const AxisSplit& split) {
  return Splitter(canonical, split).run();
}

}  // namespace heddle::axe
