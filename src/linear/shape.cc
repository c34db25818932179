// Layouts fitted to the shape of a tensor.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

/// The shape as dimensions, each of which is an output of the layout.
Result<std::vector<Dimension>> checked_shape(const LinearLayout& layout, const NamedSizes& shape) {
  HEDDLE_TRY(std::vector<Dimension> dims, dimensions(shape));
  HEDDLE_CHECK(check_dims(dims, "shape"));
  HEDDLE_CHECK(check_known(names_of(dims), layout.out_dims(), "output"));
  return dims;
}

/// The bits of outputs that lie beyond the shape.
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

/// A coordinate that is beyond the shape in part cannot be dropped: the rest of it moves data
/// within the shape.
Result<void> check_beyond_or_within(const LinearLayout& layout, std::span<const Dimension> shape) {
  for (const Dimension& dim : shape) {
    const Run run = *run_of(layout.out_dims(), dim.name);
    for (std::size_t bit = 0; bit < layout.matrix().columns().size(); ++bit) {
      const std::uint64_t coordinate = run.of(layout.matrix().columns()[bit]);
      const auto size = static_cast<std::uint64_t>(dim.size());
      if (coordinate < size || coordinate % size == 0) continue;
      return refuse(
          Diagnostic(
              "linear.shape",
              fmt::format("L({}) leads to {} on {}, {} of it within the size {} and the rest "
                          "beyond",
                          bit_name(layout.in_dims(), bit), coordinate, dim.name, coordinate % size,
                          size))
              .with_hint(fmt::format("resize_out_dim takes the coordinate modulo {}", size)));
    }
  }
  return {};
}

}  // namespace

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
      return refuse("linear.no_dims", fmt::format("{} has size {}, less than {}, and there is no "
                                                  "input dimension that could grow",
                                                  out.name, out.size(), goal->size()));
    }
    grown = std::move(grown) * identity_1d(std::int64_t{1} << (goal->bits - out.bits),
                                           layout.in_dims().front().name, out.name);
  }
  return grown;
}

}  // namespace heddle::linear
