// AMD's matrix instructions of the RDNA machines and gfx1250: v_wmma_*, where a wave of 32 or 64
// lanes computes one matrix, and v_swmmac_*, whose A holds 2 of every 4 elements along K.

#include <algorithm>
#include <utility>

#include "form/machine/amd_modifiers.h"
#include "form/machine/amd_names.h"
#include "form/machine/amd_rules.h"
#include "form/machine/families.h"

namespace heddle::form {
namespace {

constexpr const char* kCalculator = "AMD Matrix Instruction Calculator 1.3.2";

struct WmmaMachine {
  std::string_view name;
  WmmaVersion version;
};
constexpr WmmaMachine kRdna3 = {"rdna3", WmmaVersion::kRdna3};
constexpr WmmaMachine kRdna4 = {"rdna4", WmmaVersion::kRdna4};
constexpr WmmaMachine kGfx1250 = {"gfx1250", WmmaVersion::kGfx1250};

constexpr std::string_view kOfRdna3[] = {
    "v_wmma_f32_16x16x16_f16",   "v_wmma_f32_16x16x16_bf16", "v_wmma_f16_16x16x16_f16",
    "v_wmma_bf16_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",  "v_wmma_i32_16x16x16_iu4",
};
constexpr std::string_view kOfRdna4[] = {
    "v_wmma_f32_16x16x16_f16",     "v_wmma_f32_16x16x16_bf16",    "v_wmma_f16_16x16x16_f16",
    "v_wmma_bf16_16x16x16_bf16",   "v_wmma_i32_16x16x16_iu8",     "v_wmma_i32_16x16x16_iu4",
    "v_wmma_f32_16x16x16_fp8_fp8", "v_wmma_f32_16x16x16_fp8_bf8", "v_wmma_f32_16x16x16_bf8_fp8",
    "v_wmma_f32_16x16x16_bf8_bf8", "v_wmma_i32_16x16x32_iu4",
};
constexpr std::string_view kSparseOfRdna4[] = {
    "v_swmmac_f32_16x16x32_f16",     "v_swmmac_f32_16x16x32_bf16",
    "v_swmmac_f16_16x16x32_f16",     "v_swmmac_bf16_16x16x32_bf16",
    "v_swmmac_i32_16x16x32_iu8",     "v_swmmac_i32_16x16x32_iu4",
    "v_swmmac_i32_16x16x64_iu4",     "v_swmmac_f32_16x16x32_fp8_fp8",
    "v_swmmac_f32_16x16x32_fp8_bf8", "v_swmmac_f32_16x16x32_bf8_fp8",
    "v_swmmac_f32_16x16x32_bf8_bf8",
};
constexpr std::string_view kOfGfx1250[] = {
    "v_wmma_f32_16x16x128_f8f6f4",
    "v_wmma_scale_f32_16x16x128_f8f6f4",
    "v_wmma_scale16_f32_16x16x128_f8f6f4",
    "v_wmma_f32_16x16x4_f32",
    "v_wmma_f32_16x16x32_f16",
    "v_wmma_f16_16x16x32_f16",
    "v_wmma_f32_16x16x32_bf16",
    "v_wmma_bf16_16x16x32_bf16",
    "v_wmma_bf16f32_16x16x32_bf16",
    "v_wmma_i32_16x16x64_iu8",
    "v_wmma_f32_16x16x64_fp8_fp8",
    "v_wmma_f32_16x16x64_fp8_bf8",
    "v_wmma_f32_16x16x64_bf8_fp8",
    "v_wmma_f32_16x16x64_bf8_bf8",
    "v_wmma_f16_16x16x64_fp8_fp8",
    "v_wmma_f16_16x16x64_fp8_bf8",
    "v_wmma_f16_16x16x64_bf8_fp8",
    "v_wmma_f16_16x16x64_bf8_bf8",
    "v_wmma_f32_16x16x128_fp8_fp8",
    "v_wmma_f32_16x16x128_fp8_bf8",
    "v_wmma_f32_16x16x128_bf8_fp8",
    "v_wmma_f32_16x16x128_bf8_bf8",
    "v_wmma_f16_16x16x128_fp8_fp8",
    "v_wmma_f16_16x16x128_fp8_bf8",
    "v_wmma_f16_16x16x128_bf8_fp8",
    "v_wmma_f16_16x16x128_bf8_bf8",
    "v_wmma_f32_32x16x128_f4",
    "v_wmma_scale_f32_32x16x128_f4",
    "v_wmma_scale16_f32_32x16x128_f4",
};

// ---- Operands ----

/// The element of K with which the second half of 16 lanes begins.
std::int64_t wmma_run(const WmmaMachine& machine, const AmdName& name) {
  const std::int64_t k = name.sizes.k;
  if (machine.version != WmmaVersion::kGfx1250) return name.a.bits == 16 ? k / 4 : k / 2;
  if (name.a.bits == 32) return k / 2;
  if (name.a.bits == 4) return 32;
  return name.a.bits == 8 && k == 128 ? 16 : 8;
}

/// A wave of 64 has more lanes than 16 rows of 16 elements of 4 bits need: LLVM and the calculator
/// say that the upper 32 lanes are ignored.
std::int64_t lanes_of_factor(const AmdType& type, std::int64_t held, std::int64_t lanes) {
  const bool too_few = type.bits == 4 && held == 16;
  return too_few ? std::min<std::int64_t>(lanes, 32) : lanes;
}

InstructionOperand wmma_factor_operand(const WmmaMachine& machine, Factor which,
                                       const AmdName& name, std::int64_t lanes) {
  const AmdType& type = which == Factor::kA ? name.a : name.b;
  const std::int64_t size = which == Factor::kA ? name.sizes.m : name.sizes.n;
  const std::int64_t k = name.sizes.k;
  const std::int64_t used =
      machine.version == WmmaVersion::kRdna3 ? lanes : lanes_of_factor(type, k, lanes);
  return amd_operand(which == Factor::kA ? "A" : "B", type,
                     wmma_factor(which, {machine.version, k, used, wmma_run(machine, name)}, size));
}

InstructionOperand wmma_accumulator_operand(const WmmaMachine& machine, std::string name,
                                            const AmdType& type, const MatrixSizes& sizes,
                                            std::int64_t lanes) {
  InstructionOperand made =
      amd_operand(std::move(name), type, wmma_accumulator(machine.version, lanes, sizes.m));
  if (machine.version == WmmaVersion::kRdna3 && type.bits == 16) {
    made.slot_bits = 32;
    made.note = "the lower halves of the registers, with opsel=4 the upper ones; the others stay";
  }
  return made;
}

// ---- Instructions ----

constexpr const char* kOrderOfRdna4 =
    "IREE and Triton give lanes 0 … 15 the elements k = 0 … 7 of A and B, not 0 … 3 and 8 … 11; A "
    "and B permute k alike, so D is the same";
constexpr const char* kOrderOfGfx1250 =
    "runs of neighbours along K alternate between the halves of 16 lanes, as Composable Kernel has "
    "it; IREE gives each half one run, Triton one of its kWidth. A and B permute k alike, so D is "
    "the same";
constexpr const char* kFormatsOfGfx1250 =
    "the formats are fp8; with matrix_a_fmt or matrix_b_fmt of 6 or 4 bits, runs of 32 neighbours "
    "alternate between the halves of 16 lanes (Composable Kernel)";

std::string wmma_note(const WmmaMachine& machine, const AmdName& name, std::int64_t lanes) {
  if (machine.version == WmmaVersion::kRdna4 && name.a.bits == 16 && lanes == 32) {
    return kOrderOfRdna4;
  }
  if (name.types[0] == "f8f6f4") return kFormatsOfGfx1250;
  if (machine.version == WmmaVersion::kGfx1250 && (name.a.bits == 16 || name.a.bits == 8)) {
    return kOrderOfGfx1250;
  }
  return {};
}

/// Four scales along K in a lane, 8 if they are for 16 elements each; B's 16 columns are read from
/// one half of the lanes, the lower one unless a modifier says the upper one.
void add_wmma_scales(Instruction& instruction, const AmdName& name) {
  const std::int64_t scales = name.sizes.k / name.scale;
  const auto add = [&](std::string operand_name, std::string_view across, std::string_view along,
                       std::int64_t size) {
    std::vector<std::string_view> dims = {across, along};
    if (operand_name == "SFB") std::swap(dims[0], dims[1]);
    instruction.operands.push_back(amd_operand(
        std::move(operand_name), {"e8m0", 8},
        {{"register", "lane"}, dims, {{"register", along, scales}, {"lane", across, size}}}));
  };
  add("SFA", "row", "col", name.sizes.m);
  add("SFB", "col", "row", name.sizes.n);
}

Instruction dense_wmma(const WmmaMachine& machine, std::string_view mnemonic, std::int64_t lanes) {
  const AmdName name = parse_amd_name(mnemonic);
  const MatrixSizes& sizes = name.sizes;
  Instruction instruction = {
      .name = std::string(mnemonic),
      .machine = std::string(machine.name),
      .shape = {sizes.m, sizes.n, sizes.k},
      .lanes = lanes,
      .operands = {wmma_factor_operand(machine, Factor::kA, name, lanes),
                   wmma_factor_operand(machine, Factor::kB, name, lanes),
                   wmma_accumulator_operand(machine, "C", name.c, sizes, lanes),
                   wmma_accumulator_operand(machine, "D", name.d, sizes, lanes)},
      .source = machine.version == WmmaVersion::kGfx1250
                    ? "Triton 3.9.0, IREE, Composable Kernel (test/mx_mma_op)"
                    : kCalculator,
      .note = wmma_note(machine, name, lanes)};
  if (machine.version == WmmaVersion::kRdna3 && name.d.bits == 16) {
    instruction.modifiers = {"opsel"};
    instruction.modify = modify_halves;
  }
  if (name.scale != 0) add_wmma_scales(instruction, name);
  return instruction;
}

Instruction sparse_wmma(const WmmaMachine& machine, std::string_view mnemonic, std::int64_t lanes) {
  const AmdName name = parse_amd_name(mnemonic);
  const MatrixSizes& sizes = name.sizes;
  const WmmaFactor groups = {machine.version, sizes.k / kSparseGroup,
                             lanes_of_factor(name.a, sizes.k * kSparseKept / kSparseGroup, lanes),
                             wmma_run(machine, name) / kSparseGroup};
  const Fragment kept = wmma_factor(Factor::kA, groups, sizes.m, "kgroup");
  return {.name = std::string(mnemonic),
          .machine = std::string(machine.name),
          .shape = {sizes.m, sizes.n, sizes.k},
          .lanes = lanes,
          .operands = {sparse_operand(name.a, kept),
                       wmma_factor_operand(machine, Factor::kB, name, lanes),
                       wmma_accumulator_operand(machine, "D", name.d, sizes, lanes),
                       index_operand(kept)},
          .source = kCalculator,
          .modifiers = {"opsel"},
          .modify = modify_index};
}

template <class Make>
void list_wmma(InstructionListings& listings, const WmmaMachine& machine, std::string_view mnemonic,
               const std::vector<std::int64_t>& waves, const Make& make) {
  for (const std::int64_t lanes : waves) {
    listings.push_back(
        {.name = std::string(mnemonic),
         .machine = std::string(machine.name),
         .lanes = lanes,
         .make = [&machine, mnemonic, lanes, make] { return make(machine, mnemonic, lanes); }});
  }
}

}  // namespace

void list_amd_wmma(InstructionListings& listings) {
  for (const std::string_view name : kOfRdna3)
    list_wmma(listings, kRdna3, name, {32, 64}, dense_wmma);
  for (const std::string_view name : kOfRdna4)
    list_wmma(listings, kRdna4, name, {32, 64}, dense_wmma);
  for (const std::string_view name : kSparseOfRdna4) {
    list_wmma(listings, kRdna4, name, {32, 64}, sparse_wmma);
  }
  for (const std::string_view name : kOfGfx1250)
    list_wmma(listings, kGfx1250, name, {32}, dense_wmma);
}

}  // namespace heddle::form
