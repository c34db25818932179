// Names of instructions and of types, whatever is written: they are known or refused.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "heddle/form/instruction.h"
#include "support/random.h"
#include "support/refusal.h"

namespace heddle {
namespace {

using test::refusal;

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

TEST(InstructionNames, AreKnownOrRefused) {
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

}  // namespace
}  // namespace heddle
