#pragma once

// Which addresses of shared memory the lanes of each warp touch at once, and what that costs.
//
//   tile[32*(tx%32) + tx//32]     of f32, by 32 threads
//   lanes 0, 1, 2, …              words 0, 32, 64, …, all of them in bank 0: 32 wavefronts, not 1
//
// The accesses are those of the thread program, with its vectors. Loops of a known length are gone
// through, of others the first iteration; so is the first block of the grid. Conditions that
// depend on more than that are taken to hold.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "heddle/kernel/dtype.h"
#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// One instruction of a warp: each lane moves `width` elements from an address on.
struct WarpAccess {
  std::int64_t width = 1;
  /// Counted in elements. A lane that does not take part has the address of one that does.
  std::vector<std::int64_t> lanes;

  friend auto operator<=>(const WarpAccess&, const WarpAccess&) = default;
};

/// The accesses of one buffer.
struct SharedTraffic {
  /// How often a block makes each.
  std::map<WarpAccess, std::int64_t> accesses;
  /// An address that cannot be gone through, as text; empty if there is none.
  std::string unknown;
};

/// The accesses of each buffer of shared memory. Cost: at most kMaxWarpAccesses warps for each
/// access of the program; those of longer loops are counted by their first iterations.
[[nodiscard]] std::map<std::string, SharedTraffic> shared_traffic(const ThreadProgram& program);
inline constexpr std::int64_t kMaxWarpAccesses = 2048;

/// What the accesses of a buffer take of the banks (analyze/banks.h).
struct BankCost {
  std::int64_t accesses = 0;
  std::int64_t wavefronts = 0;
  /// The wavefronts without conflicts.
  std::int64_t ideal = 0;
  /// The most wavefronts that lanes take which are served together: 32 for a 32-way conflict.
  std::int64_t ways = 1;

  [[nodiscard]] bool is_conflict_free() const { return wavefronts == ideal; }
  friend bool operator==(const BankCost&, const BankCost&) = default;
};

/// The cost with every element moved to another place. `place` must keep the elements of a vector
/// side by side and aligned.
[[nodiscard]] BankCost bank_cost(const std::map<WarpAccess, std::int64_t>& accesses, DType type,
                                 const std::function<std::int64_t(std::int64_t)>& place);
/// `64 wavefronts, 32-way bank conflicts`
[[nodiscard]] std::string to_string(const BankCost& cost);

}  // namespace heddle::kernel
