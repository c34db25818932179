// The whole text of the refusals of machines, their instructions and fragments.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "heddle/cute/fragment.h"
#include "heddle/form/instruction.h"
#include "heddle/linear/fragment.h"
#include "support/random.h"
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

TEST(ErrorText, overflow_of_a_copy) {
  EXPECT_EQ(refusal(R"(copy_plan(4611686018427387904:1, 4611686018427387904:1, "sm_80", 16))"),
            "error overflow: 4611686018427387904 elements of 16 bits: the bits do not fit into 64 "
            "bits");
}

TEST(ErrorText, instruction_unknown) {
  EXPECT_EQ(refusal("instruction(\"tdpbssx\")"),
            "error instruction.unknown: no instruction is called tdpbssx\n"
            "  hint: instructions(\"sm_90\") lists those of a machine");
  EXPECT_EQ(refusal("instruction(\"xvf32gerpq\")"),
            "error instruction.unknown: no instruction is called xvf32gerpq\n"
            "  hint: did you mean xvf32gerpn or xvf32gerpp or xvf32ger?");
  EXPECT_EQ(refusal("instruction(\"dpas.8x4\", \"xe-hpc\", wave=8)"),
            "error instruction.unknown: dpas.8x4 does not exist on xe-hpc\n"
            "  it exists with: xe-hpg, 8 lanes; xe-hpg, 16 lanes; xe-hpg, 32 lanes; xe-hpc, 16 "
            "lanes; xe-hpc, 32 lanes");
}

/// The name with a letter removed, doubled or replaced, or without its end.
std::string mutated(std::string name, test::Random& random) {
  constexpr std::string_view kLetters = "<>,_.:x{}() 0M";
  const auto at = static_cast<std::size_t>(random.between(0, std::ssize(name) - 1));
  const auto letter = static_cast<std::size_t>(random.between(0, std::ssize(kLetters) - 1));
  switch (random.between(0, 3)) {
    case 0:
      return name.substr(0, at);
    case 1:
      return name.erase(at, 1);
    case 2:
      return name.insert(at, 1, name[at]);
    default:
      name[at] = kLetters[letter];
      return name;
  }
}

TEST(ErrorText, instructions_are_known_or_refused_whatever_their_names) {
  EXPECT_TRUE(refusal("instruction(\"SM100_MMA_F16BF16_SS<half_t\")")
                  .starts_with("error instruction.unknown: "));
  const auto& listings = form::instruction_listings();
  constexpr std::uint64_t kSeed = 20261126;
  test::Random random(kSeed);
  for (int i = 0; i < 500; ++i) {
    const auto& listing =
        listings[static_cast<std::size_t>(random.between(0, std::ssize(listings) - 1))];
    const bool by_alias = !listing.aliases.empty() && random.chance(50);
    const std::string name = mutated(by_alias ? listing.aliases.front() : listing.name, random);
    const auto found = form::find_instruction(name);
    EXPECT_TRUE(!found || !found->operands.empty()) << kSeed << " " << i << ": " << name;
    // A refusal looks for similar names in the whole catalogue.
    if (i % 50 != 0) continue;
    const std::string code = test::code(notation::evaluate("instruction(\"" + name + "\")"));
    const std::set<std::string> expected = found
                                               ? std::set<std::string>{"", "instruction.ambiguous"}
                                               : std::set<std::string>{"instruction.unknown"};
    EXPECT_TRUE(expected.contains(code)) << kSeed << " " << i << ": " << name << ": " << code;
  }
}

TEST(ErrorText, instruction_ambiguous) {
  EXPECT_EQ(refusal("instruction(\"smopa\", svl=128)"),
            "error instruction.ambiguous: smopa differs between SMOPA (byte to word) (arm-sme, 128 "
            "bits a vector) and SMOPA (half to double) (arm-sme, 128 bits a vector)\n"
            "  hint: say which: \"SMOPA (byte to word)\" or \"SMOPA (half to double)\" or \"SMOPA "
            "(half to word)\"; dtype=\"s8\" or "
            "dtype=\"s16\"");
  EXPECT_EQ(refusal("instruction(\"dpas.8x8\", arch=\"xe-hpc\", dtype=\"bf16\")"),
            "error instruction.ambiguous: dpas.8x8 differs between dpas.8x8 (xe-hpc, 16 lanes) and "
            "dpas.8x8 (xe-hpc, 32 lanes)\n"
            "  hint: say which: wave=16 or wave=32");
}

TEST(ErrorText, instruction_type) {
  EXPECT_EQ(refusal("instructions(\"trn1\", \"f17\")"),
            "error instruction.type: trainium1 has no operand of type f17; its types are fp8, "
            "fp32, fp16, "
            "bf16, tf32");
  EXPECT_EQ(
      refusal("instruction(\"v_mfma_f32_32x32x8f16\", \"cdna2\", dtype=\"i8\")"),
      "error instruction.type: v_mfma_f32_32x32x8f16 has no operand of type i8; its types are "
      "fp16, fp32");
}

// The names of one type mean the same; formats that differ do not.
TEST(Types, HaveTheNamesThatVendorsGiveThem) {
  for (const char* name : {"fp16", "f16", "half", "half_t", "Float16", "F16"}) {
    EXPECT_TRUE(form::find_instruction("v_mfma_f32_32x32x8f16", {.machine = "cdna2", .type = name}))
        << name;
    EXPECT_TRUE(form::find_instruction("mma.m16n8k16", {.machine = "sm_80", .type = name})) << name;
  }
  for (const char* name : {"bf16", "fp8", "e4m3", ""}) {
    EXPECT_EQ(form::find_instruction("v_mfma_f32_32x32x8f16", {.machine = "cdna2", .type = name})
                  .has_value(),
              std::string_view(name).empty())
        << name;
  }
}

TEST(ErrorText, instruction_operand) {
  EXPECT_EQ(refusal("instruction_layout(\"TDPBSSD\", \"E\")"),
            "error instruction.operand: TDPBSSD has no operand E; it has A, B, C");
}

}  // namespace
}  // namespace heddle
