#pragma once

// The best shared-memory layout for moving a tensor from one register layout to another.
//
// A shared layout gives every bit of the offset a vector of tensor coordinates. What matters of it
// is three subspaces of the tensor's bits, and what each must keep clear of:
//
//   low bits, one vector       spanned by registers of src and of dst: one instruction moves it
//   next bits, up to 128 bytes the banks
//   high bits, the rows of the banks: elements that differ only there collide
//
// The low bits are as many as the registers of both sides have in common, then as many more as one
// side has. For the high bits a subspace is needed that meets neither the lanes of a phase of src
// nor those of dst. Two subspaces of one dimension always have a common complement: where {a} and
// {b} complete what both have in common, the XORs a_i ^ b_i and whatever is in neither do it. So
// conflicts remain only where one side moves wider vectors than the other, and lanes of the other
// side do not fit into what the wide side leaves free; then they are as few as dimensions allow.
//
//   src  register=1 -> (0,1), lane=1… -> (1,0) (2,0) …     each lane holds a piece of a row
//   dst  register=1 -> (1,0), lane=1… -> (0,1) (0,2) …     … of a column: a transpose
//   offset=1 -> (0,1)  offset=2 -> (0,2)  …  offset=32 -> (1,1)  offset=64 -> (2,2)
//
// Source: "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2"
// (arXiv 2505.23819), section on optimal swizzling; the choice of subspaces for sides of unlike
// width is our own.

#include <cstdint>
#include <string>

#include "heddle/analyze/banks.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

struct SwizzledBuffer {
  /// (offset, block) -> the tensor, invertible on what a CTA holds: the parameter of a
  /// shared_linear encoding.
  linear::LinearLayout layout;
  /// What it costs to write it from src and to read it into dst.
  BankCounts write;
  BankCounts read;
  /// Its size in one CTA.
  std::int64_t bytes = 0;

  friend bool operator==(const SwizzledBuffer&, const SwizzledBuffer&) = default;
};

/// A shared layout through which `src` becomes `dst`. Among all linear layouts, the narrower of its
/// two vectors is as wide as possible; among those, the sum of the widths is greatest; among those,
/// it takes the fewest wavefronts in all.
///
/// Both map (register, lane, warp, block) to one tensor; bases of 0 are broadcasts, and either may
/// hold only a part of what a CTA has where there is one CTA. Refuses
/// `analyze.element_bits`, `analyze.dims`, `analyze.lanes`, `analyze.across_ctas` where a CTA of
/// dst needs what another one of src holds (other bases of `block`), and `analyze.sub_byte` where
/// the two sides have too few registers in common for vectors of a byte. Cost: eliminations on as
/// many vectors as the tensor has bits.
[[nodiscard]] Result<SwizzledBuffer> optimal_swizzle(const linear::LinearLayout& src,
                                                     const linear::LinearLayout& dst,
                                                     int element_bits);

/// What it costs to move a tensor from `src` to `dst` through a given shared layout. Refuses what
/// register_offsets() and bank_counts() refuse.
[[nodiscard]] Result<SwizzledBuffer> buffer_costs(const linear::LinearLayout& src,
                                                  const linear::LinearLayout& dst,
                                                  const linear::LinearLayout& shared,
                                                  int element_bits);

/// The verdict in one line, then costs, size and layout.
[[nodiscard]] std::string to_string(const SwizzledBuffer& buffer);

}  // namespace heddle::analyze
#pragma GCC visibility pop
