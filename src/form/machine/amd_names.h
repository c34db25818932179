#pragma once

// AMD's mnemonics say nearly everything of a matrix instruction:
//
//   v_mfma_f32_32x32x4_2b_bf16            D is f32; 2 pairs of 32 x 32 x 4 of bf16
//   v_smfmac_f32_16x16x64_fp8_bf8         A is fp8, B is bf8
//   v_wmma_scale_f32_16x16x128_f8f6f4     the types are chosen by modifiers, 8 bits at first
//
// Source of the mnemonics: LLVM, VOP3PInstructions.td.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "form/machine/amd_rules.h"
#include "heddle/form/instruction.h"

namespace heddle::form {

/// `name` as AMD's Matrix Instruction Calculator writes it: fp16, int8, iu4, ….
struct AmdType {
  std::string_view name;
  int bits = 32;
};

struct AmdName {
  AmdType a;
  AmdType b;
  AmdType c;
  AmdType d;
  MatrixSizes sizes;
  /// The types after the sizes, as written: `f16`, or `fp8` and `bf8`.
  std::vector<std::string_view> types;
  /// `32x32x4`, and `2b` where blocks are written.
  std::string_view shape;
  std::string_view blocks;
  /// Elements of a row of A or a column of B that one scale belongs to; 0 without scales.
  std::int64_t scale = 0;
};

/// The sizes and types of `mnemonic`, which has the form above. `fnuz` is whether 8-bit floats are
/// those of CDNA3, with neither negative zero nor infinity.
[[nodiscard]] AmdName parse_amd_name(std::string_view mnemonic, bool fnuz = false);

/// `v_mfma_f32_32x32x4bf16`: the name without blocks and underscores after the sizes, which older
/// machines have and assemblers of newer ones accept.
[[nodiscard]] std::string old_amd_name(std::string_view mnemonic);

/// Sparse operands keep 2 of every 4 elements along K.
inline constexpr std::int64_t kSparseGroup = 4;
inline constexpr int kSparseKept = 2;

[[nodiscard]] InstructionOperand amd_operand(std::string name, const AmdType& type,
                                             Fragment fragment);
/// A of a sparse instruction, where a slot has the kept elements of a group, and K, the register
/// that says which ones they are.
[[nodiscard]] InstructionOperand sparse_operand(const AmdType& type, Fragment groups);
[[nodiscard]] InstructionOperand index_operand(Fragment groups);

}  // namespace heddle::form
