// Encodings of tensor cores: the accumulator of mma.sync and wgmma, and the operands of a dot.
//
// What one instruction has is the fragment of the catalogue (form/machine/nvidia_rules.h), with
// kWidth neighbours in a lane; the rest here is how Triton repeats it. For the operands it runs
// along k: A's rows are m, B's are n.

#include <fmt/format.h>

#include <array>

#include "core/text.h"
#include "form/machine/nvidia_rules.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kMma = "nvidia_mma";
constexpr std::string_view kDot = "dot_op";

/// The instruction's tile, log2.
struct Instruction {
  int m = 0;
  int n = 0;
};

Result<void> check_version(const NvidiaMmaEncoding& mma) {
  if (mma.version_major == 2 || mma.version_major == 3) return {};
  if (mma.version_major == 1) {
    return refuse(diagnose("encoding.unsupported",
                           "nvidia_mma: versionMajor = 1 (Volta) has no register layout: Triton "
                           "dropped it before it introduced linear layouts")
                      .with_hint("CuTe's atom SM70_8x8x4_F32F16F16F32_TN has the layouts of the "
                                 "instruction"));
  }
  return refuse(diagnose("encoding.unsupported",
                         "nvidia_mma: versionMajor = {} has no register layout", mma.version_major)
                    .with_hint("versions 2 (mma.sync) and 3 (wgmma) have one; version 5 (tcgen05) "
                               "accumulates in tensor memory"));
}

Result<void> check_rank(const NvidiaMmaEncoding& mma) {
  const std::size_t rank = mma.warps_per_cta.size();
  const bool is_hopper = mma.version_major == 3;
  if (rank < 2 || (is_hopper && rank > 2)) {
    return refuse("encoding.rank", "nvidia_mma: warpsPerCTA = {} has {}; version {} needs {}",
                  list_text(mma.warps_per_cta), counted(rank, "entry"), mma.version_major,
                  is_hopper ? "2" : "2 or more");
  }
  const std::size_t wanted = is_hopper ? 3 : rank;
  if (mma.instr_shape.size() == wanted) return {};
  return refuse("encoding.rank", "nvidia_mma: instrShape = {} has {}; version {} with {} needs {}",
                list_text(mma.instr_shape), counted(mma.instr_shape.size(), "entry"),
                mma.version_major, counted(rank, "dimension"), wanted);
}

Refusal wrong_instruction(const NvidiaMmaEncoding& mma, std::string_view wanted) {
  return refuse("encoding.parameter", "nvidia_mma: instrShape = {}: {}", list_text(mma.instr_shape),
                wanted);
}

/// Version 2: (16, 8) or (8, 8), preceded by ones; version 3: (16, n, k).
Result<Instruction> instruction_of(const NvidiaMmaEncoding& mma) {
  HEDDLE_CHECK(check_version(mma));
  HEDDLE_CHECK(check_rank(mma));
  // k of wgmma may be that of a sparse or packed operand; this does not matter here.
  const bool is_hopper = mma.version_major == 3;
  const std::size_t first = is_hopper ? 0 : mma.warps_per_cta.size() - 2;
  for (std::size_t dim = 0; dim < first; ++dim) {
    if (mma.instr_shape[dim] != 1) return wrong_instruction(mma, "a batch dimension must have 1");
  }
  HEDDLE_TRY(const int m, log2_of(kMma, "instrShape (m)", mma.instr_shape[first]));
  HEDDLE_TRY(const int n, log2_of(kMma, "instrShape (n)", mma.instr_shape[first + 1]));
  if (m != 4 && (is_hopper || m != 3)) {
    return wrong_instruction(mma, is_hopper ? "m must be 16, a warp's part of the 64 rows"
                                            : "m must be 16, or 8 for 64-bit elements");
  }
  if (n < 3) return wrong_instruction(mma, "n must be 8 or more");
  return Instruction{m, n};
}

/// The fragment over 2^inner_bits columns and 2^outer_bits rows.
void deal_fragment(Tile& tile, const Order& order, int outer_bits, int inner_bits, int k_width) {
  const std::array<std::size_t, 2> dims = {static_cast<std::size_t>(order[1]),
                                           static_cast<std::size_t>(order[0])};
  const auto power = [](int bits) { return std::int64_t{1} << bits; };
  tile.deal(form::core_fragment(
                form::Factor::kA,
                {.across = power(outer_bits), .along = power(inner_bits), .run = power(k_width)}),
            dims);
}

/// The warps of mma.sync are arranged row by row, those of wgmma column by column.
Order warp_order(const NvidiaMmaEncoding& mma) {
  const std::size_t rank = mma.warps_per_cta.size();
  return mma.version_major == 3 ? column_major(rank) : row_major(rank);
}

Result<void> check_op_idx(const DotOperandEncoding& operand) {
  if (operand.op_idx == 0 || operand.op_idx == 1) return {};
  return refuse("encoding.parameter", "dot_op: opIdx = {}; it is 0 for A and 1 for B",
                operand.op_idx);
}

Result<LinearLayout> operand_of(const DotOperandEncoding& operand, const NvidiaMmaEncoding& mma,
                                Shape shape) {
  const std::size_t rank = mma.warps_per_cta.size();
  const bool is_a = operand.op_idx == 0;
  HEDDLE_TRY(const Instruction instruction, instruction_of(mma));
  HEDDLE_TRY(const auto warps, log2_of(kMma, "warpsPerCTA", mma.warps_per_cta, rank));
  if (!is_a && mma.version_major == 3) {
    return refuse("encoding.unsupported",
                  "dot_op: opIdx = 1 of version 3: wgmma reads B from shared memory");
  }
  HEDDLE_TRY(const int k_width, k_width_of(operand));
  HEDDLE_TRY(Frame frame, operand_frame(operand, mma.ctas, shape, rank));

  // The 64-bit instruction is m8n8k4, half as deep.
  const bool is_double = instruction.m == 3;
  const Order order = is_a ? row_major(rank) : column_major(rank);
  Tile tile = register_tile(std::move(frame));
  deal_fragment(tile, order, is_a ? instruction.m : 3, k_width + (is_double ? 2 : 3), k_width);
  tile.box_without(kWarp, warps, warp_order(mma), k_dim_of(operand, rank));
  tile.fill(kRegister, order);
  return tile.layout();
}

/// The operand of a dot on scalar units: each thread has all of k.
Result<LinearLayout> operand_of(const DotOperandEncoding& operand, const BlockedEncoding& blocked,
                                Shape shape) {
  constexpr std::string_view kParent = "blocked";
  const std::size_t rank = blocked.order.size();
  if (rank < 2) {
    return refuse("encoding.rank", "dot_op: the parent has {}; a dot needs 2",
                  counted(rank, "dimension"));
  }
  if (operand.k_width != 0) {
    return refuse("encoding.parameter", "dot_op: kWidth = {}; a blocked parent has none",
                  operand.k_width);
  }
  HEDDLE_CHECK(check_order(kParent, "order", blocked.order, rank));
  HEDDLE_TRY(auto registers, log2_of(kParent, "sizePerThread", blocked.size_per_thread, rank));
  HEDDLE_TRY(const auto lanes, log2_of(kParent, "threadsPerWarp", blocked.threads_per_warp, rank));
  HEDDLE_TRY(const auto warps, log2_of(kParent, "warpsPerCTA", blocked.warps_per_cta, rank));
  HEDDLE_TRY(Frame frame, operand_frame(operand, blocked.ctas, shape, rank));

  const std::size_t k_dim = k_dim_of(operand, rank);
  registers[k_dim] = frame.bits[k_dim];
  Tile tile = register_tile(std::move(frame));
  tile.box(kRegister, registers, blocked.order);
  tile.box_without(kLane, lanes, blocked.order, k_dim);
  tile.box_without(kWarp, warps, blocked.order, k_dim);
  tile.fill(kRegister, blocked.order);
  return tile.layout();
}

}  // namespace

Result<Frame> operand_frame(const DotOperandEncoding& operand, const CtaLayout& ctas, Shape shape,
                            std::size_t rank) {
  // Checked first, so that a refusal shows the CTAs of the result as they are written.
  HEDDLE_CHECK(cta_steps(ctas, rank));
  CtaLayout of_operand = ctas;
  for (auto& basis : of_operand.block_bases) basis[k_dim_of(operand, rank)] = 0;
  return frame_of(kDot, shape, rank, of_operand);
}

Result<int> k_width_of(const DotOperandEncoding& operand) {
  if (operand.k_width == 0) {
    const bool is_nvidia = operand.parent->get_if<NvidiaMmaEncoding>() != nullptr;
    return refuse(Diagnostic("encoding.parameter", "dot_op: an MMA parent needs a kWidth, not 0")
                      .with_hint(is_nvidia ? "max(1, 32 / element bits): 2 for f16, 4 for f8"
                                           : "the neighbours along k in one lane, as 4, 8 or 16"));
  }
  HEDDLE_TRY(const int k_width, log2_of(kDot, "kWidth", operand.k_width));
  constexpr int kMostBits = 30;
  if (k_width <= kMostBits) return k_width;
  return refuse("linear.too_many_bits", "dot_op: kWidth = {}, at most 2^{}", operand.k_width,
                kMostBits);
}

Result<LinearLayout> layout_of(const NvidiaMmaEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const Instruction instruction, instruction_of(encoding));
  const std::size_t rank = encoding.warps_per_cta.size();
  HEDDLE_TRY(const auto warps, log2_of(kMma, "warpsPerCTA", encoding.warps_per_cta, rank));
  HEDDLE_TRY(Frame frame, frame_of(kMma, shape, rank, encoding.ctas));
  constexpr int kWidthOfResult = 1;  // two neighbours, whatever the elements
  Tile tile = register_tile(std::move(frame));
  deal_fragment(tile, row_major(rank), instruction.m, instruction.n, kWidthOfResult);
  tile.box(kWarp, warps, warp_order(encoding));
  tile.fill(kRegister, row_major(rank));
  return tile.layout();
}

Result<LinearLayout> layout_of(const DotOperandEncoding& encoding, Shape shape) {
  HEDDLE_CHECK(check_parent(kDot, encoding.parent));
  HEDDLE_CHECK(check_op_idx(encoding));
  if (const auto* mma = encoding.parent->get_if<NvidiaMmaEncoding>()) {
    return operand_of(encoding, *mma, shape);
  }
  if (const auto* blocked = encoding.parent->get_if<BlockedEncoding>()) {
    return operand_of(encoding, *blocked, shape);
  }
  if (const auto* dpas = encoding.parent->get_if<DpasEncoding>()) {
    return operand_layout_of(*dpas, encoding, shape);
  }
  if (const auto* mfma = encoding.parent->get_if<AmdMfmaEncoding>()) {
    return operand_layout_of(*mfma, encoding, shape);
  }
  if (const auto* wmma = encoding.parent->get_if<AmdWmmaEncoding>()) {
    return operand_layout_of(*wmma, encoding, shape);
  }
  if (const auto* warp = encoding.parent->get_if<WarpEncoding>()) return layout_of(*warp, shape);
  return refuse(
      "encoding.parent",
      "dot_op: the parent is {}; a dot has a blocked, nvidia_mma, amd_mfma, amd_wmma or dpas "
      "result",
      encoding.parent->kind());
}

}  // namespace heddle::linear
