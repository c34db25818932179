#pragma once

// Looks machines up, and lists the instructions that they have.
//
//   find("H100")                                        the machine sm_90 (form/machine.h)
//   instruction_names("cdna2", {.type = "fp16", .shape = {32, 32, 8}})
//     v_mfma_f32_32x32x8f16

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/instruction.h"
#include "heddle/form/machine.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

/// This machine, as a CPU: its vector registers by what the processor says that it has, its caches
/// by what Linux says of them. Looked up when it is first asked for.
[[nodiscard]] const form::Machine& host();

/// The machine of that name or alias; host() by the name `host`. Refuses `machine.unknown`.
[[nodiscard]] Result<const form::Machine*> find(std::string_view name);

/// Which instructions: those of which one operand has the type, and those of the shape (M,N,K);
/// what is empty may be anything.
struct InstructionFilter {
  std::string_view type = {};
  std::optional<std::array<std::int64_t, 3>> shape = {};
};
/// The names of a machine's instructions, then of those that it has from its predecessors; each
/// once. Refuses as find(), and `instruction.type` if no operand of any of them has the type.
[[nodiscard]] Result<std::vector<std::string>> instruction_names(
    std::string_view machine, const InstructionFilter& filter = {});

/// The refusal `instruction.type`: `what` has no operand of the type, but of these.
[[nodiscard]] Refusal no_operand_of_type(
    std::string_view what, std::string_view type,
    const std::vector<const form::InstructionListing*>& listings);

}  // namespace heddle::machine
#pragma GCC visibility pop
