// Arm's scalable matrix extension: outer products of two vectors of SVL bits, added to a tile of
// ZA.
//
//   A, B: the vector runs through the rows (columns); each holds the k elements that are multiplied
//         with each other next to one another.
//   C:    ZA is a square of SVL/8 vectors. A tile of n-byte elements has every n-th vector: row r
//   of
//         tile t is vector n*r + t.

#include <fmt/format.h>

#include <bit>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::string_view kSmeMachine = "arm-sme";
constexpr std::array<std::int64_t, 5> kSmeVectorBits = {128, 256, 512, 1024, 2048};
constexpr const char* kSmeSource = "Arm Architecture Reference Manual, SME";
constexpr int kSmeByteBits = 8;

/// The places of the tiles of ZA whose elements have this many bits.
Fragment all_za_tiles(std::int64_t rows, std::int64_t tiles) {
  return {{"element", "za_vector"},
          {"tile", "row", "col"},
          {{"element", "col", rows}, {"za_vector", "tile", tiles}, {"za_vector", "row", rows}}};
}

Fragment one_za_tile(std::int64_t rows, std::int64_t tiles, std::int64_t tile) {
  return {{"element", "za_vector"},
          {"row", "col"},
          {{"element", "col", rows},
           {"za_vector", kUnused, tiles, false, tile},
           {"za_vector", "row", rows}}};
}

/// `C` for all tiles, then each tile by its name, `ZA0.S`.
void add_za_tiles(std::vector<InstructionOperand>& operands, const std::string& name,
                  const std::string& type, int bits, std::int64_t vector_bits) {
  const std::int64_t tiles = bits / kSmeByteBits;
  const std::int64_t rows = vector_bits / bits;
  operands.push_back({name, type, bits, all_za_tiles(rows, tiles), bits,
                      fmt::format("row r of tile t is ZA vector {}*r + t", tiles)});
  const char letter = "BHSDQ"[std::bit_width(static_cast<unsigned>(tiles)) - 1];
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    operands.push_back(
        {fmt::format("ZA{}.{}", tile, letter), type, bits, one_za_tile(rows, tiles, tile)});
  }
}

// ---- Outer products ----

struct SmeProduct {
  std::string_view name;
  std::string_view a_type;
  std::string_view b_type;
  int bits = 32;
  std::string_view c_type;
  int c_bits = 32;
};

Instruction instruction_of(const SmeProduct& product, std::int64_t vector_bits) {
  const std::int64_t n = vector_bits / product.c_bits;
  const std::int64_t k = product.c_bits / product.bits;
  const auto factor = [&](std::string_view across, const std::vector<std::string_view>& dims) {
    return Fragment({"element"}, dims, {{"element", "k", k}, {"element", across, n}});
  };
  Instruction instruction{
      .name = std::string(product.name),
      .machine = std::string(kSmeMachine),
      .shape = {n, n, k},
      .vector_bits = vector_bits,
      .operands = {{"A", std::string(product.a_type), product.bits, factor("row", {"row", "k"})},
                   {"B", std::string(product.b_type), product.bits, factor("col", {"k", "col"})}},
      .source = kSmeSource};
  add_za_tiles(instruction.operands, "C", std::string(product.c_type), product.c_bits, vector_bits);
  return instruction;
}

const std::vector<SmeProduct>& sme_products() {
  static const std::vector<SmeProduct> products = {
      {"FMOPA (single)", "f32", "f32", 32, "f32", 32},
      {"FMOPA (double)", "f64", "f64", 64, "f64", 64},
      {"FMOPA (half to single)", "f16", "f16", 16, "f32", 32},
      {"FMOPA (half)", "f16", "f16", 16, "f16", 16},
      {"FMOPA (byte to single)", "f8", "f8", 8, "f32", 32},
      {"FMOPA (byte to half)", "f8", "f8", 8, "f16", 16},
      {"BFMOPA", "bf16", "bf16", 16, "f32", 32},
      {"BFMOPA (non-widening)", "bf16", "bf16", 16, "bf16", 16},
      {"BMOPA", "b1", "b1", 1, "s32", 32},
      {"SMOPA (byte to word)", "s8", "s8", 8, "s32", 32},
      {"UMOPA (byte to word)", "u8", "u8", 8, "u32", 32},
      {"SUMOPA (byte to word)", "s8", "u8", 8, "s32", 32},
      {"USMOPA (byte to word)", "u8", "s8", 8, "s32", 32},
      {"SMOPA (half to double)", "s16", "s16", 16, "s64", 64},
      {"UMOPA (half to double)", "u16", "u16", 16, "u64", 64},
      {"SUMOPA (half to double)", "s16", "u16", 16, "s64", 64},
      {"USMOPA (half to double)", "u16", "s16", 16, "s64", 64},
      {"SMOPA (half to word)", "s16", "s16", 16, "s32", 32},
      {"UMOPA (half to word)", "u16", "u16", 16, "u32", 32},
      {"FMOPS (single)", "f32", "f32", 32, "f32", 32},
      {"FMOPS (double)", "f64", "f64", 64, "f64", 64},
      {"FMOPS (half to single)", "f16", "f16", 16, "f32", 32},
      {"FMOPS (half)", "f16", "f16", 16, "f16", 16},
      {"BFMOPS", "bf16", "bf16", 16, "f32", 32},
      {"BFMOPS (non-widening)", "bf16", "bf16", 16, "bf16", 16},
      {"BMOPS", "b1", "b1", 1, "s32", 32},
      {"SMOPS (byte to word)", "s8", "s8", 8, "s32", 32},
      {"UMOPS (byte to word)", "u8", "u8", 8, "u32", 32},
      {"SUMOPS (byte to word)", "s8", "u8", 8, "s32", 32},
      {"USMOPS (byte to word)", "u8", "s8", 8, "s32", 32},
      {"SMOPS (half to double)", "s16", "s16", 16, "s64", 64},
      {"UMOPS (half to double)", "u16", "u16", 16, "u64", 64},
      {"SUMOPS (half to double)", "s16", "u16", 16, "s64", 64},
      {"USMOPS (half to double)", "u16", "s16", 16, "s64", 64},
      {"SMOPS (half to word)", "s16", "s16", 16, "s32", 32},
      {"UMOPS (half to word)", "u16", "u16", 16, "u32", 32},
  };
  return products;
}

// ---- Slices of tiles ----

/// Moves between a vector and one row (a horizontal slice) or one column (a vertical one) of a
/// tile.
Instruction za_move_of(std::string_view name, std::string_view type, int bits,
                       std::int64_t vector_bits) {
  const std::int64_t n = vector_bits / bits;
  const std::string letter(type);
  const auto slices = [&](std::string_view along, std::string_view across) {
    return Fragment({"element", "slice"}, {"row", "col"},
                    {{"element", along, n}, {"slice", across, n}});
  };
  Instruction instruction{.name = std::string(name),
                          .machine = std::string(kSmeMachine),
                          .shape = {n, n, 1},
                          .vector_bits = vector_bits,
                          .operands = {{"horizontal", letter, bits, slices("col", "row")},
                                       {"vertical", letter, bits, slices("row", "col")}},
                          .source = kSmeSource,
                          .note =
                              "horizontal and vertical: what each element of the vector is for "
                              "each number of the slice"};
  add_za_tiles(instruction.operands, "ZA", letter, bits, vector_bits);
  return instruction;
}

}  // namespace

void list_arm_sme(InstructionListings& listings) {
  for (const std::int64_t vector_bits : kSmeVectorBits) {
    for (const SmeProduct& product : sme_products()) {
      listings.push_back(
          {std::string(product.name), std::string(kSmeMachine), 1, vector_bits,
           [&product, vector_bits] { return instruction_of(product, vector_bits); }});
    }
    for (const std::string_view name :
         {"MOVA (vector to tile slice)", "MOVA (tile slice to vector)"}) {
      for (int bits = kSmeByteBits; bits <= 128; bits *= 2) {
        const std::string_view type =
            std::string_view("BHSDQ").substr(std::bit_width(static_cast<unsigned>(bits)) - 4, 1);
        listings.push_back({std::string(name), std::string(kSmeMachine), 1, vector_bits,
                            [=] { return za_move_of(name, type, bits, vector_bits); }});
      }
    }
  }
}

}  // namespace heddle::form
