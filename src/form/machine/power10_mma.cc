// POWER's matrix-multiply assist: outer products of vectors, added to an accumulator that stands
// for four vector registers, xv*ger*.
//
//   A, B: a vector runs through the rows (columns); the k elements that are multiplied with each
//         other are neighbours.
//   C:    one register for each row; in little-endian mode row i is in register 3 - i.

#include <fmt/format.h>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::string_view kPowerMachine = "power10";

struct Ger {
  std::string_view name;
  /// Of A and of B (they differ for xvi8ger4: signed and unsigned).
  std::string_view a_type;
  std::string_view b_type;
  int bits = 32;
  std::string_view c_type;
  int c_bits = 32;
  std::vector<std::string_view> suffixes;
};

Instruction instruction_of(const Ger& ger, const std::string& name) {
  constexpr std::int64_t kRows = 4;
  constexpr std::int64_t kPowerVectorBits = 128;
  const std::int64_t columns = kPowerVectorBits / ger.c_bits;
  const std::int64_t k = ger.c_bits / ger.bits;
  const auto factor = [&](std::string_view across, std::int64_t size,
                          const std::vector<std::string_view>& dims) {
    return Fragment({"element"}, dims, {{"element", "k", k}, {"element", across, size}});
  };
  const std::string pair_note =
      ger.c_bits == 64 ? "a pair of registers: the second one holds rows 0 and 1" : "";
  return {
      .name = name,
      .machine = std::string(kPowerMachine),
      .shape = {kRows, columns, k},
      .operands = {{"A", std::string(ger.a_type), ger.bits, factor("row", kRows, {"row", "k"}),
                    ger.bits, pair_note},
                   {"B", std::string(ger.b_type), ger.bits, factor("col", columns, {"k", "col"})},
                   {"C", std::string(ger.c_type), ger.c_bits,
                    Fragment({"element", "vsr"}, {"row", "col"},
                             {{"element", "col", columns}, {"vsr", "row", kRows, true}}),
                    ger.c_bits, "vsr 0 to 3 of the accumulator"}},
      .source = "Power ISA 3.1, Matrix-Multiply Assist",
      .note =
          "elements are numbered in the memory order of little-endian mode; in big-endian "
          "mode row i is in register i"};
}

}  // namespace

void list_power10_mma(InstructionListings& listings) {
  const std::vector<std::string_view> signs = {"", "pp", "pn", "np", "nn"};
  static const std::vector<Ger> rows = {
      {"xvi4ger8", "s4", "s4", 4, "s32", 32, {"", "pp"}},
      {"xvi8ger4", "s8", "u8", 8, "s32", 32, {"", "pp", "spp"}},
      {"xvi16ger2", "s16", "s16", 16, "s32", 32, {"", "s", "pp", "spp"}},
      {"xvf16ger2", "f16", "f16", 16, "f32", 32, signs},
      {"xvbf16ger2", "bf16", "bf16", 16, "f32", 32, signs},
      {"xvf32ger", "f32", "f32", 32, "f32", 32, signs},
      {"xvf64ger", "f64", "f64", 64, "f64", 64, signs},
  };
  for (const Ger& ger : rows) {
    for (const std::string_view prefix : {"", "pm"}) {
      for (const std::string_view suffix : ger.suffixes) {
        const std::string name = fmt::format("{}{}{}", prefix, ger.name, suffix);
        listings.push_back({name, std::string(kPowerMachine), 1, 0,
                            [&ger, name] { return instruction_of(ger, name); }});
      }
    }
  }
}

}  // namespace heddle::form
