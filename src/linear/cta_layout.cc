// The two forms in which Triton writes how CTAs divide a tensor.

#include <fmt/format.h>

#include <algorithm>

#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"

namespace heddle::linear {

Result<CtaLayout> CtaLayout::make(const Sizes& ctas_per_cga, const Sizes& split_num,
                                  const Order& order) {
  const std::size_t rank = order.size();
  HEDDLE_CHECK(check_order("CGALayout", "CTAOrder", order, rank));
  HEDDLE_TRY(const auto ctas, log2_of("CGALayout", "CTAsPerCGA", ctas_per_cga, rank));
  HEDDLE_TRY(const auto split, log2_of("CGALayout", "CTASplitNum", split_num, rank));
  CtaLayout layout;
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    if (split[dim] > ctas[dim]) {
      return refuse(
          "encoding.cta_layout",
          fmt::format("CGALayout: along dim{} CTASplitNum = {} is more than CTAsPerCGA = {}", dim,
                      split_num[dim], ctas_per_cga[dim]));
    }
    for (int bit = 0; bit < ctas[dim]; ++bit) {
      auto& basis = layout.block_bases.emplace_back(rank);
      if (bit < split[dim]) basis[dim] = std::int64_t{1} << bit;
    }
  }
  if (layout.block_bases.size() > kMaxDimBits) {
    return refuse("linear.too_many_bits", fmt::format("CGALayout has 2^{} CTAs, at most 2^{}",
                                                      layout.block_bases.size(), kMaxDimBits));
  }
  return layout;
}

Result<CtaSplit> cta_split(const CtaLayout& ctas, std::size_t rank) {
  HEDDLE_TRY(const auto steps, cta_steps(ctas, rank));
  CtaSplit split{Sizes(rank, 1), Sizes(rank, 1), {}};
  if (rank == 0) return split;
  // A bit that leads nowhere repeats along the dimension of the last one that led somewhere.
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
