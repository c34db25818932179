// Ascend's Cube unit multiplies fractals, 16 rows (columns) of 32 bytes along k: mmad. A is in L0A,
// row by row, B in L0B, column by column, C in L0C, row by row.

#include <fmt/format.h>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

struct Mmad {
  std::string_view type;
  int bits = 16;
  std::string_view sum;
};

Instruction instruction_of(const Mmad& mmad) {
  constexpr std::int64_t kFractal = 16;
  constexpr std::int64_t kFractalBits = 256;
  const std::int64_t k = kFractalBits / mmad.bits;
  const auto operand = [&](std::string_view along, std::int64_t size, std::string_view across,
                           const std::vector<std::string_view>& dims) {
    return Fragment({"element"}, dims, {{"element", along, size}, {"element", across, kFractal}});
  };
  const std::string type(mmad.type);
  return {.name = "mmad",
          .machine = "ascend910b",
          .shape = {kFractal, kFractal, k},
          .operands = {{"A", type, mmad.bits, operand("k", k, "row", {"row", "k"}), mmad.bits,
                        fmt::format("L0A, FRACTAL_ZZ: M1 x K1 fractals are "
                                    "((16,M1),({0},K1)):(({0},{1}*K1),(1,{1}))",
                                    k, kFractal * k)},
                       {"B", type, mmad.bits, operand("k", k, "col", {"k", "col"}), mmad.bits,
                        fmt::format("L0B, FRACTAL_ZN: K1 x N1 fractals are "
                                    "(({0},K1),(16,N1)):((1,{1}*N1),({0},{1}))",
                                    k, kFractal * k)},
                       {"C", std::string(mmad.sum), 32,
                        operand("col", kFractal, "row", {"row", "col"}), 32,
                        "L0C, FRACTAL_NZ: M1 x N1 fractals are "
                        "((16,M1),(16,N1)):((16,256),(1,256*M1))"}},
          .source = "CANN, Data Layout Formats",
          .note = "one fractal of each operand; architecture 3510 has FRACTAL_NZ in L0A"};
}

}  // namespace

void list_ascend(InstructionListings& listings) {
  static const std::vector<Mmad> rows = {{"half", 16, "float"},
                                         {"bfloat16", 16, "float"},
                                         {"float", 32, "float"},
                                         {"int8", 8, "int32"}};
  for (const Mmad& mmad : rows) {
    listings.push_back({"mmad", "ascend910b", 1, 0, [&mmad] { return instruction_of(mmad); }});
  }
}

}  // namespace heddle::form
