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

#include "heddle/core/result.h"
#include "heddle/form/fragment.h"
#include "heddle/form/machine.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// For each lane the one that is read in its place: of every `period` lanes some `width` stand for
/// all of them.
struct LaneRead {
  std::int64_t period = 64;
  std::int64_t width = 64;
  /// The first of those lanes, or the one that lane 0 reads if all are read.
  std::int64_t first = 0;

  /// The lane that is read: that in its place among the `width`, which wrap around.
  [[nodiscard]] std::int64_t operator()(std::int64_t lane) const {
    const std::int64_t base = lane / period * period;
    if (width == period) return base + (lane + first) % period;
    return base + first + lane % width;
  }
  friend bool operator==(const LaneRead&, const LaneRead&) = default;
};

/// One matrix of an instruction.
struct InstructionOperand {
  /// "A", "B", "C", "D"; "SFA", "SFB" for scale factors, "E" ("K" of AMD) for the index of a sparse
  /// operand; "src" and "dst" of copies.
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
  /// Elements that one slot holds together: the kept ones of a group of a sparse operand.
  int group = 1;
  /// The bit of the first register with which the first slot begins.
  int first_bit = 0;
  /// Neighbouring elements that are one slot: those along K that share a scale factor, or of which
  /// a sparse operand stores one.
  std::int64_t shared_by = 1;
  /// What is read for each lane, where a modifier says that it is another lane's.
  std::optional<LaneRead> reads = {};
};

/// Whether the operand has the type, by any of its names: `fp16` is `f16` and `half_t`. `e4m3/e5m2`
/// has both.
[[nodiscard]] bool is_of_type(const InstructionOperand& operand, std::string_view type);

/// Bits of one of the 32-bit registers of a lane.
struct RegisterSlot {
  std::int64_t vgpr = 0;
  std::int64_t first_bit = 0;
  std::int64_t bits = 32;

  friend bool operator==(const RegisterSlot&, const RegisterSlot&) = default;
};
/// Where each element of a lane begins, and how many bits it has there; 64-bit elements go on in
/// the next register.
[[nodiscard]] std::vector<RegisterSlot> register_slots(const InstructionOperand& operand);
/// The number of 32-bit registers of a lane that the operand occupies, wholly or in part.
[[nodiscard]] std::int64_t register_count(const InstructionOperand& operand);

/// Numbers that are written after the operands of an instruction; absent ones are 0.
struct InstructionModifiers {
  std::optional<std::int64_t> cbsz = {};
  std::optional<std::int64_t> abid = {};
  std::optional<std::int64_t> blgp = {};
  std::optional<std::int64_t> opsel = {};
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
  /// The modifiers that change where elements are, and how; see with_modifiers().
  std::vector<std::string_view> modifiers = {};
  Result<void> (*modify)(Instruction&, const InstructionModifiers&) = nullptr;
  /// Whether it takes smaller matrices too, which keep the same places: `shape` is the largest.
  bool takes_smaller = false;
  /// Where a copy reads and writes: "registers", "shared", "global", "tensor"; empty for others.
  std::string_view from = {};
  std::string_view to = {};

  /// The operand of that name, in any case; `AB` if A and B are held alike; nullptr if there is
  /// none.
  [[nodiscard]] const InstructionOperand* operand(std::string_view operand_name) const;
};

/// The instruction with these modifiers written after it. Refuses `instruction.modifier` for a
/// modifier that the instruction does not have, or a value that it cannot have.
[[nodiscard]] Result<Instruction> with_modifiers(Instruction instruction,
                                                 const InstructionModifiers& modifiers);

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
  /// Other names that the machine's assembler accepts.
  std::vector<std::string> aliases = {};
};

/// All instructions, machine by machine. Built when it is first asked for.
[[nodiscard]] const std::vector<InstructionListing>& instruction_listings();

/// The instructions of a machine: its own, and those that its predecessors pass on, nearest first,
/// but for the names that a nearer one has already.
[[nodiscard]] std::vector<const InstructionListing*> listings_on(const Machine& machine);

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
/// nearest predecessor that passes them on. AMD's mnemonics may have or lack the suffix `_e64`, or
/// be given as intrinsics (`llvm.amdgcn.mfma.f32.32x32x8f16`, `rocdl.…`), whose suffixes say lanes,
/// machine or the types of D and A (`_w32_gfx12`, `.v8f32.v16f16`), and those of Arm may lack
/// the words in brackets: `fmopa` is `FMOPA (single)` and `FMOPA (double)`. CuTe's may have or lack
/// namespaces, `_t` and majors in the arguments of templates, PTX's `.sync` and `.aligned`.
[[nodiscard]] std::vector<const InstructionListing*> find_listings(
    std::string_view name, const InstructionQuery& query = {});
/// The first of them; nullopt if there is none.
[[nodiscard]] std::optional<Instruction> find_instruction(std::string_view name,
                                                          const InstructionQuery& query = {});

}  // namespace heddle::form
#pragma GCC visibility pop
