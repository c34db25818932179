#pragma once

// The instructions of machines as data: which operands they have, of which type, and where their
// elements are held. This is the one place where that is stated. CuTe's atoms, Triton's encodings
// and the operations on machines (heddle/machine) read it.
//
//   find_instruction("v_mfma_f32_32x32x8f16", {.machine = "cdna2"})
//     shape 32 x 32 x 8, 64 lanes
//     A  fp16   register: col 4, lane: row 32, col 2
//     B  fp16   register: row 4, lane: col 32, row 2
//     D  fp32   register: row 4, 4, lane: col 32, row 2
//
// A is M x K, B is K x N, C and D are M x N; dimensions are `row` and `col` (and `block`, where an
// instruction computes several matrices), places are `register` (an element of the lane), `lane`,
// `warp`, …, each family as its manual says. Names are those of the vendor's assembler, or CuTe's
// for the atoms of NVIDIA.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/form/fragment.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// One matrix of an instruction.
struct InstructionOperand {
  /// "A", "B", "C", "D"; "SFA", "SFB" for scale factors, "E" for the index of a sparse operand.
  std::string name;
  /// As the vendor writes it: "fp16", "bf16", "i8", ….
  std::string type;
  /// Bits of an element.
  int bits = 32;
  Fragment fragment;
  /// Bits that an element of a lane occupies: more than `bits` where parts of registers stay free,
  /// and several elements' where one slot holds a group.
  int slot_bits = bits;
  std::string note = {};
};

struct Instruction {
  std::string name;
  std::string machine;
  /// M, N and K.
  std::array<std::int64_t, 3> shape{1, 1, 1};
  /// Lanes of a wave, a warp or a subgroup, threads of a warpgroup; 1 where one thread has all.
  std::int64_t lanes = 1;
  /// Bits of a vector register whose length the machine chooses (Arm's SVL); 0 elsewhere.
  std::int64_t vector_bits = 0;
  std::vector<InstructionOperand> operands;
  /// The indices of the threads as extents and strides, where they are not 0 … lanes - 1: Volta's
  /// quad pairs are (4,2):(1,16).
  std::vector<std::pair<std::int64_t, std::int64_t>> thread_ids = {};
  /// Where the numbers come from, and what is disputed.
  std::string source;
  std::string note = {};

  /// The operand of that name, in any case; `AB` if A and B are held alike; nullptr if there is
  /// none.
  [[nodiscard]] const InstructionOperand* operand(std::string_view operand_name) const;
};

/// An instruction that is made when it is asked for.
struct InstructionListing {
  std::string name;
  std::string machine;
  std::int64_t lanes = 1;
  std::int64_t vector_bits = 0;
  std::function<Instruction()> make;
  /// Whether the machines that come after (Machine::predecessors) have it too; wgmma is Hopper's
  /// alone.
  bool is_passed_on = true;
};

/// All instructions, machine by machine. Built when it is first asked for.
[[nodiscard]] const std::vector<InstructionListing>& instruction_listings();

/// What to look for; what is empty or 0 may be anything.
struct InstructionQuery {
  /// The name of a machine or an alias of it (form/machine.h).
  std::string_view machine = {};
  std::int64_t lanes = 0;
  std::int64_t vector_bits = 0;
  /// The type of A, or of another operand where no A has it.
  std::string_view type = {};
};
/// The listings of that name, in any case: those of the machine, and if it has none those of the
/// nearest predecessor that passes them on. AMD's mnemonics may have or lack the suffix `_e64`, and
/// those of Arm the words in brackets: `fmopa` is `FMOPA (single)` and `FMOPA (double)`.
[[nodiscard]] std::vector<const InstructionListing*> find_listings(
    std::string_view name, const InstructionQuery& query = {});
/// The first of them; nullopt if there is none.
[[nodiscard]] std::optional<Instruction> find_instruction(std::string_view name,
                                                          const InstructionQuery& query = {});

}  // namespace heddle::form
#pragma GCC visibility pop
