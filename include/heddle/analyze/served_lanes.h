#pragma once

// Which lanes a machine serves together: an access to shared memory is executed in phases, and only
// lanes of one phase can be in conflict. How a wave is divided depends on the machine, the width of
// the access, and on whether it reads or writes.
//
//   serving("sm_90")->rule(16, kRead)     8 neighbours:   lanes 0-7, 8-15, …         32 banks
//   serving("cdna3")->rule(16, kRead)     4 and 4 others: lanes 0-3 and 20-23, …     32 banks
//   serving("cdna4")->rule(16, kRead)     lanes 0-3, 12-15 and 20-27, …              64 banks
//
// In all of them the lanes that are served with a lane are those at its XOR with some masks: 4 and
// 4 others are the XORs of 1, 2 and 20.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

inline constexpr std::int64_t kBanks = 32;
inline constexpr std::int64_t kBankBytes = 4;
/// The most banks of a machine.
inline constexpr std::int64_t kMostBanks = 64;
/// The number of lanes of a warp, unless a machine says otherwise.
inline constexpr std::int64_t kWarpLanes = 32;

enum class Direction : std::uint8_t { kRead, kWrite };

/// How one access is served.
struct ServingRule {
  std::int64_t banks = kBanks;
  /// Lane 0 is served together with all XORs of these lanes, whose highest bits differ.
  std::vector<std::int64_t> masks = {};
  /// The document that says so.
  std::string_view source = {};

  /// The lanes of each phase among the first `lanes`, ascending, by their first lane.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> phases(std::int64_t lanes) const;
  /// A basis of the lanes that are served with lane 0, for lanes whose bits have these vectors.
  [[nodiscard]] std::vector<std::uint64_t> vectors_of_phase(
      std::span<const std::uint64_t> lanes) const;
};

/// How the shared memory of a machine serves the lanes of a warp.
class Serving {
 public:
  /// That of NVIDIA's machines.
  Serving() = default;
  Serving(std::string machine, std::int64_t warp_lanes)
      : machine_(std::move(machine)), warp_lanes_(warp_lanes) {}

  [[nodiscard]] std::int64_t warp_lanes() const { return warp_lanes_; }
  /// The rule for an access of 1, 2, 4, 8, 12 or 16 bytes a lane. Refuses `analyze.machine` if no
  /// document states it.
  [[nodiscard]] Result<ServingRule> rule(std::int64_t bytes,
                                         Direction direction = Direction::kRead) const;

 private:
  /// "nvidia", "cdna3", ….
  std::string machine_ = "nvidia";
  std::int64_t warp_lanes_ = kWarpLanes;
};

/// The shared memory of a machine, and whether it is read or written.
struct Served {
  Serving serving = {};
  Direction direction = Direction::kRead;
};

/// The shared memory of a machine by its name: "sm_90", "gfx942", "cdna3". Refuses
/// `analyze.machine` for one of which no document states how lanes are served.
[[nodiscard]] Result<Serving> serving(std::string_view machine);

}  // namespace heddle::analyze
#pragma GCC visibility pop
