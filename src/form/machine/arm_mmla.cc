// Arm's products of small matrices in vector registers: A is 2 x k, B is k x 2, C is 2 x 2, all in
// one segment of a vector. The k elements of a row of A, and of a column of B, are neighbours.

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::string_view kMmlaMachine = "arm-sve";

struct Mmla {
  std::string_view name;
  std::string_view a_type;
  std::string_view b_type;
  int bits = 8;
  std::string_view c_type;
  int c_bits = 32;
};

Instruction instruction_of(const Mmla& mmla) {
  constexpr std::int64_t kRows = 2;
  const std::int64_t segment = kRows * kRows * mmla.c_bits;
  const std::int64_t k = segment / (kRows * mmla.bits);
  const std::string c_type(mmla.c_type);
  const auto operand = [&](std::string_view across, std::string_view along, std::int64_t size,
                           const std::vector<std::string_view>& dims) {
    return Fragment({"element"}, dims, {{"element", along, size}, {"element", across, kRows}});
  };
  return {
      .name = std::string(mmla.name),
      .machine = std::string(kMmlaMachine),
      .shape = {kRows, kRows, k},
      .operands = {{"A", std::string(mmla.a_type), mmla.bits, operand("row", "k", k, {"row", "k"})},
                   {"B", std::string(mmla.b_type), mmla.bits, operand("col", "k", k, {"k", "col"})},
                   {"C", c_type, mmla.c_bits, operand("row", "col", kRows, {"row", "col"})}},
      .source = "Arm Architecture Reference Manual",
      .note = mmla.c_bits == 64 ? "one segment of 256 bits of each vector"
                                : "one segment of 128 bits of each vector"};
}

}  // namespace

void list_arm_mmla(InstructionListings& listings) {
  static const std::vector<Mmla> rows = {
      {"SMMLA", "s8", "s8", 8, "s32", 32},
      {"UMMLA", "u8", "u8", 8, "u32", 32},
      {"USMMLA", "u8", "s8", 8, "s32", 32},
      {"BFMMLA", "bf16", "bf16", 16, "f32", 32},
      {"FMMLA (single)", "f32", "f32", 32, "f32", 32},
      {"FMMLA (double)", "f64", "f64", 64, "f64", 64},
      {"FMMLA (half to single)", "f16", "f16", 16, "f32", 32},
      {"FMMLA (byte to single)", "f8", "f8", 8, "f32", 32},
  };
  for (const Mmla& mmla : rows) {
    listings.push_back({std::string(mmla.name), std::string(kMmlaMachine), 1, 0,
                        [&mmla] { return instruction_of(mmla); }});
  }
}

}  // namespace heddle::form
