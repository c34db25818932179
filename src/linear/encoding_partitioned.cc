// partitioned_shared, and what it and padded_shared are without their padding.

#include "core/text.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kPartitioned = "partitioned_shared";

Result<void> check_partition_layout(const PartitionedSharedEncoding& encoding) {
  const Encoding* layout = encoding.partition_layout.get();
  if (layout == nullptr) {
    return refuse("encoding.parent", "{}: there is no partitionLayout", kPartitioned);
  }
  if (layout->is_shared() && layout->get_if<PartitionedSharedEncoding>() == nullptr) return {};
  return refuse("encoding.parent",
                "{}: the partitionLayout is {}; one of shared memory that has no partitions itself "
                "is needed",
                kPartitioned, layout->kind());
}

/// The shape of one piece of the tensor.
Result<Sizes> piece_of(const PartitionedSharedEncoding& encoding, Shape shape) {
  HEDDLE_TRY(const int partitions, log2_of(kPartitioned, "numPartitions", encoding.num_partitions));
  HEDDLE_TRY(const int groups, log2_of(kPartitioned, "numGroups", encoding.num_groups));
  const std::size_t rank = encoding.partition_layout->rank();
  HEDDLE_TRY(const std::vector<int> bits, shape_bits(kPartitioned, shape, rank));
  const auto dim = static_cast<std::size_t>(encoding.partition_dim);
  if (encoding.partition_dim < 0 || dim >= rank) {
    return refuse("encoding.parameter", "{}: partitionDim = {}; the partitionLayout has {}",
                  kPartitioned, encoding.partition_dim, counted(rank, "dimension"));
  }
  if (bits[dim] < partitions + groups) {
    return refuse("encoding.shape", "{}: {} partitions of {} pieces each divide {} along dim{}",
                  kPartitioned, encoding.num_partitions, encoding.num_groups, shape[dim], dim);
  }
  Sizes piece(shape.begin(), shape.end());
  piece[dim] >>= partitions + groups;
  return piece;
}

/// Versions of Triton differ in whether CTAs divide a piece or the tensor.
Result<void> check_undivided_pieces(const LinearLayout& piece, std::size_t dim) {
  const Run along = runs_of(piece.out_dims())[dim];
  for (const std::uint64_t image : columns_of(piece, "block")) {
    if (along.of(image) == 0) continue;
    return refuse("encoding.unsupported",
                  "{}: CTAs divide dim{}, along which the tensor is partitioned: versions of "
                  "Triton differ in what this means",
                  kPartitioned, dim);
  }
  return {};
}

}  // namespace

const PaddedSharedEncoding* padding_of(const Encoding& encoding) {
  const auto* partitioned = encoding.get_if<PartitionedSharedEncoding>();
  const Encoding* stored = partitioned == nullptr ? &encoding : partitioned->partition_layout.get();
  return stored == nullptr ? nullptr : stored->get_if<PaddedSharedEncoding>();
}

Encoding without_padding(const Encoding& encoding) {
  const PaddedSharedEncoding* padded = padding_of(encoding);
  if (padded == nullptr) return encoding;
  Encoding linear = SharedLinearEncoding{padded->layout};
  const auto* partitioned = encoding.get_if<PartitionedSharedEncoding>();
  if (partitioned == nullptr) return linear;
  PartitionedSharedEncoding pieces = *partitioned;
  pieces.partition_layout = std::make_shared<const Encoding>(std::move(linear));
  return pieces;
}

Result<LinearLayout> layout_of(const PartitionedSharedEncoding& encoding, Shape shape) {
  HEDDLE_CHECK(check_partition_layout(encoding));
  HEDDLE_TRY(const Sizes piece, piece_of(encoding, shape));
  HEDDLE_TRY(const LinearLayout stored, to_linear_layout(*encoding.partition_layout, piece));
  const auto dim = static_cast<std::size_t>(encoding.partition_dim);
  HEDDLE_CHECK(check_undivided_pieces(stored, dim));
  const std::string& along = stored.out_dims()[dim].name;
  return Result<LinearLayout>(stored) * identity_1d(encoding.num_partitions, "partition", along) *
         identity_1d(encoding.num_groups, "offset", along);
}

}  // namespace heddle::linear
