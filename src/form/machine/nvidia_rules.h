#pragma once

// The rules of NVIDIA's matrix instructions: from the sizes of an instruction to the fragments of
// its operands. Since Turing all of them follow one pattern: 8 rows of 4 lanes, each with `run`
// neighbours, repeated first down and then across; the warps of a warpgroup follow further down.
//
//   lanes  0  0  1  1  2  2  3  3  |  0  0 …      run = 2
//          4  4  5  5  6  6  7  7  |  4  4 …
//          …                       |
//
// A lane holds 32 bits of neighbours of A along K, and two neighbours of C along N, whatever their
// size. B is as A with columns for rows. Triton's nvidia_mma and dot_op are made of this pattern.
//
// Sources: PTX ISA 9.0, Matrix Fragments; CuTe's mma_traits.

#include <cstdint>
#include <string_view>

#include "form/machine/factor.h"
#include "heddle/form/fragment.h"
#include "heddle/form/instruction.h"

namespace heddle::form {

struct CoreSizes {
  /// Rows of A, columns of B.
  std::int64_t across = 16;
  /// The size along K, for C along N.
  std::int64_t along = 16;
  /// Neighbours along it in one lane.
  std::int64_t run = 2;
  std::int64_t warps = 1;
  /// Kept elements of each element along K, where that is a span of a sparse operand.
  std::int64_t kept = 1;
};
/// The pattern above, (register, lane) -> (row, col); with `warp` after the lanes of several warps.
/// C and D are dealt as A. `along` is the name of the dimension of K if it is not `col` of A, `row`
/// of B.
[[nodiscard]] Fragment core_fragment(Factor factor, const CoreSizes& sizes,
                                     std::string_view along = {});

/// Elements of `bits` bits that one 32-bit register holds, 1 of the larger ones.
[[nodiscard]] constexpr std::int64_t run_of(int bits) { return bits < 32 ? 32 / bits : 1; }

/// E, the index of a sparse A of 16 rows a warp and `k` columns, whose elements have `bits` bits:
/// the 32 bits of a lane. Lanes that a selector passes over hold copies here.
[[nodiscard]] InstructionOperand sparse_index(int bits, std::int64_t k, std::int64_t warps);

/// The scale factors of A of 16 rows, or of B of 8 columns, in the lanes of a warp: a register for
/// each element along K.
[[nodiscard]] Fragment scale_factors(Factor factor, std::int64_t k);

}  // namespace heddle::form
