#pragma once

// The fields of each kind of encoding, listed once: texts of attributes, data, and their readers
// all follow these lists.
//
//   #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], …}>
//   described(BlockedEncoding())            "ttg.blocked" and the fields sizePerThread, …
//   for_each_field(blocked, visit)          visit(field) for each, in the order of the text

#include <string_view>
#include <tuple>
#include <type_traits>

#include "heddle/linear/encoding.h"

namespace heddle::linear {

/// When a field is written. Only a kRequired one has to be given; others have a usual value, which
/// is that of the C++ struct. Triton's text omits the usual value of kInData, and nothing has that
/// of kUnlessUsual.
enum class Writing { kRequired, kAlways, kInData, kUnlessUsual };
inline constexpr Writing kAlways = Writing::kAlways;
inline constexpr Writing kInData = Writing::kInData;
inline constexpr Writing kUnlessUsual = Writing::kUnlessUsual;

template <class E, class T>
struct Field {
  /// As Triton prints it.
  std::string_view name;
  T E::* member;
  Writing writing = Writing::kRequired;
  /// Its names in older texts and in Gluon, separated by commas, unless they differ in case only.
  std::string_view others = {};
  /// The words of its values, separated by commas, if it is printed as one of them.
  std::string_view words = {};
};
template <class E>
inline constexpr Field kCtas = {"CGALayout", &E::ctas, kUnlessUsual};

template <class... Fields>
struct Description {
  /// The dialect and the name of the attribute.
  std::string_view attribute;
  std::tuple<Fields...> fields;

  explicit constexpr Description(std::string_view name, Fields... all)
      : attribute(name), fields(all...) {}
};

constexpr auto described(const BlockedEncoding&) {
  using E = BlockedEncoding;
  return Description("ttg.blocked", Field{"sizePerThread", &E::size_per_thread},
                     Field{"threadsPerWarp", &E::threads_per_warp},
                     Field{"warpsPerCTA", &E::warps_per_cta}, Field{"order", &E::order}, kCtas<E>);
}

constexpr auto described(const SliceEncoding&) {
  using E = SliceEncoding;
  return Description("ttg.slice", Field{"dim", &E::dim}, Field{"parent", &E::parent});
}

/// The text has the bases in place of the layout, as those of all layouts in shared memory.
constexpr auto described(const LinearEncoding& encoding) {
  return Description(encoding.generic ? "ttg.generic_linear" : "ttg.linear",
                     Field{"layout", &LinearEncoding::layout});
}

constexpr auto described(const NvidiaMmaEncoding&) {
  using E = NvidiaMmaEncoding;
  return Description("ttg.nvidia_mma", Field{"versionMajor", &E::version_major},
                     Field{"versionMinor", &E::version_minor, kAlways},
                     Field{"warpsPerCTA", &E::warps_per_cta}, kCtas<E>,
                     Field{"instrShape", &E::instr_shape, kAlways});
}

constexpr auto described(const AmdMfmaEncoding&) {
  using E = AmdMfmaEncoding;
  return Description("ttg.amd_mfma", Field{"version", &E::version, kAlways, "versionMajor"},
                     Field{"warpsPerCTA", &E::warps_per_cta}, Field{"instrShape", &E::instr_shape},
                     Field{"isTransposed", &E::is_transposed, kAlways, "isTranspose,transposed"},
                     kCtas<E>, Field{"tilesPerWarp", &E::tiles_per_warp, kUnlessUsual},
                     Field{"elementBitWidth", &E::element_bit_width, kInData});
}

constexpr auto described(const AmdWmmaEncoding&) {
  using E = AmdWmmaEncoding;
  return Description("ttg.amd_wmma", Field{"version", &E::version},
                     Field{"isTranspose", &E::is_transposed, kAlways, "isTransposed,transposed"},
                     Field{"ctaLayout", &E::cta_layout}, kCtas<E>,
                     Field{"instrShape", &E::instr_shape, kInData});
}

constexpr auto described(const DotOperandEncoding&) {
  using E = DotOperandEncoding;
  return Description("ttg.dot_op", Field{"opIdx", &E::op_idx, Writing::kRequired, "operand_index"},
                     Field{"parent", &E::parent}, Field{"kWidth", &E::k_width, kUnlessUsual});
}

constexpr auto described(const SwizzledSharedEncoding& encoding) {
  using E = SwizzledSharedEncoding;
  return Description(encoding.rotating ? "ttg.amd_rotating_shared" : "ttg.swizzled_shared",
                     Field{"vec", &E::vec}, Field{"perPhase", &E::per_phase},
                     Field{"maxPhase", &E::max_phase}, Field{"order", &E::order}, kCtas<E>);
}

constexpr auto described(const NvmmaSharedEncoding&) {
  using E = NvmmaSharedEncoding;
  return Description(
      "ttg.nvmma_shared",
      Field{"swizzlingByteWidth", &E::swizzling_byte_width, Writing::kRequired,
            "swizzle_byte_width"},
      Field{"transposed", &E::transposed, kAlways}, Field{"elementBitWidth", &E::element_bit_width},
      Field{"fp4Padded", &E::fp4_padded, kInData}, Field{"rank", &E::rank, kInData}, kCtas<E>);
}

constexpr auto described(const SharedLinearEncoding&) {
  using E = SharedLinearEncoding;
  return Description("ttg.shared_linear", Field{"layout", &E::layout},
                     Field{"alignment", &E::alignment, kAlways});
}

constexpr auto described(const PaddedSharedEncoding&) {
  using E = PaddedSharedEncoding;
  return Description("ttg.padded_shared",
                     Field{"paddings", &E::paddings, Writing::kRequired, "interval_padding_pairs"},
                     Field{"layout", &E::layout});
}

constexpr auto described(const PartitionedSharedEncoding&) {
  using E = PartitionedSharedEncoding;
  return Description("ttg.partitioned_shared", Field{"numPartitions", &E::num_partitions},
                     Field{"numGroups", &E::num_groups}, Field{"partitionDim", &E::partition_dim},
                     Field{"partitionLayout", &E::partition_layout});
}

constexpr auto described(const TensorMemoryEncoding&) {
  using E = TensorMemoryEncoding;
  return Description(
      "ttng.tensor_memory_encoding", Field{"blockM", &E::block_m}, Field{"blockN", &E::block_n},
      Field{"colStride", &E::col_stride, kAlways}, kCtas<E>,
      Field{"twoCTAs", &E::two_ctas, kInData},
      Field{"ctaMode", &E::cta_mode, kUnlessUsual, {}, "default,twocta_lhs,twocta_rhs"},
      Field{"fp4Padded", &E::fp4_padded, kInData});
}

constexpr auto described(const TensorMemoryScalesEncoding&) {
  using E = TensorMemoryScalesEncoding;
  return Description("ttng.tensor_memory_scales_encoding", kCtas<E>,
                     Field{"blockRepOrder", &E::k_then_mn, kInData, {}, "mnThenK,kThenMn"});
}

constexpr auto described(const DpasEncoding&) {
  using E = DpasEncoding;
  return Description("ttig.dpas", Field{"repeatCount", &E::repeat_count},
                     Field{"systolicDepth", &E::systolic_depth},
                     Field{"executionSize", &E::execution_size},
                     Field{"opsPerChan", &E::ops_per_channel, Writing::kRequired, "opsPerChannel"},
                     Field{"fp4KPack", &E::fp4_k_pack, kUnlessUsual},
                     Field{"threadsPerWarp", &E::threads_per_warp},
                     Field{"warpsPerCTA", &E::warps_per_cta}, Field{"repCluster", &E::rep_cluster});
}

constexpr auto described(const Subgroup2dBlockEncoding&) {
  using E = Subgroup2dBlockEncoding;
  return Description("ttig.subgroup_2d_block", Field{"warpsPerCTA", &E::warps_per_cta}, kCtas<E>,
                     Field{"instrShape", &E::instr_shape}, Field{"numBlocks", &E::num_blocks},
                     Field{"order", &E::order}, Field{"kWidth", &E::k_width},
                     Field{"threadsPerWarp", &E::threads_per_warp});
}

constexpr auto described(const WarpEncoding&) {
  using E = WarpEncoding;
  return Description("ttig.warp", Field{"sizePerThread", &E::size_per_thread},
                     Field{"threadsPerWarp", &E::threads_per_warp}, Field{"order", &E::order});
}

constexpr auto described(const PlaceholderEncoding& encoding) {
  const std::string_view attribute = encoding.attribute;
  return Description(attribute.substr(0, attribute.find('<')));
}

template <class E, class Visit>
void for_each_field(const E& encoding, Visit visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, described(encoding).fields);
}

/// Whether the text or the data has the field.
template <class E, class T>
bool is_written(const E& encoding, const Field<E, T>& field, bool in_data) {
  const bool is_always = field.writing == Writing::kRequired || field.writing == Writing::kAlways;
  if (is_always || (in_data && field.writing == Writing::kInData)) return true;
  return encoding.*field.member != E().*field.member;
}

/// The word for the value of a field; empty if it has no words.
template <class E, class T>
std::string_view word_of(const E& encoding, const Field<E, T>& field) {
  std::string_view words = field.words;
  if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
    const int value = static_cast<int>(encoding.*field.member);
    for (int i = 0; i < value && !words.empty(); ++i) words.remove_prefix(words.find(',') + 1);
  }
  return words.substr(0, words.find(','));
}

}  // namespace heddle::linear
