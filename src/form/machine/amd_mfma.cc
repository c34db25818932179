// AMD's matrix instructions of the CDNA machines, v_mfma_*: 64 lanes compute one or more matrices.

#include "form/machine/amd_rules.h"
#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr const char* kSource = "AMD Matrix Instruction Calculator 1.3.2";

struct Mfma {
  std::string_view name;
  std::array<std::int64_t, 3> shape;
  std::int64_t blocks = 1;
  std::string_view a_type;
  std::string_view b_type;
  std::string_view d_type;
  int bits = 32;
  int d_bits = 32;
};

MatrixSizes sizes_of(const Mfma& mfma) {
  const auto [m, n, k] = mfma.shape;
  return {m, n, k, mfma.blocks};
}

Instruction instruction_of(const Mfma& mfma, std::string_view machine) {
  const MatrixSizes sizes = sizes_of(mfma);
  const std::string d_type(mfma.d_type);
  return {.name = std::string(mfma.name),
          .machine = std::string(machine),
          .shape = mfma.shape,
          .lanes = kMfmaLanes,
          .operands = {{"A", std::string(mfma.a_type), mfma.bits, mfma_factor(Factor::kA, sizes)},
                       {"B", std::string(mfma.b_type), mfma.bits, mfma_factor(Factor::kB, sizes)},
                       {"C", d_type, mfma.d_bits, mfma_accumulator(sizes, mfma.d_bits)},
                       {"D", d_type, mfma.d_bits, mfma_accumulator(sizes, mfma.d_bits)}},
          .source = kSource};
}

struct Row {
  std::vector<std::string_view> machines;
  Mfma mfma;
};

}  // namespace

void list_amd_mfma(InstructionListings& listings) {
  static const std::vector<Row> rows = {
      {{"cdna1", "cdna2"}, {"v_mfma_f32_32x32x8f16", {32, 32, 8}, 1, "fp16", "fp16", "fp32", 16}},
      {{"cdna1", "cdna2"}, {"v_mfma_f32_4x4x4f16", {4, 4, 4}, 16, "fp16", "fp16", "fp32", 16}},
  };
  for (const Row& row : rows) {
    for (const std::string_view machine : row.machines) {
      listings.push_back({std::string(row.mfma.name), std::string(machine), kMfmaLanes, 0,
                          [&mfma = row.mfma, machine] { return instruction_of(mfma, machine); }});
    }
  }
}

}  // namespace heddle::form
