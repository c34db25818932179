#pragma once

// Threads have several names: a thread of a CTA is tx, or warpid and laneid, or wgid and tid_in_wg,
// or wgid, wid_in_wg and laneid:
//
//   tx = 32*warpid + laneid = 128*wgid + tid_in_wg
//   tid_in_wg = 32*wid_in_wg + laneid          warpid = 4*wgid + wid_in_wg
//
//   unify_threads(S[(4,32):(1@warpid,1@laneid)], cta)   ->  S[(128):(1@tx)]
//   split_threads(S[(128):(1@tx)], warp)                ->  S[(4,32):(1@warpid,1@laneid)]
//
// An axis that a layout does not use is 0 there, as in every coordinate: a layout on laneid alone
// describes the lanes of warp 0. So the results depend on a layout's map alone, however it is
// written. lane and warp, the names of seed 002, are read as laneid and warpid.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "heddle/axe/axes.h"
#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The layout in normal form with one thread axis for several. Scope cta: all of them become tx.
/// Scope warpgroup: laneid and wid_in_wg become tid_in_wg; wgid stays. A swizzle of an axis becomes
/// one of the same bits of the new axis.
/// Refuses `axe.thread_scope` (another scope), `axe.scope` (axes that name one thing twice: tx with
/// laneid, warpid with wgid), `axe.thread_range` (a coordinate that no thread has: laneid outside
/// [0,32), tid_in_wg outside [0,128), wid_in_wg outside [0,4), the others below 0), `axe.unify`
/// (tx or warpid in scope warpgroup, which do not tell the warpgroup's part without a division; a
/// swizzle of bits that the axis does not have), `assume.needed`, `overflow`. Cost: that of
/// canonicalize().
[[nodiscard]] Result<Layout> unify_threads(const Layout& layout, Scope scope = Scope::kCta);

/// The ways in which split_threads() splits an axis.
enum class ThreadSplit : std::uint8_t {
  kWarp,       // `warp`: tx to warpid and laneid
  kWarpgroup,  // `warpgroup`: tx to wgid and tid_in_wg
  kTid,        // `tid`: tid_in_wg to wid_in_wg and laneid
};
/// `warp`, `warpgroup`, `tid`.
[[nodiscard]] std::string_view to_string(ThreadSplit split);
/// The split of that name; refuses `axe.thread_scope`.
[[nodiscard]] Result<ThreadSplit> thread_split_named(std::string_view name);

/// The layout in normal form with t div n and t mod n, on two axes, for the coordinate t on one (n
/// = 32, and 128 for warpgroups). A layout without that axis is returned in normal form. Complete:
/// a layout with this map exists exactly if no index and no replica carries from t mod n to t div n
/// other than as whole digits, and then it is returned; a refusal `axe.split` gives the numbers and
/// an index. (Under a swizzle of the axis, only results with the same swizzle are considered, and a
/// swizzle that moves bits across n is refused.) Also refuses `axe.scope` (the layout uses an axis
/// that names a part of this one), `axe.thread_range` (a negative coordinate), `axe.undecided`
/// (replicas that only their set of points could settle, if it is past kMaxPlaces or symbolic),
/// `assume.needed`.
[[nodiscard]] Result<Layout> split_threads(const Layout& layout, ThreadSplit split);

/// The layout on the thread axes of another one, where both name the same threads but by different
/// axes: S[128:1@tx] beside a layout on laneid is S[(4,32):(1@warpid,1@laneid)], and beside one on
/// tx nothing changes. It goes through tx to the coarsest axes that have those of the other one
/// among them: tx; warpid and laneid; wgid and tid_in_wg; wgid, wid_in_wg and laneid. Refuses what
/// unify_threads() and split_threads() refuse: a refusal is a proof that no layout on these axes
/// has the map.
[[nodiscard]] Result<Layout> on_thread_axes_of(const Layout& other, const Layout& layout);

/// The layout in the memory of one thread: every iter, replica, offset and swizzle on a thread axis
/// is dropped. The result's size is the number of elements of a thread. Refuses as Layout::make().
[[nodiscard]] Result<Layout> storage(const Layout& layout,
                                     const AxisTable& table = AxisTable::hardware());

/// The scopes that the layout's thread axes lead from and to, innermost first: laneid and warpid
/// lead from thread to cta. nullopt if no thread axis is mentioned. Every axis counts that the
/// shard, a replica or the offset mentions, unit iters too: they say where a layout belongs. Axes
/// with the same ends (bx, by, bz) are dimensions of one step. Refuses `axe.scope` if the axes
/// overlap (tx and laneid) or leave a gap (laneid and wgid).
[[nodiscard]] Result<std::optional<std::pair<Scope, Scope>>> scope(
    const Layout& layout, const AxisTable& table = AxisTable::hardware());

}  // namespace heddle::axe
#pragma GCC visibility pop
