// Encodings of Intel GPUs, which hold the matrices of DPAS, D = A * B + C, in the registers of a
// subgroup.
//
// A matrix is stored row by row: if its rows have fewer columns than the subgroup has lanes, the
// lanes have several rows at once.
//
//   C with 32 lanes        lane 0 … lane 15       register 0
//   and 16 columns         lane 16 … lane 31      register 0
//                          lane 0 … lane 15       register 1
//                          …

#include <algorithm>
#include <array>

#include "heddle/core/exact.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kDpas = "dpas";
constexpr std::string_view kBlockLoad = "subgroup_2d_block";

/// The sizes of one instruction and of its arrangement, log2.
struct Dpas {
  int repeat_count = 0;
  int systolic_depth = 0;
  int execution_size = 0;
  int ops_per_channel = 0;
  int lanes = 0;
  std::vector<int> warps;
  std::vector<int> clusters;
};

Result<void> check_dpas(const DpasEncoding& encoding) {
  constexpr std::array<std::int64_t, 3> kOps{1, 2, 4};
  if (std::ranges::find(kOps, encoding.ops_per_channel) == kOps.end()) {
    return refuse("encoding.parameter", "dpas: opsPerChan = {}; it is 1, 2 or 4",
                  encoding.ops_per_channel);
  }
  const std::size_t rank = encoding.warps_per_cta.size();
  if (rank != 2 && rank != 3) {
    return refuse("encoding.rank", "dpas: warpsPerCTA = {} has {} entries; a product needs 2 or 3",
                  list_text(encoding.warps_per_cta), rank);
  }
  if (rank == 3 && encoding.rep_cluster.size() == 3 && encoding.rep_cluster[0] != 1) {
    return refuse("encoding.parameter", "dpas: repCluster = {}: a batch dimension must have 1",
                  list_text(encoding.rep_cluster));
  }
  return {};
}

Result<Dpas> dpas_of(const DpasEncoding& encoding) {
  HEDDLE_CHECK(check_dpas(encoding));
  const std::size_t rank = encoding.warps_per_cta.size();
  Dpas dpas;
  HEDDLE_TRY(dpas.repeat_count, log2_of(kDpas, "repeatCount", encoding.repeat_count));
  HEDDLE_TRY(dpas.systolic_depth, log2_of(kDpas, "systolicDepth", encoding.systolic_depth));
  HEDDLE_TRY(dpas.execution_size, log2_of(kDpas, "executionSize", encoding.execution_size));
  HEDDLE_TRY(dpas.ops_per_channel, log2_of(kDpas, "opsPerChan", encoding.ops_per_channel));
  HEDDLE_TRY(dpas.lanes, log2_of(kDpas, "threadsPerWarp", encoding.threads_per_warp));
  HEDDLE_TRY(dpas.warps, log2_of(kDpas, "warpsPerCTA", encoding.warps_per_cta, rank));
  HEDDLE_TRY(dpas.clusters, log2_of(kDpas, "repCluster", encoding.rep_cluster, rank));
  return dpas;
}

/// The neighbours along k in one register: of A in 16 bits, of B in 32 bits. 0 is not stated.
Result<void> check_k_width(const DpasEncoding& encoding, const DotOperandEncoding& operand) {
  const bool is_a = operand.op_idx == 0;
  const std::int64_t wanted =
      is_a ? std::max<std::int64_t>(1, encoding.ops_per_channel / 2) : encoding.ops_per_channel;
  if (operand.k_width == 0 || operand.k_width == wanted) return {};
  return refuse("encoding.parameter", "dot_op: kWidth = {}; {} of dpas with opsPerChan = {} has {}",
                operand.k_width, is_a ? "A" : "B", encoding.ops_per_channel, wanted);
}

/// Lanes of which 2^columns are side by side; refuses a subgroup that is narrower than that, or
/// that has more rows than the matrix.
Result<int> rows_of_lanes(const DpasEncoding& encoding, std::string_view matrix, int lanes,
                          int columns, int rows) {
  const int rows_of_lanes = lanes - columns;
  if (rows_of_lanes >= 0 && rows_of_lanes <= rows) return rows_of_lanes;
  return refuse("encoding.parameter", "dpas: threadsPerWarp = {}; {} has {} rows of {} lanes each",
                encoding.threads_per_warp, matrix, std::int64_t{1} << rows,
                std::int64_t{1} << columns);
}

/// Clusters side by side, then warps, then the rest of the tensor. Warps that differ along
/// `repeated` hold the same.
Result<LinearLayout> arranged(Tile tile, const Dpas& dpas, std::span<const std::size_t> clusters,
                              std::size_t repeated, const Order& rest) {
  for (const std::size_t dim : clusters) tile.along(kRegister, dim, dpas.clusters[dim]);
  tile.box_without(kWarp, dpas.warps, row_major(dpas.warps.size()), repeated);
  tile.fill(kRegister, rest);
  return tile.layout();
}

/// A: 8-bit elements are in pairs of neighbours along k.
Result<LinearLayout> left_operand(const DpasEncoding& encoding, const Dpas& dpas, Frame frame) {
  const std::size_t m = frame.rank() - 2;
  const std::size_t k = frame.rank() - 1;
  const int packed = dpas.ops_per_channel == 2 ? 1 : 0;
  const int columns = dpas.systolic_depth + dpas.ops_per_channel - packed;
  HEDDLE_TRY(const int rows, rows_of_lanes(encoding, "A", dpas.lanes, columns, dpas.repeat_count));
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, k, packed);
  tile.along(kLane, k, columns);
  tile.along(kLane, m, rows);
  tile.along(kRegister, m, dpas.repeat_count - rows);
  return arranged(std::move(tile), dpas, std::array{m}, k, row_major(dpas.warps.size()));
}

/// B: the elements of one channel, neighbours along k, are in one lane.
Result<LinearLayout> right_operand(const DpasEncoding& encoding, const Dpas& dpas, Frame frame) {
  const std::size_t k = frame.rank() - 2;
  const std::size_t n = frame.rank() - 1;
  HEDDLE_TRY(const int rows,
             rows_of_lanes(encoding, "B", dpas.lanes, dpas.execution_size, dpas.systolic_depth));
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, k, dpas.ops_per_channel);
  tile.along(kLane, n, dpas.execution_size);
  tile.along(kLane, k, rows);
  tile.along(kRegister, k, dpas.systolic_depth - rows);
  return arranged(std::move(tile), dpas, std::array{n}, k, column_major(dpas.warps.size()));
}

}  // namespace

std::array<Sizes, 3> matrix_shapes(const DpasEncoding& encoding) {
  const std::size_t rank = encoding.rep_cluster.size();
  if (rank != 2 && rank != 3) return {};
  const auto product = [](std::int64_t a, std::int64_t b) {
    return exact::multiply(a, b).value_or(0);
  };
  const std::int64_t m = product(encoding.repeat_count, encoding.rep_cluster[rank - 2]);
  const std::int64_t n = product(encoding.execution_size, encoding.rep_cluster[rank - 1]);
  const std::int64_t k = product(encoding.systolic_depth, encoding.ops_per_channel);
  std::array<Sizes, 3> shapes = {Sizes{m, k}, Sizes{k, n}, Sizes{m, n}};
  for (Sizes& shape : shapes) shape.insert(shape.begin(), rank - 2, 1);
  return shapes;
}

Result<LinearLayout> operand_layout_of(const DpasEncoding& encoding,
                                       const DotOperandEncoding& operand, Shape shape) {
  HEDDLE_TRY(const Dpas dpas, dpas_of(encoding));
  HEDDLE_CHECK(check_k_width(encoding, operand));
  HEDDLE_TRY(Frame frame, frame_of(kDpas, shape, dpas.warps.size(), {}));
  return operand.op_idx == 0 ? left_operand(encoding, dpas, std::move(frame))
                             : right_operand(encoding, dpas, std::move(frame));
}

Result<LinearLayout> layout_of(const DpasEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const Dpas dpas, dpas_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kDpas, shape, dpas.warps.size(), {}));
  const std::size_t m = frame.rank() - 2;
  const std::size_t n = frame.rank() - 1;
  HEDDLE_TRY(const int rows,
             rows_of_lanes(encoding, "C", dpas.lanes, dpas.execution_size, dpas.repeat_count));
  Tile tile = register_tile(std::move(frame));
  tile.along(kLane, n, dpas.execution_size);
  tile.along(kLane, m, rows);
  tile.along(kRegister, m, dpas.repeat_count - rows);
  const std::size_t nothing_repeats = dpas.warps.size();
  return arranged(std::move(tile), dpas, std::array{n, m}, nothing_repeats,
                  row_major(dpas.warps.size()));
}

Result<LinearLayout> layout_of(const Subgroup2dBlockEncoding& encoding, Shape shape) {
  const std::size_t rank = encoding.warps_per_cta.size();
  if (rank != 2) {
    return refuse("encoding.rank", "{}: warpsPerCTA = {} has {} entries; a block has 2", kBlockLoad,
                  list_text(encoding.warps_per_cta), rank);
  }
  HEDDLE_CHECK(check_order(kBlockLoad, "order", encoding.order, rank));
  HEDDLE_TRY(const auto warps, log2_of(kBlockLoad, "warpsPerCTA", encoding.warps_per_cta, rank));
  HEDDLE_TRY(const auto block, log2_of(kBlockLoad, "instrShape", encoding.instr_shape, rank));
  HEDDLE_TRY(const int blocks, log2_of(kBlockLoad, "numBlocks", encoding.num_blocks));
  HEDDLE_TRY(const int lanes, log2_of(kBlockLoad, "threadsPerWarp", encoding.threads_per_warp));
  HEDDLE_TRY(Frame frame, frame_of(kBlockLoad, shape, rank, encoding.ctas));
  const int columns = std::min(block[1], lanes);
  const int rows = lanes - columns;
  if (rows > block[0]) {
    return refuse("encoding.parameter",
                  "{}: threadsPerWarp = {}; instrShape = {} has fewer elements", kBlockLoad,
                  encoding.threads_per_warp, list_text(encoding.instr_shape));
  }
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, 1, block[1] - columns);
  tile.along(kLane, 1, columns);
  tile.along(kLane, 0, rows);
  tile.along(kRegister, 0, block[0] - rows);
  tile.along(kRegister, 1, blocks);
  tile.box_without(kWarp, warps, row_major(rank), static_cast<std::size_t>(encoding.order[0]));
  tile.fill(kRegister, {0, 1});
  return tile.layout();
}

Result<LinearLayout> layout_of(const WarpEncoding&, Shape) {
  return refuse(
      diagnose("encoding.unsupported", "warp: Intel's back end defines no layout for #ttig.warp"));
}

}  // namespace heddle::linear
