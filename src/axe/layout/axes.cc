#include "heddle/axe/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "axe/layout/iters.h"

namespace heddle::axe {
namespace {

constexpr std::array<std::pair<Scope, std::string_view>, 7> kScopes = {{
    {Scope::kThread, "thread"},
    {Scope::kWarp, "warp"},
    {Scope::kWarpgroup, "warpgroup"},
    {Scope::kCta, "cta"},
    {Scope::kCluster, "cluster"},
    {Scope::kKernel, "kernel"},
    {Scope::kWorld, "world"},
}};

AxisInfo memory(std::string name, std::string meaning) {
  return {std::move(name), AxisKind::kMemory, Scope::kThread, Scope::kThread, std::move(meaning)};
}

AxisInfo threads(std::string name, Scope inner, Scope outer, std::string meaning) {
  return {std::move(name), AxisKind::kThread, inner, outer, std::move(meaning)};
}

AxisInfo devices(std::string name, std::string meaning) {
  return {std::move(name), AxisKind::kDevice, Scope::kKernel, Scope::kWorld, std::move(meaning)};
}

}  // namespace

std::string_view to_string(AxisKind kind) {
  switch (kind) {
    case AxisKind::kMemory:
      return "memory";
    case AxisKind::kThread:
      return "thread";
    case AxisKind::kDevice:
      return "device";
  }
  return {};
}

std::string_view to_string(Scope scope) {
  return std::ranges::find(kScopes, scope, &decltype(kScopes)::value_type::first)->second;
}

std::optional<Scope> scope_named(std::string_view name) {
  const auto* found = std::ranges::find(kScopes, name, &decltype(kScopes)::value_type::second);
  if (found == kScopes.end()) return std::nullopt;
  return found->first;
}

AxisTable AxisTable::hardware() {
  AxisTable table;
  table.axes_ = {
      memory("m", "linear memory, where no axis is named"),
      memory("reg", "register of a thread"),
      memory("P", "partition of a two-dimensional scratchpad"),
      memory("F", "free dimension of a two-dimensional scratchpad"),
      memory("Bank", "bank of the accumulation memory"),
      memory("TLane", "lane of tensor memory"),
      memory("TCol", "column of tensor memory"),
      memory("Lane", "lane of tensor memory, as seed 002 writes it"),
      memory("Col", "column of tensor memory, as seed 002 writes it"),
      threads("laneid", Scope::kThread, Scope::kWarp, "lane in its warp"),
      threads("lane", Scope::kThread, Scope::kWarp, "laneid, as seed 002 writes it"),
      threads("tid_in_wg", Scope::kThread, Scope::kWarpgroup, "thread in its warpgroup"),
      threads("tx", Scope::kThread, Scope::kCta, "thread in its CTA"),
      threads("wid_in_wg", Scope::kWarp, Scope::kWarpgroup, "warp in its warpgroup"),
      threads("warpid", Scope::kWarp, Scope::kCta, "warp in its CTA"),
      threads("warp", Scope::kWarp, Scope::kCta, "warpid, as seed 002 writes it"),
      threads("wgid", Scope::kWarpgroup, Scope::kCta, "warpgroup in its CTA"),
      threads("cta", Scope::kCta, Scope::kCluster, "CTA in its cluster"),
      threads("cbx", Scope::kCta, Scope::kCluster, "CTA in its cluster, first dimension"),
      threads("cby", Scope::kCta, Scope::kCluster, "CTA in its cluster, second dimension"),
      threads("cbz", Scope::kCta, Scope::kCluster, "CTA in its cluster, third dimension"),
      threads("bx", Scope::kCta, Scope::kKernel, "CTA in the grid, first dimension"),
      threads("by", Scope::kCta, Scope::kKernel, "CTA in the grid, second dimension"),
      threads("bz", Scope::kCta, Scope::kKernel, "CTA in the grid, third dimension"),
      threads("cluster", Scope::kCluster, Scope::kKernel, "cluster in the grid"),
      devices("gpuid", "device"),
      devices("pid", "process, one per device"),
      devices("node", "machine with several devices"),
  };
  return table;
}

std::optional<AxisInfo> AxisTable::find(const Axis& axis) const {
  const auto found = std::ranges::find(axes_, axis.name(), &AxisInfo::name);
  if (found == axes_.end()) return std::nullopt;
  return *found;
}

AxisKind AxisTable::kind(const Axis& axis) const {
  const auto found = std::ranges::find(axes_, axis.name(), &AxisInfo::name);
  return found == axes_.end() ? AxisKind::kMemory : found->kind;
}

Result<AxisTable> AxisTable::declare(AxisInfo info) const {
  if (const std::optional<AxisInfo> known = find(Axis(info.name))) {
    if (*known == info) return *this;
    return refuse("axe.axis_declared", "the axis {} is known already, as {} axis: {}", info.name,
                  to_string(known->kind), known->meaning);
  }
  AxisTable table = *this;
  table.axes_.push_back(std::move(info));
  return table;
}

Result<void> AxisTable::check(const Layout& layout) const {
  for (const Axis& axis : axe::axes(layout)) {
    if (find(axis)) continue;
    std::vector<std::string> names;
    for (const AxisInfo& info : axes_) names.push_back(info.name);
    return refuse(
        diagnose("axe.unknown_axis", "{} uses the undeclared axis {}", layout, axis.name())
            .with_hint(fmt::format("the axes are {}", fmt::join(names, ", "))));
  }
  return {};
}

}  // namespace heddle::axe
