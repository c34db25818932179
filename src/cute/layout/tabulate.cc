#include "heddle/cute/tabulate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string_view>

#include "core/text.h"
#include "cute/layout/extension.h"
#include "cute/layout/format.h"
#include "expr/assume_needed.h"

namespace heddle::cute {
namespace {

// Indices are added as unsigned numbers, which wrap around: intermediate sums may leave the 64 bits
// even if the index itself does not.

/// A mode in machine integers. Its unit is the number of coordinates for one step along it, the
/// product of the extents before it; the last mode has no end, so its extent is not used.
struct WordMode {
  std::uint64_t extent = 1;
  std::uint64_t stride = 0;
  std::uint64_t unit = 1;
};

using WordModes = InlineVector<WordMode, kInlineLeaves>;

__extension__ using Wide = unsigned __int128;

std::uint64_t to_bits(std::int64_t number) { return static_cast<std::uint64_t>(number); }
std::int64_t to_number(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

Result<WordModes> steps_of(std::string_view operation, const Layout& layout) {
  if (!layout.is_integral()) {
    return refuse("layout.not_integral",
                  "{}: {} has strides in several axes, so its indices are not numbers", operation,
                  layout);
  }
  const Extension extension(layout);
  WordModes steps;
  std::uint64_t unit = 1;
  for (const Mode& mode : extension.modes()) {
    if (!mode.extent.is_constant() || !mode.stride.scale().is_constant()) {
      return refuse(
          diagnose("table.symbolic", "{}({}): the sizes are not numbers", operation, layout)
              .with_hint(value_hint(integers(layout))));
    }
    const std::uint64_t extent = to_bits(mode.extent.value());
    steps.push_back({extent, to_bits(mode.stride.scale().value()), unit});
    unit *= extent;  // not used past the last mode
  }
  return steps;
}

/// Do the indices of all coordinates from 0 to `last` certainly fit into 64 bits?
bool all_fit(const WordModes& steps, std::int64_t last) {
  exact::Value low = 0;
  exact::Value high = 0;
  for (const WordMode& step : steps) {
    std::uint64_t digit = to_bits(last) / step.unit;
    if (&step != &steps.back()) digit = std::min(digit, step.extent - 1);
    const exact::Value furthest = exact::multiply(to_number(digit), to_number(step.stride));
    if (!furthest) return false;
    exact::Value& end = *furthest < 0 ? low : high;
    end = exact::add(*end, *furthest);
    if (!end) return false;
  }
  return true;
}

/// layout(coordinate) in exact arithmetic, for indices that may not fit into 64 bits.
Result<std::int64_t> checked_index(const Layout& layout, std::int64_t coordinate) {
  HEDDLE_TRY(const Int index, check_defined(layout(coordinate), [&] {
               return fmt::format("the index of {} at {}", layout, coordinate);
             }));
  return index.value();
}

/// Fills the places with the indices of 0, 1, 2, …: first a block small enough to stay in cache, by
/// adding strides, and then copy after copy of the block, each shifted by an offset.
class Tabulation {
 public:
  Tabulation(const WordModes& steps, std::span<std::int64_t> places)
      : steps_(steps), places_(places) {
    fill_block();
  }

  void run() {
    InlineVector<std::uint64_t, kInlineLeaves> digits(steps_.size(), 0);
    std::uint64_t base = 0;
    for (std::size_t position = 0; position < places_.size(); base += advance(digits)) {
      position = fill_mode(position, base);
    }
  }

 private:
  static constexpr std::uint64_t kBlock = 1024;

  /// Writes the first block: all of the first modes and whole steps of the mode in which it ends.
  void fill_block() {
    places_[0] = 0;
    for (mode_ = 0; mode_ < steps_.size(); ++mode_) {
      const WordMode& step = steps_[mode_];
      const bool last = mode_ + 1 == steps_.size();
      const std::uint64_t places_left = (places_.size() + step.unit - 1) / step.unit;
      count_ = last ? places_left : std::min(step.extent, places_left);
      in_block_ = std::min(count_, std::max<std::uint64_t>(1, kBlock / step.unit));
      for (std::uint64_t n = 1; n < in_block_; ++n) {
        copy(n * step.unit, n * step.stride, step.unit);
      }
      if (in_block_ < count_ || count_ == places_left) return;
    }
  }

  /// Fills the whole mode in which the block ends, block after block from `position` on; the first
  /// one is shifted by `base`. Returns the position after it.
  std::size_t fill_mode(std::size_t position, std::uint64_t base) {
    const WordMode& step = steps_[mode_];
    for (std::uint64_t n = 0; n < count_ && position < places_.size(); n += in_block_) {
      const std::uint64_t length = std::min(in_block_, count_ - n) * step.unit;
      copy(position, base + n * step.stride, length);
      position += length;
    }
    return position;
  }

  /// Takes one step along the modes after `mode_`; returns by how much the index grows.
  [[nodiscard]] std::uint64_t advance(InlineVector<std::uint64_t, kInlineLeaves>& digits) const {
    std::uint64_t distance = 0;
    for (std::size_t i = mode_ + 1; i < steps_.size(); ++i) {
      distance += steps_[i].stride;
      if (++digits[i] < steps_[i].extent || i + 1 == steps_.size()) break;
      distance -= steps_[i].extent * steps_[i].stride;
      digits[i] = 0;
    }
    return distance;
  }

  /// Copies the first `length` indices to `position`, each increased by `base`.
  void copy(std::size_t position, std::uint64_t base, std::uint64_t length) {
    const std::size_t count = std::min<std::size_t>(length, places_.size() - position);
    const std::int64_t* const from = places_.data();
    std::int64_t* const to = places_.data() + position;
    for (std::size_t i = 0; i < count; ++i) to[i] = to_number(to_bits(from[i]) + base);
  }

  const WordModes& steps_;
  std::span<std::int64_t> places_;
  /// The mode in which the block ends, its number of steps, and how many of them are in the block.
  std::size_t mode_ = 0;
  std::uint64_t count_ = 1;
  std::uint64_t in_block_ = 1;
};

/// Division of numbers from 0 to 2^63 - 1 by one divisor from 2 on, by multiplication: with
/// 2^(s-1) < d <= 2^s and the reciprocal m = ceil(2^(63+s) / d), the quotient is
/// floor(c * m / 2^(63+s)). The error of m is less than d <= 2^s, so that of the product is less
/// than 2^(63+s), and divided by d less than the distance of c/d from the next integer above.
class Reciprocal {
 public:
  explicit Reciprocal(std::uint64_t divisor)
      : shift_(static_cast<int>(std::bit_width(divisor - 1)) - 1) {
    const Wide power = Wide{1} << (64 + shift_);
    multiplier_ = static_cast<std::uint64_t>((power + divisor - 1) / divisor);
  }

  [[nodiscard]] std::uint64_t quotient(std::uint64_t number) const {
    const auto product = static_cast<Wide>(number) * multiplier_;
    return static_cast<std::uint64_t>(product >> 64) >> shift_;
  }

 private:
  int shift_;
  std::uint64_t multiplier_;
};

/// The digits of c are differences of quotients, c div u_i - e_i * (c div u_(i+1)) for the units u,
/// so the index is the sum over the units of (c div u_i) * weight_i.
class WordEvaluation {
 public:
  explicit WordEvaluation(const WordModes& steps) : first_(steps.front().stride) {
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const WordMode& before = steps[i - 1];
      terms_.push_back(
          {Reciprocal(steps[i].unit), steps[i].stride - before.extent * before.stride});
    }
  }

  /// Works block by block, so that the sums stay in cache while one term after another is added.
  void run(std::span<const std::int64_t> coordinates, std::span<std::int64_t> indices) const {
    constexpr std::size_t kBlock = 512;
    std::array<std::uint64_t, kBlock> sums;  // NOLINT: add_first() fills it
    for (std::size_t begin = 0; begin < coordinates.size(); begin += kBlock) {
      const auto block = coordinates.subspan(begin, std::min(kBlock, coordinates.size() - begin));
      for (std::size_t i = 0; i < block.size(); ++i) sums[i] = to_bits(block[i]) * first_;
      for (const Term& term : terms_) {
        for (std::size_t i = 0; i < block.size(); ++i) {
          sums[i] += term.unit.quotient(to_bits(block[i])) * term.weight;
        }
      }
      for (std::size_t i = 0; i < block.size(); ++i) indices[begin + i] = to_number(sums[i]);
    }
  }

 private:
  struct Term {
    Reciprocal unit;
    std::uint64_t weight;
  };

  std::uint64_t first_;
  InlineVector<Term, kInlineLeaves> terms_;
};

Refusal negative(const Layout& layout, std::int64_t coordinate) {
  return refuse("coordinate.negative", "the flat coordinate {} of several modes of {} is negative",
                coordinate, layout);
}

/// Applies the offset and the outer function of a composed layout to the indices of its inner
/// layout.
Result<void> finish_all(const ComposedLayout& layout, std::span<std::int64_t> indices) {
  const Int& offset = layout.offset().leaf();
  if (!offset.is_constant()) {
    return refuse(diagnose("table.symbolic", "the offset of {} is not a number", layout)
                      .with_hint(value_hint({&offset, 1})));
  }
  for (std::int64_t& index : indices) {
    const exact::Value address = exact::add(index, offset.value());
    if (!address) {
      return refuse("overflow", "an index of {} does not fit into 64 bits", layout);
    }
    index = layout.outer() == nullptr ? layout.swizzle()(*address) : *address;
  }
  if (layout.outer() == nullptr) return {};
  return std::visit([&](const auto& outer) { return evaluate(outer, indices, indices); },
                    *layout.outer());
}

/// Evaluates a composed layout whose inner one maps to tuples, coordinate by coordinate.
Result<void> evaluate_each(const ComposedLayout& layout, std::span<const std::int64_t> coordinates,
                           std::span<std::int64_t> indices) {
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    HEDDLE_TRY(const IntTuple index, evaluate(layout, Coordinate(Index(Int(coordinates[i])))));
    if (!index.leaf().is_constant()) {
      return refuse(diagnose("table.symbolic", "an index of {} is not a number", layout)
                        .with_hint(value_hint(integers(layout))));
    }
    indices[i] = index.leaf().value();
  }
  return {};
}

}  // namespace

Result<void> tabulate(const Layout& layout, std::span<std::int64_t> indices) {
  HEDDLE_TRY(const WordModes steps, steps_of("tabulate", layout));
  if (indices.empty()) return {};
  if (all_fit(steps, static_cast<std::int64_t>(indices.size() - 1))) {
    Tabulation(steps, indices).run();
    return {};
  }
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  return evaluate(layout, indices, indices);
}

Result<void> evaluate(const Layout& layout, std::span<const std::int64_t> coordinates,
                      std::span<std::int64_t> indices) {
  if (coordinates.size() != indices.size()) {
    return refuse("tuple.incongruent", "evaluate({}): {} and {} places for their indices", layout,
                  counted(coordinates.size(), "coordinate"), indices.size());
  }
  HEDDLE_TRY(const WordModes steps, steps_of("evaluate", layout));
  if (coordinates.empty()) return {};
  const auto [least, greatest] = std::ranges::minmax(coordinates);
  if (least < 0 && layout.extents().size() > 1) return negative(layout, least);
  if (least >= 0 && all_fit(steps, greatest)) {
    WordEvaluation(steps).run(coordinates, indices);
    return {};
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    HEDDLE_TRY(indices[i], checked_index(layout, coordinates[i]));
  }
  return {};
}

Result<void> tabulate(const ComposedLayout& layout, std::span<std::int64_t> indices) {
  if (!layout.layout().is_integral()) {
    std::iota(indices.begin(), indices.end(), std::int64_t{0});
    return evaluate_each(layout, indices, indices);
  }
  HEDDLE_CHECK(tabulate(layout.layout(), indices));
  return finish_all(layout, indices);
}

Result<void> evaluate(const ComposedLayout& layout, std::span<const std::int64_t> coordinates,
                      std::span<std::int64_t> indices) {
  if (!layout.layout().is_integral()) return evaluate_each(layout, coordinates, indices);
  HEDDLE_CHECK(evaluate(layout.layout(), coordinates, indices));
  return finish_all(layout, indices);
}

}  // namespace heddle::cute
