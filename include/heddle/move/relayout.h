#pragma once

// Moving the elements of a buffer from one layout to another, at the speed of memory.
//
//   Plan plan = make_plan((4,8):(8,1), (4,8):(1,4), 32).value();       rows to columns, 4 bytes
//   each plan.run(source, destination);                                     as often as wanted
//
// Element c of the logical box goes from place A(c) of the source to place B(c) of the destination;
// a place p of elements of b bits is the bits [p*b, (p+1)*b) of the buffer, lowest bit of a byte
// first. Layouts are of any system; their points are matched as equal() matches them. What no
// element is written to keeps what is there, also the other bits of a byte. If A has replicas, any
// one of them is read; those of B are all written.
//
// A plan comes from the digits of both layouts, cut at common boundaries:
//
//   (64,64):(64,1) to (64,64):(1,64), 32 bits     two loops of 64; one is contiguous in the source,
//                                                 the other in the destination: 4 x 4 elements at
//                                                 a time are transposed in registers
//   (64,64):(64,1) to Sw<3,3,3> o 0 o (64,64):(64,1)      64 places of 8 elements each, 8 times
//
// Large copies go block by block, so that both sides are touched in long runs, and past the caches.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"
#include "heddle/map/reading.h"

#pragma GCC visibility push(default)
namespace heddle::move {

struct PlanOptions {
  /// Numbers for symbolic sizes of both layouts.
  Bindings sizes;
  /// By default memory if a side is a linear layout of offsets, or of registers, lanes and warps:
  /// then a buffer has each thread's registers one after the other. Else literal.
  std::optional<map::Reading> reading;
  map::Limits limits;
};

/// How far a move is, for another thread to read while it runs.
struct Progress {
  /// Bytes that are written, replicas included, and how many they will be.
  std::atomic<std::int64_t> moved = 0;
  std::atomic<std::int64_t> of = 0;
};

struct RunOptions {
  /// At most 256; what no thread can be started for is moved by the caller.
  int threads = 1;
  /// Gives up soon after a stop is requested.
  std::stop_token stop = {};
  Progress* progress = nullptr;
};

struct Program;

/// A copy from one layout to another, ready to run. A value that is cheap to copy; several threads
/// may run it at once.
class Plan {
 public:
  explicit Plan(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  /// The elements of the logical box, and the bits of one.
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t element_bits() const;
  /// The bytes up to the last one that is read, and the last one that is written.
  [[nodiscard]] std::int64_t source_bytes() const;
  [[nodiscard]] std::int64_t destination_bytes() const;
  /// How points of different shapes are matched, as compare() says it; empty for the same shape.
  [[nodiscard]] const std::string& matched() const;

  /// Moves every element. The buffers may be longer than needed. Elements that share bytes with
  /// others are moved by one thread. Refuses `move.buffer` for a buffer that is shorter, or if they
  /// overlap; `move.too_large` without the memory for a buffer of up to 6 MiB a thread, and
  /// `move.stopped`, after both of which the destination may hold some of the elements.
  [[nodiscard]] Result<void> run(std::span<const std::byte> source,
                                 std::span<std::byte> destination,
                                 const RunOptions& options = {}) const;

  /// The same within one buffer, along the cycles of the permutation, in one thread. Refuses
  /// `move.in_place` if the places of the source are not those of the destination, or elements
  /// share bytes; `move.buffer`, `move.too_large` past 2^26 pieces or without memory, and
  /// `move.stopped` if a stop is requested before the first element moves; a later one changes
  /// nothing. What is refused leaves the buffer as it was. Cost: 8 bytes for each piece.
  [[nodiscard]] Result<void> run_in_place(std::span<std::byte> buffer,
                                          const RunOptions& options = {}) const;

  /// What is moved, in which pieces, loops and blocks; one line each.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> steps() const;

 private:
  std::shared_ptr<const Program> program_;
};

/// The plan from `from` to `to` for elements of 1 to 2^20 bits.
///
/// Refuses `move.bits`; `move.sizes` if the boxes have different sizes; `move.symbolic` if sizes
/// are left that are not known; `move.axes` if places have several coordinates without bounds;
/// `move.overlap` with two coordinates that are written to one place; `move.negative` for a place
/// below 0; `move.too_large` past 2^24 places that neither digits nor bits describe, past 2^62
/// bits, and past 2^22 places if nothing else tells whether one is written twice; and what view()
/// and instantiate() refuse. Cost: linear in digits; if none are known, one evaluation for each of
/// up to 2^24 points, and 40 bytes for each (0.7 GB at most); `move.too_large` where that is not
/// there.
[[nodiscard]] Result<Plan> make_plan(const map::AnyLayout& from, const map::AnyLayout& to,
                                     std::int64_t element_bits, const PlanOptions& options = {});

/// The steps, one line each:
///
///   moves   32 elements of 32 bits, 128 bytes to 128 bytes
///   loops   4 (32 to 4), 8 (4 to 16) bytes
///   kernel  transposes 4 x 8 elements of 4 bytes in registers
///   blocks  4 x 8 steps of the loops
///   stores  through the caches
[[nodiscard]] std::string to_string(const Plan& plan);

}  // namespace heddle::move
#pragma GCC visibility pop
