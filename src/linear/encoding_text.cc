// Encodings as Triton prints attributes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

using Vectors = std::vector<std::vector<std::int64_t>>;

/// `[[0, 1], [8, 0]]`
std::string vectors_text(const Vectors& vectors) {
  std::vector<std::string> texts;
  for (const auto& vector : vectors) texts.push_back(list_text(vector));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// `, CGALayout = [[0, 1]]`; empty for one CTA.
std::string ctas_text(const CtaLayout& ctas) {
  if (ctas.block_bases.empty()) return {};
  return fmt::format(", CGALayout = {}", vectors_text(ctas.block_bases));
}

std::string base_text(const InBases& in) {
  return fmt::format("{} = {}", in.name, vectors_text(in.vectors));
}

/// `register = [[0, 1]], lane = [], …`
std::string bases_text(const LinearLayout& layout) {
  std::vector<std::string> texts;
  for (const InBases& in : layout.bases()) texts.push_back(base_text(in));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string parent_text(const std::shared_ptr<const Encoding>& parent) {
  return parent ? to_string(*parent) : "<<no parent>>";
}

std::string text_of(const BlockedEncoding& encoding) {
  return fmt::format(
      "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}{}}}>",
      list_text(encoding.size_per_thread), list_text(encoding.threads_per_warp),
      list_text(encoding.warps_per_cta), list_text(encoding.order), ctas_text(encoding.ctas));
}

std::string text_of(const SliceEncoding& encoding) {
  return fmt::format("#ttg.slice<{{dim = {}, parent = {}}}>", encoding.dim,
                     parent_text(encoding.parent));
}

std::string text_of(const LinearEncoding& encoding) {
  return fmt::format("#ttg.{}<{{{}}}>", encoding.generic ? "generic_linear" : "linear",
                     bases_text(encoding.layout));
}

std::string text_of(const NvidiaMmaEncoding& encoding) {
  return fmt::format(
      "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = {}, warpsPerCTA = {}{}, instrShape = "
      "{}}}>",
      encoding.version_major, encoding.version_minor, list_text(encoding.warps_per_cta),
      ctas_text(encoding.ctas), list_text(encoding.instr_shape));
}

std::string text_of(const DotOperandEncoding& encoding) {
  return fmt::format("#ttg.dot_op<{{opIdx = {}, parent = {}{}}}>", encoding.op_idx,
                     parent_text(encoding.parent),
                     encoding.k_width == 0 ? "" : fmt::format(", kWidth = {}", encoding.k_width));
}

std::string text_of(const SwizzledSharedEncoding& encoding) {
  return fmt::format("#ttg.{}<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}{}}}>",
                     encoding.rotating ? "amd_rotating_shared" : "swizzled_shared", encoding.vec,
                     encoding.per_phase, encoding.max_phase, list_text(encoding.order),
                     ctas_text(encoding.ctas));
}

std::string text_of(const NvmmaSharedEncoding& encoding) {
  const bool has_one_cta = encoding.ctas.block_bases.empty();
  const std::string rank =
      has_one_cta && encoding.rank != 2 ? fmt::format(", rank = {}", encoding.rank) : "";
  return fmt::format(
      "#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}{}{}{}}}>",
      encoding.swizzling_byte_width, encoding.transposed, encoding.element_bit_width,
      encoding.fp4_padded ? ", fp4Padded = true" : "", rank, ctas_text(encoding.ctas));
}

std::string text_of(const SharedLinearEncoding& encoding) {
  std::vector<std::string> texts;
  for (const InBases& in : encoding.layout.bases()) {
    if (in.name != "block" || !in.vectors.empty()) texts.push_back(base_text(in));
  }
  return fmt::format("#ttg.shared_linear<{{{}}}, alignment = {}>", fmt::join(texts, ", "),
                     encoding.alignment);
}

/// `order = [1, 0], shape = [16, 32]`, if the offsets of one CTA run through one dimension after
/// another; otherwise nullopt.
std::optional<std::string> short_form(const PaddedSharedEncoding& encoding) {
  const LinearLayout& layout = encoding.layout;
  const Dimension* block = layout.find_in("block");
  if (block == nullptr || block->bits != 0 || layout.in_dims()[0].name != "offset") return {};
  const Order order = order_of(layout, "offset");
  Sizes shape;
  for (const Dimension& out : layout.out_dims()) shape.push_back(out.size());
  const auto plain = PaddedSharedEncoding::make(encoding.paddings, order, shape);
  if (!plain || plain->layout != layout) return {};
  return fmt::format("order = {}, shape = {}", list_text(order), list_text(shape));
}

std::string text_of(const PaddedSharedEncoding& encoding) {
  std::vector<std::string> paddings;
  for (const auto& [interval, padding] : encoding.paddings) {
    paddings.push_back(fmt::format("{}:+{}", interval, padding));
  }
  return fmt::format("#ttg.padded_shared<[{}] {{{}}}>", fmt::join(paddings, ", "),
                     short_form(encoding).value_or(bases_text(encoding.layout)));
}

std::string_view mode_text(TensorMemoryCtaMode mode) {
  switch (mode) {
    case TensorMemoryCtaMode::kLeftOperand:
      return ", ctaMode = twocta_lhs";
    case TensorMemoryCtaMode::kAccumulator:
      return ", ctaMode = twocta_rhs";
    case TensorMemoryCtaMode::kDefault:
      break;
  }
  return "";
}

std::string text_of(const TensorMemoryEncoding& encoding) {
  return fmt::format(
      "#ttng.tensor_memory_encoding<blockM = {}, blockN = {}, colStride = {}{}{}{}{}>",
      encoding.block_m, encoding.block_n, encoding.col_stride, ctas_text(encoding.ctas),
      encoding.two_ctas ? ", twoCTAs = true" : "", mode_text(encoding.cta_mode),
      encoding.fp4_padded ? ", fp4Padded = true" : "");
}

std::string text_of(const TensorMemoryScalesEncoding& encoding) {
  std::vector<std::string> texts;
  if (!encoding.ctas.block_bases.empty()) {
    texts.push_back(fmt::format("CGALayout = {}", vectors_text(encoding.ctas.block_bases)));
  }
  if (encoding.k_then_mn) texts.emplace_back("blockRepOrder = kThenMn");
  return fmt::format("#ttng.tensor_memory_scales_encoding<{}>", fmt::join(texts, ", "));
}

/// `, A = [8, 16], B = [16, 16], C = [8, 16]`
std::string matrices_text(const DpasEncoding& encoding) {
  const auto [a, b, c] = matrix_shapes(encoding);
  if (a.empty()) return {};
  return fmt::format(", A = {}, B = {}, C = {}", list_text(a), list_text(b), list_text(c));
}

std::string text_of(const DpasEncoding& encoding) {
  return fmt::format(
      "#ttig.dpas<{{repeatCount = {}, systolicDepth = {}, executionSize = {}, opsPerChan = {}{}, "
      "threadsPerWarp = {}, warpsPerCTA = {}, repCluster = {}{}}}>",
      encoding.repeat_count, encoding.systolic_depth, encoding.execution_size,
      encoding.ops_per_channel,
      encoding.fp4_k_pack ? fmt::format(", fp4KPack = {}", *encoding.fp4_k_pack) : "",
      encoding.threads_per_warp, list_text(encoding.warps_per_cta), list_text(encoding.rep_cluster),
      matrices_text(encoding));
}

std::string text_of(const Subgroup2dBlockEncoding& encoding) {
  return fmt::format(
      "#ttig.subgroup_2d_block<{{warpsPerCTA = {}{}, instrShape = {}, numBlocks = {}, order = {}, "
      "kWidth = {}, threadsPerWarp = {}}}>",
      list_text(encoding.warps_per_cta), ctas_text(encoding.ctas), list_text(encoding.instr_shape),
      encoding.num_blocks, list_text(encoding.order), encoding.k_width, encoding.threads_per_warp);
}

std::string text_of(const WarpEncoding& encoding) {
  return fmt::format("#ttig.warp<{{sizePerThread = {}, threadsPerWarp = {}, order = {}}}>",
                     list_text(encoding.size_per_thread), list_text(encoding.threads_per_warp),
                     list_text(encoding.order));
}

std::string text_of(const AmdMfmaEncoding& encoding) {
  const auto& tiles = encoding.tiles_per_warp;
  const bool has_tiles = std::ranges::any_of(tiles, [](std::int64_t count) { return count != 1; });
  return fmt::format(
      "#ttg.amd_mfma<{{version = {}, warpsPerCTA = {}, instrShape = {}, isTransposed = {}{}{}{}}}>",
      encoding.version, list_text(encoding.warps_per_cta), list_text(encoding.instr_shape),
      encoding.is_transposed, ctas_text(encoding.ctas),
      has_tiles ? fmt::format(", tilesPerWarp = {}", list_text(tiles)) : "",
      encoding.element_bit_width == 32
          ? ""
          : fmt::format(", elementBitWidth = {}", encoding.element_bit_width));
}

std::string text_of(const AmdWmmaEncoding& encoding) {
  std::vector<std::string> tiles;
  for (const InBases& in : encoding.cta_layout.bases()) {
    if (!in.vectors.empty()) tiles.push_back(base_text(in));
  }
  const std::size_t rank = encoding.cta_layout.out_dims().size();
  return fmt::format("#ttg.amd_wmma<{{version = {}, isTranspose = {}{}, ctaLayout = {{{}}}{}{}}}>",
                     encoding.version, encoding.is_transposed,
                     rank == 2 ? "" : fmt::format(", rank = {}", rank), fmt::join(tiles, ", "),
                     ctas_text(encoding.ctas),
                     encoding.instr_shape == Sizes{16, 16, 16}
                         ? ""
                         : fmt::format(", instrShape = {}", list_text(encoding.instr_shape)));
}

std::string text_of(const PartitionedSharedEncoding& encoding) {
  return fmt::format(
      "#ttg.partitioned_shared<{{numPartitions = {}, numGroups = {}, partitionDim = {}, "
      "partitionLayout = {}}}>",
      encoding.num_partitions, encoding.num_groups, encoding.partition_dim,
      parent_text(encoding.partition_layout));
}

std::string text_of(const PlaceholderEncoding& encoding) { return "#" + encoding.attribute; }

}  // namespace

std::string to_string(const Encoding& encoding) {
  return std::visit([](const auto& data) { return text_of(data); }, encoding.data());
}

}  // namespace heddle::linear
