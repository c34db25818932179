#pragma once

// The matrix and copy instructions that CuTe names, as atoms:
//
//   find_mma_atom("SM80_16x8x16_F32F16F16F32_TN")      16 x 8 x 16 by 32 threads
//   find_copy_atom("SM75_U32x4_LDSM_N")                four 8 x 8 matrices to 32 threads
//
// Names are CuTe's without template arguments, which do not change the layouts
// (SM90_64x128x16_F32F16F16_SS is the same atom for all majors). A copy atom counts in bits;
// copy_atom(atom, 16) makes it one of 16-bit values. universal_copy(bits, value_bits) is the copy
// in which each thread moves a run of its own (UniversalCopy, cp.async).
//
// What they hold is read from the catalogue of instructions (heddle/form/instruction.h).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/cute/tiled_copy.h"
#include "heddle/cute/tiled_mma.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The MMA atom with this name; nullopt if there is none.
[[nodiscard]] std::optional<MmaAtom> find_mma_atom(std::string_view name);
/// The copy atom with this name, its values single bits; nullopt if there is none.
[[nodiscard]] std::optional<CopyAtom> find_copy_atom(std::string_view name);

/// Whether CuTe calls a copy by the TMA unit so: SM90_TMA_LOAD, SM90_BULK_COPY_G2S, …. How many
/// bits one of them moves is no part of its name but the second argument of its Copy_Traits.
[[nodiscard]] bool is_bulk_copy(std::string_view name);

/// All names, in the order of the architectures.
[[nodiscard]] std::vector<std::string> mma_atom_names();
[[nodiscard]] std::vector<std::string> copy_atom_names();

}  // namespace heddle::cute
#pragma GCC visibility pop
