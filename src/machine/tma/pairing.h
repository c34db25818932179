#pragma once

// Step 1 of a copy: both sides sliced by their regions and cut into the digits that they share.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/explanation.h"
#include "heddle/machine/tma.h"

namespace heddle::machine {

/// A digit of the index of the copied region: its steps in elements on both sides.
struct PairedDigit {
  Int extent;
  Int global;
  Int shared;
  /// Its step in the row-major index of the region.
  Int weight;
  /// The global dimension that it is part of, if a tensor map can hold that dimension as a whole.
  std::optional<std::size_t> whole;
};

/// A dimension of the global tensor that has one stride: all of it, and where the region begins.
struct WholeDimension {
  Int extent;
  Int stride;
  Int begin;
};

struct Pairing {
  /// None of extent 1, in the order of their steps in shared memory.
  std::vector<PairedDigit> digits;
  std::vector<WholeDimension> whole;
  /// Of the global region.
  std::vector<Int> extents;
  /// Where the region begins in elements, but for the beginnings of the whole dimensions.
  Int global_offset;
  /// One more than the last address of the global tensor.
  Int global_span;
  Int shared_offset;
  SharedSwizzle swizzle;
  /// All that put the elements of the region where the layout's swizzle does; the first is it, or
  /// none if it changes nothing there.
  std::vector<SharedSwizzle> swizzles;
  /// What was done, for people.
  std::vector<Explanation> steps;
};

/// `tma_descriptor(A, B)` with the layouts' texts, for messages.
[[nodiscard]] std::string call_text(const TensorPart& global, const TensorPart& shared);

/// `1 instruction`, `M//64 instructions`.
[[nodiscard]] std::string instructions_text(const TmaCopy& copy);

/// Refuses what tma_descriptor() does of layouts and regions, before any rule of the hardware.
[[nodiscard]] Result<Pairing> pair_digits(const TensorPart& global, const TensorPart& shared,
                                          int element_bits);

/// The pairing with neighbours merged that are contiguous on both sides although they belong to
/// different dimensions, which are then no longer whole: their beginnings move into the offset.
[[nodiscard]] Pairing merged_across_dimensions(Pairing pairing);

}  // namespace heddle::machine
