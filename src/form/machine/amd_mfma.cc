// AMD's matrix instructions of the CDNA machines: v_mfma_*, where 64 lanes compute one or more
// matrices, and v_smfmac_*, whose A holds 2 of every 4 elements along K.
//
// CDNA3 writes the blocks into the names and accepts the old names of what CDNA2 had. CDNA4 has all
// of CDNA3 but xf32.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/text.h"
#include "form/machine/amd_modifiers.h"
#include "form/machine/amd_names.h"
#include "form/machine/amd_rules.h"
#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr std::array<std::string_view, 4> kCdna = {"cdna1", "cdna2", "cdna3", "cdna4"};

/// The numbers of the first and the last machine that has it.
struct Mfma {
  int from;
  int to;
  std::string_view name;
};

// In the names of CDNA3; those of bf16 that CDNA3 no longer has are named in the same way here.
constexpr Mfma kDense[] = {
    {1, 4, "v_mfma_f32_32x32x1_2b_f32"},        {1, 4, "v_mfma_f32_16x16x1_4b_f32"},
    {1, 4, "v_mfma_f32_4x4x1_16b_f32"},         {1, 4, "v_mfma_f32_32x32x2_f32"},
    {1, 4, "v_mfma_f32_16x16x4_f32"},           {1, 4, "v_mfma_f32_32x32x4_2b_f16"},
    {1, 4, "v_mfma_f32_16x16x4_4b_f16"},        {1, 4, "v_mfma_f32_4x4x4_16b_f16"},
    {1, 4, "v_mfma_f32_32x32x8_f16"},           {1, 4, "v_mfma_f32_16x16x16_f16"},
    {1, 4, "v_mfma_i32_32x32x4_2b_i8"},         {1, 4, "v_mfma_i32_16x16x4_4b_i8"},
    {1, 4, "v_mfma_i32_4x4x4_16b_i8"},          {1, 2, "v_mfma_i32_32x32x8_i8"},
    {1, 2, "v_mfma_i32_16x16x16_i8"},           {1, 2, "v_mfma_f32_32x32x2_2b_bf16"},
    {1, 2, "v_mfma_f32_16x16x2_4b_bf16"},       {1, 2, "v_mfma_f32_4x4x2_16b_bf16"},
    {1, 2, "v_mfma_f32_32x32x4_bf16"},          {1, 2, "v_mfma_f32_16x16x8_bf16"},
    {2, 4, "v_mfma_f32_32x32x4_2b_bf16"},       {2, 4, "v_mfma_f32_16x16x4_4b_bf16"},
    {2, 4, "v_mfma_f32_4x4x4_16b_bf16"},        {2, 4, "v_mfma_f32_32x32x8_bf16"},
    {2, 4, "v_mfma_f32_16x16x16_bf16"},         {2, 4, "v_mfma_f64_16x16x4_f64"},
    {2, 4, "v_mfma_f64_4x4x4_4b_f64"},          {3, 4, "v_mfma_i32_32x32x16_i8"},
    {3, 4, "v_mfma_i32_16x16x32_i8"},           {3, 3, "v_mfma_f32_16x16x8_xf32"},
    {3, 3, "v_mfma_f32_32x32x4_xf32"},          {3, 4, "v_mfma_f32_16x16x32_bf8_bf8"},
    {3, 4, "v_mfma_f32_16x16x32_bf8_fp8"},      {3, 4, "v_mfma_f32_16x16x32_fp8_bf8"},
    {3, 4, "v_mfma_f32_16x16x32_fp8_fp8"},      {3, 4, "v_mfma_f32_32x32x16_bf8_bf8"},
    {3, 4, "v_mfma_f32_32x32x16_bf8_fp8"},      {3, 4, "v_mfma_f32_32x32x16_fp8_bf8"},
    {3, 4, "v_mfma_f32_32x32x16_fp8_fp8"},      {4, 4, "v_mfma_f32_16x16x32_f16"},
    {4, 4, "v_mfma_f32_32x32x16_f16"},          {4, 4, "v_mfma_f32_16x16x32_bf16"},
    {4, 4, "v_mfma_f32_32x32x16_bf16"},         {4, 4, "v_mfma_i32_16x16x64_i8"},
    {4, 4, "v_mfma_i32_32x32x32_i8"},           {4, 4, "v_mfma_f32_16x16x128_f8f6f4"},
    {4, 4, "v_mfma_f32_32x32x64_f8f6f4"},       {4, 4, "v_mfma_scale_f32_16x16x128_f8f6f4"},
    {4, 4, "v_mfma_scale_f32_32x32x64_f8f6f4"},
};

constexpr Mfma kSparse[] = {
    {3, 4, "v_smfmac_f32_16x16x32_f16"},      {3, 4, "v_smfmac_f32_32x32x16_f16"},
    {3, 4, "v_smfmac_f32_16x16x32_bf16"},     {3, 4, "v_smfmac_f32_32x32x16_bf16"},
    {3, 4, "v_smfmac_i32_16x16x64_i8"},       {3, 4, "v_smfmac_i32_32x32x32_i8"},
    {3, 4, "v_smfmac_f32_16x16x64_bf8_bf8"},  {3, 4, "v_smfmac_f32_16x16x64_bf8_fp8"},
    {3, 4, "v_smfmac_f32_16x16x64_fp8_bf8"},  {3, 4, "v_smfmac_f32_16x16x64_fp8_fp8"},
    {3, 4, "v_smfmac_f32_32x32x32_bf8_bf8"},  {3, 4, "v_smfmac_f32_32x32x32_bf8_fp8"},
    {3, 4, "v_smfmac_f32_32x32x32_fp8_bf8"},  {3, 4, "v_smfmac_f32_32x32x32_fp8_fp8"},
    {4, 4, "v_smfmac_f32_16x16x64_f16"},      {4, 4, "v_smfmac_f32_32x32x32_f16"},
    {4, 4, "v_smfmac_f32_16x16x64_bf16"},     {4, 4, "v_smfmac_f32_32x32x32_bf16"},
    {4, 4, "v_smfmac_i32_16x16x128_i8"},      {4, 4, "v_smfmac_i32_32x32x64_i8"},
    {4, 4, "v_smfmac_f32_16x16x128_bf8_bf8"}, {4, 4, "v_smfmac_f32_16x16x128_bf8_fp8"},
    {4, 4, "v_smfmac_f32_16x16x128_fp8_bf8"}, {4, 4, "v_smfmac_f32_16x16x128_fp8_fp8"},
    {4, 4, "v_smfmac_f32_32x32x64_bf8_bf8"},  {4, 4, "v_smfmac_f32_32x32x64_bf8_fp8"},
    {4, 4, "v_smfmac_f32_32x32x64_fp8_bf8"},  {4, 4, "v_smfmac_f32_32x32x64_fp8_fp8"},
};

bool is_fnuz(int machine) { return machine == 3; }

/// Elements along K that a lane holds.
std::int64_t mfma_run(const MatrixSizes& sizes) {
  return sizes.k * sizes.m * sizes.blocks / kMfmaLanes;
}

// ---- Names ----

/// The name before CDNA3: bf16 was given a second set of instructions, with 4 neighbours a lane.
std::string first_name(const Mfma& mfma) {
  const AmdName name = parse_amd_name(mfma.name);
  const bool second_set = name.types.back() == "bf16" && mfma_run(name.sizes) == 4;
  return old_amd_name(mfma.name) + (second_set ? "_1k" : "");
}

std::vector<std::string> names_of_dense(const Mfma& mfma, int machine) {
  if (machine < 3) return {first_name(mfma)};
  std::vector<std::string> names = {std::string(mfma.name)};
  const AmdName name = parse_amd_name(mfma.name);
  if (name.types.size() == 2 || name.types[0] == "f8f6f4") return names;
  names.push_back(old_amd_name(mfma.name));
  if (first_name(mfma) != names.back()) names.push_back(first_name(mfma));
  return names;
}

std::vector<std::string> names_of_sparse(const Mfma& mfma, int /*machine*/) {
  return {std::string(mfma.name), old_amd_name(mfma.name)};
}

// ---- Operands ----

/// Machines before CDNA4 are described by AMD's own program, CDNA4 by two compilers.
std::string source_of(int machine) {
  if (machine < 4) return "AMD Matrix Instruction Calculator 1.3.2";
  return "IREE (getSingleSubgroupLayout) and Triton 3.9.0, which agree";
}

/// BLGP is the sign of operands for f64, and CDNA3 has it for the instructions of fewest elements
/// only.
bool reads_other_lanes(const AmdName& name, int machine) {
  if (name.a.bits == 64) return false;
  return machine < 3 || name.types[0] == "f32" || name.sizes.blocks > 1;
}

void add_modifiers(Instruction& instruction, const AmdName& name, int machine) {
  if (name.types[0] == "f8f6f4") {
    instruction.modifiers = {"cbsz", "blgp"};
    instruction.modify = modify_formats;
    return;
  }
  if (name.sizes.blocks > 1 && name.a.bits != 64) instruction.modifiers = {"cbsz", "abid"};
  if (reads_other_lanes(name, machine)) instruction.modifiers.emplace_back("blgp");
  if (!instruction.modifiers.empty()) instruction.modify = modify_mfma;
}

void add_mfma_scales(Instruction& instruction, const AmdName& name) {
  constexpr AmdType kScale = {"e8m0", 8};
  MatrixSizes scales = name.sizes;
  scales.k /= name.scale;
  for (const auto& [operand_name, factor] :
       {std::pair{"SFA", Factor::kA}, std::pair{"SFB", Factor::kB}}) {
    instruction.operands.push_back(amd_operand(operand_name, kScale, mfma_factor(factor, scales)));
    InstructionOperand& added = instruction.operands.back();
    added.slot_bits = 32;
    added.note =
        fmt::format("one scale for {} along K, in the byte of the register that OPSEL chooses",
                    counted(name.scale, "element"));
  }
}

constexpr const char* kRunsOfF8f6f4 =
    "disputed for operands of 8 bits: 32 neighbours along K in a lane (IREE and Triton's layouts), "
    "or two runs of 16, the second in the other half of K (Composable Kernel, test/mx_mma_op, and "
    "a "
    "comment in Triton). The two differ by a permutation of k, so D is the same without scales";
constexpr const char* kBlocksOfIree =
    "IREE numbers the registers of D of 32 x 32 with two blocks in another order, the blocks "
    "before the groups of 8 rows; the lanes agree";

Instruction dense_mfma(const Mfma& mfma, int machine) {
  const AmdName name = parse_amd_name(mfma.name, is_fnuz(machine));
  const MatrixSizes& sizes = name.sizes;
  const Fragment accumulator = mfma_accumulator(sizes, name.d.bits);
  Instruction instruction = {
      .name = names_of_dense(mfma, machine).front(),
      .machine = std::string(kCdna[std::size_t(machine - 1)]),
      .shape = {sizes.m, sizes.n, sizes.k},
      .lanes = kMfmaLanes,
      .operands = {amd_operand("A", name.a, mfma_factor(Factor::kA, sizes)),
                   amd_operand("B", name.b, mfma_factor(Factor::kB, sizes)),
                   amd_operand("C", name.c, accumulator), amd_operand("D", name.d, accumulator)},
      .source = source_of(machine)};
  add_modifiers(instruction, name, machine);
  if (name.scale != 0) add_mfma_scales(instruction, name);
  if (name.types[0] == "f8f6f4") instruction.note = kRunsOfF8f6f4;
  if (sizes.m == 32 && sizes.blocks == 2) instruction.note = kBlocksOfIree;
  return instruction;
}

Instruction sparse_mfma(const Mfma& mfma, int machine) {
  const AmdName name = parse_amd_name(mfma.name, is_fnuz(machine));
  const MatrixSizes& sizes = name.sizes;
  MatrixSizes groups = sizes;
  groups.k /= kSparseGroup;
  const Fragment kept = mfma_factor(Factor::kA, groups, "kgroup");
  Instruction instruction = {
      .name = std::string(mfma.name),
      .machine = std::string(kCdna[std::size_t(machine - 1)]),
      .shape = {sizes.m, sizes.n, sizes.k},
      .lanes = kMfmaLanes,
      .operands = {sparse_operand(name.a, kept),
                   amd_operand("B", name.b, mfma_factor(Factor::kB, sizes)),
                   amd_operand("D", name.d, mfma_accumulator(sizes, name.d.bits)),
                   index_operand(kept)},
      .source = "AMD Matrix Instruction Calculator 1.3.2",
      .modifiers = {"abid"},
      .modify = modify_index};
  if (machine == 4) {
    instruction.note =
        "the rule of CDNA3 for the sizes of CDNA4; no source that states CDNA4's own is known";
  }
  return instruction;
}

template <class Names, class Make>
void list_mfma(InstructionListings& listings, const Mfma& mfma, const Names& names_of,
               const Make& make) {
  for (int machine = mfma.from; machine <= mfma.to; ++machine) {
    std::vector<std::string> names = names_of(mfma, machine);
    listings.push_back({.name = names.front(),
                        .machine = std::string(kCdna[std::size_t(machine - 1)]),
                        .lanes = kMfmaLanes,
                        .make = [&mfma, machine, make] { return make(mfma, machine); },
                        .is_passed_on = false,
                        .aliases = {names.begin() + 1, names.end()}});
  }
}

}  // namespace

void list_amd_mfma(InstructionListings& listings) {
  for (const Mfma& mfma : kDense) list_mfma(listings, mfma, names_of_dense, dense_mfma);
  for (const Mfma& mfma : kSparse) list_mfma(listings, mfma, names_of_sparse, sparse_mfma);
}

}  // namespace heddle::form
