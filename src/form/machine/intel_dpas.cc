// Intel's systolic products, dpas.<depth>x<repeat count>, in the registers of a subgroup.
//
// A matrix is stored row by row: if its rows have fewer columns than the subgroup has lanes, the
// lanes have several rows at once.
//
//   C with 32 lanes        lane 0 … lane 15       register 0
//   and 16 columns         lane 16 … lane 31      register 0
//                          lane 0 … lane 15       register 1
//                          …
//
// A has several neighbours of a row in one lane where a row is longer than 16, B all elements of a
// channel, which are neighbours along k.

#include "form/machine/intel_dpas.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "form/machine/families.h"

namespace heddle::form {
namespace {

/// `rows` of `columns`, of which a lane holds `packed` neighbours along `packed_dim`.
std::optional<Fragment> row_by_row(std::int64_t lanes, std::int64_t rows, std::int64_t columns,
                                   std::string_view packed_dim, std::int64_t packed) {
  if (lanes % columns != 0) return std::nullopt;
  const std::int64_t rows_of_lanes = lanes / columns;
  if (rows % rows_of_lanes != 0) return std::nullopt;
  return Fragment({"register", "lane"}, {"row", "col"},
                  {{"register", packed_dim, packed},
                   {"lane", "col", columns},
                   {"lane", "row", rows_of_lanes},
                   {"register", "row", rows / rows_of_lanes}});
}

}  // namespace

std::optional<Fragment> dpas_fragment(char operand, const DpasSizes& sizes) {
  const std::int64_t k = sizes.systolic_depth * sizes.ops_per_channel;
  switch (operand) {
    case 'A': {
      constexpr std::int64_t kMostLanes = 16;
      const std::int64_t packed = std::max<std::int64_t>(1, k / std::min(sizes.lanes, kMostLanes));
      return row_by_row(sizes.lanes, sizes.repeat_count, k / packed, "col", packed);
    }
    case 'B':
      return row_by_row(sizes.lanes, sizes.systolic_depth, sizes.execution_size, "row",
                        sizes.ops_per_channel);
    default:
      return row_by_row(sizes.lanes, sizes.repeat_count, sizes.execution_size, "row", 1);
  }
}

namespace {

constexpr std::int64_t kDpasDepth = 8;

struct DpasTypes {
  std::string_view factor;
  std::string_view sum;
  int bits = 16;
};

std::string note_of(std::string_view machine, const DpasSizes& sizes) {
  if (sizes.ops_per_channel == 1 && machine == "xe-hpg") {
    return "Triton's back end has these sizes; the DPAS of this machine has no tf32";
  }
  if (sizes.lanes == 8 && sizes.ops_per_channel > 1) {
    return "A as in OpenCL, 32 bits a lane; Triton's back end gives a row of A 16 lanes, which the "
           "subgroup does not have";
  }
  return "";
}

/// Without the operands that the subgroup cannot hold.
Instruction instruction_of(const std::string& name, std::string_view machine,
                           const DpasSizes& sizes, const DpasTypes& types) {
  Instruction instruction{.name = name,
                          .machine = std::string(machine),
                          .shape = {sizes.repeat_count, sizes.execution_size,
                                    sizes.systolic_depth * sizes.ops_per_channel},
                          .lanes = sizes.lanes,
                          .operands = {},
                          .source =
                              "Intel's back end of Triton, DPAS; OpenCL extension "
                              "cl_intel_subgroup_matrix_multiply_accumulate",
                          .note = note_of(machine, sizes)};
  for (const char operand : {'A', 'B', 'C', 'D'}) {
    const bool is_factor = operand < 'C';
    if (const auto fragment = dpas_fragment(operand, sizes)) {
      instruction.operands.push_back({std::string(1, operand),
                                      std::string(is_factor ? types.factor : types.sum),
                                      is_factor ? types.bits : 32, *fragment});
    }
  }
  return instruction;
}

struct XeGeneration {
  std::string_view machine;
  std::int64_t execution_size = 16;
  std::vector<std::int64_t> subgroups;
};

}  // namespace

void list_intel_dpas(InstructionListings& listings) {
  static const std::vector<XeGeneration> generations = {{"xe-hpg", 8, {8, 16, 32}},
                                                        {"xe-hpc", 16, {16, 32}}};
  static const std::vector<DpasTypes> all_types = {
      {"tf32", "f32", 32}, {"bf16", "f32", 16}, {"fp16", "f32", 16}, {"s8", "s32", 8},
      {"u8", "s32", 8},    {"s4", "s32", 4},    {"u4", "s32", 4}};
  constexpr std::int64_t kMostRepeats = 8;
  for (const XeGeneration& generation : generations) {
    for (const DpasTypes& types : all_types) {
      for (std::int64_t repeats = 1; repeats <= kMostRepeats; ++repeats) {
        for (const std::int64_t lanes : generation.subgroups) {
          const std::string name = fmt::format("dpas.{}x{}", kDpasDepth, repeats);
          const DpasSizes sizes{repeats, kDpasDepth, generation.execution_size, 32 / types.bits,
                                lanes};
          listings.push_back({name, std::string(generation.machine), lanes, 0,
                              [name, sizes, &types, machine = generation.machine] {
                                return instruction_of(name, machine, sizes, types);
                              }});
        }
      }
    }
  }
}

}  // namespace heddle::form
