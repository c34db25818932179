// The smallest tensor that an encoding covers: its parts side by side.

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/core/exact.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"

namespace heddle::linear {
namespace {

/// The sizes, which may have fewer dimensions, with a 1 for each that is missing in front.
Sizes padded(Sizes sizes, std::size_t rank) {
  if (sizes.size() < rank) sizes.insert(sizes.begin(), rank - sizes.size(), 1);
  return sizes;
}

/// The sizes multiplied dimension by dimension; lists may lack dimensions in front.
Result<Sizes> side_by_side(std::initializer_list<Sizes> parts, std::size_t rank) {
  Sizes shape(rank, 1);
  for (const Sizes& part : parts) {
    const Sizes sizes = padded(part, rank);
    if (sizes.size() != rank) {
      return refuse("encoding.rank", "{} has {}, and the encoding {}", list_text(part),
                    counted(part.size(), "entry"), counted(rank, "dimension"));
    }
    for (std::size_t dim = 0; dim < rank; ++dim) {
      const auto size = exact::multiply(shape[dim], sizes[dim]);
      if (!size) return refuse("overflow", "the tile of the encoding has more than 2^63 elements");
      shape[dim] = *size;
    }
  }
  return shape;
}

Sizes sizes_of(const LinearLayout& layout) {
  Sizes sizes;
  for (const Dimension& dim : layout.out_dims()) sizes.push_back(dim.size());
  return sizes;
}

Sizes ones(std::size_t rank) { return Sizes(rank, 1); }

Result<Sizes> parts_of(const CtaLayout& ctas, std::size_t rank) {
  HEDDLE_TRY(const CtaSplit split, cta_split(ctas, rank));
  return split.split_num;
}

/// How many lanes hold nothing of their own.
std::size_t idle_lanes(const LinearLayout& layout) {
  const auto lanes = run_of(layout.in_dims(), "lane");
  if (!lanes) return 0;
  const auto columns = layout.matrix().columns();
  const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(lanes->begin);
  return static_cast<std::size_t>(std::count(begin, begin + lanes->bits, std::uint64_t{0}));
}

/// The depth at which an operand has lanes for all of an instruction.
Result<std::int64_t> depth_of_lanes(const DotOperandEncoding& operand, Sizes shape,
                                    std::size_t k_dim) {
  constexpr std::int64_t kDeep = 1 << 12;
  shape[k_dim] = kDeep;
  HEDDLE_TRY(const LinearLayout deep, layout_of(operand, shape));
  std::int64_t depth = std::max<std::int64_t>(operand.k_width, 1);
  for (; depth < kDeep; depth *= 2) {
    shape[k_dim] = depth;
    const auto layout = layout_of(operand, shape);
    if (layout && idle_lanes(*layout) == idle_lanes(deep)) break;
  }
  return depth;
}

/// The shape that each kind covers, not yet checked.
class Cover {
 public:
  Result<Sizes> of(const BlockedEncoding& blocked) const {
    const std::size_t rank = blocked.order.size();
    HEDDLE_TRY(const Sizes ctas, parts_of(blocked.ctas, rank));
    return side_by_side(
        {blocked.size_per_thread, blocked.threads_per_warp, blocked.warps_per_cta, ctas}, rank);
  }

  Result<Sizes> of(const SliceEncoding& slice) const {
    HEDDLE_CHECK(check_parent("slice", slice.parent));
    HEDDLE_TRY(Sizes shape, smallest_shape(*slice.parent));
    const bool is_dim = slice.dim >= 0 && static_cast<std::size_t>(slice.dim) < shape.size();
    if (is_dim) shape.erase(shape.begin() + slice.dim);
    return shape;
  }

  Result<Sizes> of(const NvidiaMmaEncoding& mma) const {
    const std::size_t rank = mma.warps_per_cta.size();
    Sizes instruction = mma.instr_shape;
    if (mma.version_major == 3 && instruction.size() == 3) instruction.pop_back();
    HEDDLE_TRY(const Sizes ctas, parts_of(mma.ctas, rank));
    return side_by_side({instruction, mma.warps_per_cta, ctas}, rank);
  }

  /// Along k one instruction; of scalar units, as much as the result has there.
  Result<Sizes> of(const DotOperandEncoding& operand) const {
    HEDDLE_CHECK(check_parent("dot_op", operand.parent));
    HEDDLE_TRY(Sizes shape, smallest_shape(*operand.parent));
    const std::size_t rank = shape.size();
    if (rank < 2 || operand.parent->get_if<BlockedEncoding>() != nullptr) return shape;
    const std::size_t k_dim = k_dim_of(operand, rank);
    if (const auto* mma = operand.parent->get_if<NvidiaMmaEncoding>()) {
      const bool is_double = mma->version_major == 2 && mma->instr_shape[rank - 2] == 8;
      HEDDLE_TRY(const int k_width, k_width_of(operand));
      shape[k_dim] = (is_double ? 4 : 8) * (std::int64_t{1} << k_width);
      return shape;
    }
    HEDDLE_TRY(shape[k_dim], depth_of_lanes(operand, shape, k_dim));
    return shape;
  }

  Result<Sizes> of(const AmdMfmaEncoding& mfma) const {
    const std::size_t rank = mfma.warps_per_cta.size();
    Sizes instruction = mfma.instr_shape;
    if (instruction.size() == 3) instruction.pop_back();
    HEDDLE_TRY(const Sizes ctas, parts_of(mfma.ctas, rank));
    return side_by_side({instruction, mfma.warps_per_cta, mfma.tiles_per_warp, ctas}, rank);
  }

  Result<Sizes> of(const AmdWmmaEncoding& wmma) const {
    const Sizes tiles = sizes_of(wmma.cta_layout);
    Sizes instruction = wmma.instr_shape;
    if (instruction.size() == 3) instruction.pop_back();
    if (wmma.is_transposed) std::ranges::reverse(instruction);
    HEDDLE_TRY(const Sizes ctas, parts_of(wmma.ctas, tiles.size()));
    return side_by_side({instruction, tiles, ctas}, tiles.size());
  }

  Result<Sizes> of(const DpasEncoding& dpas) const {
    return side_by_side(
        {{dpas.repeat_count, dpas.execution_size}, dpas.warps_per_cta, dpas.rep_cluster},
        dpas.warps_per_cta.size());
  }

  Result<Sizes> of(const Subgroup2dBlockEncoding& block) const {
    const std::size_t rank = block.warps_per_cta.size();
    Sizes warps = block.warps_per_cta;
    const bool is_dim = !block.order.empty() && block.order[0] >= 0 &&
                        static_cast<std::size_t>(block.order[0]) < rank;
    if (is_dim) warps[static_cast<std::size_t>(block.order[0])] = 1;
    HEDDLE_TRY(const Sizes ctas, parts_of(block.ctas, rank));
    return side_by_side({block.instr_shape, {block.num_blocks}, warps, ctas}, rank);
  }

  /// All phases of all groups.
  Result<Sizes> of(const SwizzledSharedEncoding& shared) const {
    const std::size_t rank = shared.order.size();
    HEDDLE_CHECK(check_order("swizzled_shared", "order", shared.order, rank));
    Sizes group = ones(rank);
    Sizes phases = ones(rank);
    Sizes rounds = ones(rank);
    const auto dim = [&](std::size_t i) { return static_cast<std::size_t>(shared.order[i]); };
    if (rank > 0) group[dim(0)] = shared.vec;
    if (rank > 0) phases[dim(0)] = shared.max_phase;
    if (rank > 1) group[dim(1)] = shared.per_phase;
    if (rank > 1) phases[dim(1)] = shared.max_phase;
    if (rank > 1 && shared.rotating) rounds[dim(1)] = shared.max_phase;
    HEDDLE_TRY(const Sizes ctas, parts_of(shared.ctas, rank));
    return side_by_side({group, phases, rounds, ctas}, rank);
  }

  /// The core matrix.
  Result<Sizes> of(const NvmmaSharedEncoding& shared) const {
    HEDDLE_TRY(const CoreMatrix core, core_matrix(shared));
    const auto rank = static_cast<std::size_t>(std::clamp(shared.rank, 1, kMaxDimBits));
    Sizes matrix = {std::int64_t{1} << CoreMatrix::kRowBits, std::int64_t{1} << core.column_bits};
    if (rank == 1) matrix.erase(matrix.begin());
    matrix = padded(std::move(matrix), rank);
    // Rows run along the first dimension.
    if (shared.transposed) std::rotate(matrix.begin(), matrix.end() - 1, matrix.end());
    HEDDLE_TRY(const Sizes ctas, parts_of(shared.ctas, rank));
    return side_by_side({matrix, ctas}, rank);
  }

  Result<Sizes> of(const TensorMemoryEncoding& memory) const {
    HEDDLE_TRY(const Sizes ctas, parts_of(memory.ctas, 2));
    return side_by_side({{memory.block_m, memory.block_n}, ctas}, 2);
  }

  Result<Sizes> of(const TensorMemoryScalesEncoding& scales) const {
    HEDDLE_TRY(const Sizes ctas, parts_of(scales.ctas, 2));
    return side_by_side({{64, 4}, ctas}, 2);
  }

  Result<Sizes> of(const PartitionedSharedEncoding& partitioned) const {
    if (!partitioned.partition_layout)
      return refuse(diagnose("encoding.parent", "partitioned_shared: it has no partitionLayout"));
    HEDDLE_TRY(const Sizes piece, smallest_shape(*partitioned.partition_layout));
    Sizes partitions = ones(piece.size());
    Sizes groups = partitions;
    const auto dim = static_cast<std::size_t>(std::max(partitioned.partition_dim, 0));
    if (dim < piece.size()) partitions[dim] = partitioned.num_partitions;
    if (dim < piece.size()) groups[dim] = partitioned.num_groups;
    return side_by_side({piece, partitions, groups}, piece.size());
  }

  // Neither has a layout, whatever the shape.
  Result<Sizes> of(const WarpEncoding& warp) const { return ones(warp.order.size()); }
  Result<Sizes> of(const PlaceholderEncoding&) const { return Sizes(); }

  /// Those that are layouts themselves.
  Result<Sizes> of(const LinearEncoding& linear) const { return sizes_of(linear.layout); }
  Result<Sizes> of(const SharedLinearEncoding& shared) const { return sizes_of(shared.layout); }
  Result<Sizes> of(const PaddedSharedEncoding& padded) const { return sizes_of(padded.layout); }
};

}  // namespace

Result<Sizes> smallest_shape(const Encoding& encoding) {
  HEDDLE_TRY(Sizes shape,
             std::visit([](const auto& data) { return Cover().of(data); }, encoding.data()));
  HEDDLE_CHECK(to_linear_layout(encoding, shape));
  return shape;
}

}  // namespace heddle::linear
