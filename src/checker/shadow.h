#pragma once

// What is known of every element of memory: who touched it last, and after which barriers.
//
// The threads of a block are ordered by barriers of the block, of some of its warps, and of one
// warp, in which all take part that are there. So the clock of a thread is three numbers, how many
// of each it has passed, and an access comes before what a thread does now if it is the thread's
// own, if it was made before the last barrier of the block, by its warp before the last one of the
// warp, or by a warp before a barrier of some warps that its warp knows of: one of both, or of that
// warp and another one that a later barrier has told of it. Blocks are not ordered.
//
// Of readers three are kept: the last one, the last other one of its warp, and the last one of
// another warp. A write that none of them is in the way of is in no reader's way; only where the
// block has barriers for some of its warps, a third warp may have read too, and is not known.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/models/host.h"

namespace heddle::checker {

/// How many barriers of some warps each warp of the block has passed, as one of them knows.
using KnownWarps = std::array<std::uint32_t, 32>;

/// An access. Blocks are counted from 1 on: in block 0 there was none.
struct Stamp {
  std::uint32_t block = 0;
  std::uint32_t barrier = 0;
  std::uint32_t warp_barrier = 0;
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
/// Whether nothing orders an earlier access before one that is made now, by a warp that knows so
/// much.
[[nodiscard]] bool races(const Stamp& earlier, const Stamp& now, const KnownWarps& known);

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
  [[nodiscard]] const Stamp* race_of(const Stamp& now, const KnownWarps& known) const;
  /// Of memory that each block has for itself.
  void forget_before(std::uint32_t block);

 private:
  void note_read(const Stamp& now);
};

/// A piece of memory that threads may touch.
class Window {
 public:
  Window(std::string name, std::byte* first, std::int64_t bytes, std::int64_t element_bytes,
         bool is_shared);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::byte* first() const { return first_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_shared() const { return is_shared_; }
  /// Where an address is, in bytes from the first.
  [[nodiscard]] std::int64_t offset(const void* at) const;
  [[nodiscard]] bool contains(const void* at, std::int64_t bytes) const;
  /// `A[12]`, or `byte 48 of As` where elements are not known.
  [[nodiscard]] std::string text(std::int64_t offset) const;

  /// Calls for each cell of these bytes with its offset.
  template <class Visit>
  void for_each_cell(std::int64_t offset, std::int64_t bytes, const Visit& visit) {
    for (std::int64_t i = offset / cell_bytes_; i * cell_bytes_ < offset + bytes; ++i) {
      visit(cell(i), i * cell_bytes_);
    }
  }

 private:
  static constexpr std::int64_t kPage = 256;
  /// Pages of cells are made when they are first touched.
  Cell& cell(std::int64_t index);

  std::string name_;
  std::byte* first_;
  std::int64_t bytes_;
  /// 0 where they are not known.
  std::int64_t element_bytes_;
  /// Bytes that are watched together: of shared memory one, of other memory an element.
  std::int64_t cell_bytes_;
  bool is_shared_;
  std::vector<std::unique_ptr<Cell[]>> pages_;
};

}  // namespace heddle::checker
