#pragma once

// The memory of a kernel while it runs: the elements of its tensors, and what is needed to refuse
// reads of what was never written and writes that others do not wait for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel::meaning {

/// Elements are handled so many at a time.
inline constexpr std::size_t kChunk = 256;

/// Who performs a statement.
struct Actor {
  /// Its number in the launch, bx fastest.
  std::int64_t block = 0;
  /// Its number among those that perform the statement, and the first of its threads.
  std::size_t part = 0;
  std::int64_t thread = 0;
  /// The number of the statement, if several perform it; 0 otherwise.
  std::uint64_t statement = 0;
  /// Whether others may write the same memory at the same time.
  bool is_atomic = false;
};

/// Who read and who wrote an element last; 0 for no one. Both are numbers from 1 with marks.
struct Uses {
  std::uint64_t writer = 0;
  std::uint64_t reader = 0;
};

/// A tensor: registers have one instance for each part that declares them, other memory has one.
struct Storage {
  /// A copy: what declares it may be the loop that a pipeline stands for, which is gone afterwards.
  Tensor tensor = {};
  std::vector<std::int64_t> extents;
  /// Elements of an instance.
  std::int64_t size = 0;
  std::vector<std::uint64_t> elements;
  /// The bits of each element that have been written; empty for global memory.
  std::vector<std::uint64_t> known;
  /// Whether an asynchronous copy to the element has not been waited for; empty before the first.
  std::vector<std::uint8_t> pending;
  /// Empty unless several blocks share the tensor, or several threads in one statement.
  std::vector<Uses> blocks;
  std::vector<Uses> parts;

  [[nodiscard]] bool is_private() const { return tensor.space == Space::kRegister; }
};

/// Up to kChunk elements: their places in a storage, -1 for what is outside, and for parts of
/// elements the bit at which each begins.
struct Located {
  std::array<std::int64_t, kChunk> places;
  std::array<std::uint8_t, kChunk> shifts;
  std::size_t count = 0;
  /// The bits of each part; of the whole element if it is not divided.
  std::int64_t width = 64;
};

/// Reads and writes elements, each use checked against those of others.
class Memory {
 public:
  /// The extents of the launch, by which messages name blocks.
  void set_grid(std::vector<std::int64_t> grid) { grid_ = std::move(grid); }

  /// Puts the bits of the elements into `bits`, 0 for those outside. Refuses `kernel.race`,
  /// `kernel.uninitialized`, `kernel.pending`.
  [[nodiscard]] Result<void> read(Storage& storage, const Located& located, const Actor& actor,
                                  std::span<std::uint64_t> bits) const;
  /// Refuses `kernel.race`, `kernel.pending`.
  [[nodiscard]] Result<void> write(Storage& storage, const Located& located, const Actor& actor,
                                   std::span<const std::uint64_t> bits) const;

  /// Takes `words` more of 64 bits. Refuses `kernel.work` past kMaxMemory.
  [[nodiscard]] Result<void> reserve(std::int64_t words);

 private:
  struct Tracker;

  std::vector<std::int64_t> grid_ = {1};
  std::int64_t words_ = 0;
};

/// The most words of 64 bits that a kernel's tensors take, with what is known of them: 1 GiB.
inline constexpr std::int64_t kMaxWords = std::int64_t{1} << 27;

/// `X[3,5]`.
[[nodiscard]] std::string element_text(const Storage& storage, std::int64_t place);

}  // namespace heddle::kernel::meaning
