// The same map over other dimensions: reordered, regrouped, resized, renamed, joined.

#include <fmt/format.h>

#include <algorithm>

#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

/// `dims` in another order.
Result<std::vector<Dimension>> reordered(std::span<const Dimension> dims, const Names& order,
                                         std::string_view side) {
  HEDDLE_CHECK(check_same_names(order, names_of(dims),
                                fmt::format("the order must name each {} dimension once", side)));
  std::vector<Dimension> result;
  for (const std::string& name : order) {
    result.push_back(*std::ranges::find(dims, name, &Dimension::name));
  }
  return result;
}

/// Dimensions of these sizes for the bits of `dims`.
Result<std::vector<Dimension>> regrouped(std::span<const Dimension> dims, const NamedSizes& sizes,
                                         std::string_view side) {
  HEDDLE_TRY(std::vector<Dimension> groups, dimensions(sizes));
  HEDDLE_CHECK(check_dims(groups, side));
  if (total_bits(groups) == total_bits(dims)) return groups;
  return refuse(
      "linear.total_size",
      fmt::format("the {} dimensions {} have {} bits together; {} have {}", side, dims_text(dims),
                  total_bits(dims), dims_text(groups), total_bits(groups)));
}

Result<std::vector<Dimension>> flattened(std::span<const Dimension> dims, std::string_view side) {
  if (dims.empty()) return std::vector<Dimension>();
  const int bits = total_bits(dims);
  if (bits > kMaxDimBits) {
    return refuse("linear.too_many_bits",
                  fmt::format("the {} dimensions have {} bits together, one dimension at most {}: "
                              "{}",
                              side, bits, kMaxDimBits, dims_text(dims)));
  }
  return std::vector<Dimension>{{dims.front().name, bits}};
}

Result<std::vector<Dimension>> squeezed(std::span<const Dimension> dims, std::string_view name,
                                        std::string_view side) {
  HEDDLE_TRY(const Run run, find_run(name, dims, side));
  if (run.bits != 0) {
    return refuse("linear.dim_too_large",
                  fmt::format("only a dimension of size 1 can be squeezed; {} has size {}", name,
                              std::int64_t{1} << run.bits));
  }
  std::vector<Dimension> rest = copied(dims);
  std::erase_if(rest, [&](const Dimension& dim) { return dim.name == name; });
  return rest;
}

std::vector<Dimension> without_units(std::span<const Dimension> dims) {
  std::vector<Dimension> rest = copied(dims);
  std::erase_if(rest, [](const Dimension& dim) { return dim.bits == 0; });
  return rest;
}

Result<std::vector<Dimension>> resized(std::span<const Dimension> dims, std::string_view name,
                                       std::int64_t size, std::string_view side) {
  HEDDLE_CHECK(find_run(name, dims, side));
  HEDDLE_TRY(const int bits, log2_size(name, size));
  std::vector<Dimension> result = copied(dims);
  std::ranges::find(result, name, &Dimension::name)->bits = bits;
  HEDDLE_CHECK(check_dims(result, side));
  return result;
}

Result<std::vector<Dimension>> renamed(std::span<const Dimension> dims, std::string_view from,
                                       std::string_view to, std::string_view side) {
  HEDDLE_CHECK(find_run(from, dims, side));
  std::vector<Dimension> result = copied(dims);
  std::ranges::find(result, from, &Dimension::name)->name = to;
  HEDDLE_CHECK(check_dims(result, side));
  return result;
}

/// `second` after `first`.
Result<std::vector<Dimension>> joined(std::span<const Dimension> first,
                                      std::span<const Dimension> second, std::string_view side) {
  std::vector<Dimension> result = copied(first);
  result.insert(result.end(), second.begin(), second.end());
  HEDDLE_CHECK(check_dims(result, side));
  return result;
}

/// The same dimensions of the same sizes, in any order.
Result<void> check_same_dims(std::span<const Dimension> a, std::span<const Dimension> b,
                             std::string_view question) {
  HEDDLE_CHECK(check_same_names(names_of(a), names_of(b), question));
  for (const Dimension& dim : a) {
    const int other = run_of(b, dim.name)->bits;
    if (dim.bits == other) continue;
    return refuse("linear.dims_differ",
                  fmt::format("{}: {} has size {} in the first and {} in the second", question,
                              dim.name, dim.size(), std::int64_t{1} << other));
  }
  return {};
}

LinearLayout with_ins(const LinearLayout& layout, std::vector<Dimension> ins) {
  form::BitMatrix matrix = rearranged_columns(layout.matrix(), layout.in_dims(), ins);
  return assembled(std::move(ins), copied(layout.out_dims()), std::move(matrix));
}

LinearLayout with_outs(const LinearLayout& layout, std::vector<Dimension> outs) {
  const auto rows = static_cast<std::size_t>(total_bits(outs));
  form::BitMatrix matrix =
      moved_rows(layout.matrix(), moves_between(layout.out_dims(), outs), rows);
  return assembled(copied(layout.in_dims()), std::move(outs), std::move(matrix));
}

/// Other dimensions for the same bits.
LinearLayout with_ins_of_same_bits(const LinearLayout& layout, std::vector<Dimension> ins) {
  return assembled(std::move(ins), copied(layout.out_dims()), layout.matrix());
}

LinearLayout with_outs_of_same_bits(const LinearLayout& layout, std::vector<Dimension> outs) {
  return assembled(copied(layout.in_dims()), std::move(outs), layout.matrix());
}

}  // namespace

Result<LinearLayout> transpose_ins(const LinearLayout& layout, const Names& order) {
  HEDDLE_TRY(std::vector<Dimension> ins, reordered(layout.in_dims(), order, "input"));
  return with_ins(layout, std::move(ins));
}

Result<LinearLayout> transpose_outs(const LinearLayout& layout, const Names& order) {
  HEDDLE_TRY(std::vector<Dimension> outs, reordered(layout.out_dims(), order, "output"));
  return with_outs(layout, std::move(outs));
}

Result<LinearLayout> reshape_ins(const LinearLayout& layout, const NamedSizes& dims) {
  HEDDLE_TRY(std::vector<Dimension> ins, regrouped(layout.in_dims(), dims, "input"));
  return with_ins_of_same_bits(layout, std::move(ins));
}

Result<LinearLayout> reshape_outs(const LinearLayout& layout, const NamedSizes& dims) {
  HEDDLE_TRY(std::vector<Dimension> outs, regrouped(layout.out_dims(), dims, "output"));
  return with_outs_of_same_bits(layout, std::move(outs));
}

Result<LinearLayout> flatten_ins(const LinearLayout& layout) {
  HEDDLE_TRY(std::vector<Dimension> ins, flattened(layout.in_dims(), "input"));
  return with_ins_of_same_bits(layout, std::move(ins));
}

Result<LinearLayout> flatten_outs(const LinearLayout& layout) {
  HEDDLE_TRY(std::vector<Dimension> outs, flattened(layout.out_dims(), "output"));
  return with_outs_of_same_bits(layout, std::move(outs));
}

Result<LinearLayout> squeeze_in(const LinearLayout& layout, std::string_view dim) {
  HEDDLE_TRY(std::vector<Dimension> ins, squeezed(layout.in_dims(), dim, "input"));
  return with_ins_of_same_bits(layout, std::move(ins));
}

Result<LinearLayout> squeeze_out(const LinearLayout& layout, std::string_view dim) {
  HEDDLE_TRY(std::vector<Dimension> outs, squeezed(layout.out_dims(), dim, "output"));
  return with_outs_of_same_bits(layout, std::move(outs));
}

LinearLayout squeeze_ins(const LinearLayout& layout) {
  return with_ins_of_same_bits(layout, without_units(layout.in_dims()));
}

LinearLayout squeeze_outs(const LinearLayout& layout) {
  return with_outs_of_same_bits(layout, without_units(layout.out_dims()));
}

Result<LinearLayout> resize_in_dim(const LinearLayout& layout, std::string_view dim,
                                   std::int64_t size) {
  HEDDLE_TRY(std::vector<Dimension> ins, resized(layout.in_dims(), dim, size, "input"));
  return with_ins(layout, std::move(ins));
}

Result<LinearLayout> resize_out_dim(const LinearLayout& layout, std::string_view dim,
                                    std::int64_t size) {
  HEDDLE_TRY(std::vector<Dimension> outs, resized(layout.out_dims(), dim, size, "output"));
  return with_outs(layout, std::move(outs));
}

Result<LinearLayout> rename_in_dim(const LinearLayout& layout, std::string_view dim,
                                   std::string_view name) {
  HEDDLE_TRY(std::vector<Dimension> ins, renamed(layout.in_dims(), dim, name, "input"));
  return with_ins_of_same_bits(layout, std::move(ins));
}

Result<LinearLayout> rename_out_dim(const LinearLayout& layout, std::string_view dim,
                                    std::string_view name) {
  HEDDLE_TRY(std::vector<Dimension> outs, renamed(layout.out_dims(), dim, name, "output"));
  return with_outs_of_same_bits(layout, std::move(outs));
}

Result<LinearLayout> concat_ins(const LinearLayout& a, const LinearLayout& b) {
  HEDDLE_CHECK(check_same_dims(a.out_dims(), b.out_dims(), "both layouts must have one codomain"));
  HEDDLE_TRY(std::vector<Dimension> ins, joined(a.in_dims(), b.in_dims(), "input"));
  const LinearLayout second = with_outs(b, copied(a.out_dims()));
  std::vector<std::uint64_t> columns(a.matrix().columns().begin(), a.matrix().columns().end());
  columns.insert(columns.end(), second.matrix().columns().begin(), second.matrix().columns().end());
  return assembled(std::move(ins), copied(a.out_dims()), {a.matrix().rows(), std::move(columns)});
}

Result<LinearLayout> concat_outs(const LinearLayout& a, const LinearLayout& b) {
  HEDDLE_CHECK(check_same_dims(a.in_dims(), b.in_dims(), "both layouts must have one domain"));
  HEDDLE_TRY(std::vector<Dimension> outs, joined(a.out_dims(), b.out_dims(), "output"));
  const LinearLayout first = with_outs(a, outs);
  const LinearLayout second = with_outs(with_ins(b, copied(a.in_dims())), outs);
  std::vector<std::uint64_t> columns;
  for (std::size_t i = 0; i < first.matrix().columns().size(); ++i) {
    columns.push_back(first.matrix().columns()[i] | second.matrix().columns()[i]);
  }
  return assembled(copied(a.in_dims()), std::move(outs),
                   {first.matrix().rows(), std::move(columns)});
}

}  // namespace heddle::linear
