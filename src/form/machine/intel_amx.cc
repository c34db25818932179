// Products of x86: AMX multiplies tiles of 16 rows of 64 bytes, AVX-512 the elements of registers.
//
//   A:    a row of the tile is a row of the matrix.
//   B:    a row of the tile has 4 bytes of each column: as many elements along k as fit (VNNI).
//   C, D: a row of the tile is a row of the matrix, 16 columns of 32 bits.

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr const char* kX86Source = "Intel Architecture Software Developer's Manual";
constexpr int kVnniBits = 32;
constexpr std::int64_t kX86Columns = 16;

struct X86Product {
  std::string_view name;
  std::string_view a_type;
  std::string_view b_type;
  int bits = 8;
  std::string_view c_type;
};

// ---- Tiles ----

constexpr std::int64_t kTileRows = 16;

std::vector<std::string_view> tile_places() { return {"byte_element", "tile_row"}; }

InstructionOperand accumulator_tile(std::string_view type) {
  return {"C", std::string(type), kVnniBits,
          Fragment(tile_places(), {"row", "col"},
                   {{"byte_element", "col", kX86Columns}, {"tile_row", "row", kTileRows}})};
}

Instruction tile_instruction(std::string_view name, std::int64_t k,
                             std::vector<InstructionOperand> operands) {
  return {.name = std::string(name),
          .machine = "x86-amx",
          .shape = {kTileRows, kX86Columns, k},
          .operands = std::move(operands),
          .source = std::string(kX86Source) + ", AMX",
          .note = "smaller tiles, set by LDTILECFG, keep the same places",
          .takes_smaller = true};
}

Instruction tile_product(const X86Product& product) {
  const std::int64_t group = kVnniBits / product.bits;
  const std::int64_t k = group * kX86Columns;
  const Fragment a(tile_places(), {"row", "k"},
                   {{"byte_element", "k", k}, {"tile_row", "row", kTileRows}});
  const Fragment b(tile_places(), {"k", "col"},
                   {{"byte_element", "k", group},
                    {"byte_element", "col", kX86Columns},
                    {"tile_row", "k", k / group}});
  return tile_instruction(product.name, k,
                          {{"A", std::string(product.a_type), product.bits, a},
                           {"B", std::string(product.b_type), product.bits, b},
                           accumulator_tile(product.c_type)});
}

/// Complex numbers of two halves, the real part first; the result is the real or the imaginary
/// part.
Instruction complex_tile_product(std::string_view name) {
  constexpr int kHalfBits = 16;
  const auto factor = [](std::string_view along, std::string_view across,
                         const std::vector<std::string_view>& dims) {
    return Fragment(tile_places(), dims,
                    {{"byte_element", "part", 2},
                     {"byte_element", along, kX86Columns},
                     {"tile_row", across, kTileRows}});
  };
  return tile_instruction(
      name, kTileRows,
      {{"A", "complex f16", kHalfBits, factor("k", "row", {"row", "k", "part"})},
       {"B", "complex f16", kHalfBits, factor("col", "k", {"k", "col", "part"})},
       accumulator_tile("f32")});
}

// ---- Registers ----

Instruction register_product(const X86Product& product) {
  const std::int64_t k = kVnniBits / product.bits;
  const Fragment factor({"element"}, {"k", "col"},
                        {{"element", "k", k}, {"element", "col", kX86Columns}});
  return {.name = std::string(product.name),
          .machine = "x86-avx512",
          .shape = {1, kX86Columns, k},
          .operands = {{"A", std::string(product.a_type), product.bits, factor},
                       {"B", std::string(product.b_type), product.bits, factor},
                       {"C", std::string(product.c_type), kVnniBits,
                        Fragment({"element"}, {"col"}, {{"element", "col", kX86Columns}})}},
          .source = std::string(kX86Source) + ", AVX-512",
          .note =
              "of 512 bits; shorter registers hold the first columns. Column n of the result "
              "adds the products of the elements of column n of both factors"};
}

}  // namespace

void list_intel_amx(InstructionListings& listings) {
  static const std::vector<X86Product> tiles = {
      {"TDPBSSD", "s8", "s8", 8, "s32"},          {"TDPBSUD", "s8", "u8", 8, "s32"},
      {"TDPBUSD", "u8", "s8", 8, "s32"},          {"TDPBUUD", "u8", "u8", 8, "u32"},
      {"TDPBF16PS", "bf16", "bf16", 16, "f32"},   {"TDPFP16PS", "f16", "f16", 16, "f32"},
      {"TDPBF8PS", "bf8", "bf8", 8, "f32"},       {"TDPBHF8PS", "bf8", "hf8", 8, "f32"},
      {"TDPHBF8PS", "hf8", "bf8", 8, "f32"},      {"TDPHF8PS", "hf8", "hf8", 8, "f32"},
      {"TMMULTF32PS", "tf32", "tf32", 32, "f32"},
  };
  static const std::vector<X86Product> registers = {
      {"VPDPBUSD", "u8", "s8", 8, "s32"},       {"VPDPBUSDS", "u8", "s8", 8, "s32"},
      {"VPDPBSSD", "s8", "s8", 8, "s32"},       {"VPDPBSSDS", "s8", "s8", 8, "s32"},
      {"VPDPBSUD", "s8", "u8", 8, "s32"},       {"VPDPBSUDS", "s8", "u8", 8, "s32"},
      {"VPDPBUUD", "u8", "u8", 8, "u32"},       {"VPDPBUUDS", "u8", "u8", 8, "u32"},
      {"VPDPWSSD", "s16", "s16", 16, "s32"},    {"VPDPWSSDS", "s16", "s16", 16, "s32"},
      {"VPDPWSUD", "s16", "u16", 16, "s32"},    {"VPDPWSUDS", "s16", "u16", 16, "s32"},
      {"VPDPWUSD", "u16", "s16", 16, "s32"},    {"VPDPWUSDS", "u16", "s16", 16, "s32"},
      {"VPDPWUUD", "u16", "u16", 16, "u32"},    {"VPDPWUUDS", "u16", "u16", 16, "u32"},
      {"VDPBF16PS", "bf16", "bf16", 16, "f32"}, {"VDPPHPS", "f16", "f16", 16, "f32"},
  };
  for (const X86Product& product : tiles) {
    listings.push_back(
        {std::string(product.name), "x86-amx", 1, 0, [&product] { return tile_product(product); }});
  }
  for (const std::string_view name : {"TCMMRLFP16PS", "TCMMIMFP16PS"}) {
    listings.push_back(
        {std::string(name), "x86-amx", 1, 0, [name] { return complex_tile_product(name); }});
  }
  for (const X86Product& product : registers) {
    listings.push_back({std::string(product.name), "x86-avx512", 1, 0,
                        [&product] { return register_product(product); }});
  }
}

}  // namespace heddle::form
