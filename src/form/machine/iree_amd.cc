// The intrinsics of IREE for AMD's machines, as in #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>: a
// model of the same instructions, which has an order of k and of registers of its own.
//
//   A and B of WMMA   each half of the lanes has one run along K
//   A and B of RDNA3  in 16 lanes; that the others have copies is implied
//   D of 32 x 32      registers go through the blocks before the groups of 8 rows
//   scales            K is cut into blocks of 32, one scale each
//
// Since A and B permute k alike, D is that of the instruction. Source: IREE, IREEGPUAttrs.cpp,
// getSingleSubgroupLayout().

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "form/machine/amd_names.h"
#include "form/machine/amd_rules.h"
#include "form/machine/families.h"

namespace heddle::form {
namespace {

struct IreeIntrinsics {
  std::string_view machine;
  std::vector<std::string_view> names;
};

const std::vector<IreeIntrinsics>& iree_intrinsics() {
  static const std::vector<IreeIntrinsics> intrinsics = {
      {"cdna2",
       {"MFMA_I32_16x16x16_I8", "MFMA_I32_32x32x8_I8", "MFMA_F32_16x16x8_BF16",
        "MFMA_F32_32x32x4_BF16"}},
      {"cdna3", {"MFMA_F32_16x16x4_F32",         "MFMA_F32_16x16x16_F16",
                 "MFMA_F32_32x32x8_F16",         "MFMA_F64_16x16x4_F64",
                 "MFMA_F32_16x16x16_BF16",       "MFMA_F32_32x32x8_BF16",
                 "MFMA_F32_16x16x32_F8E5M2FNUZ", "MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ",
                 "MFMA_F32_16x16x32_F8E4M3FNUZ", "MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ",
                 "MFMA_F32_32x32x16_F8E5M2FNUZ", "MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ",
                 "MFMA_F32_32x32x16_F8E4M3FNUZ", "MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ",
                 "MFMA_I32_16x16x32_I8",         "MFMA_I32_32x32x16_I8",
                 "MFMA_F32_4x4x4x16B_F16",       "MFMA_F32_16x16x4x4B_F16",
                 "MFMA_F32_32x32x4x2B_F16",      "MFMA_F32_4x4x4x16B_BF16",
                 "MFMA_F32_16x16x4x4B_BF16",     "MFMA_F32_32x32x4x2B_BF16",
                 "MFMA_F32_4x4x1x16B_F32",       "MFMA_F32_16x16x1x4B_F32",
                 "MFMA_F32_32x32x1x2B_F32",      "MFMA_F64_4x4x4x4B_F64",
                 "MFMA_I32_4x4x4x16B_I8",        "MFMA_I32_16x16x4x4B_I8",
                 "MFMA_I32_32x32x4x2B_I8"}},
      {"cdna4", {"MFMA_F32_16x16x32_F16",       "MFMA_F32_32x32x16_F16",
                 "MFMA_F32_16x16x32_BF16",      "MFMA_F32_32x32x16_BF16",
                 "MFMA_F32_16x16x32_F8E5M2",    "MFMA_F32_16x16x32_F8E5M2_F8E4M3FN",
                 "MFMA_F32_16x16x32_F8E4M3FN",  "MFMA_F32_16x16x32_F8E4M3FN_F8E5M2",
                 "MFMA_F32_32x32x16_F8E5M2",    "MFMA_F32_32x32x16_F8E5M2_F8E4M3FN",
                 "MFMA_F32_32x32x16_F8E4M3FN",  "MFMA_F32_32x32x16_F8E4M3FN_F8E5M2",
                 "MFMA_F32_16x16x128_F8E5M2",   "MFMA_F32_16x16x128_F8E5M2_F8E4M3FN",
                 "MFMA_F32_16x16x128_F8E4M3FN", "MFMA_F32_16x16x128_F8E4M3FN_F8E5M2",
                 "MFMA_F32_32x32x64_F8E5M2",    "MFMA_F32_32x32x64_F8E5M2_F8E4M3FN",
                 "MFMA_F32_32x32x64_F8E4M3FN",  "MFMA_F32_32x32x64_F8E4M3FN_F8E5M2",
                 "MFMA_I32_16x16x64_I8",        "MFMA_I32_32x32x32_I8"}},
      {"rdna3",
       {"WMMAR3_F32_16x16x16_F16", "WMMAR3_F16_16x16x16_F16", "WMMAR3_F32_16x16x16_BF16",
        "WMMAR3_BF16_16x16x16_BF16", "WMMAR3_I32_16x16x16_I8"}},
      {"rdna4",
       {"WMMAR4_F32_16x16x16_F16", "WMMAR4_F16_16x16x16_F16", "WMMAR4_F32_16x16x16_BF16",
        "WMMAR4_BF16_16x16x16_BF16", "WMMAR4_F32_16x16x16_F8E5M2",
        "WMMAR4_F32_16x16x16_F8E5M2_F8E4M3FN", "WMMAR4_F32_16x16x16_F8E4M3FN",
        "WMMAR4_F32_16x16x16_F8E4M3FN_F8E5M2", "WMMAR4_I32_16x16x16_I8"}},
      {"gfx1250",
       {"WMMA_F32_16x16x4_F32",
        "WMMA_F32_16x16x32_F16",
        "WMMA_F32_16x16x32_BF16",
        "WMMA_F16_16x16x32_F16",
        "WMMA_BF16_16x16x32_BF16",
        "WMMA_F32_16x16x64_F8E4M3FN",
        "WMMA_F32_16x16x64_F8E4M3FN_F8E5M2",
        "WMMA_F32_16x16x64_F8E5M2",
        "WMMA_F32_16x16x64_F8E5M2_F8E4M3FN",
        "WMMA_F16_16x16x64_F8E4M3FN",
        "WMMA_F16_16x16x64_F8E4M3FN_F8E5M2",
        "WMMA_F16_16x16x64_F8E5M2",
        "WMMA_F16_16x16x64_F8E5M2_F8E4M3FN",
        "WMMA_I32_16x16x64_I8",
        "WMMA_F32_16x16x128_F8E5M2",
        "WMMA_F32_16x16x128_F8E5M2_F8E4M3FN",
        "WMMA_F32_16x16x128_F8E4M3FN",
        "WMMA_F32_16x16x128_F8E4M3FN_F8E5M2",
        "WMMA_F16_16x16x128_F8E5M2",
        "WMMA_F16_16x16x128_F8E5M2_F8E4M3FN",
        "WMMA_F16_16x16x128_F8E4M3FN",
        "WMMA_F16_16x16x128_F8E4M3FN_F8E5M2"}},
  };
  return intrinsics;
}

constexpr std::array<std::string_view, 2> kScaled = {"MFMA_SCALE_F32_16x16x128_B32",
                                                     "MFMA_SCALE_F32_32x32x64_B32"};
constexpr const char* kIree = "IREE, getSingleSubgroupLayout()";

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The sizes and types that the name says: those of a mnemonic with other names for 8-bit floats
/// (`FNUZ` are those of CDNA3) and for blocks.
AmdName parse_iree_name(std::string_view intrinsic) {
  using Renamed = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Renamed, 7> kRenamed = {{{"F8E5M2FNUZ", "BF8"},
                                                {"F8E4M3FNUZ", "FP8"},
                                                {"F8E4M3FN", "FP8"},
                                                {"F8E5M2", "BF8"},
                                                {"x2B_", "_2B_"},
                                                {"x4B_", "_4B_"},
                                                {"x16B_", "_16B_"}}};
  std::string name(intrinsic);
  for (const auto& [from, to] : kRenamed) name = replace_all(name, from, to);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_fnuz = intrinsic.find("FNUZ") != std::string_view::npos;
  AmdName parsed = parse_amd_name("v_" + name, is_fnuz);
  // They refer to the text, which ends here.
  parsed.types.clear();
  parsed.shape = {};
  parsed.blocks = {};
  return parsed;
}

InstructionOperand iree_factor(std::string_view machine, Factor factor, const AmdName& name) {
  const bool is_a = factor == Factor::kA;
  const auto held = [&]() -> Fragment {
    if (machine.starts_with("cdna")) return mfma_factor(factor, name.sizes);
    if (machine == "rdna3") return wmma_factor(factor, {WmmaVersion::kRdna3, name.sizes.k, 16, 0});
    return wmma_factor(factor, {WmmaVersion::kRdna4, name.sizes.k, 32, name.sizes.k / 2});
  };
  return amd_operand(is_a ? "A" : "B", is_a ? name.a : name.b, held());
}

Fragment iree_accumulator(std::string_view machine, const AmdName& name) {
  const MatrixSizes& sizes = name.sizes;
  if (machine == "rdna3") return wmma_accumulator(WmmaVersion::kRdna3, 32);
  if (!machine.starts_with("cdna")) return wmma_accumulator(WmmaVersion::kRdna4, 32);
  if (sizes.m != 32 || sizes.blocks == 1) return mfma_accumulator(sizes, name.d.bits);
  return {{"register", "lane"},
          {"block", "row", "col"},
          {{"register", "row", 4},
           {"lane", "col", sizes.n},
           {"lane", "row", kMfmaLanes / sizes.n},
           {"register", "block", sizes.blocks},
           {"register", "row", sizes.m * sizes.n / (4 * kMfmaLanes)}}};
}

Instruction make_iree(std::string_view machine, std::string_view intrinsic) {
  const AmdName name = parse_iree_name(intrinsic);
  const Fragment accumulator = iree_accumulator(machine, name);
  return {
      .name = std::string(intrinsic),
      .machine = std::string(machine),
      .shape = {name.sizes.m, name.sizes.n, name.sizes.k},
      .lanes = machine.starts_with("cdna") ? kMfmaLanes : 32,
      .operands = {iree_factor(machine, Factor::kA, name), iree_factor(machine, Factor::kB, name),
                   amd_operand("C", name.c, accumulator), amd_operand("D", name.d, accumulator)},
      .source = kIree};
}

/// K in blocks of 32; the scales have one element for a block.
Instruction make_scaled_iree(std::string_view intrinsic) {
  constexpr std::int64_t kBlock = 32;
  const std::int64_t m = intrinsic.find("_16x16x128_") == std::string_view::npos ? 32 : 16;
  const std::int64_t blocks = kMfmaLanes / m;
  const auto matrix = [&](std::string name, std::vector<std::string_view> dims,
                          std::string_view across) -> InstructionOperand {
    return {std::move(name),
            "fp4",
            4,
            {{"register", "lane"},
             std::move(dims),
             {{"register", "k", kBlock}, {"lane", across, m}, {"lane", "kblock", blocks}}}};
  };
  const auto scales = [&](std::string name, Factor factor) -> InstructionOperand {
    return {std::move(name), "e8m0", 8, mfma_factor(factor, {m, m, blocks})};
  };
  const Fragment accumulator = mfma_accumulator({m, m, blocks * kBlock});
  return {.name = std::string(intrinsic),
          .machine = "cdna4",
          .shape = {m, m, blocks * kBlock},
          .lanes = kMfmaLanes,
          .operands = {matrix("A", {"row", "kblock", "k"}, "row"),
                       matrix("B", {"kblock", "k", "col"}, "col"),
                       scales("A_scale", Factor::kA),
                       scales("B_scale", Factor::kB),
                       {"C", "fp32", 32, accumulator},
                       {"D", "fp32", 32, accumulator}},
          .source = kIree,
          .note = "for operands of 8, 6 and 4 bits alike"};
}

}  // namespace

void list_iree_amd(InstructionListings& listings) {
  for (const auto& [machine, names] : iree_intrinsics()) {
    for (const std::string_view name : names) {
      listings.push_back({.name = std::string(name),
                          .machine = std::string(machine),
                          .lanes = machine.starts_with("cdna") ? kMfmaLanes : 32,
                          .make = [machine, name] { return make_iree(machine, name); },
                          .is_passed_on = name.find("FNUZ") == std::string_view::npos});
    }
  }
  for (const std::string_view name : kScaled) {
    listings.push_back(
        {.name = std::string(name), .machine = "cdna4", .lanes = kMfmaLanes, .make = [name] {
           return make_scaled_iree(name);
         }});
  }
}

}  // namespace heddle::form
