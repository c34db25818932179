#pragma once

// Accesses of shared memory as instructions of whole warps: what the lanes of a warp access at one
// site in the same iterations of the loops around it, each for the n-th time there, is one
// instruction.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/checker/report.h"

namespace heddle::checker {

class TrafficCounter {
 public:
  /// A lane touches these bytes, from the beginning of the buffer. The moment is that of its loops
  /// (loop_path.h).
  void touch(unsigned thread, std::uint32_t site, std::uint64_t moment, const std::string& buffer,
             std::int64_t offset, std::int64_t bytes, bool is_write);
  /// ldmatrix: a matrix is 8 rows of 16 bytes, which are served together.
  void touch_rows(std::uint32_t site, const std::string& buffer,
                  const std::vector<std::int64_t>& rows);
  /// Counts what warps have begun.
  void end_block();

  [[nodiscard]] Traffic total() const;
  [[nodiscard]] std::vector<SiteTraffic> places() const;

 private:
  /// -1 for a lane that has not come.
  struct Instruction {
    std::array<std::int64_t, 32> offsets{};
    std::int64_t bytes = 0;
    int lanes = 0;
    bool is_write = false;
    const std::string* buffer = nullptr;
  };
  void count(std::uint32_t site, const Instruction& instruction);
  void add(std::uint32_t site, const std::string& buffer, std::int64_t wavefronts,
           std::int64_t ideal);

  struct Visit {
    std::uint64_t moment = 0;
    std::uint64_t count = 0;
  };
  /// By thread and site, the last moment and how often the thread was there then; by site, warp,
  /// moment and that number.
  std::unordered_map<std::uint64_t, Visit> visits_;
  std::map<std::array<std::uint64_t, 4>, Instruction> begun_;
  std::map<std::uint32_t, SiteTraffic> places_;
};

}  // namespace heddle::checker
