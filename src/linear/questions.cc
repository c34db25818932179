// What can be asked of layouts, and a layout as the index map that it denotes.

#include <algorithm>
#include <bit>

#include "linear/bit_runs.h"

namespace heddle::linear {

NamedSizes free_variable_masks(const LinearLayout& layout) {
  std::uint64_t used = 0;
  for (const std::size_t pivot : form::pivots(layout.matrix())) used |= std::uint64_t{1} << pivot;
  NamedSizes masks;
  for (const Dimension& in : layout.in_dims()) {
    const Run run = *run_of(layout.in_dims(), in.name);
    masks.emplace_back(in.name, static_cast<std::int64_t>(run.of(~used)));
  }
  return masks;
}

std::int64_t num_consecutive_in_out(const LinearLayout& layout) {
  if (layout.in_dims().empty() || layout.out_dims().empty()) return 1;
  const int in_bits = layout.in_dims().front().bits;
  const Run out{0, layout.out_dims().front().bits};
  const auto columns = layout.matrix().columns();
  int consecutive = 0;
  while (consecutive < std::min(in_bits, out.bits) &&
         columns[static_cast<std::size_t>(consecutive)] == std::uint64_t{1} << consecutive) {
    ++consecutive;
  }
  std::uint64_t moved_by_others = 0;
  for (const std::uint64_t column : columns.subspan(static_cast<std::size_t>(consecutive))) {
    moved_by_others |= out.of(column);
  }
  return std::int64_t{1} << std::min(consecutive, std::countr_zero(moved_by_others));
}

bool equivalent(const LinearLayout& a, const LinearLayout& b) {
  const auto transposed = transpose_ins(b, a.in_dim_names()).and_then([&](const LinearLayout& t) {
    return transpose_outs(t, a.out_dim_names());
  });
  return transposed && *transposed == a;
}

bool equal_ignoring_out_dim_sizes(const LinearLayout& a, const LinearLayout& b) {
  return a.out_dim_names() == b.out_dim_names() && a.bases() == b.bases();
}

}  // namespace heddle::linear
