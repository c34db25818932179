#pragma once

// Coalescing: how much of global memory is moved for what the threads of a warp want of it.
//
// Global memory is moved in sectors of 32 bytes, four to a line of 128. One instruction of a warp
// asks for every sector that some lane touches; ideally they are no more than the bytes that are
// wanted fill.
//
//   lane i wants float i             128 bytes, 4 sectors, 1 line: ideal
//   lane i wants float 8i            128 bytes, but 32 sectors, 8 lines: an eighth is of use
//   lane i wants float i + 1         128 bytes, 5 sectors: the request straddles
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

/// What one instruction of a warp moves.
struct RequestTraffic {
  /// Different bytes that lanes want.
  std::int64_t bytes = 0;
  std::int64_t sectors = 0;
  /// The sectors that so many bytes fill.
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
  /// Over all of them.
  RequestTraffic total;

  [[nodiscard]] bool is_ideal() const { return total.sectors == total.ideal; }
  /// The first of the instructions that move the most sectors.
  [[nodiscard]] std::size_t worst() const;
};

/// The traffic of an access to global memory, moved by its widest vectors of at most `max_bits`
/// that its alignment allows: address 0 is a multiple of `alignment` bytes, a power of two.
/// (Addresses 0, 32, … are taken to begin sectors; an alignment below 32 only makes vectors
/// narrower.) Refuses `analyze.alignment` and what widest_vectors() refuses. Cost: points times log
/// points.
[[nodiscard]] Result<CoalescingReport> coalescing(const Access& access,
                                                  int max_bits = kMaxAccessBits,
                                                  std::int64_t alignment = kLineBytes);

/// The verdict in one line, then what was counted.
[[nodiscard]] std::string to_string(const CoalescingReport& report);

}  // namespace heddle::analyze
#pragma GCC visibility pop
