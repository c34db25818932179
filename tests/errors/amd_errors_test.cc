// Refusals of AMD's matrix instructions. One test for each error code.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/machine/instruction_layout.h"
#include "support/refusal.h"

namespace heddle::machine {
namespace {

using test::refusal;

std::string modified(std::string_view name, std::string_view operand, std::string_view machine,
                     const form::InstructionModifiers& modifiers,
                     std::optional<map::System> system = {}) {
  return refusal(instruction_layout(name, operand, {.machine = machine}, system, modifiers));
}

TEST(ErrorText, instruction_modifier) {
  EXPECT_EQ(modified("v_mfma_f64_16x16x4f64", "B", "cdna2", {.blgp = 1}),
            "error instruction.modifier: blgp is 1, but v_mfma_f64_16x16x4f64 has no modifiers "
            "that move elements");
  EXPECT_EQ(modified("v_mfma_f32_32x32x4_2b_f16", "A", "cdna3", {.opsel = 1}),
            "error instruction.modifier: opsel is 1, but of the modifiers that move elements "
            "v_mfma_f32_32x32x4_2b_f16 has only cbsz, abid, blgp");
  EXPECT_EQ(modified("v_mfma_f32_4x4x4f16", "A", "cdna2", {.cbsz = 5}),
            "error instruction.modifier: cbsz of v_mfma_f32_4x4x4f16 is 5, but 2^cbsz blocks are "
            "at most the 16 of the instruction");
  EXPECT_EQ(
      modified("v_mfma_f32_4x4x4f16", "A", "cdna2", {.cbsz = 2, .abid = 4}),
      "error instruction.modifier: abid of v_mfma_f32_4x4x4f16 is 4, but must be from 0 to 3");
  EXPECT_EQ(refusal(instruction_slots("v_wmma_f16_16x16x16_f16", "D",
                                      {.machine = "rdna3", .lanes = 32}, {.opsel = 1})),
            "error instruction.modifier: opsel of v_wmma_f16_16x16x16_f16 is 1, but must be 0 for "
            "the lower halves of the registers of D or 4 for the upper ones");
  EXPECT_EQ(modified("v_mfma_f32_32x32x8f16", "B", "cdna2", {.blgp = 3}, map::System::kLinear),
            "error instruction.modifier: lanes read what others hold, which is said by a relation "
            "only, not as a linear layout\n  hint: convert() writes a relation in other systems");
}

}  // namespace
}  // namespace heddle::machine
