#pragma once

// The atoms of instructions as digits, and what is left of a spread when one is taken from it.
//
//   atom      dimension 0 = register(4)
//   spread    dimension 0 = register(4) + 4*thread(32) + 128*register(2)
//   tiler     dimension 0 =               4*thread(32) + 128*register(2)
//
// The spread is tiler (x) atom (seed 002, the tile operator, on digits).

#include <optional>

#include "heddle/core/result.h"
#include "heddle/kernel/instruction.h"
#include "kernel/lower/spread.h"

namespace heddle::kernel {

/// What targets copy at once without a text: `width` elements side by side.
[[nodiscard]] Instruction vector_copy(DType type, std::int64_t width);

/// What a target does later, as by cp.async: `width` elements side by side, from global to shared
/// memory. Its name is that of the target's function.
[[nodiscard]] Instruction async_copy(DType type, std::int64_t width);

/// The digits of an operand: lanes as threads, m as registers. Refuses `kernel.instruction` for a
/// layout that is no such digits.
[[nodiscard]] Result<Spread> atom_of(const Instruction& instruction,
                                     const InstructionOperand& operand);

/// The spread without the atom's digits, which are the lowest of its last dimensions; nullopt if
/// the spread is no product with the atom.
[[nodiscard]] std::optional<Spread> divided(Spread spread, const Spread& atom);

/// A box over threads, for an instruction of one thread: the atom, then threads along the last
/// dimension and outwards, then registers. The shape has at least the dimensions of the atom.
[[nodiscard]] Spread spread_over(const std::vector<Int>& shape, std::int64_t threads,
                                 const Spread& atom);

}  // namespace heddle::kernel
