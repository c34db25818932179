#pragma once

// The rules of AMD's matrix instructions: from the sizes of an instruction to the fragments of its
// operands. The instructions (amd_mfma.cc, amd_wmma.cc) and Triton's encodings of them are made of
// these rules.
//
//   MFMA, 64 lanes                         WMMA, waves of 32 and 64 lanes
//     A: a lane holds neighbours along K     A: a lane holds neighbours along K of one of 16 rows;
//        of one row. Lanes go down the          the halves of 16 lanes have the same (RDNA3) or
//        rows, then through the blocks,         alternate along K (RDNA4, gfx1250).
//        then along K.                       D: rows alternate between the halves (RDNA3), or each
//     D: groups of 4 rows are in one lane.      half has 8 (RDNA4, gfx1250).
//
// B is as A with columns for rows.

#include <cstdint>
#include <string_view>

#include "form/machine/factor.h"
#include "heddle/form/fragment.h"

namespace heddle::form {

/// The sizes of an instruction that multiplies `blocks` pairs of matrices.
struct MatrixSizes {
  std::int64_t m = 16;
  std::int64_t n = 16;
  std::int64_t k = 16;
  std::int64_t blocks = 1;
};

inline constexpr std::int64_t kMfmaLanes = 64;

/// A or B of an MFMA instruction, (register, lane) -> (row, col), or (block, row, col) for several
/// blocks. `along` is the name of the dimension of K if it is not `col` of A, `row` of B.
[[nodiscard]] Fragment mfma_factor(Factor factor, const MatrixSizes& sizes,
                                   std::string_view along = {});
/// C and D; elements have `bits` bits.
[[nodiscard]] Fragment mfma_accumulator(const MatrixSizes& sizes, int bits = 32);

enum class WmmaVersion : std::uint8_t { kRdna3 = 1, kRdna4 = 2, kGfx1250 = 3 };

/// Which part of K the lanes of a WMMA instruction hold.
struct WmmaFactor {
  WmmaVersion version = WmmaVersion::kRdna4;
  /// K, or the number of groups along K that sparse operands hold.
  std::int64_t k = 16;
  std::int64_t lanes = 32;
  /// The element of K with which the second half of 16 lanes begins (Triton's kWidth in a wave of
  /// 32); all lanes have all of K in RDNA3.
  std::int64_t run = 8;
};
/// A or B of a WMMA instruction with `size` rows of A or columns of B: 16, or 32 for A of gfx1250's
/// 32 x 16. `along` is the name of the dimension of K if it is not `col` of A, `row` of B.
[[nodiscard]] Fragment wmma_factor(Factor factor, const WmmaFactor& of, std::int64_t size = 16,
                                   std::string_view along = {});
/// C and D, M x 16.
[[nodiscard]] Fragment wmma_accumulator(WmmaVersion version, std::int64_t lanes,
                                        std::int64_t m = 16);

}  // namespace heddle::form
