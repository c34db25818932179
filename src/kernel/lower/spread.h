#pragma once

// How the elements of a tensor are spread over threads and their registers: digits of coordinates.
//
//   (64,128) over 128 threads, 4 side by side:
//
//     dimension 1 = 4*thread(32, stride 1) + register(4) ;  dimension 0 = 4*register(16) +
//     thread(4)
//
//   thread t and register r hold the element  (4*(r//4) + t//32,  4*(t%32) + r%4)
//
// Each dimension is a sum of digits, each of which is a digit of the thread's rank among those that
// hold the tensor, or of the register's number. Threads that agree in all digits hold copies.
// (Seed 002, section 3.2: a register tensor's layout is on thread axes and m.)

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

struct SpreadDigit {
  std::size_t dimension = 0;
  /// How often it steps through the dimension, by `step` elements.
  Int extent = 1;
  Int step = 1;
  bool is_thread = false;
  /// Of the rank, or of the register's number.
  std::int64_t stride = 1;

  friend bool operator==(const SpreadDigit&, const SpreadDigit&) = default;
};

struct Spread {
  std::vector<Int> shape;
  std::int64_t threads = 1;
  /// The registers of one thread; undefined if loops depend on sizes, as for memory.
  Int registers = 1;
  std::vector<SpreadDigit> digits;

  friend bool operator==(const Spread&, const Spread&) = default;
};

/// The elements of a row-major box over threads: `side` by side in the last dimension, then threads
/// along it and outwards, then registers.
[[nodiscard]] Spread row_spread(const std::vector<Int>& shape, std::int64_t threads,
                                std::int64_t side);
/// A matrix over threads in two dimensions, so that each has a block of rows times columns.
[[nodiscard]] Spread block_spread(const std::vector<Int>& shape, std::int64_t threads);
/// The spread that a register tensor's layout says. Refuses `kernel.register_layout`.
[[nodiscard]] Result<Spread> spread_of(const Tensor& tensor, std::int64_t threads);
/// The spread without some dimensions: what is left of a reduction along these axes, in every
/// thread that took part.
[[nodiscard]] Spread reduced(const Spread& spread, const std::vector<std::int64_t>& axes);

/// The coordinate of an element: `counters` has one number for each register digit, in order.
[[nodiscard]] std::vector<Int> coordinate_at(const Spread& spread, const Int& rank,
                                             const std::vector<Int>& counters);
/// The number of the register that these counters, or that coordinate, name.
[[nodiscard]] Int register_at(const Spread& spread, const std::vector<Int>& counters);
[[nodiscard]] Int register_of(const Spread& spread, const std::vector<Int>& coordinate);
/// Whether the thread of this rank surely holds the element.
[[nodiscard]] bool is_held(const Spread& spread, const Int& rank,
                           const std::vector<Int>& coordinate);
/// What must hold for the coordinate to be in the shape, without what is known.
[[nodiscard]] std::vector<Condition> inside(const Spread& spread,
                                            const std::vector<Int>& coordinate);
/// What must hold for the thread to be the first of those with copies.
[[nodiscard]] std::vector<Condition> is_first_copy(const Spread& spread, const Int& rank);
/// Whether some threads hold copies.
[[nodiscard]] bool has_copies(const Spread& spread);
/// The digits over registers, in order.
[[nodiscard]] std::vector<SpreadDigit> register_digits(const Spread& spread);
/// `dimension 0: 16 registers, 4 threads; dimension 1: …`, for explanations.
[[nodiscard]] std::string to_string(const Spread& spread);

}  // namespace heddle::kernel
