#pragma once

// Layouts of shared tensors that were declared without one: a swizzle, or rows that are padded, so
// that the accesses of the kernel meet as few bank conflicts as possible.
//
//   shared tile: f32[32,32]       written row by row, read column by column by 32 threads
//
//     row-major                          1056 wavefronts, 32-way bank conflicts
//     SW(0,5,5) o S[(32,32):(32,1)]      64 wavefronts, no bank conflicts
//     S[(32,32):(33,1)]                  64 wavefronts, no bank conflicts, and 124 bytes more
//
// The kernel is lowered row-major first. What it accesses then is counted (shared_traffic.h) under
// every swizzle, and every padding of up to 128 bytes, that keeps the vectors of the program. The
// best one is given to the tensor as if it had been written, and the kernel is lowered again; a
// layout that does not keep what it promised is dropped. So a choice can be slow, never wrong.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/expr/int.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/thread_program.h"
#include "heddle/map/any_layout.h"
#include "kernel/lower/shared_traffic.h"

namespace heddle::kernel {

/// What was found for a tensor.
struct SharedLayout {
  /// Row-major without one.
  std::optional<map::AnyLayout> layout = {};
  /// The elements of memory that it reaches.
  Int elements = 1;
  /// What its accesses cost.
  BankCost cost = {};
  /// The one that is taken first.
  std::vector<Candidate> candidates;
};

/// The layout for a tensor of constant extents, from its row-major accesses: the fewest wavefronts,
/// then the least memory. Cost: a simulation of the distinct accesses for each of about 100
/// layouts.
[[nodiscard]] SharedLayout shared_layout(const Tensor& tensor, const SharedTraffic& traffic);
/// Row-major, for this reason.
[[nodiscard]] SharedLayout row_major(const Tensor& tensor, const std::string& reason);

/// The tensors of a kernel whose memory must be row-major, whatever it costs, because something
/// reads it past its layout.
class RowMajorOnly {
 public:
  explicit RowMajorOnly(const Kernel& kernel);
  /// Why this one must be; empty if it need not.
  [[nodiscard]] std::string reason(const std::string& tensor) const;

 private:
  bool has_text_ = false;
  bool is_past_any_ = false;
  std::set<std::string> tensors_;
};

}  // namespace heddle::kernel
