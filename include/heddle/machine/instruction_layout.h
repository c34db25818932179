#pragma once

// Where an instruction holds the elements of a matrix, as a layout:
//
//   instruction_layout("v_mfma_f32_32x32x8f16", "A", {.machine = "cdna2"})
//     - register=1 -> (0, 1)          the linear layout (register, lane) -> (row, col)
//       register=2 -> (0, 2)
//     - lane=1 -> (1, 0) …
//
// The layout is a linear one where all sizes are powers of two, a thread-value layout where they
// are not (wgmma's N), and a relation where neither can say it: POWER's accumulators hold the last
// row first.

#include <optional>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/instruction.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

/// The instruction of that name. A name that several machines have is that of the first of them
/// unless the query says which, if all of them hold its operands in the same way. Refuses
/// `instruction.type` if none of them has an operand of the query's type,
/// `machine.unknown` for a machine that is not known, `instruction.unknown`,
/// `instruction.ambiguous` where machines, waves or vector lengths differ.
[[nodiscard]] Result<form::Instruction> instruction(std::string_view name,
                                                    const form::InstructionQuery& query = {});

/// The layout of the operand, from places to elements, but from elements to places as an Axe
/// layout; all instructions of that name must have the same. In the given system, else in the first
/// of linear, cute_tv and relation that can say it. With modifiers that let lanes read what others
/// hold (AMD's CBSZ and BLGP), the element that is read at each place, as a linear layout or a
/// relation. Refuses as instruction() and with_modifiers(), `instruction.operand` for an operand
/// that the instruction does not have, `fragment.sizes`, `fragment.unused` and
/// `fragment.descending` if the given system cannot say it, and `fragment.system` if fragments have
/// no form in it.
[[nodiscard]] Result<map::AnyLayout> instruction_layout(
    std::string_view name, std::string_view operand, const form::InstructionQuery& query = {},
    std::optional<map::System> system = {}, const form::InstructionModifiers& modifiers = {});

/// Which bits of which 32-bit register of a lane hold each of its elements. Refuses as
/// instruction_layout().
[[nodiscard]] Result<std::vector<form::RegisterSlot>> instruction_slots(
    std::string_view name, std::string_view operand, const form::InstructionQuery& query = {},
    const form::InstructionModifiers& modifiers = {});

}  // namespace heddle::machine
#pragma GCC visibility pop
