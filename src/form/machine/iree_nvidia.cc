// The intrinsics of IREE for NVIDIA's warps, NV_MMA_SYNC_F32_16x8x16_F16: a model of mma.sync whose
// registers of A go along K before they go along M. PTX has them the other way round, so that IREE
// transposes them in front of the instruction. B, C and D are those of PTX.
//
// Source: IREE, IREEGPUAttrs.cpp, getSingleSubgroupLayout().

#include <array>
#include <string>
#include <string_view>

#include "form/machine/families.h"
#include "form/machine/names.h"
#include "form/machine/nvidia_names.h"

namespace heddle::form {
namespace {

constexpr std::array<std::string_view, 5> kIntrinsics = {
    "NV_MMA_SYNC_F32_16x8x16_F16", "NV_MMA_SYNC_F16_16x8x16_F16", "NV_MMA_SYNC_F32_16x8x16_BF16",
    "NV_MMA_SYNC_F32_16x8x32_F8E4M3FN", "NV_MMA_SYNC_F32_16x8x32_F8E5M2"};

/// `F8E4M3FN` is e4m3.
NvidiaType type_in_intrinsic(std::string_view name) {
  if (name.starts_with("F8")) name.remove_prefix(2);
  return nvidia_type(name);
}

Instruction make_nvidia_of_iree(const std::string& name, const std::string& machine) {
  const std::vector<std::string_view> parts = split(name, '_');
  const auto [m, n, k] = nvidia_shape(parts[4]);
  const NvidiaType result = type_in_intrinsic(parts[3]);
  const NvidiaType factor = type_in_intrinsic(parts[5]);
  // A quad of lanes has a run of neighbours along K each, twice.
  const std::int64_t run = k / 8;
  const Fragment a = {{"register", "lane"},
                      {"row", "col"},
                      {{"register", "col", run},
                       {"lane", "col", 4},
                       {"register", "col", 2},
                       {"lane", "row", 8},
                       {"register", "row", 2}}};
  const Fragment b = {
      {"register", "lane"},
      {"row", "col"},
      {{"register", "row", run}, {"lane", "row", 4}, {"register", "row", 2}, {"lane", "col", 8}}};
  const Fragment d = {
      {"register", "lane"},
      {"row", "col"},
      {{"register", "col", 2}, {"lane", "col", 4}, {"lane", "row", 8}, {"register", "row", 2}}};
  return {.name = name,
          .machine = machine,
          .shape = {m, n, k},
          .lanes = 32,
          .operands = {nvidia_operand("A", factor, a), nvidia_operand("B", factor, b),
                       nvidia_operand("C", result, d), nvidia_operand("D", result, d)},
          .source = "IREE, getSingleSubgroupLayout()",
          .note =
              "of A, the registers along K come before those along M; PTX has them the other "
              "way round"};
}

}  // namespace

void list_iree_nvidia(InstructionListings& listings) {
  for (const std::string_view name : kIntrinsics) {
    const bool is_of_bytes = name.find("_F8") != std::string_view::npos;
    list_by_name(listings, std::string(name), is_of_bytes ? "sm_89" : "sm_80", 32, {},
                 make_nvidia_of_iree);
  }
}

}  // namespace heddle::form
