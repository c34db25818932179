// AMD's matrix instructions of the CDNA machines, v_mfma_*: 64 lanes compute one or more matrices.
//
//   A: a lane holds neighbours along K of one row. Lanes go down the rows first, then through the
//      blocks (the instruction's several matrices), then along K.
//   D: groups of 4 rows (1 for 64-bit elements) follow each other in the registers of a lane. Lanes
//      go along the columns first, and then to the groups of rows below.

#include <algorithm>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kLanes = 64;
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

std::vector<std::string_view> dims_of(const Mfma& mfma) {
  if (mfma.blocks == 1) return {"row", "col"};
  return {"block", "row", "col"};
}

/// A or B: `along` is the dimension of K, `across` that of M or N.
Fragment factor(const Mfma& mfma, std::string_view across, std::string_view along,
                std::int64_t size) {
  const std::int64_t lanes_along = kLanes / (size * mfma.blocks);
  return {{"register", "lane"},
          dims_of(mfma),
          {{"register", along, mfma.shape[2] / lanes_along},
           {"lane", across, size},
           {"lane", "block", mfma.blocks},
           {"lane", along, lanes_along}}};
}

Fragment accumulator(const Mfma& mfma) {
  const auto [m, n, k] = mfma.shape;
  const std::int64_t group = mfma.d_bits == 64 ? 1 : 4;
  // Blocks of 4 x 4 fill the lanes, those of larger matrices the registers.
  const std::int64_t blocks_of_lanes = m == 4 ? mfma.blocks : 1;
  const std::int64_t groups_of_lanes = kLanes / (n * blocks_of_lanes);
  return {{"register", "lane"},
          dims_of(mfma),
          {{"register", "row", group},
           {"lane", "col", n},
           {"lane", "block", blocks_of_lanes},
           {"lane", "row", groups_of_lanes},
           {"register", "row", m / (group * groups_of_lanes)},
           {"register", "block", mfma.blocks / blocks_of_lanes}}};
}

Instruction instruction_of(const Mfma& mfma, std::string_view machine) {
  const auto [m, n, k] = mfma.shape;
  const std::string d_type(mfma.d_type);
  return {.name = std::string(mfma.name),
          .machine = std::string(machine),
          .shape = mfma.shape,
          .lanes = kLanes,
          .operands = {{"A", std::string(mfma.a_type), mfma.bits, factor(mfma, "row", "col", m)},
                       {"B", std::string(mfma.b_type), mfma.bits, factor(mfma, "col", "row", n)},
                       {"C", d_type, mfma.d_bits, accumulator(mfma)},
                       {"D", d_type, mfma.d_bits, accumulator(mfma)}},
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
      listings.push_back({std::string(row.mfma.name), std::string(machine), kLanes, 0,
                          [&mfma = row.mfma, machine] { return instruction_of(mfma, machine); }});
    }
  }
}

}  // namespace heddle::form
