// Changes of dimensions that keep the map: reordering, regrouping, resizing, renaming, joining, and
// fitting to the shape of a tensor.

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

/// The bits of `dims` divided into dimensions of these sizes.
Result<std::vector<Dimension>> regrouped(std::span<const Dimension> dims, const NamedSizes& sizes,
                                         std::string_view side) {
  HEDDLE_TRY(std::vector<Dimension> groups, dimensions(sizes));
  HEDDLE_CHECK(check_dims(groups, side));
  if (total_bits(groups) == total_bits(dims)) return groups;
  return refuse("linear.total_size", "the {} dimensions {} have {} bits together; {} have {}", side,
                dims_text(dims), total_bits(dims), dims_text(groups), total_bits(groups));
}

Result<std::vector<Dimension>> flattened(std::span<const Dimension> dims, std::string_view side) {
  if (dims.empty()) return std::vector<Dimension>();
  const int bits = total_bits(dims);
  if (bits > kMaxDimBits) {
    return refuse("linear.too_many_bits",
                  "the {} dimensions have {} bits together, one dimension at most {}: {}", side,
                  bits, kMaxDimBits, dims_text(dims));
  }
  return std::vector<Dimension>{{dims.front().name, bits}};
}

Result<std::vector<Dimension>> squeezed(std::span<const Dimension> dims, std::string_view name,
                                        std::string_view side) {
  HEDDLE_TRY(const Run run, find_run(name, dims, side));
  if (run.bits != 0) {
    return refuse("linear.dim_too_large",
                  "only a dimension of size 1 can be squeezed; {} has size {}", name,
                  std::int64_t{1} << run.bits);
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

/// The dimensions of `first`, then those of `second`.
Result<std::vector<Dimension>> joined(std::span<const Dimension> first,
                                      std::span<const Dimension> second, std::string_view side) {
  std::vector<Dimension> result = copied(first);
  result.insert(result.end(), second.begin(), second.end());
  HEDDLE_CHECK(check_dims(result, side));
  return result;
}

/// Checks that both have the same dimensions with the same sizes, in any order.
Result<void> check_same_dims(std::span<const Dimension> a, std::span<const Dimension> b,
                             std::string_view question) {
  HEDDLE_CHECK(check_same_names(names_of(a), names_of(b), question));
  for (const Dimension& dim : a) {
    const int other = run_of(b, dim.name)->bits;
    if (dim.bits == other) continue;
    return refuse("linear.dims_differ", "{}: {} has size {} in the first and {} in the second",
                  question, dim.name, dim.size(), std::int64_t{1} << other);
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

Result<LinearLayout> with_ins(const LinearLayout& layout, Result<std::vector<Dimension>> ins) {
  HEDDLE_TRY(std::vector<Dimension> dims, std::move(ins));
  return with_ins(layout, std::move(dims));
}

Result<LinearLayout> with_outs(const LinearLayout& layout, Result<std::vector<Dimension>> outs) {
  HEDDLE_TRY(std::vector<Dimension> dims, std::move(outs));
  return with_outs(layout, std::move(dims));
}

/// Replaces the input dimensions by others over the same bits.
Result<LinearLayout> relabelled_ins(const LinearLayout& layout,
                                    Result<std::vector<Dimension>> ins) {
  HEDDLE_TRY(std::vector<Dimension> dims, std::move(ins));
  return assembled(std::move(dims), copied(layout.out_dims()), layout.matrix());
}

Result<LinearLayout> relabelled_outs(const LinearLayout& layout,
                                     Result<std::vector<Dimension>> outs) {
  HEDDLE_TRY(std::vector<Dimension> dims, std::move(outs));
  return assembled(copied(layout.in_dims()), std::move(dims), layout.matrix());
}

/// The shape as dimensions, each of which is an output of the layout.
Result<std::vector<Dimension>> checked_shape(const LinearLayout& layout, const NamedSizes& shape) {
  HEDDLE_TRY(std::vector<Dimension> dims, dimensions(shape));
  HEDDLE_CHECK(check_dims(dims, "shape"));
  HEDDLE_CHECK(check_known(names_of(dims), layout.out_dims(), "output"));
  return dims;
}

/// The bits of outputs that are beyond the shape.
std::uint64_t bits_beyond(std::span<const Dimension> outs, std::span<const Dimension> shape) {
  std::uint64_t beyond = 0;
  for (const Dimension& dim : shape) {
    const Run run = *run_of(outs, dim.name);
    const int bits = std::max(0, run.bits - dim.bits);
    beyond |= Run{0, bits}.of(~std::uint64_t{0})
              << (run.end() - static_cast<std::size_t>(bits)) % kMaxBits;
  }
  return beyond;
}

/// A coordinate that is only partly beyond the shape cannot be dropped, because the rest of it
/// moves data within the shape.
Result<void> check_beyond_or_within(const LinearLayout& layout, std::span<const Dimension> shape) {
  for (const Dimension& dim : shape) {
    const Run run = *run_of(layout.out_dims(), dim.name);
    for (std::size_t bit = 0; bit < layout.matrix().columns().size(); ++bit) {
      const std::uint64_t coordinate = run.of(layout.matrix().columns()[bit]);
      const auto size = static_cast<std::uint64_t>(dim.size());
      if (coordinate < size || coordinate % size == 0) continue;
      return refuse(
          diagnose("linear.shape",
                   "L({}) leads to {} on {}, {} of it within the size {} and the rest beyond",
                   bit_name(layout.in_dims(), bit), coordinate, dim.name, coordinate % size, size)
              .with_hint(fmt::format("resize_out_dim takes the coordinate modulo {}", size)));
    }
  }
  return {};
}

}  // namespace

Result<LinearLayout> transpose_ins(const LinearLayout& layout, const Names& order) {
  return with_ins(layout, reordered(layout.in_dims(), order, "input"));
}

Result<LinearLayout> transpose_outs(const LinearLayout& layout, const Names& order) {
  return with_outs(layout, reordered(layout.out_dims(), order, "output"));
}

Result<LinearLayout> reshape_ins(const LinearLayout& layout, const NamedSizes& dims) {
  return relabelled_ins(layout, regrouped(layout.in_dims(), dims, "input"));
}

Result<LinearLayout> reshape_outs(const LinearLayout& layout, const NamedSizes& dims) {
  return relabelled_outs(layout, regrouped(layout.out_dims(), dims, "output"));
}

Result<LinearLayout> flatten_ins(const LinearLayout& layout) {
  return relabelled_ins(layout, flattened(layout.in_dims(), "input"));
}

Result<LinearLayout> flatten_outs(const LinearLayout& layout) {
  return relabelled_outs(layout, flattened(layout.out_dims(), "output"));
}

Result<LinearLayout> squeeze_in(const LinearLayout& layout, std::string_view dim) {
  return relabelled_ins(layout, squeezed(layout.in_dims(), dim, "input"));
}

Result<LinearLayout> squeeze_out(const LinearLayout& layout, std::string_view dim) {
  return relabelled_outs(layout, squeezed(layout.out_dims(), dim, "output"));
}

LinearLayout squeeze_ins(const LinearLayout& layout) {
  return *relabelled_ins(layout, without_units(layout.in_dims()));
}

LinearLayout squeeze_outs(const LinearLayout& layout) {
  return *relabelled_outs(layout, without_units(layout.out_dims()));
}

Result<LinearLayout> resize_in_dim(const LinearLayout& layout, std::string_view dim,
                                   std::int64_t size) {
  return with_ins(layout, resized(layout.in_dims(), dim, size, "input"));
}

Result<LinearLayout> resize_out_dim(const LinearLayout& layout, std::string_view dim,
                                    std::int64_t size) {
  return with_outs(layout, resized(layout.out_dims(), dim, size, "output"));
}

Result<LinearLayout> rename_in_dim(const LinearLayout& layout, std::string_view dim,
                                   std::string_view name) {
  return relabelled_ins(layout, renamed(layout.in_dims(), dim, name, "input"));
}

Result<LinearLayout> rename_out_dim(const LinearLayout& layout, std::string_view dim,
                                    std::string_view name) {
  return relabelled_outs(layout, renamed(layout.out_dims(), dim, name, "output"));
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

// ---- Fitted to the shape of a tensor ----

Result<LinearLayout> ensure_layout_not_larger_than(const LinearLayout& layout,
                                                   const NamedSizes& shape,
                                                   bool broadcast_registers) {
  HEDDLE_TRY(const std::vector<Dimension> limits, checked_shape(layout, shape));
  HEDDLE_CHECK(check_beyond_or_within(layout, limits));
  const std::uint64_t beyond = bits_beyond(layout.out_dims(), limits);

  std::vector<Dimension> outs = copied(layout.out_dims());
  for (Dimension& out : outs) {
    const auto limit = std::ranges::find(limits, out.name, &Dimension::name);
    if (limit != limits.end()) out.bits = std::min(out.bits, limit->bits);
  }
  const std::vector<Move> moves = moves_between(layout.out_dims(), outs);

  const Run registers = run_of(layout.in_dims(), "register").value_or(Run{});
  std::vector<Dimension> ins = copied(layout.in_dims());
  std::vector<std::uint64_t> columns;
  for (std::size_t bit = 0; bit < layout.matrix().columns().size(); ++bit) {
    const std::uint64_t column = layout.matrix().columns()[bit];
    const bool repeats = column != 0 && (column & ~beyond) == 0;
    const bool is_register = bit >= registers.begin && bit < registers.end();
    if (repeats && is_register && !broadcast_registers) {
      --std::ranges::find(ins, "register", &Dimension::name)->bits;
    } else {
      columns.push_back(moved(column, moves));
    }
  }
  const auto rows = static_cast<std::size_t>(total_bits(outs));
  return assembled(std::move(ins), std::move(outs), {rows, std::move(columns)});
}

Result<LinearLayout> ensure_layout_not_smaller_than(const LinearLayout& layout,
                                                    const NamedSizes& shape) {
  HEDDLE_TRY(const std::vector<Dimension> wanted, checked_shape(layout, shape));
  Result<LinearLayout> grown = layout;
  for (const Dimension& out : layout.out_dims()) {
    const auto goal = std::ranges::find(wanted, out.name, &Dimension::name);
    if (goal == wanted.end() || goal->bits <= out.bits) continue;
    if (layout.in_dims().empty()) {
      return refuse("linear.no_dims",
                    "{} has size {}, less than {}, and there is no input dimension that could grow",
                    out.name, out.size(), goal->size());
    }
    grown = std::move(grown) * identity_1d(std::int64_t{1} << (goal->bits - out.bits),
                                           layout.in_dims().front().name, out.name);
  }
  return grown;
}

}  // namespace heddle::linear
