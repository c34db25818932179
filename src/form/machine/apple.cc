// Apple's matrix instructions: simdgroup matrices of the GPU, and the AMX coprocessor of the CPU.

#include <fmt/format.h>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

// ---- The GPU ----

constexpr std::int64_t kSimdgroupLanes = 32;

/// A lane holds neighbours of a row; lanes alternate between columns and rows.
Fragment simdgroup_matrix8() {
  return {{"register", "lane"},
          {"row", "col"},
          {{"register", "col", 2},
           {"lane", "col", 2},
           {"lane", "row", 4},
           {"lane", "col", 2},
           {"lane", "row", 2}}};
}

Fragment simdgroup_matrix16() {
  return {{"register", "lane"},
          {"row", "col"},
          {{"register", "col", 4},
           {"lane", "col", 2},
           {"lane", "row", 4},
           {"lane", "col", 2},
           {"lane", "row", 2},
           {"register", "row", 2}}};
}

Instruction gpu_product(std::string_view name, std::string_view machine, std::int64_t size,
                        const Fragment& fragment, const std::string& type, int bits,
                        const std::string& source) {
  Instruction instruction{.name = std::string(name),
                          .machine = std::string(machine),
                          .shape = {size, size, size},
                          .lanes = kSimdgroupLanes,
                          .operands = {},
                          .source = source};
  for (const char* operand : {"A", "B", "C", "D"}) {
    instruction.operands.push_back({operand, type, bits, fragment});
  }
  return instruction;
}

void list_apple_gpu(InstructionListings& listings) {
  using Type = std::pair<const char*, int>;
  for (const auto& [type, bits] : {Type{"float", 32}, Type{"half", 16}, Type{"bfloat", 16}}) {
    listings.push_back({"simdgroup_matrix<T,8,8> (multiply_accumulate)", "apple-gpu",
                        kSimdgroupLanes, 0, [type, bits] {
                          return gpu_product("simdgroup_matrix<T,8,8> (multiply_accumulate)",
                                             "apple-gpu", 8, simdgroup_matrix8(), type, bits,
                                             "MLX, steel/attn/mma.h; tinygrad; Modular");
                        }});
    listings.push_back(
        {"simdgroup_matrix 16x16x16 (Metal 4, M5)", "apple-m5", kSimdgroupLanes, 0, [type, bits] {
           return gpu_product("simdgroup_matrix 16x16x16 (Metal 4, M5)", "apple-m5", 16,
                              simdgroup_matrix16(), type, bits, "MLX, steel/attn/nax.h; Modular");
         }});
  }
}

// ---- The coprocessor ----

/// An outer product of vectors of 64 bytes, added to every n-th row of Z, where n is the number of
/// bytes of an element: element (j, i) of the product with choice z is Z[j*n + z][i].
struct CoprocessorProduct {
  std::string_view name;
  std::string_view type;
  int bits = 32;
};

constexpr int kZRowBits = 512;
constexpr int kZByteBits = 8;

InstructionOperand vector_operand(const char* name, const char* dim, std::string_view type,
                                  int bits) {
  return {name, std::string(type),
          bits, Fragment({"element"}, {dim}, {{"element", dim, kZRowBits / bits}}),
          bits, "from any byte of the 512 bytes of all registers, which wrap around"};
}

Instruction cpu_instruction(std::string_view name, std::int64_t size,
                            std::vector<InstructionOperand> operands) {
  return {.name = std::string(name),
          .machine = "apple-amx",
          .shape = {size, size, 1},
          .operands = std::move(operands),
          .source = "corsix/amx, fma.md and mac16.md",
          .note = "row j comes from Y, column i from X; found out by experiment"};
}

Instruction coprocessor_product(const CoprocessorProduct& product) {
  const std::int64_t size = kZRowBits / product.bits;
  const std::int64_t choices = product.bits / kZByteBits;
  const std::string type(product.type);
  std::vector<InstructionOperand> operands = {
      vector_operand("Y", "row", type, product.bits),
      vector_operand("X", "col", type, product.bits),
      {"Z", type, product.bits,
       Fragment({"element", "z_row"}, {"zrow", "row", "col"},
                {{"element", "col", size}, {"z_row", "zrow", choices}, {"z_row", "row", size}})}};
  for (std::int64_t choice = 0; choice < choices; ++choice) {
    operands.push_back({fmt::format("Z[{}]", choice), type, product.bits,
                        Fragment({"element", "z_row"}, {"row", "col"},
                                 {{"element", "col", size},
                                  {"z_row", kUnused, choices, false, choice},
                                  {"z_row", "row", size}})});
  }
  return cpu_instruction(product.name, size, std::move(operands));
}

/// 16-bit factors and sums of 32 bits: even columns are in even rows of Z, odd ones in odd rows.
Instruction widening_product(std::string_view name, std::string_view type, std::string_view sum) {
  constexpr std::int64_t kSize = 32;
  return cpu_instruction(
      name, kSize,
      {vector_operand("Y", "row", type, 16),
       vector_operand("X", "col", type, 16),
       {"Z", std::string(sum), 32,
        Fragment({"element", "z_row"}, {"row", "col"},
                 {{"z_row", "col", 2}, {"element", "col", kSize / 2}, {"z_row", "row", kSize}})}});
}

void list_apple_coprocessor(InstructionListings& listings) {
  static const std::vector<CoprocessorProduct> products = {
      {"fma64 (matrix mode)", "f64", 64}, {"fma32 (matrix mode)", "f32", 32},
      {"fma16 (matrix mode)", "f16", 16}, {"fms64 (matrix mode)", "f64", 64},
      {"fms32 (matrix mode)", "f32", 32}, {"fms16 (matrix mode)", "f16", 16},
      {"mac16 (matrix mode)", "i16", 16},
  };
  for (const CoprocessorProduct& product : products) {
    listings.push_back({std::string(product.name), "apple-amx", 1, 0,
                        [&product] { return coprocessor_product(product); }});
  }
  using Widening = std::array<std::string_view, 3>;
  for (const auto& [name, type, sum] :
       {Widening{"fma16 (f16 to f32)", "f16", "f32"}, Widening{"fms16 (f16 to f32)", "f16", "f32"},
        Widening{"mac16 (i16 to i32)", "i16", "i32"}}) {
    listings.push_back({std::string(name), "apple-amx", 1, 0,
                        [name, type, sum] { return widening_product(name, type, sum); }});
  }
}

}  // namespace

void list_apple(InstructionListings& listings) {
  list_apple_gpu(listings);
  list_apple_coprocessor(listings);
}

}  // namespace heddle::form
