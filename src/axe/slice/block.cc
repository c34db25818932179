#include "axe/slice/block.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "axe/layout/ladder.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "heddle/expr/proof.h"

namespace heddle::axe {
namespace {

/// Numbers on the axes of a block, one row for each vector.
class Rows {
 public:
  Rows() = default;
  explicit Rows(std::span<const Iter* const> iters) {
    for (const Iter* iter : iters) {
      if (number(iter->axis) == axes_.size()) axes_.push_back(&iter->axis);
    }
  }

  [[nodiscard]] std::size_t number(const Axis& axis) const {
    std::size_t i = 0;
    while (i < axes_.size() && *axes_[i] != axis) ++i;
    return i;
  }
  [[nodiscard]] const Axis& axis(std::size_t i) const { return *axes_[i]; }
  [[nodiscard]] std::size_t width() const { return axes_.size(); }

  /// Appends a row of zeros.
  void add() { entries_.resize(entries_.size() + width()); }
  [[nodiscard]] std::span<Int> operator[](std::size_t row) {
    return {entries_.data() + row * width(), width()};
  }

  [[nodiscard]] Coordinate coordinate(std::span<const Int> row) const {
    Coordinate result;
    for (std::size_t i = 0; i < row.size(); ++i) result.add(axis(i), row[i]);
    return result;
  }

 private:
  std::vector<const Axis*> axes_;
  InlineVector<Int, 32> entries_;
};

Result<void> check_row(std::span<const Int> row, const SliceCall& call) {
  for (const Int& number : row) {
    HEDDLE_CHECK(check_defined(number, [&] { return "a step of " + call.text(); }));
  }
  return {};
}

/// The remaining block and interval while iters are taken from the fast end.
class BlockSlicer {
 public:
  BlockSlicer(std::span<const Iter> block, const Interval& interval, std::vector<Iter>& part,
              const SliceCall& call)
      : begin_(interval.begin), count_(interval.end - interval.begin), part_(part), call_(call) {
    for (const Iter& iter : block) {
      if (iter.extent != Int(1)) rest_.push_back(&iter);
    }
  }

  Result<std::optional<SliceObstacle>> run() {
    take_whole_iters();
    if (known_equal(count_, 1)) return std::nullopt;
    HEDDLE_TRY(const std::size_t slowest, slowest_moving());
    if (slowest + 1 == rest_.size()) {
      append(count_, rest_[slowest]->stride, rest_[slowest]->axis);
      return std::nullopt;
    }
    return read_off(slowest);
  }

 private:
  /// A fastest digit that starts at 0 and runs through all its values, over and over, is an iter of
  /// the part; the rest is a smaller block, which has a part exactly if this one has.
  void take_whole_iters() {
    while (!rest_.empty()) {
      const Iter& fastest = *rest_.back();
      if (!known_divides(fastest.extent, begin_) || !known_divides(fastest.extent, count_)) return;
      append(fastest.extent, fastest.stride, fastest.axis);
      begin_ = floor_div(begin_, fastest.extent);
      count_ = floor_div(count_, fastest.extent);
      taken_ *= fastest.extent;
      rest_.pop_back();
    }
  }

  void append(const Int& extent, const Int& stride, const Axis& axis) {
    part_.push_back({extent, stride, stride == Int(0) ? Axis::memory() : axis});
  }

  /// The fastest iter whose digit only moves forward through the interval, so that slower digits do
  /// not change: that is so if the interval is within one round of this digit.
  Result<std::size_t> slowest_moving() {
    Int level = 1;
    for (std::size_t k = rest_.size(); k-- > 1;) {
      const Int round = level * rest_[k]->extent;
      const Condition within{mod(begin_, round) + count_, Predicate::kAtMost, round};
      const std::optional<bool> answer = answer_to(within);
      if (!answer) return needed(call_.text(), k + 1 == rest_.size() ? rounds_or(within) : within);
      if (*answer) return k;
      level = round;
    }
    return 0;
  }

  /// The condition to ask for if it is not known whether the interval is within one round of the
  /// fastest iter: that it is, or that it begins and ends with whole rounds. Prefers the second if
  /// a simple assumption gives it.
  [[nodiscard]] Condition rounds_or(const Condition& within) const {
    const Int& extent = rest_.back()->extent;
    const Condition begins{extent, Predicate::kDivides, begin_};
    const Condition ends{extent, Predicate::kDivides, count_};
    if (known_false(begins) || known_false(ends)) return within;
    const Condition& rounds = known(ends) ? begins : ends;
    return assumption_for(rounds).empty() ? within : rounds;
  }

  /// Refuses: the interval crosses rounds, and where or how far is not known.
  [[nodiscard]] Refusal crossing_not_known(const Int& first) const {
    const Int& extent = rest_.back()->extent;
    if (!extent.is_constant()) {
      return needed_either_way(call_.text(), {extent, Predicate::kDivides, begin_});
    }
    if (first.is_constant()) {
      return needed_either_way(call_.text(), {count_, Predicate::kEqual, extent});
    }
    return needed_either_way(call_.text(), {first, Predicate::kEqual, range(first).low});
  }

  /// The part of the block's map on iters from `slowest` on, which is treated as unbounded.
  Result<std::optional<SliceObstacle>> read_off(std::size_t slowest) {
    const std::span<const Iter* const> iters(rest_.data() + slowest, rest_.size() - slowest);
    HEDDLE_CHECK(find_levels(iters));
    const Int first = mod(begin_, block_.rungs.back().level);
    if (!first.is_constant() || !count_.is_constant()) {
      return crossing_not_known(first);
    }
    steps_ = Rows(iters);
    HEDDLE_CHECK(find_steps(iters));
    Ladder part;
    if (const auto obstacle = cut(block_, first.value(), count_.value(), part)) {
      return explain(*obstacle);
    }
    return append_iters(part);
  }

  Result<void> find_levels(std::span<const Iter* const> iters) {
    Int level = 1;
    for (std::size_t k = iters.size(); k-- > 0;) {
      if (!level.is_constant()) {
        return crossing_not_known(begin_);
      }
      block_.rungs.push_back({level.value(), 0});
      level *= iters[k]->extent;
    }
    return {};
  }

  /// Step k is the stride of iter k minus the distance by which the faster digits fall back to 0.
  Result<void> find_steps(std::span<const Iter* const> iters) {
    InlineVector<Int, 8> fallen(steps_.width());
    for (std::size_t k = 0; k < iters.size(); ++k) {
      const Iter& iter = *iters[iters.size() - 1 - k];
      steps_.add();
      const std::span<Int> step = steps_[k];
      for (std::size_t i = 0; i < step.size(); ++i) step[i] = -fallen[i];
      const std::size_t axis = steps_.number(iter.axis);
      step[axis] += iter.stride;
      HEDDLE_CHECK(check_row(step, call_));
      HEDDLE_TRY(block_.rungs[k].step, name_of_step(k));
      fallen[axis] += (iter.extent - 1) * iter.stride;
    }
    return {};
  }

  /// The name of the first level with the same step.
  Result<int> name_of_step(std::size_t k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (block_.rungs[other].step != static_cast<int>(other)) continue;
      HEDDLE_TRY(const bool same, are_equal(steps_[other], steps_[k]));
      if (same) return static_cast<int>(other);
    }
    return static_cast<int>(k);
  }

  Result<bool> are_equal(std::span<const Int> a, std::span<const Int> b) {
    bool all_known = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::optional<bool> same = answer_to({a[i], Predicate::kEqual, b[i]});
      if (same && !*same) return false;
      all_known = all_known && same;
    }
    if (all_known) return true;
    std::size_t i = 0;
    while (known_equal(a[i], b[i])) ++i;
    return needed_either_way(call_.text(), {a[i], Predicate::kEqual, b[i]});
  }

  /// The stride of a digit: one step at its level, plus the distance that the faster digits fall
  /// back when they begin again.
  Result<std::optional<SliceObstacle>> append_iters(const Ladder& part) {
    InlineVector<Int, 8> stride(steps_.width());
    InlineVector<Int, 8> fallen(steps_.width());
    for (std::size_t k = 0; k < part.rungs.size(); ++k) {
      const Ladder::Rung& rung = part.rungs[k];
      const std::span<const Int> step = steps_[static_cast<std::size_t>(rung.step)];
      for (std::size_t i = 0; i < step.size(); ++i) stride[i] = step[i] + fallen[i];
      HEDDLE_TRY(const Axes moving, moving_axes({stride.data(), stride.size()}));
      if (moving.count > 1) {
        const std::span<const Int> all(stride.data(), stride.size());
        return SliceObstacle{taken_ * rung.level, std::nullopt,
                             fmt::format("the stride there would be {}, on {} at once",
                                         steps_.coordinate(all), counted(moving.count, "axis"))};
      }
      const bool is_last = k + 1 == part.rungs.size();
      const std::int64_t next = is_last ? count_.value() : part.rungs[k + 1].level;
      const Int extent = next / rung.level;
      append(extent, stride[moving.last], steps_.axis(moving.last));
      fallen[moving.last] += (extent - 1) * stride[moving.last];
    }
    return std::nullopt;
  }

  struct Axes {
    std::size_t count = 0;
    std::size_t last = 0;
  };
  /// The axes on which a stride is not 0. If there is at most one, the stride may be 0 for some
  /// sizes.
  Result<Axes> moving_axes(std::span<const Int> stride) {
    HEDDLE_CHECK(check_row(stride, call_));
    Axes result;
    for (std::size_t i = 0; i < stride.size(); ++i) {
      if (stride[i] == Int(0)) continue;
      ++result.count;
      result.last = i;
    }
    if (result.count < 2) return result;
    for (const Int& number : stride) {
      HEDDLE_TRY(const bool zero,
                 decide({number, Predicate::kEqual, 0}, [&] { return call_.text(); }));
      if (zero && number != Int(0)) --result.count;
    }
    return result;
  }

  SliceObstacle explain(const LadderObstacle& at) {
    const Int place = taken_ * at.place;
    std::string why = at.no_multiple_of
                          ? fmt::format("{} is not a multiple of {}, where the step changed before",
                                        place, taken_ * *at.no_multiple_of)
                          : fmt::format("{} does not divide {}", place, taken_ * count_);
    why = "the step changes, and " + why;
    Coordinate excess = steps_.coordinate(steps_[static_cast<std::size_t>(at.found)]);
    excess -= steps_.coordinate(steps_[static_cast<std::size_t>(at.wanted)]);
    return {place, std::move(excess), std::move(why)};
  }

  std::vector<const Iter*> rest_;
  Int begin_;
  Int count_;
  Int taken_ = 1;
  std::vector<Iter>& part_;
  const SliceCall& call_;
  Ladder block_;
  Rows steps_;
};

}  // namespace

bool SliceCall::is_constant() const {
  return std::ranges::all_of(shape, &Int::is_constant) &&
         std::ranges::all_of(region, [](const Interval& interval) {
           return interval.begin.is_constant() && interval.end.is_constant();
         });
}

std::string SliceCall::text() const {
  std::vector<std::string> intervals;
  for (const auto& [begin, end] : region) {
    intervals.push_back(fmt::format("({},{})", begin, end));
  }
  return fmt::format("slice({}, {}, ({}))", layout, tuple_text(shape), fmt::join(intervals, ","));
}

Refusal no_slice(const Layout& layout, const SliceCall& call, const Int& index,
                 const SliceObstacle& obstacle) {
  std::vector<Int> corner;
  for (const Interval& interval : call.region) corner.push_back(interval.begin);
  const Coordinate found = shard_at(layout, index) + layout.offset();
  const std::string wanted = obstacle.excess ? to_string(found - *obstacle.excess) : "";
  const std::string swizzled = layout.swizzle() ? fmt::format(" under {}", *layout.swizzle()) : "";
  return refuse(diagnose("axe.no_slice", "{}: no layout{} has this map", call.text(), swizzled)
                    .with_note(fmt::format("place {} from the corner {}: {}", obstacle.place,
                                           tuple_text(corner), obstacle.why))
                    .with_witness({.coordinate = tuple_text(unflatten(call.shape, index)),
                                   .found = to_string(found) +
                                            (swizzled.empty() ? "" : " before the swizzle"),
                                   .wanted = wanted}));
}

Result<std::optional<SliceObstacle>> slice_block(std::span<const Iter> block,
                                                 const Interval& interval, std::vector<Iter>& part,
                                                 const SliceCall& call) {
  return BlockSlicer(block, interval, part, call).run();
}

}  // namespace heddle::axe
