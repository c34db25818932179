#include "linear/encoding_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/text.h"
#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

Refusal wrong_length(std::string_view kind, std::string_view parameter, const std::string& list,
                     std::size_t size, std::size_t rank) {
  return refuse("encoding.rank", "{}: one entry for each of {} is needed; {} = {} has {}", kind,
                counted(rank, "dimension"), parameter, list, size);
}

Diagnostic not_a_power(std::string_view kind, std::span<const std::int64_t> shape,
                       std::size_t dim) {
  const std::int64_t size = shape[dim];
  Diagnostic diagnostic = diagnose(
      "encoding.shape", "{}: the tensor {} has size {} along dim{}, which is not a power of two",
      kind, list_text(shape), size, dim);
  if (size <= 0 || size > std::int64_t{1} << kMaxDimBits) return diagnostic;
  return std::move(diagnostic)
      .with_hint(fmt::format("the next power of two is {}; mask what is beyond {}",
                             std::bit_ceil(static_cast<std::uint64_t>(size)), size));
}

/// A basis of `block` must be one step along a dimension, or 0.
Result<CtaStep> cta_step(const std::vector<std::int64_t>& basis, std::size_t rank) {
  if (basis.size() != rank) {
    return refuse("encoding.rank", "CGALayout: one entry for each of {} is needed; {} has {}",
                  counted(rank, "dimension"), list_text(basis), basis.size());
  }
  CtaStep step;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (basis[dim] == 0) continue;
    if (!is_power_of_two(basis[dim])) {
      return refuse("encoding.cta_layout",
                    "CGALayout: {} moves by {} along dim{}, which is not a power of two",
                    list_text(basis), basis[dim], dim);
    }
    if (step.dim) {
      return refuse("encoding.cta_layout",
                    "CGALayout: {} moves along dim{} and dim{}; a CTA moves along one",
                    list_text(basis), *step.dim, dim);
    }
    step = {dim, log2_exact(basis[dim])};
  }
  return step;
}

/// The positions along each dimension must be 0, 1, …, each once.
Result<void> check_complete(const std::vector<CtaStep>& steps, std::size_t rank) {
  std::vector<std::uint64_t> seen(rank);
  std::vector<int> count(rank);
  for (const CtaStep& step : steps) {
    if (!step.dim) continue;
    seen[*step.dim] |= std::uint64_t{1} << step.position;
    ++count[*step.dim];
  }
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (seen[dim] == low_bits(count[dim])) continue;
    return refuse("encoding.cta_layout",
                  "CGALayout: the {} steps along dim{} must be 1, 2, 4, …, each once", count[dim],
                  dim);
  }
  return {};
}

}  // namespace

Result<int> log2_of(std::string_view kind, std::string_view parameter, std::int64_t value) {
  if (is_power_of_two(value)) return log2_exact(value);
  return refuse("encoding.sizes", "{}: {} = {} is not a power of two", kind, parameter, value);
}

Result<std::vector<int>> log2_of(std::string_view kind, std::string_view parameter,
                                 const Sizes& values, std::size_t rank) {
  if (values.size() != rank) {
    return wrong_length(kind, parameter, list_text(values), values.size(), rank);
  }
  std::vector<int> bits;
  bits.reserve(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!is_power_of_two(values[dim])) {
      return refuse("encoding.sizes", "{}: {} = {} has {} along dim{}, which is not a power of two",
                    kind, parameter, list_text(values), values[dim], dim);
    }
    bits.push_back(log2_exact(values[dim]));
  }
  return bits;
}

Result<void> check_order(std::string_view kind, std::string_view parameter, const Order& order,
                         std::size_t rank) {
  if (order.size() != rank) {
    return wrong_length(kind, parameter, list_text(order), order.size(), rank);
  }
  std::vector<bool> seen(rank);
  for (const int dim : order) {
    const bool fits = dim >= 0 && static_cast<std::size_t>(dim) < rank;
    if (fits && !seen[static_cast<std::size_t>(dim)]) {
      seen[static_cast<std::size_t>(dim)] = true;
      continue;
    }
    return refuse("encoding.order", "{}: {} = {} is not a permutation of 0 to {}: {} {}", kind,
                  parameter, list_text(order), rank - 1, dim, fits ? "occurs twice" : "is outside");
  }
  return {};
}

Result<std::vector<int>> shape_bits(std::string_view kind, std::span<const std::int64_t> shape,
                                    std::size_t rank) {
  if (shape.size() != rank || rank == 0) {
    Diagnostic diagnostic =
        diagnose("encoding.rank", "{}: the encoding has {}, the tensor {} has {}", kind,
                 counted(rank, "dimension"), list_text(shape), shape.size());
    if (shape.size() <= rank || rank == 0) return refuse(std::move(diagnostic));
    return refuse(std::move(diagnostic)
                      .with_hint(fmt::format("of a buffer with several stages take one: {}",
                                             list_text(shape.subspan(shape.size() - rank)))));
  }
  std::vector<int> bits;
  bits.reserve(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!is_power_of_two(shape[dim])) return refuse(not_a_power(kind, shape, dim));
    bits.push_back(log2_exact(shape[dim]));
  }
  const int total = std::accumulate(bits.begin(), bits.end(), 0);
  if (total > kMaxDimBits) {
    return refuse("linear.too_many_bits", "the tensor {} has 2^{} elements, at most 2^{}",
                  list_text(shape), total, kMaxDimBits);
  }
  return bits;
}

Result<std::vector<CtaStep>> cta_steps(const CtaLayout& ctas, std::size_t rank) {
  std::vector<CtaStep> steps;
  if (ctas.block_bases.empty()) return steps;
  if (ctas.block_bases.size() > kMaxDimBits) {
    return refuse("linear.too_many_bits", "CGALayout has {}, at most {}",
                  counted(ctas.block_bases.size(), "basis"), kMaxDimBits);
  }
  for (const auto& basis : ctas.block_bases) {
    HEDDLE_TRY(steps.emplace_back(), cta_step(basis, rank));
  }
  HEDDLE_CHECK(check_complete(steps, rank));
  return steps;
}

CtaLayout dealt_ctas(const Order& order, std::span<const int> split, std::span<const int> ctas) {
  CtaLayout layout;
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    for (int bit = 0; bit < ctas[dim]; ++bit) {
      auto& basis = layout.block_bases.emplace_back(split.size());
      if (bit < split[dim]) basis[dim] = std::int64_t{1} << bit;
    }
  }
  return layout;
}

Result<void> check_inputs(std::string_view kind, const LinearLayout& layout, const Names& wanted) {
  if (layout.in_dim_names() == wanted) return {};
  return refuse("encoding.linear", "{}: the inputs are {}, not {}", kind,
                names_text(layout.in_dim_names()), names_text(wanted));
}

Result<void> check_parent(std::string_view kind, const std::shared_ptr<const Encoding>& parent) {
  if (!parent) return refuse("encoding.parent", "{}: there is no parent", kind);
  if (parent->is_distributed()) return {};
  return refuse("encoding.parent", "{}: the parent is {}, which is not in registers", kind,
                parent->kind());
}

Result<void> check_standard_outs(std::string_view kind, const LinearLayout& layout) {
  const Names wanted = standard_out_dim_names(layout.out_dims().size());
  if (!wanted.empty() && layout.out_dim_names() == wanted) return {};
  return refuse("encoding.linear", "{}: the outputs are {}; they must be dim0, dim1, …", kind,
                names_text(layout.out_dim_names()));
}

Result<void> check_bijective(std::string_view kind, const LinearLayout& layout) {
  const auto columns = layout.matrix().columns();
  const auto moving = static_cast<std::size_t>(
      std::ranges::count_if(columns, [](std::uint64_t image) { return image != 0; }));
  const std::size_t rank = layout.matrix().rank();
  if (moving == rank && rank == layout.matrix().rows()) return {};
  return refuse("encoding.linear",
                "{}: {} bits lead somewhere and reach {} of the {} bits of the tensor; each bit of "
                "the tensor must be reached by one",
                kind, moving, rank, layout.matrix().rows());
}

Result<void> check_shared_layout(std::string_view kind, const LinearLayout& layout,
                                 std::span<const std::int64_t> shape) {
  HEDDLE_CHECK(check_inputs(kind, layout, {"offset", "block"}));
  HEDDLE_CHECK(check_standard_outs(kind, layout));
  HEDDLE_TRY(const auto bits, shape_bits(kind, shape, layout.out_dims().size()));
  for (std::size_t dim = 0; dim < bits.size(); ++dim) {
    if (layout.out_dims()[dim].bits == bits[dim]) continue;
    return refuse("encoding.shape", "{}: the layout has size {} along dim{}, the tensor {}", kind,
                  layout.out_dims()[dim].size(), dim, shape[dim]);
  }
  return {};
}

Result<void> check_paddings(const PaddedSharedEncoding& encoding) {
  constexpr std::string_view kKind = "padded_shared";
  if (encoding.paddings.empty()) {
    return refuse("encoding.parameter", "padded_shared: there is no padding; one is needed");
  }
  std::vector<std::int64_t> intervals;
  for (const auto& [interval, padding] : encoding.paddings) {
    HEDDLE_CHECK(log2_of(kKind, "interval", interval));
    HEDDLE_CHECK(log2_of(kKind, "padding", padding));
    if (std::ranges::find(intervals, interval) != intervals.end()) {
      return refuse("encoding.parameter", "padded_shared: two paddings have the interval {}",
                    interval);
    }
    intervals.push_back(interval);
  }
  return {};
}

Order row_major(std::size_t rank) {
  Order order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

Order column_major(std::size_t rank) {
  Order order = row_major(rank);
  if (rank >= 2) std::swap(order[0], order[1]);
  return order;
}

Order order_of(const LinearLayout& layout, std::string_view in) {
  const std::vector<Run> outs = runs_of(layout.out_dims());
  const Run bits = run_of(layout.in_dims(), in).value_or(Run{});
  Order order;
  const auto add = [&](int dim) {
    if (std::ranges::find(order, dim) == order.end()) order.push_back(dim);
  };
  for (std::size_t bit = bits.begin; bit < bits.end(); ++bit) {
    const std::uint64_t image = layout.matrix().columns()[bit];
    const auto found =
        std::ranges::find_if(outs, [&](const Run& run) { return run.of(image) != 0; });
    if (found != outs.end()) add(static_cast<int>(found - outs.begin()));
  }
  for (const int dim : row_major(outs.size())) add(dim);
  return order;
}

std::string image_text(const LinearLayout& layout, std::size_t bit) {
  return fmt::format("{} -> {}", bit_name(layout.in_dims(), bit),
                     list_text(coordinates(layout.out_dims(), layout.matrix().columns()[bit])));
}

}  // namespace heddle::linear
