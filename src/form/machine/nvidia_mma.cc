// NVIDIA's matrix instructions of one warp, mma.sync and mma.sp, and of fewer threads: Volta's, in
// which 8 lanes of a quad pair multiply, and products of one thread.
//
// CuTe's names first; PTX's where CuTe has no atom, or names an older instruction as a newer one's.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "form/machine/families.h"
#include "form/machine/names.h"
#include "form/machine/nvidia_names.h"
#include "form/machine/nvidia_rules.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kQuadPair = 8;

constexpr std::string_view kWarpNames[] = {
    "SM75_16x8x8_{F16F16F16F16,F32F16F16F32}_TN",
    "SM75_8x8x16_S32S8S8S32_TN",
    "SM80_16x8x{8,16}_{F16F16F16F16,F32F16F16F32,F32BF16BF16F32}_TN",
    "SM80_8x8x4_{F64F64F64F64,C64C64C64C64,GC64C64C64GC64}_TN",
    "SM80_16x8x{4,8}_F32TF32TF32F32_TN",
    "SM80_{8x8x16,16x8x16,16x8x32}_S32{S8,U8}{S8,U8}S32_TN{,_SATURATE}",
    "SM80_{8x8x32,16x8x32,16x8x64}_S32{S4,U4}{S4,U4}S32_TN{,_SATURATE}",
    "SM80_{8x8x128,16x8x128,16x8x256}_S32U1U1S32_TN_{XORPOPC,ANDPOPC}",
    "SM89_16x8x32_F32{E4M3,E5M2}{E4M3,E5M2}F32_TN",
    "SM89_16x8x32_F16{E4M3,E5M2}{E4M3,E5M2}F16_TN",
    "SM90_16x8x{4,8,16}_{F64F64F64F64,C64C64C64C64}_TN",
};

struct PtxNames {
  std::string_view machine;
  std::string_view pattern;
};
constexpr PtxNames kPtxNames[] = {
    {"sm_75", "mma.sync.aligned.m8n8k16.row.col{,.satfinite}.s32.{s8,u8}.{s8,u8}.s32"},
    {"sm_75", "mma.sync.aligned.m8n8k32.row.col{,.satfinite}.s32.{s4,u4}.{s4,u4}.s32"},
    {"sm_75", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc"},
    {"sm_89", "mma.sync.aligned.m16n8k16.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32"},
    {"sm_89", "mma.sync.aligned.m16n8k16.row.col.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16"},
    {"sm_80", "mma.sp.sync.aligned.m16n8k{16,32}.row.col.{f16.f16.f16.f16,f32.f16.f16.f32}"},
    {"sm_80", "mma.sp.sync.aligned.m16n8k{16,32}.row.col.f32.bf16.bf16.f32"},
    {"sm_80", "mma.sp.sync.aligned.m16n8k{8,16}.row.col.f32.tf32.tf32.f32"},
    {"sm_80", "mma.sp.sync.aligned.m16n8k{32,64}.row.col{,.satfinite}.s32.{s8,u8}.{s8,u8}.s32"},
    {"sm_80", "mma.sp.sync.aligned.m16n8k{64,128}.row.col{,.satfinite}.s32.{s4,u4}.{s4,u4}.s32"},
    {"sm_89", "mma.sp.sync.aligned.m16n8k64.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32"},
    {"sm_89", "mma.sp.sync.aligned.m16n8k64.row.col.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16"},
};

/// The types of SM120 are arguments: A, B and C, then those of the scale factors and how many
/// elements along K share one.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): one name takes two lines
constexpr std::string_view kBlackwellNames[] = {
    "SM120_16x8x32_TN<{e4m3,e5m2,e3m2,e2m3,e2m1},{e4m3,e5m2,e3m2,e2m3,e2m1},{float,half}>",
    "SM120_16x8x32_TN_VS<{e4m3,e5m2,e3m2,e2m3,e2m1},{e4m3,e5m2,e3m2,e2m3,e2m1},float,ue8m0,32>",
    "SM120_16x8x64_TN_VS<e2m1,e2m1,float,ue8m0,{32,16}>",
    "SM120_16x8x64_TN_VS<e2m1,e2m1,float,ue4m3,16>",
    "SM120_SPARSE_16x8x64_TN<{e4m3,e5m2,e3m2,e2m3,e2m1},{e4m3,e5m2,e3m2,e2m3,e2m1},{float,half}>",
    "SM120_SPARSE_16x8x64_TN_VS<{e4m3,e5m2,e3m2,e2m3,e2m1},{e4m3,e5m2,e3m2,e2m3,e2m1},float,ue8m0,"
    "64>",
    "SM120_SPARSE_16x8x128_TN_VS<e2m1,e2m1,float,ue8m0,{64,32}>",
    "SM120_SPARSE_16x8x128_TN_VS<e2m1,e2m1,float,ue4m3,32>",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

constexpr std::string_view kVoltaNames = "SM70_8x8x4_{F16F16F16F16,F32F16F16F32}_{TN,NT,NN,TT}";

/// D, A, B and C, and what the operation does with the sum: `satfinite`, `xor.popc`.
struct WarpMma {
  std::array<std::int64_t, 3> shape{};
  std::vector<NvidiaType> types = {};
  /// Whether A is stored row by row and B column by column.
  bool is_row = true;
  bool is_col = true;
  bool saturates = false;
  std::string_view operation = {};
};

WarpMma mma_of_cute(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, '_');
  const std::string_view last = parts.back();
  return {.shape = nvidia_shape(parts[1]),
          .types = nvidia_types(parts[2]),
          .is_row = parts[3][0] == 'T',
          .is_col = parts[3][1] == 'N',
          .saturates = last == "SATURATE",
          .operation = last == "XORPOPC" ? ".xor.popc" : (last == "ANDPOPC" ? ".and.popc" : "")};
}

/// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`; none for complex numbers, which are several
/// instructions.
std::vector<std::string> ptx_names(const WarpMma& mma) {
  if (mma.types[1].bits > 64) return {};
  const std::string shape = ptx_shape(mma.shape);
  return {
      fmt::format("mma.sync.aligned.{}.{}.{}{}.{}.{}.{}.{}{}", shape, mma.is_row ? "row" : "col",
                  mma.is_col ? "col" : "row", mma.saturates ? ".satfinite" : "", mma.types[0].name,
                  mma.types[1].name, mma.types[2].name, mma.types[3].name, mma.operation),
      fmt::format("mma.sync.{}", shape)};
}

/// What documents say differently, or print wrongly.
std::string note_of(const WarpMma& mma) {
  const auto& [m, n, k] = mma.shape;
  const std::string_view type = mma.types[1].name;
  if (type == "b1" && m == 16 && k == 128) {
    return "CuTe's traits give A a stride, ((16,8)), that is not congruent to its shape, (32,2); "
           "this is PTX's layout";
  }
  if (type == "b1" && k == 256) {
    return "PTX's manual prints the column of A as (threadID_in_group * 32) + i for i < 64, which "
           "leaves the row; i & 0x1F is meant";
  }
  if (mma.types[1].bits == 4 && m == 16 && k == 32) {
    return "CuTe's earlier releases give B the stride 32 of 8-bit elements, which does not reach "
           "all of K";
  }
  if (mma.types[1].bits == 16 && k == 16) {
    return "IREE lists the registers of A in another order and reorders them; PTX's manual prints "
           "the registers of C as c0, c1, c1, c2";
  }
  return "";
}

Instruction instruction_of(const std::string& name, const std::string& machine,
                           const std::array<std::int64_t, 3>& shape, std::int64_t lanes) {
  return {.name = name,
          .machine = machine,
          .shape = shape,
          .lanes = lanes,
          .operands = {},
          .source = "PTX ISA 9.0; CuTe, mma_traits"};
}

Fragment warp_accumulator(const std::array<std::int64_t, 3>& shape) {
  return core_fragment(Factor::kA, {.across = shape[0], .along = shape[1]});
}

Fragment warp_b(const std::array<std::int64_t, 3>& shape, int bits) {
  return core_fragment(Factor::kB, {.across = shape[1], .along = shape[2], .run = run_of(bits)});
}

Instruction warp_mma(const std::string& name, const std::string& machine, const WarpMma& mma) {
  const auto& [d, a, b, c] = std::tie(mma.types[0], mma.types[1], mma.types[2], mma.types[3]);
  Instruction made = instruction_of(name, machine, mma.shape, kWarp);
  made.note = note_of(mma);
  made.operands = {nvidia_operand("A", a,
                                  core_fragment(Factor::kA, {.across = mma.shape[0],
                                                             .along = mma.shape[2],
                                                             .run = run_of(a.bits)})),
                   nvidia_operand("B", b, warp_b(mma.shape, b.bits)),
                   nvidia_operand("C", c, warp_accumulator(mma.shape)),
                   nvidia_operand("D", d, warp_accumulator(mma.shape))};
  return made;
}

Instruction warp_mma_of_cute(const std::string& name, const std::string& machine) {
  return warp_mma(name, machine, mma_of_cute(name));
}

// ---- PTX's names ----

/// A holds half of the elements of each span along K: those that fill 32 bits.
Instruction sparse_mma(Instruction made, const std::vector<NvidiaType>& types) {
  const NvidiaType& a = types[1];
  const std::int64_t kept = run_of(a.bits);
  const std::int64_t span = 2 * kept;
  made.operands = {
      nvidia_operand(
          "A", a,
          core_fragment(
              Factor::kA,
              {.across = made.shape[0], .along = made.shape[2] / span, .run = 1, .kept = kept},
              "kspan")),
      nvidia_operand("B", types[2], warp_b(made.shape, types[2].bits)),
      nvidia_operand("C", types[3], warp_accumulator(made.shape)),
      nvidia_operand("D", types[0], warp_accumulator(made.shape)),
      sparse_index(a.bits, made.shape[2], 1)};
  made.operands.front().note = fmt::format(
      "the {} kept of the elements k = {}*kspan … {}*kspan + {}, in {} neighbouring "
      "registers",
      kept, span, span, span - 1, kept);
  return made;
}

Instruction mma_of_ptx(const std::string& name, const std::string& machine) {
  const std::vector<std::string_view> parts = split(name, '.');
  const bool is_sparse = parts[1] == "sp";
  const std::size_t at = is_sparse ? 4 : 3;
  const bool saturates = parts[at + 3] == "satfinite";
  WarpMma mma{.shape = nvidia_shape(parts[at])};
  for (std::size_t i = 0; i < 4; ++i) {
    mma.types.push_back(nvidia_type(parts[at + (saturates ? 4 : 3) + i]));
  }
  if (!is_sparse) return warp_mma(name, machine, mma);
  return sparse_mma(instruction_of(name, machine, mma.shape, kWarp), mma.types);
}

// ---- SM120 ----

/// What the name of an instruction of SM120 says.
struct BlackwellMma {
  std::array<std::int64_t, 3> shape{};
  bool is_sparse = false;
  /// A, B, C and the scale factors.
  std::vector<NvidiaType> types = {};
  /// Elements along K that share a scale factor; 0 without scales.
  std::int64_t vector = 0;

  /// Bits that an element of A or B occupies, whatever its type.
  [[nodiscard]] int container() const { return shape[2] == (is_sparse ? 128 : 64) ? 4 : 8; }
};

BlackwellMma mma_of_arguments(std::string_view name) {
  const std::size_t open = name.find('<');
  const std::vector<std::string_view> parts = split(name.substr(0, open), '_');
  std::vector<std::string_view> arguments =
      split(name.substr(open + 1, name.size() - open - 2), ',');
  BlackwellMma mma;
  mma.is_sparse = parts[1] == "SPARSE";
  mma.shape = nvidia_shape(parts[mma.is_sparse ? 2 : 1]);
  if (parts.back() == "VS") {
    mma.vector = number(arguments.back());
    arguments.pop_back();
  }
  for (const std::string_view argument : arguments) mma.types.push_back(nvidia_type(argument));
  return mma;
}

std::vector<std::string> ptx_names(const BlackwellMma& mma) {
  std::string kind = "kind::f8f6f4";
  if (mma.vector != 0) {
    const std::int64_t scales = mma.shape[2] / mma.vector;
    kind = fmt::format("kind::{}.block_scale.scale_vec::{}X",
                       scales == 1 ? "mxf8f6f4" : (scales == 2 ? "mxf4" : "mxf4nvf4"), scales);
  }
  const std::string shape = ptx_shape(mma.shape);
  std::vector<std::string> names = {fmt::format(
      "mma{}.sync.aligned.{}.{}.row.col.{}.{}.{}.{}{}{}", mma.is_sparse ? ".sp" : "", kind, shape,
      mma.types[2].name, mma.types[0].name, mma.types[1].name, mma.types[2].name,
      mma.vector != 0 ? "." : "", mma.vector != 0 ? mma.types[3].name : "")};
  // The short name is of those that have the operands of older machines, and of those without any
  // such.
  if (!mma.is_sparse && (mma.vector == 0 || mma.container() == 4)) {
    names.push_back("mma.sync." + shape);
  }
  return names;
}

InstructionOperand in_container(std::string name, const NvidiaType& type, int container,
                                Fragment fragment) {
  InstructionOperand operand = nvidia_operand(std::move(name), type, std::move(fragment));
  operand.slot_bits = container;
  if (type.bits < container) operand.note = "each element has a byte";
  return operand;
}

InstructionOperand scale_operand(std::string name, const BlackwellMma& mma, Factor factor) {
  InstructionOperand scales =
      nvidia_operand(std::move(name), mma.types[3], scale_factors(factor, mma.shape[2]));
  scales.shared_by = mma.vector;
  scales.note = fmt::format(
      "{} neighbours along K share a factor; of each quad the lane{} that thread-id names",
      mma.vector, factor == Factor::kA ? "s" : "");
  return scales;
}

Instruction blackwell_mma(const std::string& name, const std::string& machine) {
  const BlackwellMma mma = mma_of_arguments(name);
  const int container = mma.container();
  Instruction made = instruction_of(name, machine, mma.shape, kWarp);
  InstructionOperand a =
      in_container("A", mma.types[0], container,
                   core_fragment(Factor::kA, {.across = mma.shape[0],
                                              .along = mma.shape[2],
                                              .run = run_of(container) * (mma.is_sparse ? 2 : 1)}));
  if (mma.is_sparse) {
    a.shared_by = 2;
    a.note = "A with its zeros: of every two registers one is stored";
  }
  made.operands = {std::move(a),
                   in_container("B", mma.types[1], container, warp_b(mma.shape, container)),
                   nvidia_operand("C", mma.types[2], warp_accumulator(mma.shape)),
                   nvidia_operand("D", mma.types[2], warp_accumulator(mma.shape))};
  if (mma.is_sparse) made.operands.push_back(sparse_index(container, mma.shape[2], 1));
  if (mma.vector != 0) {
    made.operands.push_back(scale_operand("SFA", mma, Factor::kA));
    made.operands.push_back(scale_operand("SFB", mma, Factor::kB));
  }
  return made;
}

// ---- Fewer threads ----

/// Lanes 0 … 3 and 16 … 19 of a quad pair: the threads take the rows of A that is stored row by
/// row, else the columns of K and then the halves of the rows. B likewise.
Fragment volta_factor(Factor factor, bool k_is_contiguous) {
  const FactorDims dims = dims_of(factor);
  const std::vector<std::string_view> places = {"register", "thread"};
  if (k_is_contiguous) {
    return {places,
            in_order(factor, dims),
            {{"register", dims.along, 4}, {"thread", dims.across, kQuadPair}}};
  }
  return {places,
          in_order(factor, dims),
          {{"register", dims.across, 4}, {"thread", dims.along, 4}, {"thread", dims.across, 2}}};
}

Fragment volta_accumulator(int bits) {
  if (bits == 16) {
    return {{"register", "thread"},
            {"row", "col"},
            {{"register", "col", 8}, {"thread", "row", kQuadPair}}};
  }
  return {{"register", "thread"},
          {"row", "col"},
          {{"register", "col", 2},
           {"thread", "row", 2},
           {"thread", "col", 2},
           {"register", "row", 2},
           {"thread", "row", 2},
           {"register", "col", 2}}};
}

Instruction volta_mma(const std::string& name, const std::string& machine) {
  const WarpMma mma = mma_of_cute(name);
  Instruction made = instruction_of(name, machine, mma.shape, kQuadPair);
  made.thread_ids = {{4, 1}, {2, 16}};
  made.note =
      "each of the four quad pairs of a warp multiplies; these are its 8 threads, lanes 0 "
      "… 3 and 16 … 19 of the first one";
  made.operands = {nvidia_operand("A", mma.types[1], volta_factor(Factor::kA, mma.is_row)),
                   nvidia_operand("B", mma.types[2], volta_factor(Factor::kB, mma.is_col)),
                   nvidia_operand("C", mma.types[3], volta_accumulator(mma.types[3].bits)),
                   nvidia_operand("D", mma.types[0], volta_accumulator(mma.types[0].bits))};
  return made;
}

struct ThreadMma {
  std::string_view name;
  std::array<std::int64_t, 3> shape;
  NvidiaType factors;
  NvidiaType sums;
  std::vector<std::string> aliases;
};

const std::vector<ThreadMma>& thread_mmas() {
  static const std::vector<ThreadMma> rows = {
      {"SM61_DP4A", {1, 1, 4}, {"s8", 8}, {"s32", 32}, {"dp4a", "dp4a.s32.s32"}},
      {"SM61_DP2A", {1, 1, 2}, {"s16", 16}, {"s32", 32}, {"dp2a", "dp2a.lo.s32.s32"}},
      {"SM100_2x1x1_F32F32F32F32", {2, 1, 1}, {"f32", 32}, {"f32", 32}, {"fma.rn.f32x2"}},
      {"SM100_1x2x1_F32F32F32F32", {1, 2, 1}, {"f32", 32}, {"f32", 32}, {"fma.rn.f32x2"}},
  };
  return rows;
}

Instruction thread_mma(const ThreadMma& row, std::string machine) {
  const auto& [m, n, k] = row.shape;
  const auto held = [](std::int64_t rows, std::int64_t columns) {
    return Fragment({"register", "thread"}, {"row", "col"},
                    {{"register", "row", rows}, {"register", "col", columns}});
  };
  return {.name = std::string(row.name),
          .machine = std::move(machine),
          .shape = row.shape,
          .operands = {nvidia_operand("A", row.factors, held(m, k)),
                       nvidia_operand("B", row.factors, held(k, n)),
                       nvidia_operand("C", row.sums, held(m, n)),
                       nvidia_operand("D", row.sums, held(m, n))},
          .source = "CuTe, mma_traits"};
}

}  // namespace

void list_nvidia_mma(InstructionListings& listings) {
  for (const ThreadMma& row : thread_mmas()) {
    std::vector<std::string> machines = {nvidia_machine(row.name)};
    if (machines.front() == "sm_100") machines.emplace_back("sm_120");
    for (const std::string& machine : machines) {
      listings.push_back({.name = std::string(row.name),
                          .machine = machine,
                          .make = [&row, machine] { return thread_mma(row, machine); },
                          .aliases = row.aliases});
    }
  }
  for (const std::string& name : expand(kVoltaNames)) {
    list_by_name(listings, name, nvidia_machine(name), kQuadPair, ptx_names(mma_of_cute(name)),
                 volta_mma);
  }
  for (const std::string_view pattern : kWarpNames) {
    for (const std::string& name : expand(pattern)) {
      list_by_name(listings, name, nvidia_machine(name), kWarp, ptx_names(mma_of_cute(name)),
                   warp_mma_of_cute);
    }
  }
  for (const PtxNames& names : kPtxNames) {
    for (const std::string& name : expand(names.pattern)) {
      const std::size_t shape = name.find(".m", name.find("aligned"));
      const std::string short_name = name.substr(0, name.find(".aligned")) +
                                     name.substr(shape, name.find('.', shape + 1) - shape);
      list_by_name(listings, name, std::string(names.machine), kWarp, {short_name}, mma_of_ptx);
    }
  }
  for (const std::string_view pattern : kBlackwellNames) {
    for (const std::string& name : expand(pattern)) {
      std::vector<std::string> aliases = ptx_names(mma_of_arguments(name));
      aliases.push_back(name.substr(0, name.find('<')));
      list_by_name(listings, name, nvidia_machine(name), kWarp, std::move(aliases), blackwell_mma);
    }
  }
}

}  // namespace heddle::form
