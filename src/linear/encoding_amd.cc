// Encodings of AMD's matrix instructions: v_mfma of the CDNA machines, v_wmma of the RDNA machines
// and of gfx1250, their operands, and the scale factors of their scaled forms.
//
// Of D a lane has groups of neighbours down one column; lanes go across the columns first, and then
// to the groups below:
//
//   mfma 16 x 16   lane 0    rows 0-3 of column 0         wmma 16 x 16   lane 0    rows 0-7
//                  lane 1    rows 0-3 of column 1                        …
//                  …                                                     lane 16   rows 8-15
//                  lane 16   rows 4-7 of column 0         (RDNA3: even rows, and odd rows)
//
// Transposed, rows and columns change places. Of A and B a lane has kWidth neighbours along k;
// lanes go along the other dimension first.

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "heddle/linear/encoding_choice.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kMfma = "amd_mfma";
constexpr std::string_view kWmma = "amd_wmma";
constexpr std::string_view kScaleFactors = "the scale factors";

/// A dimension of the tensor, and log2 of what one instruction has along it.
struct TileSide {
  std::size_t dim = 0;
  int bits = 0;
};

/// The sides of the result: lanes go across one, and a lane's elements go down the other.
struct TileSides {
  TileSide down;
  TileSide across;
};

TileSides sides_of(TileSide m, TileSide n, bool is_transposed) {
  return is_transposed ? TileSides{n, m} : TileSides{m, n};
}

Result<void> check_product_rank(std::string_view kind, std::size_t rank) {
  if (rank == 2 || rank == 3) return {};
  return refuse("encoding.rank", "{}: {} dimensions; a product has 2 or 3", kind, rank);
}

Result<void> check_generation(std::string_view kind, int version, int first, int last) {
  if (version >= first && version <= last) return {};
  return refuse("encoding.parameter", "{}: version = {}; it is {} to {}", kind, version,
                std::max(first, 1), last);
}

/// The dimension of an operand along which the product does not sum.
std::size_t outer_dim_of(const DotOperandEncoding& operand, std::size_t rank) {
  return operand.op_idx == 0 ? rank - 2 : rank - 1;
}

/// The rest of an operand: along k first.
Order operand_order(const DotOperandEncoding& operand, std::size_t rank) {
  return operand.op_idx == 0 ? row_major(rank) : column_major(rank);
}

// ---- mfma ----

/// The lanes of a wave of the CDNA machines, log2.
constexpr int kMfmaLanes = 6;

/// The sizes of one instruction and of its arrangement, log2.
struct Mfma {
  TileSide m;
  TileSide n;
  /// The neighbours in one lane.
  int group = 2;
  std::vector<int> warps;
  std::vector<int> tiles;

  [[nodiscard]] std::size_t rank() const { return warps.size(); }
};

Result<void> check_mfma_instruction(const AmdMfmaEncoding& encoding) {
  constexpr std::array<std::array<std::int64_t, 2>, 4> kShapes{
      {{32, 32}, {16, 16}, {64, 4}, {4, 64}}};
  const Sizes& shape = encoding.instr_shape;
  if (shape.size() != 3 && shape.size() != 2) {
    return refuse("encoding.rank", "amd_mfma: instrShape = {} has {} entries; it is (m, n, k)",
                  list_text(shape), shape.size());
  }
  const std::array<std::int64_t, 2> tile{shape[0], shape[1]};
  if (std::ranges::find(kShapes, tile) == kShapes.end()) {
    return refuse("encoding.parameter",
                  "amd_mfma: instrShape = {}: (m, n) is (32, 32), (16, 16), (64, 4) or (4, 64)",
                  list_text(shape));
  }
  if (shape[0] == 64 && !encoding.is_transposed) {
    return refuse("encoding.parameter",
                  "amd_mfma: instrShape = {}: an instruction of 64 rows must be transposed",
                  list_text(shape));
  }
  return {};
}

Result<Mfma> mfma_of(const AmdMfmaEncoding& encoding) {
  HEDDLE_CHECK(check_generation(kMfma, encoding.version, 0, 4));
  const std::size_t rank = encoding.warps_per_cta.size();
  HEDDLE_CHECK(check_product_rank(kMfma, rank));
  HEDDLE_CHECK(check_mfma_instruction(encoding));
  if (encoding.element_bit_width != 32 && encoding.element_bit_width != 64) {
    return refuse("encoding.parameter", "amd_mfma: elementBitWidth = {}; it is 32 or 64",
                  encoding.element_bit_width);
  }
  Mfma mfma{.m = {rank - 2, log2_exact(encoding.instr_shape[0])},
            .n = {rank - 1, log2_exact(encoding.instr_shape[1])},
            .group = encoding.element_bit_width == 64 ? 0 : 2,
            .warps = {},
            .tiles = std::vector<int>(rank)};
  HEDDLE_TRY(mfma.warps, log2_of(kMfma, "warpsPerCTA", encoding.warps_per_cta, rank));
  if (!encoding.tiles_per_warp.empty()) {
    HEDDLE_TRY(mfma.tiles, log2_of(kMfma, "tilesPerWarp", encoding.tiles_per_warp, rank));
  }
  return mfma;
}

void deal_result(Tile& tile, const Mfma& mfma, const TileSides& sides) {
  const auto [down, across] = sides;
  const int groups_of_lanes = kMfmaLanes - across.bits;
  tile.along(kRegister, down.dim, mfma.group);
  tile.along(kLane, across.dim, across.bits);
  tile.along(kLane, down.dim, groups_of_lanes);
  tile.along(kRegister, down.dim, down.bits - mfma.group - groups_of_lanes);
}

// ---- wmma ----

/// The lanes side by side, and their groups below one another, log2.
constexpr int kWmmaAcross = 4;
constexpr int kWmmaGroups = 1;

struct Wmma {
  /// 4, or 5 for two instructions of 16 rows below one another.
  TileSide m;
  TileSide n;
  int k = 4;
  bool is_transposed = false;
  bool is_rdna3 = false;
  std::size_t rank = 2;

  /// The rows of A or the columns of B.
  [[nodiscard]] TileSide outer(const DotOperandEncoding& operand) const {
    return operand.op_idx == 0 ? m : n;
  }
};

/// Of each version its instructions.
bool has_instruction(int version, const Sizes& shape) {
  using Shape3 = std::array<std::int64_t, 3>;
  constexpr std::array<std::pair<int, Shape3>, 9> kInstructions{{{1, {16, 16, 16}},
                                                                 {2, {16, 16, 16}},
                                                                 {2, {16, 16, 32}},
                                                                 {3, {16, 16, 4}},
                                                                 {3, {16, 16, 32}},
                                                                 {3, {16, 16, 64}},
                                                                 {3, {16, 16, 128}},
                                                                 {3, {32, 16, 64}},
                                                                 {3, {32, 16, 128}}}};
  return std::ranges::any_of(kInstructions, [&](const auto& instruction) {
    return instruction.first == version && std::ranges::equal(instruction.second, shape);
  });
}

Result<Wmma> wmma_of(const AmdWmmaEncoding& encoding) {
  HEDDLE_CHECK(check_generation(kWmma, encoding.version, 1, 3));
  const LinearLayout& tiles = encoding.cta_layout;
  HEDDLE_CHECK(check_inputs("amd_wmma: ctaLayout", tiles, {"register", "warp"}));
  HEDDLE_CHECK(check_standard_outs("amd_wmma: ctaLayout", tiles));
  const std::size_t rank = tiles.out_dims().size();
  HEDDLE_CHECK(check_product_rank(kWmma, rank));
  if (!has_instruction(encoding.version, encoding.instr_shape)) {
    return refuse("encoding.parameter",
                  "amd_wmma: instrShape = {}: version {} has no such instruction",
                  list_text(encoding.instr_shape), encoding.version);
  }
  // The larger side is that of the instruction's rows, which a transposed result has as columns.
  int m = log2_exact(encoding.instr_shape[0]);
  int n = log2_exact(encoding.instr_shape[1]);
  if (encoding.is_transposed) std::swap(m, n);
  return Wmma{.m = {rank - 2, m},
              .n = {rank - 1, n},
              .k = log2_exact(encoding.instr_shape[2]),
              .is_transposed = encoding.is_transposed,
              .is_rdna3 = encoding.version == 1,
              .rank = rank};
}

void deal_result(Tile& tile, const Wmma& wmma) {
  const auto [down, across] = sides_of(wmma.m, wmma.n, wmma.is_transposed);
  const int neighbours = 3;
  if (!wmma.is_rdna3) tile.along(kRegister, down.dim, neighbours);
  tile.along(kLane, across.dim, kWmmaAcross);
  tile.along(kLane, down.dim, kWmmaGroups);
  if (wmma.is_rdna3) tile.along(kRegister, down.dim, neighbours);
  tile.along(kRegister, down.dim, down.bits - neighbours - kWmmaGroups);
}

/// For each dimension of ctaLayout the one of the tensor; nullopt if all tiles along it need the
/// same elements.
using DimsOfTiles = std::vector<std::optional<std::size_t>>;

DimsOfTiles all_dims(std::size_t rank) {
  DimsOfTiles dims(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) dims[dim] = dim;
  return dims;
}

Refusal too_small(std::size_t dim) {
  return refuse("encoding.shape",
                "amd_wmma: the tensor ends within ctaLayout along dim{}, whose steps there are not "
                "1, 2, 4, …, each once: Triton has no layout",
                dim);
}

/// Where the tensor is smaller than the tiles, each step must be one bit that no other has.
Result<void> check_tiles(const LinearLayout& tiles, const DimsOfTiles& dims, const Tile& tile) {
  const std::vector<Run> runs = runs_of(tiles.out_dims());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i] || tile.reached(*dims[i]) + runs[i].bits <= tile.frame().cta_bits[*dims[i]]) {
      continue;
    }
    std::uint64_t seen = 0;
    for (const std::uint64_t column : tiles.matrix().columns()) {
      const std::uint64_t step = runs[i].of(column);
      if (std::popcount(step) > 1 || (step & seen) != 0) return too_small(*dims[i]);
      seen |= step;
    }
  }
  return {};
}

/// Appends the tiles of each warp, counted in what was dealt so far. If tiles are the same along
/// some dimension, registers that would only repeat them are left out.
Result<void> deal_tiles(Tile& tile, const LinearLayout& tiles, const DimsOfTiles& dims) {
  HEDDLE_CHECK(check_tiles(tiles, dims, tile));
  const std::vector<Run> runs = runs_of(tiles.out_dims());
  const bool repeats = std::ranges::any_of(dims, [](const auto& dim) { return !dim; });
  const auto deal = [&](std::size_t in, std::uint64_t column) {
    std::uint64_t image = 0;
    bool moves = false;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (!dims[i]) continue;
      std::uint64_t steps = runs[i].of(column);
      moves |= steps != 0;
      for (; steps != 0; steps &= steps - 1) {
        image ^= tile.frame().step(*dims[i], tile.reached(*dims[i]) + std::countr_zero(steps));
      }
    }
    if (in == kWarp || moves || !repeats) tile.push(in, image);
  };
  for (const std::uint64_t column : columns_of(tiles, "register")) deal(kRegister, column);
  for (const std::uint64_t column : columns_of(tiles, "warp")) deal(kWarp, column);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i]) tile.reach(*dims[i], tile.reached(*dims[i]) + runs[i].bits);
  }
  return {};
}

// ---- Scale factors ----

Result<void> check_scales(const DotOperandEncoding& operand, Shape shape, std::string_view parent) {
  HEDDLE_CHECK(check_parent("dot_op", operand.parent));
  if (operand.parent->kind() != parent) {
    return refuse("encoding.parent", "{}: the parent of the operand is {}, not {}", kScaleFactors,
                  operand.parent->kind(), parent);
  }
  if (operand.op_idx != 0 && operand.op_idx != 1) {
    return refuse("encoding.parameter", "{}: opIdx = {}; it is 0 for A and 1 for B", kScaleFactors,
                  operand.op_idx);
  }
  if (shape.size() == 2 && operand.parent->rank() == 2) return {};
  return refuse("encoding.rank", "{} of {} in {} dimensions: they are a matrix", kScaleFactors,
                list_text(shape), operand.parent->rank());
}

/// An instruction of 16 rows reads its factors from the first 16 lanes. The others have those of
/// the next tile, if the warp has one: its bit of the register becomes the highest bit of the lane.
LinearLayout with_next_tile_in_lanes(const LinearLayout& layout, std::size_t first_of_next) {
  std::vector<Dimension> ins = copied(layout.in_dims());
  const auto columns_before = layout.matrix().columns();
  std::vector<std::uint64_t> columns(columns_before.begin(), columns_before.end());
  const std::size_t registers = runs_of(layout.in_dims())[kRegister].end();
  std::swap(columns[first_of_next], columns[registers + kWmmaAcross]);
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(first_of_next));
  --ins[kRegister].bits;
  return assembled(std::move(ins), copied(layout.out_dims()),
                   {layout.matrix().rows(), std::move(columns)});
}

}  // namespace

Result<LinearLayout> layout_of(const AmdMfmaEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const Mfma mfma, mfma_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kMfma, shape, mfma.rank(), encoding.ctas));
  const std::size_t m = mfma.m.dim;
  const std::size_t n = mfma.n.dim;
  const int columns = frame.bits[n];
  Tile tile = register_tile(std::move(frame));
  deal_result(tile, mfma, sides_of(mfma.m, mfma.n, encoding.is_transposed));
  tile.along(kRegister, n, mfma.tiles[n]);
  tile.along(kWarp, n, mfma.warps[n]);
  // The tiles of a whole row of the tensor come before those of the next row of tiles.
  tile.along(kRegister, n, columns - tile.reached(n));
  tile.along(kRegister, m, mfma.tiles[m]);
  tile.along(kWarp, m, mfma.warps[m]);
  if (mfma.rank() == 3) tile.along(kWarp, 0, mfma.warps[0]);
  tile.fill(kRegister, row_major(mfma.rank()));
  return tile.layout();
}

Result<LinearLayout> operand_layout_of(const AmdMfmaEncoding& encoding,
                                       const DotOperandEncoding& operand, Shape shape) {
  HEDDLE_TRY(const Mfma mfma, mfma_of(encoding));
  HEDDLE_TRY(const int k_width, k_width_of(operand));
  // As Triton has it, also CTAs that differ along k have different parts.
  HEDDLE_TRY(Frame frame, frame_of("dot_op", shape, mfma.rank(), encoding.ctas));
  const std::size_t k = k_dim_of(operand, mfma.rank());
  const TileSide outer = operand.op_idx == 0 ? mfma.m : mfma.n;
  const int depth = frame.bits[k];
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, k, k_width);
  tile.along(kLane, outer.dim, outer.bits);
  tile.along(kLane, k, kMfmaLanes - outer.bits);
  // 64 rows or columns are the 16 blocks of an instruction whose other operand has 4.
  constexpr int kBlocks = 4;
  if (outer.bits == kMfmaLanes) tile.along(kRegister, k, kBlocks);
  tile.along(kRegister, k, depth - tile.reached(k));
  tile.along(kRegister, outer.dim, mfma.tiles[outer.dim]);
  tile.box(kWarp, mfma.warps, row_major(mfma.rank()));
  tile.fill(kRegister, operand_order(operand, mfma.rank()));
  return tile.layout();
}

Result<LinearLayout> AmdWmmaEncoding::make_cta_layout(const Sizes& warps_per_cta,
                                                      const Sizes& tiles_per_warp) {
  const std::size_t rank = warps_per_cta.size();
  HEDDLE_CHECK(check_product_rank(kWmma, rank));
  HEDDLE_CHECK(log2_of(kWmma, "warpsPerCTA", warps_per_cta, rank));
  const Sizes tiles = tiles_per_warp.empty() ? Sizes(rank, 1) : tiles_per_warp;
  HEDDLE_CHECK(log2_of(kWmma, "tilesPerWarp", tiles, rank));
  const Order order = row_major(rank);
  HEDDLE_TRY(const LinearLayout layout, identity_standard_nd("register", tiles, order) *
                                            identity_standard_nd("warp", warps_per_cta, order));
  return transpose_outs(layout, standard_out_dim_names(rank));
}

Result<LinearLayout> layout_of(const AmdWmmaEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const Wmma wmma, wmma_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kWmma, shape, wmma.rank, encoding.ctas));
  Tile tile = register_tile(std::move(frame));
  deal_result(tile, wmma);
  HEDDLE_CHECK(deal_tiles(tile, encoding.cta_layout, all_dims(wmma.rank)));
  tile.fill(kRegister, row_major(wmma.rank));
  return tile.layout();
}

Result<LinearLayout> operand_layout_of(const AmdWmmaEncoding& encoding,
                                       const DotOperandEncoding& operand, Shape shape) {
  HEDDLE_TRY(const Wmma wmma, wmma_of(encoding));
  HEDDLE_TRY(const int k_width, k_width_of(operand));
  HEDDLE_TRY(Frame frame, operand_frame(operand, encoding.ctas, shape, wmma.rank));
  const std::size_t k = k_dim_of(operand, wmma.rank);
  const TileSide outer = wmma.outer(operand);
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, k, k_width);
  tile.along(kLane, outer.dim, kWmmaAcross);
  // On RDNA3 both halves of a wave hold the same.
  if (wmma.is_rdna3) {
    tile.nowhere(kLane, kWmmaGroups);
  } else {
    tile.along(kLane, k, kWmmaGroups);
  }
  tile.along(kRegister, k, wmma.k - k_width - kWmmaGroups);
  tile.along(kRegister, outer.dim, outer.bits - kWmmaAcross);
  DimsOfTiles dims = all_dims(wmma.rank);
  dims[k] = std::nullopt;
  HEDDLE_CHECK(deal_tiles(tile, encoding.cta_layout, dims));
  tile.fill(kRegister, operand_order(operand, wmma.rank));
  return tile.layout();
}

Result<LinearLayout> mfma_scale_layout(const DotOperandEncoding& operand, Shape shape) {
  HEDDLE_CHECK(check_scales(operand, shape, kMfma));
  HEDDLE_TRY(const Mfma mfma, mfma_of(*operand.parent->get_if<AmdMfmaEncoding>()));
  if (mfma.m.bits != mfma.n.bits) {
    return refuse("encoding.parameter", "{}: an instruction of {} x {} has none", kScaleFactors,
                  std::int64_t{1} << mfma.m.bits, std::int64_t{1} << mfma.n.bits);
  }
  HEDDLE_TRY(Frame frame, frame_of(kScaleFactors, shape, 2, {}));
  constexpr std::size_t kOuter = 0;
  constexpr std::size_t kFactors = 1;
  const std::size_t outer = outer_dim_of(operand, 2);
  const int factors = frame.bits[kFactors];
  Tile tile = register_tile(std::move(frame));
  tile.along(kLane, kOuter, mfma.m.bits);
  tile.along(kLane, kFactors, kMfmaLanes - mfma.m.bits);
  tile.along(kRegister, kFactors, factors - tile.reached(kFactors));
  tile.along(kRegister, kOuter, mfma.tiles[outer]);
  // The scale factors of B are its transpose, so the warps go along its n first too.
  for (const std::size_t dim : {mfma.n.dim, mfma.m.dim}) {
    tile.along(kWarp, dim == outer ? kOuter : kFactors, mfma.warps[dim]);
  }
  tile.fill(kRegister, {0, 1});
  return tile.layout();
}

Result<LinearLayout> wmma_scale_layout(const DotOperandEncoding& operand, Shape shape,
                                       std::int64_t scale_factor) {
  HEDDLE_CHECK(check_scales(operand, shape, kWmma));
  const auto& encoding = *operand.parent->get_if<AmdWmmaEncoding>();
  HEDDLE_TRY(const Wmma wmma, wmma_of(encoding));
  if (scale_factor != 16 && scale_factor != 32) {
    return refuse("encoding.parameter", "{}: one for {} elements; there is one for 16 or 32",
                  kScaleFactors, scale_factor);
  }
  HEDDLE_TRY(Frame frame, frame_of(kScaleFactors, shape, 2, encoding.ctas));
  constexpr std::size_t kOuter = 0;
  constexpr std::size_t kFactors = 1;
  const int neighbours = scale_factor == 32 ? 2 : 3;
  const TileSide outer = wmma.outer(operand);
  const int factors = std::max(frame.bits[kFactors], neighbours);
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, kFactors, factors);
  tile.along(kLane, kOuter, outer.bits);
  tile.nowhere(kLane, kWmmaAcross + kWmmaGroups - outer.bits);
  DimsOfTiles dims(2);
  dims[outer.dim] = kOuter;
  HEDDLE_CHECK(deal_tiles(tile, encoding.cta_layout, dims));
  tile.fill(kRegister, {0, 1});
  HEDDLE_TRY(LinearLayout layout, tile.layout());
  const auto first_of_next = static_cast<std::size_t>(factors);
  const bool has_next = static_cast<std::size_t>(layout.in_dims()[kRegister].bits) > first_of_next;
  const bool is_narrow = encoding.instr_shape[0] == 16;
  return is_narrow && has_next ? with_next_tile_in_lanes(layout, first_of_next) : layout;
}

}  // namespace heddle::linear
