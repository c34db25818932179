#pragma once

// ldmatrix and stmatrix: whether registers can be moved to or from shared memory by instructions
// for 8 x 8 matrices of 16-bit elements.
//
// A row of a matrix is 16 bytes anywhere in shared memory; lanes 0 to 7 (for the x2 and x4 forms
// also lanes 8 to 15, …) give its address. Lane l then has one 32-bit register for each matrix:
//
//                  plain                              .trans
//   within 16 bytes  4 bytes per lane: lane bits 0, 1   2 bytes per lane: lane bits 2, 3, 4
//   the row          lane bits 2, 3, 4                  half of the register, lane bits 0, 1
//
// So with o the offset of the elements in shared memory: plain needs registers that fill 4 bytes,
// o(lane=1) 4 bytes and o(lane=2) 8 bytes further on, and everything else a multiple of 16 bytes;
// .trans registers that fill 2 bytes, o(lane=4) 2 bytes, o(lane=8) 4 and o(lane=16) 8 further on.
// Elements need not have 16 bits, only fill the parts.
//
// Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix" and stmatrix.

#include <cstdint>
#include <string>

#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

enum class MatrixOrder : std::uint8_t { kPlain, kTransposed };

struct MatrixAccess {
  MatrixOrder order = MatrixOrder::kPlain;
  /// 1, 2 or 4: the greatest possible form, .x1, .x2, .x4.
  int matrices = 1;
  /// Instructions over all warps, their wavefronts, and the ideal: one for each matrix.
  std::int64_t requests = 0;
  std::int64_t wavefronts = 0;
  std::int64_t ideal = 0;

  friend bool operator==(const MatrixAccess&, const MatrixAccess&) = default;
};

/// The ldmatrix (stmatrix) instructions that move `offsets`, (register, lane, warp) -> offset in
/// elements as register_offsets() gives it. A refusal is a normal answer: refuses
/// `analyze.no_matrix` with the bit that prevents it, `analyze.element_bits`, and
/// `analyze.too_large` past 2^48 places or offsets. Cost: a few eliminations.
[[nodiscard]] Result<MatrixAccess> matrix_access(const linear::LinearLayout& offsets,
                                                 int element_bits, MatrixOrder order);

/// `ldmatrix.x4.trans: 2 instructions, 8 wavefronts, no bank conflicts`.
[[nodiscard]] std::string to_string(const MatrixAccess& access);

}  // namespace heddle::analyze
#pragma GCC visibility pop
