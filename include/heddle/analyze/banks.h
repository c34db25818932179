#pragma once

// Bank conflicts: how many passes over shared memory one instruction takes.
//
// Shared memory has 32 banks; 4-byte word w is in bank w mod 32. In one pass, a wavefront, each
// bank reads or writes one word, for any number of lanes that access this word. An instruction of a
// warp is executed in phases: its 32 lanes together if each moves up to 4 bytes, half a warp at a
// time if each moves 8 bytes, a quarter if each moves 16. A phase takes as many wavefronts as there
// are different words in its fullest bank.
//
//   lane i reads word 2i         banks 0 2 4 … 30 0 2 … 30: two words in each: 2 wavefronts, not 1
//   lane i reads word i / 2      two lanes for each word, one word for each bank: 1 wavefront
//   lane i reads 16 bytes at 64i lanes 0, 2, 4, 6 share banks 0-3, 1, 3, … banks 16-19: 4 for each
//                                of the 4 phases: 16, not 4
//
// Words written by several lanes count once, as words that are read do. This is how NVIDIA's
// machines do it; those of AMD have waves of 64 lanes, some have 64 banks, and they divide a wave
// in other ways (served_lanes.h):
//
//   bank_conflicts(access, 128, *serving("gfx950"))
//
// Sources: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x (banks,
// broadcast); the half and quarter warps are those of its compute capability 2.x and 3.x, which
// NVIDIA's profilers still count by. Half warps that access the same words may be merged by the
// hardware; this is not modelled.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heddle/analyze/access.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

/// A word, and the lanes that touch it.
struct TouchedWord {
  /// The byte address divided by 4.
  std::int64_t word = 0;
  std::vector<std::int64_t> lanes;

  friend bool operator==(const TouchedWord&, const TouchedWord&) = default;
};

/// A bank with several words in one phase.
struct BankConflict {
  std::int64_t bank = 0;
  std::vector<TouchedWord> words;

  friend bool operator==(const BankConflict&, const BankConflict&) = default;
};

/// Lanes that are served together.
struct Phase {
  /// Ascending.
  std::vector<std::int64_t> lanes;
  std::int64_t wavefronts = 1;
  /// The banks with the most words, if these are more than one.
  std::vector<BankConflict> conflicts;

  friend bool operator==(const Phase&, const Phase&) = default;
};

/// The phases of one instruction: lane i moves `bytes` bytes, 1, 2, 4, 8, 12 or 16, at
/// lane_bytes[i], a multiple of that, or of 4 for 12 bytes. Refuses `analyze.lanes` for none or
/// more lanes than a warp has, `analyze.access_bytes`, `analyze.unaligned` (also below 0), and as
/// Serving::rule().
[[nodiscard]] Result<std::vector<Phase>> bank_phases(std::span<const std::int64_t> lane_bytes,
                                                     int bytes, const Serving& serving = {},
                                                     Direction direction = Direction::kRead);

/// The number of lanes that NVIDIA's machines serve together if each moves this many bytes.
[[nodiscard]] constexpr std::int64_t lanes_of_phase(std::int64_t bytes) {
  return bytes <= kBankBytes ? kWarpLanes : kWarpLanes * kBankBytes / bytes;
}

/// The cost of an access.
struct BankCounts {
  /// Elements, and bits, that a lane moves in one instruction.
  int vector_elements = 1;
  int vector_bits = 32;
  /// Instructions, over all warps.
  std::int64_t requests = 0;
  /// The wavefronts of all instructions; ideally one for each phase.
  std::int64_t wavefronts = 0;
  std::int64_t ideal = 0;

  [[nodiscard]] bool is_conflict_free() const { return wavefronts == ideal; }
  friend bool operator==(const BankCounts&, const BankCounts&) = default;
};

struct BankReport {
  BankCounts counts;
  /// Every instruction, and the wavefronts of each.
  std::vector<Request> requests;
  std::vector<std::int64_t> wavefronts;
  /// How each of them is served.
  ServingRule rule;

  /// The first of the instructions that take the most wavefronts.
  [[nodiscard]] std::size_t worst() const;
  /// The phases of an instruction, with their conflicts.
  [[nodiscard]] std::vector<Phase> phases(std::size_t request) const;
};

/// The bank conflicts of an access, moved by its widest vectors of at most `max_bits`. Refuses as
/// widest_vectors() and Serving::rule(), and `analyze.lanes` if the warps of the access are not
/// those of the machine. Cost: linear in the points, besides the search for vectors.
[[nodiscard]] Result<BankReport> bank_conflicts(const Access& access, int max_bits = kMaxAccessBits,
                                                const Serving& serving = {},
                                                Direction direction = Direction::kRead);

/// The bank conflicts of an access to a memory layout, from any system; see make_access().
[[nodiscard]] Result<BankReport> bank_conflicts(const form::IndexMap& access,
                                                const form::IndexMap& shared, int element_bits,
                                                int max_bits = kMaxAccessBits);
[[nodiscard]] Result<BankReport> bank_conflicts(const linear::LinearLayout& registers,
                                                const linear::LinearLayout& shared,
                                                int element_bits, int max_bits = kMaxAccessBits);
/// The bank conflicts of a register encoding and a shared encoding of one tensor; padding of
/// padded_shared counts. Also refuses as to_linear_layout(), and `analyze.encoding` for encodings
/// of another kind of memory.
[[nodiscard]] Result<BankReport> bank_conflicts(const linear::Encoding& registers,
                                                const linear::Encoding& shared,
                                                std::span<const std::int64_t> shape,
                                                int element_bits, int max_bits = kMaxAccessBits);

/// The counts alone, by ranks over GF(2): every phase of every instruction takes the same number of
/// wavefronts, because its words are those of the first one XORed by one word. `offsets` maps
/// (register, lane, warp) to offsets in elements, as register_offsets() gives it. Refuses as
/// widest_vectors() and Serving::rule(), and `analyze.too_large` past 2^48 places or offsets. Cost:
/// a few eliminations, whatever the size.
[[nodiscard]] Result<BankCounts> bank_counts(const linear::LinearLayout& offsets, int element_bits,
                                             int max_bits = kMaxAccessBits,
                                             const Served& served = {});

/// `lanes 0 to 31`, and of lanes that are no run `lanes 0 to 3, 20 to 23`.
[[nodiscard]] std::string lanes_text(const std::vector<std::int64_t>& lanes);
/// The verdict in one line, then the counts and the conflicts of the worst instruction.
[[nodiscard]] std::string to_string(const BankReport& report);
/// The phases of one instruction.
[[nodiscard]] std::string to_string(const std::vector<Phase>& phases);

}  // namespace heddle::analyze
#pragma GCC visibility pop
