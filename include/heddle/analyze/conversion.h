#pragma once

// The steps and costs of moving a tensor from one register layout to another.
//
// Let dst hold element e at (register r, lane l, warp w, block b). The class of the conversion is
//
//   none             src holds e at the same place, for all places
//   registers        … in the same thread: registers are renamed, or picked by lane or warp
//   warp             … in the same warp: values go from lane to lane by shuffles
//   shared memory    … in the same CTA: values go through shared memory
//   across CTAs      … in another CTA only
//
// If src holds an element several times, the nearest one counts. Each question is one of subspaces:
// the difference between the vector of a bit of dst and that of src's bit of the same name must be
// an XOR of the vectors of src's registers (lanes, warps).
//
//   src  register=1 -> (0,1)   lane=1 -> (1,0)      dst  register=1 -> (1,0)   lane=1 -> (0,1)
//   (1,0) is in src's lane=1, not in its registers: a conversion within the warp
//
// Source: Triton's lowering of convert_layout; "Linear Layouts" (arXiv 2505.23819).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/analyze/optimal_swizzle.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

enum class ConversionClass : std::uint8_t { kNone, kRegisters, kWarp, kSharedMemory, kAcrossCtas };

/// "none", "registers", "warp", "shared memory", "across CTAs".
[[nodiscard]] std::string_view name_of(ConversionClass conversion);

struct Conversion {
  ConversionClass kind = ConversionClass::kNone;
  /// Places of dst -> the nearest places of src that hold the same elements, both (register, lane,
  /// warp, block).
  linear::LinearLayout places;
  /// `places` without the dimensions along which nothing moves: the moves that are left to do.
  linear::LinearLayout remaining;
  /// One in 2^this of all places of dst finds its element in its own thread.
  int log2_leaving = 0;

  /// Within a warp: shuffles of 32 bits for each thread, and the number of elements that one of
  /// them moves. Every lane takes part in each and gets one word from some lane.
  std::int64_t shuffles = 0;
  std::int64_t elements_per_shuffle = 1;
  /// Through shared memory: the best layout of the buffer, or why its cost was not counted.
  std::optional<SwizzledBuffer> buffer;
  std::string uncounted;
};

/// Both layouts map (register, lane, warp, block) to one tensor, for the same threads, in warps of
/// 32 lanes or waves of 64. Refuses `analyze.element_bits`, `analyze.dims`, `analyze.lanes`,
/// `analyze.too_large` past 2^48 places or elements, and `linear.no_solution` if src does not hold
/// all elements of dst. Cost: as optimal_swizzle().
[[nodiscard]] Result<Conversion> conversion_class(const linear::LinearLayout& src,
                                                  const linear::LinearLayout& dst, int element_bits,
                                                  const ServedMove& move = {});

/// The verdict in one line, then the parts that stay and move, and the cost.
[[nodiscard]] std::string to_string(const Conversion& conversion);

}  // namespace heddle::analyze
#pragma GCC visibility pop
