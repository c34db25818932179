// The whole text of the refusals of machines, their instructions and fragments.

#include <gtest/gtest.h>

#include "heddle/cute/fragment.h"
#include "heddle/linear/fragment.h"
#include "support/refusal.h"

namespace heddle {
namespace {

using form::Fragment;
using test::refusal;

Fragment lanes_of(const form::Deal& registers) {
  return {{"register", "lane"}, {"row", "col"}, {registers, {"lane", "row", 8}}};
}

TEST(ErrorText, fragment_sizes) {
  EXPECT_EQ(refusal(linear::linear_layout(lanes_of({"register", "col", 3}))),
            "error fragment.sizes: register has a run of 3, which is no power of two");
}

TEST(ErrorText, fragment_unused) {
  const Fragment half = lanes_of({"register", form::kUnused, 2});
  EXPECT_EQ(refusal(linear::linear_layout(half)),
            "error fragment.unused: some of the 2 register places hold nothing; a linear layout "
            "maps every place");
  EXPECT_EQ(refusal(cute::thread_value_layout(half, {"row"})),
            "error fragment.unused: some of the 2 register places hold nothing; a layout maps "
            "every thread and value");
}

TEST(ErrorText, fragment_descending) {
  EXPECT_EQ(refusal("instruction_layout(\"xvf32ger\", \"C\", to=\"linear\")"),
            "error fragment.descending: vsr 0 holds element 3 of its run; a linear layout maps "
            "place 0 to 0");
  EXPECT_EQ(refusal("instruction_layout(\"xvf32ger\", \"C\", to=\"cute_tv\")"),
            "error fragment.descending: vsr 0 holds element 3 of its run; a layout maps 0 to 0");
}

TEST(ErrorText, fragment_system) {
  EXPECT_EQ(refusal("instruction_layout(\"xvf32ger\", \"A\", to=\"lego\")"),
            "error fragment.system: a fragment has no form as a LEGO layout\n"
            "  hint: linear, cute_tv, axe or relation; convert() gives others");
}

TEST(ErrorText, machine_unknown) {
  EXPECT_EQ(refusal("machine(\"gfx943\")"),
            "error machine.unknown: no machine is called gfx943\n"
            "  hint: did you mean gfx940 or gfx941 or gfx942?");
  EXPECT_TRUE(refusal("instructions(\"riscv\")")
                  .starts_with("error machine.unknown: no machine is called riscv\n"
                               "  hint: known are sm_70, sm_75, "));
}

TEST(ErrorText, instruction_unknown) {
  EXPECT_EQ(refusal("instruction(\"tdpbssx\")"),
            "error instruction.unknown: no instruction is called tdpbssx\n"
            "  hint: instructions(\"cdna3\") lists those of a machine");
  EXPECT_EQ(refusal("instruction(\"xvf32gerpq\")"),
            "error instruction.unknown: no instruction is called xvf32gerpq\n"
            "  hint: did you mean xvf32gerpn or xvf32gerpp or xvf32ger?");
  EXPECT_EQ(refusal("instruction(\"dpas.8x4\", \"xe-hpc\", wave=8)"),
            "error instruction.unknown: dpas.8x4 does not exist on xe-hpc\n"
            "  it exists with: xe-hpg, 8 lanes; xe-hpg, 16 lanes; xe-hpg, 32 lanes; xe-hpc, 16 "
            "lanes; xe-hpc, 32 lanes");
}

TEST(ErrorText, instruction_ambiguous) {
  EXPECT_EQ(refusal("instruction(\"smopa\", svl=128)"),
            "error instruction.ambiguous: smopa differs between SMOPA (byte to word) (arm-sme, 128 "
            "bits a vector) and SMOPA (half to double) (arm-sme, 128 bits a vector)\n"
            "  hint: say which with arch=, wave=, svl= or dtype=, or by its full name");
}

TEST(ErrorText, instruction_operand) {
  EXPECT_EQ(refusal("instruction_layout(\"TDPBSSD\", \"E\")"),
            "error instruction.operand: TDPBSSD has no operand E; it has A, B, C");
}

}  // namespace
}  // namespace heddle
