#pragma once

// What a kernel did wrong while it ran under watch, and what it did.
//
//   race: thread 32 reads byte 512 of As at gemm.cu:31, which thread 0 writes at gemm.cu:24: no
//         barrier stands between them

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::checker {

enum class FindingKind : std::uint8_t {
  /// An access of a place that no buffer has.
  kOutside,
  /// An address that is no multiple of the bytes that are moved at once.
  kUnaligned,
  /// A read of shared memory that no thread of the block has written.
  kUninitialised,
  /// Two threads at one place, of which one writes, and nothing that orders them.
  kRace,
  /// An access of what an asynchronous copy still moves: no wait.
  kOnItsWay,
  /// A copy that nothing waits for to the kernel's end.
  kNotAwaited,
  /// Threads that are at different places, or not all there, where they do something together.
  kDivergent,
  /// All threads wait, and none of them for what the others do.
  kStuck,
  /// What ends a process: an integer divided by zero, memory that is not there, __trap(), an
  /// assert()
  /// that does not hold, exit().
  kFault,
  /// A write to an argument that is only read.
  kReadOnly,
  /// A value that nothing defines: a suspicion, for perhaps nobody uses it.
  kUndefined,
  /// More steps, or seconds, than are asked for: the kernel may never end.
  kTooLong,
};
/// `outside`, `unaligned`, `uninitialised`, `race`, `on its way`, …
[[nodiscard]] std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::kRace;
  /// One sentence, with the buffer, the element, the threads and the lines.
  std::string message;

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What may be dropped or changed where a function is called, to see whether that is noticed.
enum class SiteKind : std::uint8_t { kBarrier, kWarpBarrier, kWait, kCommit, kCopy, kMatrices };
/// `barrier`, `barrier of warps`, `wait`, `commit`, `copy`, `matrix load`.
[[nodiscard]] std::string_view name_of(SiteKind kind);

/// A place that calls such a function.
struct Site {
  SiteKind kind = SiteKind::kBarrier;
  /// From the beginning of the compiled kernel: the same in every run.
  std::uint32_t offset = 0;
  /// `gemm.cu:31`; empty where no addr2line tells it.
  std::string line;
  /// Whether a wait has waited for a copy, a copy has read less than all of its bytes, and whether
  /// some thread has copied to (a matrix load: read from) different places there.
  bool has_waited = false;
  bool is_partial = false;
  bool moves = false;

  friend bool operator==(const Site&, const Site&) = default;
};

/// Accesses of shared memory, as instructions of whole warps.
struct Traffic {
  std::int64_t instructions = 0;
  /// Passes over the banks, and how many there would be without bank conflicts.
  std::int64_t wavefronts = 0;
  std::int64_t ideal = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};
struct SiteTraffic {
  std::string buffer;
  std::uint32_t offset = 0;
  std::string line;
  Traffic traffic;

  friend bool operator==(const SiteTraffic&, const SiteTraffic&) = default;
};

struct Report {
  /// The first ones, at most one of each kind at each line.
  std::vector<Finding> findings;
  /// What may be the reason if the results are wrong.
  std::vector<Finding> suspicions;
  /// In the order of the text.
  std::vector<Site> sites;
  Traffic traffic;
  /// Where shared memory is accessed, by the offsets.
  std::vector<SiteTraffic> places;
  /// Accesses of shared and global memory, asynchronous copies, matrix instructions of warps.
  std::int64_t accesses = 0;
  std::int64_t copies = 0;
  std::int64_t multiplications = 0;
  /// What the kernel says by printf(), up to 64 KiB.
  std::string printed = {};
};

/// A line for each finding.
[[nodiscard]] std::string to_string(const std::vector<Finding>& findings);
/// `4 instructions of warps access shared memory in 16 wavefronts, no bank conflicts`, and a line
/// for each place with conflicts.
[[nodiscard]] std::string traffic_text(const Report& report);

}  // namespace heddle::checker
#pragma GCC visibility pop
