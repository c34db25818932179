// Division: the other factor of a direct sum.
//
// The size of a quotient and the places of its bits in the product are known, so there is one
// candidate. If the product of it is not the dividend, the first basis that differs shows that
// there is no quotient.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

enum class Side : std::uint8_t { kLeft, kRight };

std::string_view product_text(Side side) { return side == Side::kLeft ? "b * c" : "c * b"; }

Refusal not_divisible(Side side, const std::string& reason) {
  return refuse("linear.not_divisible", "there is no c with a = {}: {}", product_text(side),
                reason);
}

/// The dimensions of the quotient: those of `a`, smaller by those of `b`.
Result<std::vector<Dimension>> divided(std::span<const Dimension> a, std::span<const Dimension> b,
                                       Side side, std::string_view kind) {
  std::vector<Dimension> result = copied(a);
  std::size_t place = 0;
  for (const Dimension& dim : b) {
    const auto found = std::ranges::find(result, dim.name, &Dimension::name);
    if (found == result.end()) {
      return not_divisible(side, fmt::format("{} dimension {} of b is not in a, which has {}", kind,
                                             dim.name, names_text(names_of(a))));
    }
    const auto index = static_cast<std::size_t>(found - result.begin());
    if (index < place) {
      return not_divisible(side,
                           fmt::format("the orders of their {}, {} and {}, contradict each other",
                                       counted(kind, "dimension"), names_text(names_of(a)),
                                       names_text(names_of(b))));
    }
    place = index;
    if (found->bits < dim.bits) {
      return not_divisible(side, fmt::format("{} dimension {} has size {} in a and {} in b", kind,
                                             dim.name, found->size(), dim.size()));
    }
    found->bits -= dim.bits;
  }
  return result;
}

/// The bits of the quotient's dimensions among those of `a`: above the divisor's bits (left), or
/// below.
std::vector<Run> quotient_runs(std::span<const Dimension> a, std::span<const Dimension> quotient,
                               Side side) {
  std::vector<Run> runs = runs_of(a);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int removed = runs[i].bits - quotient[i].bits;
    if (side == Side::kLeft) runs[i].begin += static_cast<std::size_t>(removed);
    runs[i].bits = quotient[i].bits;
  }
  return runs;
}

LinearLayout candidate(const LinearLayout& a, std::vector<Dimension> ins,
                       std::vector<Dimension> outs, Side side) {
  const std::vector<Run> in_runs = quotient_runs(a.in_dims(), ins, side);
  const std::vector<Run> out_runs = quotient_runs(a.out_dims(), outs, side);
  const std::vector<Run> places = runs_of(outs);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < places.size(); ++i) moves.push_back({out_runs[i], places[i].begin});
  form::BitMatrix matrix = moved_rows(picked_columns(a.matrix(), in_runs), moves,
                                      static_cast<std::size_t>(total_bits(outs)));
  return assembled(std::move(ins), std::move(outs), std::move(matrix));
}

Result<LinearLayout> divide(const LinearLayout& a, const LinearLayout& b, Side side) {
  HEDDLE_TRY(std::vector<Dimension> ins, divided(a.in_dims(), b.in_dims(), side, "input"));
  HEDDLE_TRY(std::vector<Dimension> outs, divided(a.out_dims(), b.out_dims(), side, "output"));
  const LinearLayout c = candidate(a, std::move(ins), std::move(outs), side);
  HEDDLE_TRY(const LinearLayout product, side == Side::kLeft ? multiply(b, c) : multiply(c, b));
  const auto [in_a, in_product] =
      std::ranges::mismatch(a.matrix().columns(), product.matrix().columns());
  if (in_a == a.matrix().columns().end()) return c;

  const auto bit = static_cast<std::size_t>(in_a - a.matrix().columns().begin());
  const std::string input = bit_name(a.in_dims(), bit);
  const std::string found = vector_text(coordinates(a.out_dims(), *in_a));
  const std::string wanted = vector_text(coordinates(a.out_dims(), *in_product));
  return not_divisible(side, fmt::format("a({}) is {}, not {}", input, found, wanted));
}

/// Checks that every dimension of the tile is one of the layout's, which is at least as large.
Result<void> check_within(std::span<const Dimension> tile, std::span<const Dimension> layout,
                          std::string_view side) {
  for (const Dimension& dim : tile) {
    HEDDLE_TRY(const Run run, find_run(dim.name, layout, side));
    if (dim.bits <= run.bits) continue;
    return refuse("linear.not_divisible",
                  "{} dimension {} has size {} in the layout and {} in the tile", side, dim.name,
                  std::int64_t{1} << run.bits, dim.size());
  }
  return {};
}

Refusal not_repeated(const LinearLayout& layout, std::size_t bit, std::uint64_t wanted) {
  const std::string input = bit_name(layout.in_dims(), bit);
  const auto text = [&](std::uint64_t word) {
    return vector_text(coordinates(layout.out_dims(), word));
  };
  return refuse("linear.not_divisible", "the layout does not repeat the tile: L({}) is {}, not {}",
                input, text(layout.matrix().columns()[bit]), text(wanted));
}

}  // namespace

Result<LinearLayout> divide_left(const LinearLayout& a, const LinearLayout& b) {
  return divide(a, b, Side::kLeft);
}

Result<LinearLayout> divide_right(const LinearLayout& a, const LinearLayout& b) {
  return divide(a, b, Side::kRight);
}

Result<LinearLayout> reps(const LinearLayout& layout, const LinearLayout& tile) {
  HEDDLE_CHECK(check_within(tile.in_dims(), layout.in_dims(), "input"));
  HEDDLE_CHECK(check_within(tile.out_dims(), layout.out_dims(), "output"));
  const form::BitMatrix of_tile = rearranged_columns(
      moved_rows(tile.matrix(), moves_between(tile.out_dims(), layout.out_dims()),
                 layout.matrix().rows()),
      tile.in_dims(), layout.in_dims());
  const std::uint64_t tile_inputs =
      moved(~std::uint64_t{0}, moves_between(tile.in_dims(), layout.in_dims()));
  std::uint64_t tile_outputs = 0;
  for (const std::uint64_t column : of_tile.columns()) tile_outputs |= column;

  std::vector<std::uint64_t> columns;
  for (const std::uint64_t column : layout.matrix().columns()) {
    const std::size_t bit = columns.size();
    const bool is_of_tile = (tile_inputs >> bit & 1U) != 0;
    const std::uint64_t wanted = is_of_tile ? of_tile.columns()[bit] : column & ~tile_outputs;
    if (column != wanted) return not_repeated(layout, bit, wanted);
    columns.push_back(is_of_tile ? 0 : column);
  }
  return assembled(copied(layout.in_dims()), copied(layout.out_dims()),
                   {layout.matrix().rows(), std::move(columns)});
}

}  // namespace heddle::linear
