// Finds digits and bits in the formula of a function on a box.

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "core/bits.h"
#include "heddle/core/exact.h"
#include "map/view/box_function.h"

namespace heddle::map {
namespace {

/// Thrown: the formula is not written in digits, or not in bits.
struct NotOfForm {};

std::int64_t exactly(exact::Value value) {
  if (!value) throw NotOfForm();
  return *value;
}

// ---- Digits ----

/// floor(coordinate / divisor).
struct Level {
  std::size_t coordinate = 0;
  std::int64_t divisor = 1;

  friend auto operator<=>(const Level&, const Level&) = default;
};

/// The meaning of each value of a piece: coordinates, and floors of one coordinate.
std::vector<Level> levels_of(const AffinePiece& piece, std::size_t coordinates) {
  std::vector<Level> levels;
  for (std::size_t i = 0; i < coordinates; ++i) levels.push_back({i, 1});
  for (const AffineQuotient& quotient : piece.quotients) {
    const AffineSum& sum = quotient.numerator;
    if (sum.constant != 0 || sum.terms.size() != 1 || sum.terms.front().second != 1) {
      throw NotOfForm();
    }
    Level level = levels[sum.terms.front().first];
    level.divisor = exactly(exact::multiply(level.divisor, quotient.divisor));
    levels.push_back(level);
  }
  return levels;
}

/// The factors of the levels that are not always 0, one per output.
using LevelFactors = std::map<Level, std::vector<std::int64_t>>;

LevelFactors factors_of(const AffinePiece& piece, std::span<const std::int64_t> extents) {
  const std::vector<Level> levels = levels_of(piece, extents.size());
  LevelFactors factors;
  for (std::size_t axis = 0; axis < piece.outputs.size(); ++axis) {
    if (piece.outputs[axis].divisor != 1) throw NotOfForm();
    for (const auto& [value, factor] : piece.outputs[axis].numerator.terms) {
      const Level& level = levels[value];
      if (level.divisor >= extents[level.coordinate]) continue;
      auto& sums = factors.try_emplace(level, piece.outputs.size(), 0).first->second;
      sums[axis] = exactly(exact::add(sums[axis], factor));
    }
  }
  return factors;
}

/// The digits of one coordinate. The stride of a level's digit is the sum that the levels up to it
/// contribute to one step of its divisor.
std::vector<form::Digit> digits_of_levels(const LevelFactors& factors, std::size_t coordinate,
                                          std::int64_t extent, std::size_t axes) {
  std::vector<form::Digit> digits;
  std::vector<std::int64_t> stride(axes, 0);
  std::int64_t divisor = 1;
  const auto end_digit = [&](std::int64_t next) {
    if (next % divisor != 0) throw NotOfForm();
    if (next == divisor) return;
    digits.push_back({next / divisor, {stride.begin(), stride.end()}});
    for (std::int64_t& step : stride) step = exactly(exact::multiply(step, next / divisor));
    divisor = next;
  };
  for (const auto& [level, factor] : factors) {
    if (level.coordinate != coordinate) continue;
    end_digit(level.divisor);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      stride[axis] = exactly(exact::add(stride[axis], factor[axis]));
    }
  }
  end_digit(extent);
  return digits;
}

// ---- Bits ----

/// (constant + sum of weight * parity) / 2^shift, each parity over the bits of its mask.
struct ParitySum {
  int shift = 0;
  std::int64_t constant = 0;
  std::map<std::uint64_t, std::int64_t> weights;
};

void halve_while_even(ParitySum& sum) {
  const auto is_even = [](std::int64_t number) { return number % 2 == 0; };
  const auto all_even = [&] {
    return is_even(sum.constant) &&
           std::ranges::all_of(sum.weights, [&](const auto& term) { return is_even(term.second); });
  };
  while (sum.shift > 0 && all_even()) {
    --sum.shift;
    sum.constant /= 2;
    for (auto& [mask, weight] : sum.weights) weight /= 2;
  }
}

/// sum += factor * other.
void add(ParitySum& sum, const ParitySum& other, std::int64_t factor) {
  const int shift = std::max(sum.shift, other.shift);
  if (shift > 61) throw NotOfForm();
  const std::int64_t here = std::int64_t{1} << (shift - sum.shift);
  const std::int64_t there =
      exactly(exact::multiply(factor, std::int64_t{1} << (shift - other.shift)));
  sum.shift = shift;
  sum.constant = exactly(exact::multiply(sum.constant, here));
  for (auto& [mask, weight] : sum.weights) weight = exactly(exact::multiply(weight, here));
  const auto add_to = [&](std::int64_t& number, std::int64_t what) {
    number = exactly(exact::add(number, exactly(exact::multiply(what, there))));
  };
  add_to(sum.constant, other.constant);
  for (const auto& [mask, weight] : other.weights) add_to(sum.weights[mask], weight);
  std::erase_if(sum.weights, [](const auto& term) { return term.second == 0; });
  halve_while_even(sum);
}

/// The value at one place of a sum: the parities that have an odd factor there.
struct OddTerms {
  std::uint64_t parity = 0;
  std::size_t count = 0;
  bool is_flipped = false;
};

OddTerms odd_terms(const ParitySum& sum, std::int64_t place) {
  OddTerms odd;
  odd.is_flipped = (sum.constant & place) != 0;
  odd.count = odd.is_flipped ? 1 : 0;
  for (const auto& [mask, weight] : sum.weights) {
    if ((weight & place) == 0) continue;
    odd.parity ^= mask;
    ++odd.count;
  }
  return odd;
}

/// sum mod 2^count, if no place but the last has a carry.
ParitySum low_places(ParitySum sum, int count) {
  if (sum.shift != 0 || count > 61) throw NotOfForm();
  ParitySum low;
  for (int k = 0; k < count; ++k) {
    const std::int64_t place = std::int64_t{1} << k;
    const OddTerms odd = odd_terms(sum, place);
    if (odd.count > 1 && k + 1 < count) throw NotOfForm();
    ParitySum here;
    if (odd.is_flipped) here.constant = place;
    if (odd.parity != 0) here.weights[odd.parity] = odd.is_flipped ? -place : place;
    add(low, here, 1);
    add(sum, here, -1);
    if (sum.shift != 0) throw NotOfForm();
  }
  return low;
}

ParitySum quotient_of(ParitySum sum, std::int64_t divisor) {
  if (!is_power_of_two(divisor)) throw NotOfForm();
  const int places = log2_exact(divisor);
  add(sum, low_places(sum, places), -1);
  sum.shift += places;
  halve_while_even(sum);
  return sum;
}

ParitySum sum_of(const AffineSum& sum, std::span<const ParitySum> values) {
  ParitySum result;
  result.constant = sum.constant;
  for (const auto& [value, factor] : sum.terms) add(result, values[value], factor);
  return result;
}

/// The coordinates as sums of their bits.
std::vector<ParitySum> bits_of_box(std::span<const Int> extents) {
  std::vector<ParitySum> values;
  int bit = 0;
  for (const Int& extent : extents) {
    if (!is_power_of_two(extent.value())) throw NotOfForm();
    ParitySum value;
    for (int k = 0; k < log2_exact(extent.value()); ++k, ++bit) {
      if (bit >= 64) throw NotOfForm();
      value.weights[std::uint64_t{1} << bit] = std::int64_t{1} << k;
    }
    values.push_back(std::move(value));
  }
  return values;
}

/// The parities at the places of one output, and its value if all are 0.
struct Rows {
  std::vector<std::uint64_t> masks;
  std::uint64_t offset = 0;
};

/// A parity changes the places at which adding its weight changes the constant. If no two change
/// the same place, their sum is their XOR.
Rows rows_of(const ParitySum& sum) {
  if (sum.shift != 0 || sum.constant < 0) throw NotOfForm();
  Rows rows;
  rows.offset = static_cast<std::uint64_t>(sum.constant);
  rows.masks.resize(static_cast<std::size_t>(std::bit_width(rows.offset)), 0);
  std::uint64_t taken = 0;
  for (const auto& [mask, weight] : sum.weights) {
    const std::int64_t changed = exactly(exact::add(sum.constant, weight));
    const std::uint64_t places = rows.offset ^ static_cast<std::uint64_t>(changed);
    if (changed < 0 || (taken & places) != 0) throw NotOfForm();
    taken |= places;
    const auto width = static_cast<std::size_t>(std::bit_width(places));
    if (rows.masks.size() < width) rows.masks.resize(width, 0);
    for (std::size_t k = 0; k < width; ++k) {
      if (((places >> k) & 1) != 0) rows.masks[k] = mask;
    }
  }
  return rows;
}

BitView matrix_of(std::span<const Rows> outputs, std::size_t columns) {
  BitView bits;
  std::vector<std::uint64_t> words(columns, 0);
  std::size_t row = 0;
  for (const Rows& output : outputs) {
    if (row + output.masks.size() > 64) throw NotOfForm();
    bits.widths.push_back(static_cast<int>(output.masks.size()));
    if (!output.masks.empty()) bits.offset |= output.offset << row;
    for (const std::uint64_t mask : output.masks) {
      for (std::size_t i = 0; i < columns; ++i) words[i] |= ((mask >> i) & 1) << row;
      ++row;
    }
  }
  bits.matrix = form::BitMatrix(row, std::move(words));
  return bits;
}

}  // namespace

std::optional<StridedView> digits_in(const AffinePiece& piece, std::span<const Int> extents,
                                     std::span<const Int> copies) {
  std::vector<std::int64_t> box;
  for (const Int& extent : extents) box.push_back(extent.value());
  for (const Int& extent : copies) box.push_back(extent.value());
  try {
    const LevelFactors factors = factors_of(piece, box);
    StridedView strided;
    for (std::size_t i = 0; i < box.size(); ++i) {
      auto digits = digits_of_levels(factors, i, box[i], piece.outputs.size());
      if (i < extents.size()) {
        strided.modes.push_back(std::move(digits));
      } else {
        std::ranges::move(digits, std::back_inserter(strided.copies));
      }
    }
    for (const AffineQuotient& output : piece.outputs) {
      strided.offset.emplace_back(output.numerator.constant);
    }
    return strided;
  } catch (const NotOfForm&) {
    return std::nullopt;
  }
}

std::optional<BitView> bits_in(const AffinePiece& piece, std::span<const Int> extents) {
  try {
    std::vector<ParitySum> values = bits_of_box(extents);
    std::size_t columns = 0;
    for (const Int& extent : extents) {
      columns += static_cast<std::size_t>(log2_exact(extent.value()));
    }
    for (const AffineQuotient& quotient : piece.quotients) {
      values.push_back(quotient_of(sum_of(quotient.numerator, values), quotient.divisor));
    }
    std::vector<Rows> outputs;
    for (const AffineQuotient& output : piece.outputs) {
      outputs.push_back(rows_of(quotient_of(sum_of(output.numerator, values), output.divisor)));
    }
    return matrix_of(outputs, columns);
  } catch (const NotOfForm&) {
    return std::nullopt;
  }
}

}  // namespace heddle::map
