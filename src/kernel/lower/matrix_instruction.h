#pragma once

// The matrix instructions of GPUs as data: mma.sync of the catalogue (form/instruction.h), and the
// loads of their operands from shared memory, ldmatrix.
//
//   m16n8k16 of f16, with sums of f32
//     C  dimension 0: 8 lanes, 2 registers 8 apart;  dimension 1: 2 registers, 4 lanes
//     A  dimension 0: 8 lanes, 2 registers 8 apart;  dimension 1: 2 registers, 4 lanes, 2 registers
//     B  dimension 0: 2 registers, 4 lanes, 2 registers 8 apart;  dimension 1: 8 lanes
//
// A warp has a box of instructions along M and N; A has the rows of C, B its columns, each in every
// warp that needs them (seed 002, section 3.4: the intersections of what A and C, and B and C, have
// in common).
//
// Of a sparse A half of the elements along K are kept; an index says which (kernel/sparse.h). It is
// an operand of its own, in codes of 4 bits:
//
//   m16n8k32 of f16, sparse
//     A  as above, the 16 kept elements of 32
//     E  dimension 0: 8 lanes, 2 registers 8 apart;  dimension 1: 4 registers, 2 lanes

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/form/machine.h"
#include "heddle/kernel/instruction.h"
#include "kernel/lower/spread.h"

namespace heddle::kernel {

struct MatrixInstruction {
  /// As the catalogue has it, and the target's function (source/intrinsics.h).
  std::string name;
  std::string intrinsic;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  /// (M,K), (K,N) and (M,N), over the lanes of a warp and their registers.
  Spread a;
  Spread b;
  Spread c;
  /// (M, codes along K) of the index of a sparse A, whose kept elements `a` has.
  std::optional<Spread> index = {};
};

/// Those of a machine for operands of these types, the largest first, with a sparse A or without;
/// empty if it has none. Cost: that of listing the machine's instructions.
[[nodiscard]] std::vector<MatrixInstruction> matrix_instructions(const form::Machine& machine,
                                                                 DType a, DType b, DType c,
                                                                 bool is_sparse = false);

/// (M,N) over warps, each of which has a box of instructions whose operands are as few as they can
/// be; nullopt if no such boxes cover the shape.
[[nodiscard]] std::optional<Spread> warp_tiling(const std::vector<Int>& shape, std::int64_t threads,
                                                const MatrixInstruction& instruction);

/// How `steps` along K of A (M,K), and of B (K,N), are held by the threads that have C by `sums`,
/// instruction by instruction: the digits of C along M or N, and of the instruction along K.
[[nodiscard]] Spread a_spread(const Spread& sums, const MatrixInstruction& instruction);
[[nodiscard]] Spread b_spread(const Spread& sums, const MatrixInstruction& instruction);
/// The same of the index of a sparse A.
[[nodiscard]] Spread index_spread(const Spread& sums, const MatrixInstruction& instruction);

/// Of elements of 4 bits, how the bytes of pairs along a dimension are held.
[[nodiscard]] Spread of_pairs(Spread spread, std::size_t dimension);

/// The loads of 4, 2 or 1 matrices of 8 rows of 16 bytes, for registers that hold (8,8) elements of
/// `bits`: by rows or transposed, the matrices along the last two dimensions in each order.
/// PTX ISA, ldmatrix.
[[nodiscard]] std::vector<Instruction> matrix_loads(std::int64_t bits);

}  // namespace heddle::kernel
