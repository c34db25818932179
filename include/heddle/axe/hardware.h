#pragma once

// Layouts that hardware prescribes.
//
//   trainium("FPF", (32,512,512))        S[(32,4,128,512):(512@F,16384@F,1@P,1@F)]
//   to_psum(S[(1024,8):(1@F,1@P)])       S[(2,512,8):(1@Bank,1@F,1@P)]
//   mma_shared_layout(16, 128, (64,128)) SW(3,3,3) o S[(64,2,64):(64@m,4096@m,1@m)]
//   tmem_datapath_layout('F', 64, 32)    S[(4,16,32):(32@TLane,1@TLane,1@TCol)]
//   wg_local_layout(32)                  S[(128,32):(1@tid_in_wg,1@m)]
//   tcgen05_atom_layout("16x64b", (64,8), 32)
//                                        S[(4,2,8,4,2):(1@wid_in_wg,1@laneid,4@laneid,1@m,2@laneid)]

#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// A tensor in a scratchpad of 128 partitions: each dimension is annotated P (partition) or F
/// (free), and runs along its axis, row-major among the dimensions of that axis. A single P of more
/// than 128 is cut at 128; its high part becomes the slowest digit on F. Refuses `axe.trainium`: an
/// annotation of other letters or another length than the shape, a single P above 128 that 128 does
/// not divide, several Ps with more than 128 partitions together; `axe.extent`, `assume.needed`,
/// `overflow`. Seed 002, appendix H.
[[nodiscard]] Result<Layout> trainium(std::string_view annotation, std::span<const Int> shape);

/// The same tile in the accumulation memory, whose banks hold 512 elements of a partition each:
/// Bank = F div 512, F = F mod 512, in normal form. Complete, as split_threads(): refuses
/// `axe.psum` if that is no layout, if F is negative, and if the layout already has an axis Bank;
/// `axe.undecided`, `assume.needed`.
[[nodiscard]] Result<Layout> to_psum(const Layout& layout);

/// Shared memory as matrix instructions read it: atoms of 8 rows of `swizzle_bytes` (32, 64 or 128)
/// each, swizzled in units of 16 bytes, stacked along the second last dimension first, then along
/// the last one, then along the others, row-major. Without a swizzle (0) the atoms have rows of 16
/// bytes; if 16 bytes do not divide a row the tensor is plainly row-major. Addresses count
/// elements. The extents of all dimensions but the last two may be symbolic, and those of the last
/// two if the divisibility is known. Refuses `axe.mma_shared`: a width of elements that is no power
/// of two from 1 to 128 bits, another swizzle, fewer than two dimensions, rows or columns that the
/// atom does not divide; `axe.extent`, `assume.needed`, `overflow`.
[[nodiscard]] Result<Layout> mma_shared_layout(std::int64_t element_bits,
                                               std::int64_t swizzle_bytes,
                                               std::span<const Int> shape);

/// The lanes and columns of tensor memory where tcgen05.mma puts the rows and columns of its
/// result, by the letter of the data path in the PTX manual:
///
///   A, D   128 rows   lane = row
///   B, E    64 rows   lane = row + 64*(col div (cols/2)), column = col mod (cols/2)
///   C, F    64 rows   lane = 32*(row div 16) + row mod 16, plus 16 for sub_slab 1
///   G       32 rows   lane = row + 32*(col div (cols/4)), column = col mod (cols/4)
///
/// (A, B and C are the part of one CTA of a pair.) Refuses `axe.datapath`: another letter, another
/// number of rows, columns that do not divide, a sub_slab other than 0 if all lanes are taken;
/// `axe.extent`, `assume.needed`.
[[nodiscard]] Result<Layout> tmem_datapath_layout(char datapath, const Int& rows, const Int& cols,
                                                  std::int64_t sub_slab = 0);

/// Registers of a warpgroup after tcgen05.ld of a tile of tensor memory, or before tcgen05.st, by
/// the shape of the instruction in the PTX manual; t is the lane, r the 32-bit register, w the warp
/// of the warpgroup, and the tile has 16 rows for each warp (32 for 32x32b):
///
///   32x32b    row = 32*w + t                       column = r
///   16x64b    row = 16*w + 8*(t mod 2) + t div 4   column = 2*r + (t div 2) mod 2
///   16x128b   row = 16*w + 8*(r mod 2) + t div 4   column = 4*(r div 2) + t mod 4
///   16x256b   row = 16*w + 8*(r div 2 mod 2) + t div 4
///             column = 8*(r div 4) + 2*(t mod 4) + r mod 2
///
/// A register holds two elements of 16 bits. The 16-row shapes may have 128 rows: a warp then has a
/// second slab of 16 rows after its first one, in registers after those of the first one. 32x32b of
/// 32-bit elements may have 64 rows: the halves of the columns are then on both halves of the
/// threads, as data path B puts them. Refuses `axe.tcgen05`: another instruction, elements of other
/// widths, other rows, columns that are no repetition of the instruction that exists (1, 2, 4, … up
/// to 128, but 64 for 16x128b and 32 for 16x256b).
[[nodiscard]] Result<Layout> tcgen05_atom_layout(std::string_view instruction,
                                                 std::span<const std::int64_t> shape,
                                                 std::int64_t element_bits);

/// Registers of a warpgroup: one row for each thread, its columns contiguous. Refuses
/// `axe.thread_range` for more rows than its 128 threads, `axe.extent`, `assume.needed`.
[[nodiscard]] Result<Layout> wg_local_layout(const Int& cols, const Int& rows = 128);

}  // namespace heddle::axe
#pragma GCC visibility pop
