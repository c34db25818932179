#pragma once

// Step 2 of a copy: the boxes of digits that fill shared memory without gaps.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/tma/pairing.h"

namespace heddle::machine {

/// The most elements that are tried as one box: more than shared memory holds.
inline constexpr std::int64_t kMostBoxElements = std::int64_t{1} << 18;
inline constexpr std::int64_t kMostBoxExtent = 256;
inline constexpr std::size_t kMostDimensions = 5;
/// Bytes that a piece of shared memory has, at which boxes begin, and of which strides are
/// multiples.
inline constexpr std::int64_t kPieceBytes = 16;
inline constexpr std::int64_t kBoxAlignment = 128;

/// A dimension of a box: its extent, its step in global memory, and the digit's global dimension.
struct BoxDimension {
  std::int64_t extent = 1;
  Int stride;
  std::optional<std::size_t> whole;
};

/// What is left of a digit: a loop over instructions.
struct LoopDigit {
  Int count;
  Int global;
  Int shared;
  std::optional<std::size_t> whole;
  /// The dimension of the box that has the fast part of the same digit.
  std::optional<std::size_t> box;
};

struct Box {
  std::vector<BoxDimension> dims;
  std::vector<LoopDigit> loops;
  std::int64_t size = 1;
};

/// All boxes that are compact in shared memory, of at most 256 elements and 5 dimensions, with an
/// inner dimension of whole pieces of 16 bytes that is the span of the swizzle, if there is one, or
/// less than that if the box has one row. The largest first, of equal ones that of the fewest
/// dimensions.
[[nodiscard]] std::vector<Box> boxes(const Pairing& pairing, int element_bits);

}  // namespace heddle::machine
