// Encodings of AMD's matrix instructions: v_mfma of the CDNA machines, v_wmma of the RDNA machines
// and of gfx1250, their operands, and the scale factors of their scaled forms.
//
// What one instruction has is a fragment of the catalogue (form/machine/amd_rules.h); the rest here
// is how Triton lays instructions side by side. Transposed, the rows and columns of a result change
// places. Of A and B a lane has kWidth neighbours along k, whatever the depth of the instruction.

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "core/text.h"
#include "form/machine/amd_rules.h"
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

Result<void> check_product_rank(std::string_view kind, std::size_t rank) {
  if (rank == 2 || rank == 3) return {};
  return refuse("encoding.rank", "{}: {}; a product has 2 or 3", kind, counted(rank, "dimension"));
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

form::Factor factor_of(const DotOperandEncoding& operand) {
  return operand.op_idx == 0 ? form::Factor::kA : form::Factor::kB;
}

/// The rows and the columns of a matrix; of a transposed one its columns and rows.
std::array<std::size_t, 2> matrix_dims(std::size_t rank, bool is_transposed = false) {
  if (is_transposed) return {rank - 1, rank - 2};
  return {rank - 2, rank - 1};
}

/// The rest of an operand: along k first.
Order operand_order(const DotOperandEncoding& operand, std::size_t rank) {
  return operand.op_idx == 0 ? row_major(rank) : column_major(rank);
}

// ---- mfma ----

/// The sizes of one instruction, and log2 of its arrangement.
struct Mfma {
  std::int64_t m = 16;
  std::int64_t n = 16;
  std::vector<int> warps;
  std::vector<int> tiles;

  [[nodiscard]] std::size_t rank() const { return warps.size(); }
};

Result<void> check_mfma_instruction(const AmdMfmaEncoding& encoding) {
  constexpr std::array<std::array<std::int64_t, 2>, 4> kShapes{
      {{32, 32}, {16, 16}, {64, 4}, {4, 64}}};
  const Sizes& shape = encoding.instr_shape;
  if (shape.size() != 3 && shape.size() != 2) {
    return refuse("encoding.rank", "amd_mfma: instrShape = {} has {}; it is (m, n, k)",
                  list_text(shape), counted(shape.size(), "entry"));
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
  Mfma mfma{.m = encoding.instr_shape[0],
            .n = encoding.instr_shape[1],
            .warps = {},
            .tiles = std::vector<int>(rank)};
  HEDDLE_TRY(mfma.warps, log2_of(kMfma, "warpsPerCTA", encoding.warps_per_cta, rank));
  if (!encoding.tiles_per_warp.empty()) {
    HEDDLE_TRY(mfma.tiles, log2_of(kMfma, "tilesPerWarp", encoding.tiles_per_warp, rank));
  }
  return mfma;
}

void deal_result(Tile& tile, const Mfma& mfma, const AmdMfmaEncoding& encoding) {
  form::MatrixSizes sizes{.m = mfma.m, .n = mfma.n};
  if (encoding.is_transposed) std::swap(sizes.m, sizes.n);
  tile.deal(form::mfma_accumulator(sizes, static_cast<int>(encoding.element_bit_width)),
            matrix_dims(mfma.rank(), encoding.is_transposed));
}

// ---- wmma ----

/// The lanes of a wave; half of them go down the rows of A or the columns of B.
constexpr std::int64_t kWmmaLanes = 32;
constexpr std::int64_t kWmmaSide = 16;

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

Result<void> check_wmma(const AmdWmmaEncoding& encoding) {
  HEDDLE_CHECK(check_generation(kWmma, encoding.version, 1, 3));
  const LinearLayout& tiles = encoding.cta_layout;
  HEDDLE_CHECK(check_inputs("amd_wmma: ctaLayout", tiles, {"register", "warp"}));
  HEDDLE_CHECK(check_standard_outs("amd_wmma: ctaLayout", tiles));
  HEDDLE_CHECK(check_product_rank(kWmma, tiles.out_dims().size()));
  if (has_instruction(encoding.version, encoding.instr_shape)) return {};
  return refuse("encoding.parameter",
                "amd_wmma: instrShape = {}: version {} has no such instruction",
                list_text(encoding.instr_shape), encoding.version);
}

form::WmmaVersion version_of(const AmdWmmaEncoding& encoding) {
  return static_cast<form::WmmaVersion>(encoding.version);
}

/// The rows of A or the columns of B in one instruction; transposed, B takes the place of A.
std::int64_t side_of(const AmdWmmaEncoding& encoding, const DotOperandEncoding& operand) {
  const bool is_first = (operand.op_idx == 0) != encoding.is_transposed;
  return encoding.instr_shape[is_first ? 0 : 1];
}

/// What one instruction has of an operand; one that is less deep than its lanes need becomes
/// deeper. On RDNA3 both halves of a wave hold the same, but the registers are counted as if they
/// did not.
form::Fragment wmma_operand(const AmdWmmaEncoding& encoding, const DotOperandEncoding& operand) {
  const std::int64_t run = operand.k_width;
  const std::int64_t depth = std::max(encoding.instr_shape[2], 2 * run);
  const bool is_rdna3 = version_of(encoding) == form::WmmaVersion::kRdna3;
  return form::wmma_factor(factor_of(operand),
                           {.version = version_of(encoding),
                            .k = is_rdna3 ? depth / 2 : depth,
                            .lanes = kWmmaLanes,
                            .run = run},
                           side_of(encoding, operand));
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
  return refuse("encoding.rank", "{} of {} in {}: they are a matrix", kScaleFactors,
                list_text(shape), counted(operand.parent->rank(), "dimension"));
}

/// An instruction of 16 rows reads its factors from the first 16 lanes. The others have those of
/// the next tile, if the warp has one: its bit of the register becomes the highest bit of the lane.
LinearLayout with_next_tile_in_lanes(const LinearLayout& layout, std::size_t first_of_next) {
  std::vector<Dimension> ins = copied(layout.in_dims());
  const auto columns_before = layout.matrix().columns();
  std::vector<std::uint64_t> columns(columns_before.begin(), columns_before.end());
  const std::size_t registers = runs_of(layout.in_dims())[kRegister].end();
  constexpr std::size_t kLowLanes = 4;
  std::swap(columns[first_of_next], columns[registers + kLowLanes]);
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(first_of_next));
  --ins[kRegister].bits;
  return assembled(std::move(ins), copied(layout.out_dims()),
                   {layout.matrix().rows(), std::move(columns)});
}

}  // namespace

Result<LinearLayout> layout_of(const AmdMfmaEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const Mfma mfma, mfma_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kMfma, shape, mfma.rank(), encoding.ctas));
  const auto [m, n] = matrix_dims(mfma.rank());
  const int columns = frame.bits[n];
  Tile tile = register_tile(std::move(frame));
  deal_result(tile, mfma, encoding);
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
  const std::size_t outer = outer_dim_of(operand, mfma.rank());
  const std::int64_t size = operand.op_idx == 0 ? mfma.m : mfma.n;
  const int depth = frame.bits[k];
  Tile tile = register_tile(std::move(frame));
  const form::MatrixSizes sizes{
      .m = mfma.m, .n = mfma.n, .k = (form::kMfmaLanes / size) << k_width};
  tile.deal(form::mfma_factor(factor_of(operand), sizes), matrix_dims(mfma.rank()));
  // 64 rows or columns are the 16 blocks of an instruction whose other operand has 4.
  constexpr int kBlocks = 4;
  if (size == form::kMfmaLanes) tile.along(kRegister, k, kBlocks);
  tile.along(kRegister, k, depth - tile.reached(k));
  tile.along(kRegister, outer, mfma.tiles[outer]);
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
  HEDDLE_CHECK(check_wmma(encoding));
  const std::size_t rank = encoding.cta_layout.out_dims().size();
  HEDDLE_TRY(Frame frame, frame_of(kWmma, shape, rank, encoding.ctas));
  Tile tile = register_tile(std::move(frame));
  tile.deal(form::wmma_accumulator(version_of(encoding), kWmmaLanes, encoding.instr_shape[0]),
            matrix_dims(rank, encoding.is_transposed));
  HEDDLE_CHECK(deal_tiles(tile, encoding.cta_layout, all_dims(rank)));
  tile.fill(kRegister, row_major(rank));
  return tile.layout();
}

Result<LinearLayout> operand_layout_of(const AmdWmmaEncoding& encoding,
                                       const DotOperandEncoding& operand, Shape shape) {
  HEDDLE_CHECK(check_wmma(encoding));
  HEDDLE_CHECK(k_width_of(operand));
  const std::size_t rank = encoding.cta_layout.out_dims().size();
  HEDDLE_TRY(Frame frame, operand_frame(operand, encoding.ctas, shape, rank));
  Tile tile = register_tile(std::move(frame));
  tile.deal(wmma_operand(encoding, operand), matrix_dims(rank));
  DimsOfTiles dims = all_dims(rank);
  dims[k_dim_of(operand, rank)] = std::nullopt;
  HEDDLE_CHECK(deal_tiles(tile, encoding.cta_layout, dims));
  tile.fill(kRegister, operand_order(operand, rank));
  return tile.layout();
}

Result<LinearLayout> mfma_scale_layout(const DotOperandEncoding& operand, Shape shape) {
  HEDDLE_CHECK(check_scales(operand, shape, kMfma));
  HEDDLE_TRY(const Mfma mfma, mfma_of(*operand.parent->get_if<AmdMfmaEncoding>()));
  if (mfma.m != mfma.n) {
    return refuse("encoding.parameter", "{}: an instruction of {} x {} has none", kScaleFactors,
                  mfma.m, mfma.n);
  }
  HEDDLE_TRY(Frame frame, frame_of(kScaleFactors, shape, 2, {}));
  constexpr std::size_t kOuter = 0;
  constexpr std::size_t kFactors = 1;
  const std::size_t outer = outer_dim_of(operand, 2);
  const int rows = log2_exact(mfma.m);
  const int factors = frame.bits[kFactors];
  Tile tile = register_tile(std::move(frame));
  tile.along(kLane, kOuter, rows);
  tile.along(kLane, kFactors, log2_exact(form::kMfmaLanes) - rows);
  tile.along(kRegister, kFactors, factors - tile.reached(kFactors));
  tile.along(kRegister, kOuter, mfma.tiles[outer]);
  // The scale factors of B are its transpose, so the warps go along its n first too.
  for (const std::size_t dim : {std::size_t{1}, std::size_t{0}}) {
    tile.along(kWarp, dim == outer ? kOuter : kFactors, mfma.warps[dim]);
  }
  tile.fill(kRegister, {0, 1});
  return tile.layout();
}

Result<LinearLayout> wmma_scale_layout(const DotOperandEncoding& operand, Shape shape,
                                       std::int64_t scale_factor) {
  HEDDLE_CHECK(check_scales(operand, shape, kWmma));
  const auto& encoding = *operand.parent->get_if<AmdWmmaEncoding>();
  HEDDLE_CHECK(check_wmma(encoding));
  if (scale_factor != 16 && scale_factor != 32) {
    return refuse("encoding.parameter", "{}: one for {}; there is one for 16 or 32", kScaleFactors,
                  counted(scale_factor, "element"));
  }
  HEDDLE_TRY(Frame frame, frame_of(kScaleFactors, shape, 2, encoding.ctas));
  constexpr std::size_t kOuter = 0;
  constexpr std::size_t kFactors = 1;
  const int neighbours = scale_factor == 32 ? 2 : 3;
  const int rows = log2_exact(side_of(encoding, operand));
  const int factors = std::max(frame.bits[kFactors], neighbours);
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, kFactors, factors);
  tile.along(kLane, kOuter, rows);
  tile.nowhere(kLane, log2_exact(kWmmaLanes) - rows);
  DimsOfTiles dims(2);
  dims[outer_dim_of(operand, 2)] = kOuter;
  HEDDLE_CHECK(deal_tiles(tile, encoding.cta_layout, dims));
  tile.fill(kRegister, {0, 1});
  HEDDLE_TRY(LinearLayout layout, tile.layout());
  const auto first_of_next = static_cast<std::size_t>(factors);
  const bool has_next = static_cast<std::size_t>(layout.in_dims()[kRegister].bits) > first_of_next;
  const bool is_narrow = encoding.instr_shape[0] == kWmmaSide;
  return is_narrow && has_next ? with_next_tile_in_lanes(layout, first_of_next) : layout;
}

}  // namespace heddle::linear
