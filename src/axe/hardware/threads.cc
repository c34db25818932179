#include "heddle/axe/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "axe/hardware/split_axis.h"
#include "axe/layout/reach.h"
#include "expr/assume_needed.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

constexpr int kNoEnd = 63;

/// A thread axis as a part of the bits of tx.
struct ThreadBits {
  std::string_view name;
  int begin;
  int end;
  std::string_view count;  // why the axis is bounded; empty if it is not

  [[nodiscard]] bool is_bounded() const { return end != kNoEnd; }
  [[nodiscard]] bool overlaps(const ThreadBits& other) const {
    return begin < other.end && other.begin < end;
  }
  [[nodiscard]] bool is_part_of(const ThreadBits& other) const {
    return other.begin <= begin && end <= other.end;
  }
};

constexpr std::array<ThreadBits, 8> kThreadBits = {{
    {"laneid", 0, 5, "a warp has 32 lanes"},
    {"lane", 0, 5, "a warp has 32 lanes"},
    {"wid_in_wg", 5, 7, "a warpgroup has 4 warps"},
    {"tid_in_wg", 0, 7, "a warpgroup has 128 threads"},
    {"warpid", 5, kNoEnd, ""},
    {"warp", 5, kNoEnd, ""},
    {"wgid", 7, kNoEnd, ""},
    {"tx", 0, kNoEnd, ""},
}};

/// The bits of a thread axis; null for any other axis.
const ThreadBits* bits_of(std::string_view name) {
  const auto* found = std::ranges::find(kThreadBits, name, &ThreadBits::name);
  return found == kThreadBits.end() ? nullptr : found;
}

Axis axis_of(const ThreadBits& bits) { return Axis(std::string(bits.name)); }

std::vector<ThreadBits> used_by(const Layout& layout) {
  std::vector<ThreadBits> used;
  for (const Axis& axis : axes(layout)) {
    if (const ThreadBits* bits = bits_of(axis.name())) used.push_back(*bits);
  }
  return used;
}

Result<void> check_apart(std::span<const ThreadBits> used, const std::string& call) {
  for (std::size_t i = 0; i < used.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!used[i].overlaps(used[j])) continue;
      return refuse(diagnose("axe.scope", "{}: the axes {} and {} contradict each other", call,
                             used[j].name, used[i].name)
                        .with_note("both say which thread of a warp, which warp of a warpgroup or "
                                   "which warpgroup it is")
                        .with_hint("tx = 32*warpid + laneid = 128*wgid + tid_in_wg; tid_in_wg = "
                                   "32*wid_in_wg + laneid; warpid = 4*wgid + wid_in_wg"));
    }
  }
  return {};
}

/// Checks that all coordinates on the axis, with replicas and offset, are existing threads.
Result<void> check_range(const Layout& layout, const ThreadBits& bits, const std::string& call) {
  const Reach all = reach(layout, axis_of(bits));
  const auto needs = [&] { return call; };
  HEDDLE_TRY(bool is_within, decide_needed({0, Predicate::kAtMost, all.low}, needs));
  if (is_within && bits.is_bounded()) {
    const Int count = std::int64_t{1} << (bits.end - bits.begin);
    HEDDLE_TRY(is_within, decide_needed({all.high, Predicate::kLess, count}, needs));
  }
  if (is_within) return {};
  return refuse(
      diagnose("axe.thread_range", "{}: {} runs from {} to {}", call, bits.name, all.low, all.high)
          .with_note(bits.is_bounded() ? std::string(bits.count)
                                       : std::string("threads are counted from 0")));
}

/// A part of the bits of another thread axis.
struct ThreadPart {
  const ThreadBits* bits = nullptr;
  Int weight = 1;
};

/// The axis as a part of the target; no bits if it is none.
ThreadPart part_of(const ThreadBits& target, const Axis& axis) {
  const ThreadBits* bits = bits_of(axis.name());
  if (bits == nullptr || !bits->is_part_of(target)) return {};
  return {bits, std::int64_t{1} << (bits->begin - target.begin)};
}

Result<std::optional<Swizzle>> unified_swizzle(const std::optional<Swizzle>& swizzle,
                                               const ThreadBits& target, const std::string& call) {
  const ThreadBits* part = swizzle ? part_of(target, swizzle->axis).bits : nullptr;
  if (part == nullptr) return swizzle;
  const int top = swizzle->per_element + swizzle->swizzle_len + swizzle->atom_len;
  if (part->is_bounded() && top > part->end - part->begin) {
    return refuse(
        diagnose("axe.unify", "{}: {} takes bits that {} does not have", call, *swizzle, part->name)
            .with_note(fmt::format("it reads and writes up to bit {}; {} has {} bits", top - 1,
                                   part->name, part->end - part->begin)));
  }
  HEDDLE_TRY(const Swizzle moved,
             Swizzle::make(swizzle->per_element + part->begin - target.begin, swizzle->swizzle_len,
                           swizzle->atom_len, swizzle->inner, axis_of(target)));
  return std::optional<Swizzle>(moved);
}

/// The same iters, offset and swizzle, with each axis that is a part of the target moved to the
/// target.
Result<Layout> unified(const Layout& layout, const ThreadBits& target, const std::string& call) {
  Coordinate offset;
  for (const auto& [axis, value] : layout.offset()) {
    const ThreadPart part = part_of(target, axis);
    offset.add(part.bits ? axis_of(target) : axis, value * part.weight);
  }
  const auto moved = [&](std::span<const Iter> iters) {
    std::vector<Iter> result(iters.begin(), iters.end());
    for (Iter& iter : result) {
      const ThreadPart part = part_of(target, iter.axis);
      if (part.bits) iter = {iter.extent, iter.stride * part.weight, axis_of(target)};
    }
    return result;
  };
  HEDDLE_TRY(const std::optional<Swizzle> swizzle, unified_swizzle(layout.swizzle(), target, call));
  HEDDLE_TRY(const Layout result, Layout::make(moved(layout.shard()), moved(layout.replica()),
                                               std::move(offset), swizzle));
  return canonicalize(result);
}

struct SplitAxes {
  ThreadSplit split;
  std::string_view name;
  std::string_view from;
  std::int64_t unit;
  std::string_view high;
  std::string_view low;
};

constexpr std::array<SplitAxes, 3> kSplits = {{
    {ThreadSplit::kWarp, "warp", "tx", 32, "warpid", "laneid"},
    {ThreadSplit::kWarpgroup, "warpgroup", "tx", 128, "wgid", "tid_in_wg"},
    {ThreadSplit::kTid, "tid", "tid_in_wg", 32, "wid_in_wg", "laneid"},
}};

const SplitAxes& axes_of(ThreadSplit split) {
  return *std::ranges::find(kSplits, split, &SplitAxes::split);
}

/// One step from groups of threads to larger ones.
struct ScopeStep {
  Scope inner;
  Scope outer;
  std::string axis;
};

Refusal contradiction(const Layout& layout, const ScopeStep& a, const ScopeStep& b) {
  const bool is_gap = a.outer < b.inner;
  const auto text = [](const ScopeStep& step) {
    return fmt::format("{} counts a {} in a {}", step.axis, to_string(step.inner),
                       to_string(step.outer));
  };
  Diagnostic diagnostic = diagnose("axe.scope", "scope({}): the axes {} and {} {}", layout, a.axis,
                                   b.axis, is_gap ? "leave a gap" : "contradict each other");
  diagnostic = std::move(diagnostic).with_note(fmt::format("{}, {}", text(a), text(b)));
  if (is_gap) {
    return refuse(std::move(diagnostic)
                      .with_hint(fmt::format("no axis of the layout counts a {} in a {}",
                                             to_string(a.outer), to_string(b.inner))));
  }
  return refuse(std::move(diagnostic).with_hint("each step needs its own axes"));
}

}  // namespace

std::string_view to_string(ThreadSplit split) { return axes_of(split).name; }

Result<ThreadSplit> thread_split_named(std::string_view name) {
  const auto* found = std::ranges::find(kSplits, name, &SplitAxes::name);
  if (found != kSplits.end()) return found->split;
  return refuse(diagnose("axe.thread_scope", "split_threads takes no scope \"{}\"", name)
                    .with_hint("warp: tx to warpid and laneid; warpgroup: tx to wgid and "
                               "tid_in_wg; tid: tid_in_wg to wid_in_wg and laneid"));
}

Result<Layout> unify_threads(const Layout& layout, Scope scope) {
  if (scope != Scope::kCta && scope != Scope::kWarpgroup) {
    return refuse(
        diagnose("axe.thread_scope", "unify_threads takes no scope \"{}\"", to_string(scope))
            .with_hint("cta: all to tx; warpgroup: laneid and wid_in_wg to tid_in_wg"));
  }
  const std::string call = fmt::format("unify_threads({}, {})", layout, to_string(scope));
  HEDDLE_TRY(const Layout canonical, canonicalize(layout));
  const std::vector<ThreadBits> used = used_by(canonical);
  HEDDLE_CHECK(check_apart(used, call));
  const ThreadBits& target = *bits_of(scope == Scope::kCta ? "tx" : "tid_in_wg");
  for (const ThreadBits& bits : used) {
    if (bits.overlaps(target) && !bits.is_part_of(target)) {
      return refuse(
          diagnose("axe.unify", "{}: {} is not a part of {}", call, bits.name, target.name)
              .with_hint("unify_threads in scope cta, then split_threads in scope warpgroup: tx to "
                         "wgid and tid_in_wg"));
    }
    HEDDLE_CHECK(check_range(canonical, bits, call));
  }
  return unified(canonical, target, call);
}

Result<Layout> split_threads(const Layout& layout, ThreadSplit split) {
  const SplitAxes& parts = axes_of(split);
  const std::string call = fmt::format("split_threads({}, {})", layout, parts.name);
  HEDDLE_TRY(const Layout canonical, canonicalize(layout));
  const std::vector<ThreadBits> used = used_by(canonical);
  const ThreadBits& from = *bits_of(parts.from);
  if (std::ranges::find(used, from.name, &ThreadBits::name) == used.end()) return canonical;
  HEDDLE_CHECK(check_apart(used, call));
  HEDDLE_CHECK(check_range(canonical, from, call));
  HEDDLE_TRY(const Layout result, split_axis(canonical, {.code = "axe.split",
                                                         .call = call,
                                                         .from = axis_of(from),
                                                         .unit = parts.unit,
                                                         .high = Axis(std::string(parts.high)),
                                                         .low = Axis(std::string(parts.low))}));
  return canonicalize(result);
}

Result<Layout> on_thread_axes_of(const Layout& other, const Layout& layout) {
  const std::vector<ThreadBits> wanted = used_by(other);
  const std::vector<ThreadBits> used = used_by(layout);
  const auto clashes = [&](const ThreadBits& bits) {
    return std::ranges::any_of(wanted, [&](const ThreadBits& axis) {
      return axis.name != bits.name && axis.overlaps(bits);
    });
  };
  if (std::ranges::none_of(used, clashes)) return layout;
  const auto wants = [&](std::string_view name) {
    return std::ranges::find(wanted, name, &ThreadBits::name) != wanted.end();
  };
  HEDDLE_TRY(Layout result, unify_threads(layout));
  if (wants("tx")) return result;
  const bool by_warpgroups = wants("wgid") || wants("tid_in_wg") || wants("wid_in_wg");
  HEDDLE_TRY(result,
             split_threads(result, by_warpgroups ? ThreadSplit::kWarpgroup : ThreadSplit::kWarp));
  const bool by_warps = wants("wid_in_wg") || wants("laneid");
  if (!by_warpgroups || !by_warps) return result;
  return split_threads(result, ThreadSplit::kTid);
}

Result<Layout> storage(const Layout& layout, const AxisTable& table) {
  const auto is_kept = [&](const Axis& axis) { return table.kind(axis) != AxisKind::kThread; };
  const auto kept = [&](std::span<const Iter> iters) {
    std::vector<Iter> result;
    std::ranges::copy_if(iters, std::back_inserter(result), is_kept, &Iter::axis);
    return result;
  };
  Coordinate offset;
  for (const auto& [axis, value] : layout.offset()) {
    if (is_kept(axis)) offset.add(axis, value);
  }
  std::optional<Swizzle> swizzle = layout.swizzle();
  if (swizzle && !is_kept(swizzle->axis)) swizzle.reset();
  return Layout::make(kept(layout.shard()), kept(layout.replica()), std::move(offset), swizzle);
}

Result<std::optional<std::pair<Scope, Scope>>> scope(const Layout& layout, const AxisTable& table) {
  std::vector<ScopeStep> steps;
  for (const Axis& axis : axes(layout)) {
    const std::optional<AxisInfo> info = table.find(axis);
    if (!info || info->kind != AxisKind::kThread) continue;
    steps.push_back({info->inner, info->outer, axis.name()});
  }
  if (steps.empty()) return std::optional<std::pair<Scope, Scope>>();
  std::ranges::sort(steps, {}, [](const ScopeStep& step) {
    return std::tuple(step.inner, step.outer, step.axis);
  });
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const ScopeStep& a = steps[i - 1];
    const ScopeStep& b = steps[i];
    const bool is_same_step = a.inner == b.inner && a.outer == b.outer;
    if (!is_same_step && a.outer != b.inner) return contradiction(layout, a, b);
  }
  return std::optional(std::pair(steps.front().inner, steps.back().outer));
}

}  // namespace heddle::axe
