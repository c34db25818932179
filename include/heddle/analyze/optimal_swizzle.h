#pragma once

// The best shared-memory layout for moving a tensor from one register layout to another.
//
// A shared layout gives every bit of the offset a vector of tensor coordinates. Only three
// subspaces of the tensor's bits matter, with these conditions:
//
//   low bits, one vector       spanned by registers of src and of dst: one instruction moves it
//   next bits, up to 128 bytes the banks
//   high bits, the rows of the banks: elements that differ only there conflict
//
// The low bits are as many as the registers of both sides have in common, then as many more as one
// side has. For the high bits a subspace is needed that intersects neither the lanes of a phase of
// src nor those of dst, except in 0. Two subspaces of one dimension always have a common
// complement: if {a} and {b} complete their intersection to each of them, it is spanned by the XORs
// a_i ^ b_i and a complement of their sum. So conflicts remain only if one side moves wider vectors
// than the other, and lanes of the other side do not fit into the bits that the wide side leaves
// free; then they are as few as dimensions allow.
//
//   src  register=1 -> (0,1), lane=1… -> (1,0) (2,0) …     each lane holds a piece of a row
//   dst  register=1 -> (1,0), lane=1… -> (0,1) (0,2) …     … of a column: a transpose
//   offset=1 -> (0,1)  offset=2 -> (0,2)  …  offset=32 -> (1,1)  offset=64 -> (2,2)
//
// Source: "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2" (arXiv
// 2505.23819), section on optimal swizzling; the choice of subspaces for sides of different width
// is our own.

#include <cstdint>
#include <string>

#include "heddle/analyze/banks.h"
#include "heddle/analyze/served_lanes.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

struct SwizzledBuffer {
  /// (offset, block) -> the tensor, invertible on the elements of a CTA: the parameter of a
  /// shared_linear encoding.
  linear::LinearLayout layout;
  /// The costs of writing it from src and of reading it into dst.
  BankCounts write;
  BankCounts read;
  /// The size in one CTA.
  std::int64_t bytes = 0;

  friend bool operator==(const SwizzledBuffer&, const SwizzledBuffer&) = default;
};

/// The shared memory of a move, and what each side does with it: src is written, dst is read.
struct ServedMove {
  Serving serving = {};
  Direction src = Direction::kWrite;
  Direction dst = Direction::kRead;

  [[nodiscard]] Served of_src() const { return {serving, src}; }
  [[nodiscard]] Served of_dst() const { return {serving, dst}; }
};

/// A shared layout through which `src` becomes `dst`. Among all linear layouts, the narrower of its
/// two vectors is as wide as possible; among those, the sum of the widths is greatest; among those,
/// it takes the fewest wavefronts in total; this last claim is not made of a machine that reads
/// with more banks than it writes.
///
/// Both map (register, lane, warp, block) to one tensor; bases of 0 are broadcasts, and either may
/// hold only a part of the elements of a CTA if there is one CTA. Refuses `analyze.element_bits`,
/// `analyze.dims`, `analyze.lanes`, `analyze.across_ctas` if a CTA of dst needs elements that
/// another CTA of src holds (other bases of `block`), and `analyze.sub_byte` if the two sides have
/// too few registers in common for vectors of a byte, and as Serving::rule(). Cost: eliminations on
/// as many vectors as the tensor has bits.
[[nodiscard]] Result<SwizzledBuffer> optimal_swizzle(const linear::LinearLayout& src,
                                                     const linear::LinearLayout& dst,
                                                     int element_bits, const ServedMove& move = {});

/// The costs of moving a tensor from `src` to `dst` through a given shared layout. Refuses as
/// register_offsets() and bank_counts().
[[nodiscard]] Result<SwizzledBuffer> buffer_costs(const linear::LinearLayout& src,
                                                  const linear::LinearLayout& dst,
                                                  const linear::LinearLayout& shared,
                                                  int element_bits, const ServedMove& move = {});

/// The verdict in one line, then costs, size and layout.
[[nodiscard]] std::string to_string(const SwizzledBuffer& buffer);

}  // namespace heddle::analyze
#pragma GCC visibility pop
