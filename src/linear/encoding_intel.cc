// Encodings of Intel GPUs, which hold the matrices of DPAS, D = A * B + C, in the registers of a
// subgroup.
//
// Which lane and register hold which element of one instruction is said in
// form/machine/intel_dpas.h.

#include <algorithm>
#include <array>
#include <bit>

#include "core/text.h"
#include "form/machine/intel_dpas.h"
#include "heddle/core/exact.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kDpas = "dpas";
constexpr std::string_view kBlockLoad = "subgroup_2d_block";

/// How the instructions of a warp are arranged, log2.
struct Dpas {
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
    return refuse("encoding.rank", "dpas: warpsPerCTA = {} has {}; a product needs 2 or 3",
                  list_text(encoding.warps_per_cta), counted(rank, "entry"));
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
  HEDDLE_CHECK(log2_of(kDpas, "repeatCount", encoding.repeat_count));
  HEDDLE_CHECK(log2_of(kDpas, "systolicDepth", encoding.systolic_depth));
  HEDDLE_CHECK(log2_of(kDpas, "executionSize", encoding.execution_size));
  HEDDLE_CHECK(log2_of(kDpas, "opsPerChan", encoding.ops_per_channel));
  HEDDLE_CHECK(log2_of(kDpas, "threadsPerWarp", encoding.threads_per_warp));
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

/// The rows and columns of an operand of one instruction.
std::array<std::int64_t, 2> shape_of(char operand, const form::DpasSizes& sizes) {
  const std::int64_t k = sizes.systolic_depth * sizes.ops_per_channel;
  if (operand == 'A') return {sizes.repeat_count, k};
  if (operand == 'B') return {k, sizes.execution_size};
  return {sizes.repeat_count, sizes.execution_size};
}

/// An operand of one instruction; `operand` is 'A', 'B' or 'C'. Refuses a subgroup that does not
/// hold whole rows of it, and one with fewer lanes than Triton gives a row of A.
Result<form::Fragment> fragment_of(const DpasEncoding& encoding, char operand) {
  const form::DpasSizes sizes{encoding.repeat_count, encoding.systolic_depth,
                              encoding.execution_size, encoding.ops_per_channel,
                              encoding.threads_per_warp};
  const auto [rows, columns] = shape_of(operand, sizes);
  constexpr std::int64_t kMostLanes = 16;
  const std::int64_t needed = std::min(columns, kMostLanes);
  if (operand == 'A' && encoding.threads_per_warp < needed) {
    return refuse("encoding.parameter",
                  "dpas: threadsPerWarp = {}; Triton gives a row of A, of {}, {} lanes",
                  encoding.threads_per_warp, counted(columns, "column"), needed);
  }
  if (auto fragment = form::dpas_fragment(operand, sizes)) return *std::move(fragment);
  return refuse("encoding.parameter",
                "dpas: threadsPerWarp = {}; {} is {} x {}, of which the subgroup has no whole rows",
                encoding.threads_per_warp, operand, rows, columns);
}

int bits_within(std::int64_t size) { return std::countr_zero(static_cast<std::uint64_t>(size)); }

/// The first steps of a tile: the operand, its rows and columns along the last two dimensions.
void hold(Tile& tile, const form::Fragment& fragment) {
  const std::size_t first = tile.frame().rank() - 2;
  const auto hold_place = [&](std::size_t in, std::string_view place) {
    for (const auto& mode : fragment.modes_of_place(*fragment.place(place))) {
      const std::size_t dim = first + *mode.index;
      for (int bit = 0; bit < bits_within(mode.extent); ++bit) {
        tile.push(in, tile.frame().step(dim, bits_within(mode.stride) + bit));
      }
    }
  };
  hold_place(kRegister, "register");
  hold_place(kLane, "lane");
  for (std::size_t dim = 0; dim < 2; ++dim) {
    tile.reach(first + dim, bits_within(fragment.dims()[dim].size));
  }
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

Result<Tile> tile_of(const DpasEncoding& encoding, char operand, Frame frame) {
  HEDDLE_TRY(const form::Fragment fragment, fragment_of(encoding, operand));
  Tile tile = register_tile(std::move(frame));
  hold(tile, fragment);
  return tile;
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
  const std::size_t rank = frame.rank();
  const bool is_a = operand.op_idx == 0;
  HEDDLE_TRY(Tile tile, tile_of(encoding, is_a ? 'A' : 'B', std::move(frame)));
  const std::size_t k = is_a ? rank - 1 : rank - 2;
  const std::size_t across = is_a ? rank - 2 : rank - 1;
  return arranged(std::move(tile), dpas, std::array{across}, k,
                  is_a ? row_major(rank) : column_major(rank));
}

Result<LinearLayout> layout_of(const DpasEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const Dpas dpas, dpas_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kDpas, shape, dpas.warps.size(), {}));
  const std::size_t rank = frame.rank();
  HEDDLE_TRY(Tile tile, tile_of(encoding, 'C', std::move(frame)));
  const std::size_t nothing_repeats = rank;
  return arranged(std::move(tile), dpas, std::array{rank - 1, rank - 2}, nothing_repeats,
                  row_major(rank));
}

Result<LinearLayout> dpas_scale_layout(const DpasEncoding& encoding, int op_idx, Shape shape) {
  HEDDLE_TRY(const Dpas dpas, dpas_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kDpas, shape, dpas.warps.size(), {}));
  const std::size_t rank = frame.rank();
  const std::size_t k = rank - 1;
  const std::size_t across = rank - 2;
  // The dimension of the product, m or n, that the other factor does not have.
  const std::size_t own = op_idx == 0 ? rank - 2 : rank - 1;
  const std::int64_t size = op_idx == 0 ? encoding.repeat_count : encoding.execution_size;
  const int spare_lanes = bits_within(encoding.threads_per_warp) - bits_within(size);
  if (spare_lanes < 0) {
    return refuse("encoding.parameter", "dpas: threadsPerWarp = {}; there are {} scale factors",
                  encoding.threads_per_warp, size);
  }
  HEDDLE_TRY(const int packed, log2_of(kDpas, "fp4KPack", encoding.fp4_k_pack.value_or(1)));
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, k, packed);
  tile.along(kLane, across, bits_within(size));
  tile.nowhere(kLane, spare_lanes);
  tile.along(kRegister, across, dpas.clusters[own]);
  for (std::size_t dim = rank; dim-- > 0;) {
    const bool is_batch = dim + 2 < rank;
    if (!is_batch && dim != own) tile.nowhere(kWarp, dpas.warps[dim]);
    if (is_batch || dim == own) tile.along(kWarp, is_batch ? dim : across, dpas.warps[dim]);
  }
  tile.fill(kRegister, row_major(rank));
  return tile.layout();
}

Result<LinearLayout> layout_of(const Subgroup2dBlockEncoding& encoding, Shape shape) {
  const std::size_t rank = encoding.warps_per_cta.size();
  if (rank != 2) {
    return refuse("encoding.rank", "{}: warpsPerCTA = {} has {}; a block has 2", kBlockLoad,
                  list_text(encoding.warps_per_cta), counted(rank, "entry"));
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
