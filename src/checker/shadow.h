#pragma once

// What is known of every element of memory: who touched it last, and after which barriers.
//
// The threads of a block are ordered by barriers of the block, of some of its warps, and of lanes
// of one warp. So the clock of a thread is three numbers, how many of each it has passed, and an
// access comes before what a thread does now if it is the thread's own, if it was made before the
// last barrier of the block, by a lane of its warp before a barrier of lanes that it knows of, or
// by a warp before a barrier of some warps that its warp knows of: one of both, or of that warp and
// another one that a later barrier has told of it. Blocks are not ordered, but by a thread that
// updates atomically, after __threadfence(), what a thread of another block updates later.
//
// Of readers three are kept: the last one, the last other one of its warp, and the last one of
// another warp. A write that none of them is in the way of is in no reader's way; only where the
// block has barriers for some of its warps, a third warp may have read too, and is not known.

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checker/models/host.h"

namespace heddle::checker {

/// How many barriers of some warps each warp of the block has passed, as one of them knows, or how
/// many of some lanes each lane of a warp has.
using Counts = std::array<std::uint32_t, 32>;

/// Another block before a fence: what that thread had done, and all of its block before the
/// barrier.
struct Release {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t barrier = 0;

  friend auto operator<=>(const Release&, const Release&) = default;
};
/// A thread of this block knows of it, and all of the block after the barrier.
struct Acquired {
  Release release;
  std::uint32_t thread = 0;
  std::uint32_t barrier = 0;

  friend auto operator<=>(const Acquired&, const Acquired&) = default;
};

/// What the thread of an access knows of others.
struct Known {
  const Counts* warps = nullptr;
  const Counts* lanes = nullptr;
  const std::set<Acquired>* blocks = nullptr;
};

/// An access. Blocks are counted from 1 on: in block 0 there was none.
struct Stamp {
  std::uint32_t block = 0;
  std::uint32_t barrier = 0;
  /// How many barriers with lanes of its warp the thread had passed.
  std::uint32_t lane_barrier = 0;
  /// How many barriers of some warps the warp had passed.
  std::uint32_t part_barrier = 0;
  std::uint32_t site = 0;
  std::uint16_t thread = 0;
  HeddleAccess kind = kHeddleRead;
  bool is_copy = false;

  [[nodiscard]] unsigned warp() const { return thread / 32; }
  [[nodiscard]] bool is_same_thread(const Stamp& other) const {
    return block == other.block && thread == other.thread;
  }
};
/// Whether nothing orders an earlier access before one that is made now, by a thread that knows so
/// much.
[[nodiscard]] bool races(const Stamp& earlier, const Stamp& now, const Known& known);

/// What is known of one element.
struct Cell {
  Stamp write;
  Stamp atomic;
  Stamp read;
  Stamp read_in_warp;
  Stamp read_elsewhere;
  /// The asynchronous copy that writes it, from 1 on, and how many read it.
  std::uint32_t writing = 0;
  std::uint32_t reading = 0;

  void note(const Stamp& now);
  /// An earlier access that one made now is in a race with; nullptr if there is none.
  [[nodiscard]] const Stamp* race_of(const Stamp& now, const Known& known) const;
  /// Of memory that each block has for itself.
  void forget_before(std::uint32_t block);

 private:
  void note_read(const Stamp& now);
};

/// A piece of memory that threads may touch.
class Window {
 public:
  Window(std::string name, std::byte* first, std::int64_t bytes, std::int64_t element_bytes,
         bool is_shared, bool is_read_only = false);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::byte* first() const { return first_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_shared() const { return is_shared_; }
  [[nodiscard]] bool is_read_only() const { return is_read_only_; }
  /// Where an address is, in bytes from the first.
  [[nodiscard]] std::int64_t offset(const void* at) const;
  [[nodiscard]] bool contains(const void* at, std::int64_t bytes) const;
  /// `A[12]`, or `byte 48 of As` where elements are not known.
  [[nodiscard]] std::string text(std::int64_t offset) const;

  /// Calls for each cell of these bytes with its offset. From the first access of a part of an
  /// element on, every byte is a cell.
  template <class Visit>
  void for_each_cell(std::int64_t offset, std::int64_t bytes, const Visit& visit) {
    if (offset % cell_bytes_ != 0 || bytes % cell_bytes_ != 0) split();
    for (std::int64_t i = offset / cell_bytes_; i * cell_bytes_ < offset + bytes; ++i) {
      visit(cell(i), i * cell_bytes_);
    }
  }

 private:
  static constexpr std::int64_t kPage = 256;
  using Pages = std::vector<std::unique_ptr<Cell[]>>;
  [[nodiscard]] Pages no_pages() const;
  /// Pages of cells are made when they are first touched.
  Cell& cell(std::int64_t index);
  void split();

  std::string name_;
  std::byte* first_;
  std::int64_t bytes_;
  /// 0 where they are not known.
  std::int64_t element_bytes_;
  /// Bytes that are watched together: of shared memory one, of other memory an element.
  std::int64_t cell_bytes_;
  bool is_shared_;
  bool is_read_only_;
  Pages pages_;
};

}  // namespace heddle::checker
