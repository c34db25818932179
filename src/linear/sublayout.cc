// Parts of a layout: some of its inputs to some of its outputs, and questions about them.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

std::vector<Dimension> named(std::span<const Dimension> dims, const Names& names) {
  std::vector<Dimension> result;
  for (const Dimension& dim : dims) {
    if (contains(names, dim.name)) result.push_back(dim);
  }
  return result;
}

/// The names of the dimensions that are not in `names`.
Names others(std::span<const Dimension> dims, const Names& names) {
  Names result;
  for (const Dimension& dim : dims) {
    if (!contains(names, dim.name)) result.push_back(dim.name);
  }
  return result;
}

LinearLayout part(const LinearLayout& layout, const Names& ins, const Names& outs) {
  std::vector<Run> runs;
  for (const Dimension& in : layout.in_dims()) {
    if (contains(ins, in.name)) runs.push_back(*run_of(layout.in_dims(), in.name));
  }
  std::vector<Dimension> kept_outs = named(layout.out_dims(), outs);
  const auto rows = static_cast<std::size_t>(total_bits(kept_outs));
  form::BitMatrix matrix = moved_rows(picked_columns(layout.matrix(), runs),
                                      moves_between(layout.out_dims(), kept_outs), rows);
  return assembled(named(layout.in_dims(), ins), std::move(kept_outs), std::move(matrix));
}

bool is_zero(const form::BitMatrix& matrix) {
  return std::ranges::all_of(matrix.columns(), [](std::uint64_t column) { return column == 0; });
}

/// The first input bit of the part for which `holds` is false, as `L(lane=4) = (0, 1) on (dim0,
/// block)`; otherwise nullopt.
template <class Test>
std::optional<std::string> first_without(const LinearLayout& part, Test holds) {
  for (std::size_t bit = 0; bit < part.matrix().columns().size(); ++bit) {
    const std::uint64_t column = part.matrix().columns()[bit];
    if (holds(bit, column)) continue;
    return fmt::format("L({}) = {} on {}", bit_name(part.in_dims(), bit),
                       vector_text(coordinates(part.out_dims(), column)),
                       names_text(part.out_dim_names()));
  }
  return std::nullopt;
}

/// The image that an identity on the outputs of the same name gives to that input bit.
std::uint64_t identity_column(const LinearLayout& part, std::size_t bit) {
  return moved(std::uint64_t{1} << bit, moves_between(part.in_dims(), part.out_dims()));
}

Refusal not_trivial(const Names& dims, const std::string& reason) {
  return refuse("linear.not_trivial", "the layout is not the identity on {}: {}", names_text(dims),
                reason);
}

/// Refuses `linear.not_trivial` with the basis that is in the way.
Result<void> check_trivial_over(const LinearLayout& layout, const Names& dims) {
  for (const std::string& dim : dims) {
    const Dimension* in = layout.find_in(dim);
    const Dimension* out = layout.find_out(dim);
    if (in == nullptr) return not_trivial(dims, fmt::format("{} is not an input dimension", dim));
    if (out == nullptr) return not_trivial(dims, fmt::format("{} is not an output dimension", dim));
    if (in->bits != out->bits) {
      return not_trivial(dims, fmt::format("{} has size {} as input and {} as output", dim,
                                           in->size(), out->size()));
    }
  }
  const auto leads_nowhere = [](std::size_t, std::uint64_t column) { return column == 0; };
  const LinearLayout square = part(layout, dims, dims);
  const auto is_itself = [&](std::size_t bit, std::uint64_t column) {
    return column == identity_column(square, bit);
  };
  if (const auto found = first_without(square, is_itself)) return not_trivial(dims, *found);
  const LinearLayout in = part(layout, others(layout.in_dims(), dims), dims);
  if (const auto found = first_without(in, leads_nowhere)) return not_trivial(dims, *found);
  const LinearLayout out = part(layout, dims, others(layout.out_dims(), dims));
  if (const auto found = first_without(out, leads_nowhere)) return not_trivial(dims, *found);
  return {};
}

}  // namespace

Result<LinearLayout> sublayout(const LinearLayout& layout, const Names& ins, const Names& outs) {
  HEDDLE_CHECK(check_known(ins, layout.in_dims(), "input"));
  HEDDLE_CHECK(check_known(outs, layout.out_dims(), "output"));
  return part(layout, ins, outs);
}

Result<bool> sublayout_is_zero(const LinearLayout& layout, const Names& ins, const Names& outs) {
  HEDDLE_TRY(const LinearLayout chosen, sublayout(layout, ins, outs));
  return is_zero(chosen.matrix());
}

Result<bool> square_sublayout_is_identity(const LinearLayout& layout, const Names& dims) {
  HEDDLE_TRY(const LinearLayout square, sublayout(layout, dims, dims));
  for (const Dimension& in : square.in_dims()) {
    if (square.find_out(in.name)->bits != in.bits) return false;
  }
  return !first_without(square, [&](std::size_t bit, std::uint64_t column) {
    return column == identity_column(square, bit);
  });
}

Result<bool> is_identity_on_out_dim(const LinearLayout& layout, std::string_view dim) {
  HEDDLE_TRY(const Run out, find_run(dim, layout.out_dims(), "output"));
  const Run in = run_of(layout.in_dims(), dim).value_or(Run{});
  if (in.bits != out.bits) return false;
  const auto columns = layout.matrix().columns();
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    const bool is_own = bit >= in.begin && bit < in.end();
    const std::uint64_t wanted = is_own ? std::uint64_t{1} << (bit - in.begin) : 0;
    if (out.of(columns[bit]) != wanted) return false;
  }
  return true;
}

bool is_trivial_over(const LinearLayout& layout, const Names& dims) {
  return check_trivial_over(layout, dims).has_value();
}

Result<LinearLayout> quotient(const LinearLayout& layout, const Names& dims) {
  HEDDLE_CHECK(check_trivial_over(layout, dims));
  return part(layout, others(layout.in_dims(), dims), others(layout.out_dims(), dims));
}

Result<LinearLayout> remove_zero_bases_along_dim(const LinearLayout& layout, std::string_view dim) {
  HEDDLE_TRY(const Run run, find_run(dim, layout.in_dims(), "input"));
  std::vector<Dimension> ins = copied(layout.in_dims());
  std::vector<std::uint64_t> columns;
  for (std::size_t bit = 0; bit < layout.matrix().columns().size(); ++bit) {
    const std::uint64_t column = layout.matrix().columns()[bit];
    if (column == 0 && bit >= run.begin && bit < run.end()) {
      --std::ranges::find(ins, dim, &Dimension::name)->bits;
    } else {
      columns.push_back(column);
    }
  }
  return assembled(std::move(ins), copied(layout.out_dims()),
                   {layout.matrix().rows(), std::move(columns)});
}

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
