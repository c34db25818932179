#pragma once

// The axes on which a layout of Axe places things: coordinates of the hardware by name.
//
//   tx         thread in a CTA                 laneid   lane in a warp      m    linear memory
//   gpuid      device                          warpid   warp in a CTA       P, F partition, free
//
// Several thread axes name the same threads:
//
//   tx = 32*warpid + laneid = 128*wgid + tid_in_wg
//   tid_in_wg = 32*wid_in_wg + laneid          warpid = 4*wgid + wid_in_wg
//
// Any name may be used as an axis; a name that no table has counts as memory. A caller that wants
// unknown names refused calls AxisTable::check (strict mode).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The objects that an axis counts: places in a memory, threads (or groups of them), or devices.
enum class AxisKind : std::uint8_t { kMemory, kThread, kDevice };

/// `memory`, `thread`, `device`.
[[nodiscard]] std::string_view to_string(AxisKind kind);

/// Groups of threads, from one thread to everything, each made of the previous ones.
enum class Scope : std::uint8_t {
  kThread,
  kWarp,
  kWarpgroup,
  kCta,
  kCluster,
  kKernel,
  kWorld,
};

/// `thread`, `warp`, `warpgroup`, `cta`, `cluster`, `kernel`, `world`.
[[nodiscard]] std::string_view to_string(Scope scope);

/// The scope of that name; nullopt if there is none.
[[nodiscard]] std::optional<Scope> scope_named(std::string_view name);

/// The facts about an axis. Axes of threads and devices count the instances of `inner` in one
/// `outer`: laneid counts threads in a warp.
struct AxisInfo {
  std::string name;
  AxisKind kind = AxisKind::kMemory;
  Scope inner = Scope::kThread;
  Scope outer = Scope::kThread;
  std::string meaning;

  friend bool operator==(const AxisInfo&, const AxisInfo&) = default;
};

/// The known axes, by name. A value: declaring an axis makes another table.
class AxisTable {
 public:
  /// The axes of seed 002 and of TVM: m, reg, P, F, Bank, TLane, TCol; tx, laneid, warpid, wgid,
  /// tid_in_wg, wid_in_wg; cta, bx, by, bz, cbx, cby, cbz, cluster; pid, gpuid, node. The paper's
  /// names lane, warp, Lane and Col are there too.
  [[nodiscard]] static AxisTable hardware();

  [[nodiscard]] std::span<const AxisInfo> axes() const { return axes_; }

  /// The facts about the axis; nullopt if it is not in the table.
  [[nodiscard]] std::optional<AxisInfo> find(const Axis& axis) const;
  /// The kind of the axis; memory if it is not in the table.
  [[nodiscard]] AxisKind kind(const Axis& axis) const;

  /// The table with one more axis. Refuses `axe.axis_declared` for a name that is already there
  /// with another meaning.
  [[nodiscard]] Result<AxisTable> declare(AxisInfo info) const;

  /// Refuses `axe.unknown_axis` if the layout uses an axis that is not in the table: strict mode.
  /// The hint names the nearest ones.
  [[nodiscard]] Result<void> check(const Layout& layout) const;

 private:
  std::vector<AxisInfo> axes_;
};

}  // namespace heddle::axe
#pragma GCC visibility pop
