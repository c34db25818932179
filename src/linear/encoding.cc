#include "heddle/linear/encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/overloaded.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/encoding_fields.h"

namespace heddle::linear {
namespace {

/// The placeholder that the encoding is, or that its parents end with; nullptr if there is none.
const PlaceholderEncoding* placeholder_in(const Encoding& encoding) {
  const Encoding* innermost = &encoding;
  while (innermost != nullptr) {
    const auto* slice = innermost->get_if<SliceEncoding>();
    const auto* operand = innermost->get_if<DotOperandEncoding>();
    if (slice == nullptr && operand == nullptr) break;
    innermost = slice != nullptr ? slice->parent.get() : operand->parent.get();
  }
  return innermost == nullptr ? nullptr : innermost->get_if<PlaceholderEncoding>();
}

bool same(const std::shared_ptr<const Encoding>& a, const std::shared_ptr<const Encoding>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

bool operator==(const SliceEncoding& a, const SliceEncoding& b) {
  return a.dim == b.dim && same(a.parent, b.parent);
}

bool operator==(const DotOperandEncoding& a, const DotOperandEncoding& b) {
  return a.op_idx == b.op_idx && a.k_width == b.k_width && same(a.parent, b.parent);
}

bool operator==(const PartitionedSharedEncoding& a, const PartitionedSharedEncoding& b) {
  return a.num_partitions == b.num_partitions && a.num_groups == b.num_groups &&
         a.partition_dim == b.partition_dim && same(a.partition_layout, b.partition_layout);
}

std::string Encoding::kind() const {
  const std::string_view attribute =
      std::visit([](const auto& data) { return described(data).attribute; }, data_);
  return std::string(attribute.substr(attribute.find('.') + 1));
}

std::size_t Encoding::rank() const {
  const auto parent_rank = [](const std::shared_ptr<const Encoding>& parent) {
    return parent ? parent->rank() : 0;
  };
  return std::visit(
      Overloaded{
          [](const BlockedEncoding& blocked) { return blocked.order.size(); },
          [&](const SliceEncoding& slice) {
            const std::size_t rank = parent_rank(slice.parent);
            return rank == 0 ? 0 : rank - 1;
          },
          [&](const DotOperandEncoding& operand) { return parent_rank(operand.parent); },
          [](const NvidiaMmaEncoding& mma) { return mma.warps_per_cta.size(); },
          [](const SwizzledSharedEncoding& shared) { return shared.order.size(); },
          [](const NvmmaSharedEncoding& shared) {
            return shared.rank < 0 ? 0 : static_cast<std::size_t>(shared.rank);
          },
          [](const TensorMemoryEncoding&) { return std::size_t{2}; },
          [](const TensorMemoryScalesEncoding&) { return std::size_t{2}; },
          [](const DpasEncoding& dpas) { return dpas.warps_per_cta.size(); },
          [](const Subgroup2dBlockEncoding& block) { return block.warps_per_cta.size(); },
          [](const WarpEncoding& warp) { return warp.order.size(); },
          [](const PlaceholderEncoding&) { return std::size_t{0}; },
          [](const AmdMfmaEncoding& mfma) { return mfma.warps_per_cta.size(); },
          [](const AmdWmmaEncoding& wmma) { return wmma.cta_layout.out_dims().size(); },
          [&](const PartitionedSharedEncoding& partitioned) {
            return parent_rank(partitioned.partition_layout);
          },
          [](const auto& linear) { return linear.layout.out_dims().size(); },
      },
      data_);
}

bool Encoding::is_distributed() const { return !is_shared() && !is_tensor_memory(); }

bool Encoding::is_shared() const {
  if (get_if<PlaceholderEncoding>()) return kind() == "dummy_smem_layout";
  return get_if<SwizzledSharedEncoding>() || get_if<NvmmaSharedEncoding>() ||
         get_if<SharedLinearEncoding>() || get_if<PaddedSharedEncoding>() ||
         get_if<PartitionedSharedEncoding>();
}

bool Encoding::is_tensor_memory() const {
  if (get_if<PlaceholderEncoding>()) return kind() == "dummy_tmem_layout";
  return get_if<TensorMemoryEncoding>() || get_if<TensorMemoryScalesEncoding>();
}

SliceEncoding slice_of(Encoding parent, int dim) {
  return {.dim = dim, .parent = std::make_shared<const Encoding>(std::move(parent))};
}

DotOperandEncoding dot_operand_of(Encoding parent, int op_idx, std::int64_t k_width) {
  return {.op_idx = op_idx,
          .parent = std::make_shared<const Encoding>(std::move(parent)),
          .k_width = k_width};
}

Result<LinearLayout> layout_of(const PlaceholderEncoding& encoding, Shape) {
  return refuse(diagnose("encoding.not_inferred",
                         "#{} stands for an encoding that is not inferred yet", encoding.attribute)
                    .with_hint("a dump after the pass that infers it has the encoding"));
}

Result<LinearLayout> to_linear_layout(const Encoding& encoding,
                                      std::span<const std::int64_t> shape) {
  if (const auto* placeholder = placeholder_in(encoding)) return layout_of(*placeholder, shape);
  return std::visit([&](const auto& data) { return layout_of(data, shape); }, encoding.data());
}

// ---- CTAs ----

Result<CtaLayout> CtaLayout::make(const Sizes& ctas_per_cga, const Sizes& split_num,
                                  const Order& order) {
  const std::size_t rank = order.size();
  HEDDLE_CHECK(check_order("CGALayout", "CTAOrder", order, rank));
  HEDDLE_TRY(const auto ctas, log2_of("CGALayout", "CTAsPerCGA", ctas_per_cga, rank));
  HEDDLE_TRY(const auto split, log2_of("CGALayout", "CTASplitNum", split_num, rank));
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    if (split[dim] <= ctas[dim]) continue;
    return refuse("encoding.cta_layout",
                  "CGALayout: along dim{} CTASplitNum = {} is more than CTAsPerCGA = {}", dim,
                  split_num[dim], ctas_per_cga[dim]);
  }
  CtaLayout layout = dealt_ctas(order, split, ctas);
  if (layout.block_bases.size() > kMaxDimBits) {
    return refuse("linear.too_many_bits", "CGALayout has 2^{} CTAs, at most 2^{}",
                  layout.block_bases.size(), kMaxDimBits);
  }
  return layout;
}

Result<CtaSplit> cta_split(const CtaLayout& ctas, std::size_t rank) {
  HEDDLE_TRY(const auto steps, cta_steps(ctas, rank));
  CtaSplit split{Sizes(rank, 1), Sizes(rank, 1), {}};
  if (rank == 0) return split;
  // A bit with image 0 repeats along the dimension of the last bit that has a nonzero image.
  std::size_t last = 0;
  for (const CtaStep& step : steps) {
    if (step.dim) {
      last = *step.dim;
      split.split_num[last] *= 2;
      if (std::ranges::find(split.order, static_cast<int>(last)) == split.order.end()) {
        split.order.push_back(static_cast<int>(last));
      }
    }
    split.ctas_per_cga[last] *= 2;
  }
  for (int dim = 0; dim < static_cast<int>(rank); ++dim) {
    if (std::ranges::find(split.order, dim) == split.order.end()) split.order.push_back(dim);
  }
  return split;
}

}  // namespace heddle::linear
