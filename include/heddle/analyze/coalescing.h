#pragma once

// Coalescing: the global memory traffic of a warp, compared with the bytes that its threads use.
//
// Global memory is moved in sectors of 32 bytes, four to a line of 128. One instruction of a warp
// requests every sector that some lane touches; ideally these are no more than the requested bytes
// fill.
//
//   lane i wants float i             128 bytes, 4 sectors, 1 line: ideal
//   lane i wants float 8i            128 bytes, but 32 sectors, 8 lines: one eighth is used
//   lane i wants float i + 1         128 bytes, 5 sectors: the request is not aligned
//
// Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/analyze/access.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr std::int64_t kLineBytes = 128;

/// The traffic of one instruction of a warp.
struct RequestTraffic {
  /// The number of different bytes that lanes request.
  std::int64_t bytes = 0;
  std::int64_t sectors = 0;
  /// The number of sectors that these bytes would fill.
  std::int64_t ideal = 0;
  std::int64_t lines = 0;

  friend bool operator==(const RequestTraffic&, const RequestTraffic&) = default;
};

struct CoalescingReport {
  /// Elements, and bits, that a lane moves in one instruction.
  int vector_elements = 1;
  int vector_bits = 32;
  /// Every instruction, and its traffic.
  std::vector<Request> requests;
  std::vector<RequestTraffic> traffic;
  /// The sum over all instructions.
  RequestTraffic total;

  [[nodiscard]] bool is_ideal() const { return total.sectors == total.ideal; }
  /// The first of the instructions that move the most sectors.
  [[nodiscard]] std::size_t worst() const;
};

/// The traffic of an access to global memory, moved by its widest vectors of at most `max_bits`
/// that its alignment allows: address 0 is a multiple of `alignment` bytes, a power of two.
/// (Sectors are assumed to begin at addresses 0, 32, …; an alignment below 32 only makes vectors
/// narrower.) Refuses `analyze.alignment` and as widest_vectors(). Cost: points times log points.
[[nodiscard]] Result<CoalescingReport> coalescing(const Access& access,
                                                  int max_bits = kMaxAccessBits,
                                                  std::int64_t alignment = kLineBytes);

/// The verdict in one line, then the counts.
[[nodiscard]] std::string to_string(const CoalescingReport& report);

}  // namespace heddle::analyze
#pragma GCC visibility pop
