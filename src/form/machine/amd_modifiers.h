#pragma once

// What the modifiers of AMD's matrix instructions do to the operands:
//
//   CBSZ, ABID   of 2^CBSZ blocks of A, that with the number ABID is read for all
//   BLGP         the lanes that are read for B: a half for both, the next 16, a quarter for all
//   ABID, OPSEL  which bits of the index register of a sparse instruction are used
//   OPSEL        the upper halves of the registers of a 16-bit D (RDNA3)
//
// Source: AMD Matrix Instruction Calculator 1.3.2.

#include "heddle/form/instruction.h"

namespace heddle::form {

/// CBSZ and ABID on A, BLGP on B of v_mfma_*.
[[nodiscard]] Result<void> modify_mfma(Instruction& instruction,
                                       const InstructionModifiers& modifiers);
/// CBSZ and BLGP choose the types of A and B of v_mfma_*_f8f6f4.
[[nodiscard]] Result<void> modify_formats(Instruction& instruction,
                                          const InstructionModifiers& modifiers);
/// ABID or OPSEL on the index K of v_smfmac_* and v_swmmac_*.
[[nodiscard]] Result<void> modify_index(Instruction& instruction,
                                        const InstructionModifiers& modifiers);
/// OPSEL on C and D of v_wmma_*.
[[nodiscard]] Result<void> modify_halves(Instruction& instruction,
                                         const InstructionModifiers& modifiers);

}  // namespace heddle::form
