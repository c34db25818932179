// Machines: their instructions, and which lane, register or row holds what.

#include <optional>
#include <string>

#include "heddle/machine/instruction_layout.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kMachines = "machines and their instructions";

form::InstructionQuery query_of(const std::optional<std::string>& arch,
                                const std::optional<std::int64_t>& wave,
                                const std::optional<std::int64_t>& svl) {
  return {.machine = arch ? std::string_view(*arch) : std::string_view(),
          .lanes = wave.value_or(0),
          .vector_bits = svl.value_or(0)};
}

void add_layouts(const Rows& add) {
  add({.call = "instruction_layout(name, operand, arch, wave, svl)",
       .summary = "Which element of a matrix each register of each lane holds.",
       .example = {R"(instruction_layout("v_mfma_f32_4x4x4f16", "A", arch="cdna2"))",
                   " - register=1 -> (0, 0, 1)\n   register=2 -> (0, 0, 2)\n"
                   " - lane=1 -> (0, 1, 0)\n   lane=2 -> (0, 2, 0)\n   lane=4 -> (1, 0, 0)\n"
                   "   lane=8 -> (2, 0, 0)\n   lane=16 -> (4, 0, 0)\n   lane=32 -> (8, 0, 0)\n"
                   "where out dims are: [block (size 16), row (size 4), col (size 4)]"}},
      [](const std::string& name, const std::string& operand,
         const std::optional<std::string>& arch, const std::optional<std::int64_t>& wave,
         const std::optional<std::int64_t>& svl) {
        return machine::instruction_layout(name, operand, query_of(arch, wave, svl));
      });
}

}  // namespace

void add_machine_operations(std::vector<Operation>& table) { add_layouts({table, kMachines}); }

}  // namespace heddle::notation
