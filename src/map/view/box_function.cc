#include "map/view/box_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "axe/layout/iters.h"
#include "core/bits.h"
#include "heddle/core/exact.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxListedCopies = std::int64_t{1} << 20;

std::optional<std::vector<std::int64_t>> numbers_of_box(std::span<const Int> extents) {
  auto numbers = constants(extents);
  const bool is_box = numbers && std::ranges::none_of(*numbers, [](auto n) { return n < 1; });
  return is_box ? numbers : std::nullopt;
}

// ---- Digits ----

/// The index on one axis of the digits of a coordinate. The last digit needs no remainder.
QuasiSum sum_of_mode(std::size_t index, std::span<const form::Digit> digits, std::size_t axis) {
  QuasiSum sum;
  std::int64_t period = 1;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const std::int64_t extent = digits[k].extent.value();
    QuasiSum digit = quotient(coordinate(index), period);
    if (k + 1 < digits.size()) {
      digit = remainder(std::move(digit), extent);
      const exact::Value next = exact::multiply(period, extent);
      if (!next) throw PastRange();
      period = *next;
    }
    sum = plus(std::move(sum), times(digits[k].stride[axis].value(), std::move(digit)));
  }
  return sum;
}

/// address ^ ((address & source) >> shift): the bits that change are subtracted and their new
/// values added.
QuasiSum swizzled_sum(const SwizzleStep& step, const QuasiSum& address) {
  QuasiSum result = address;
  for (int source = 0; source < 62; ++source) {
    if (((step.source >> source) & 1) == 0) continue;
    const int target = source - step.shift;
    if (target < 0) continue;
    if (target > 61) throw PastRange();
    const std::int64_t weight = std::int64_t{1} << target;
    const QuasiSum here = quotient(address, weight);
    const QuasiSum both = plus(quotient(address, std::int64_t{1} << source), here);
    result = plus(std::move(result), times(weight, remainder(both, 2)));
    result = plus(std::move(result), times(-weight, remainder(here, 2)));
  }
  return result;
}

BoxFormula formula_of_digits(StridedView strided, std::vector<std::int64_t> extents) {
  std::vector<QuasiSum> outputs;
  strided = coalesced(std::move(strided));
  for (std::size_t axis = 0; axis < strided.offset.size(); ++axis) {
    QuasiSum sum{strided.offset[axis].value(), {}};
    for (std::size_t i = 0; i < strided.modes.size(); ++i) {
      sum = plus(std::move(sum), sum_of_mode(i, strided.modes[i], axis));
    }
    for (std::size_t i = 0; i < strided.copies.size(); ++i) {
      const std::int64_t stride = strided.copies[i].stride[axis].value();
      sum = plus(std::move(sum), times(stride, coordinate(extents.size() + i)));
    }
    if (strided.swizzle && strided.swizzle->axis == axis) {
      sum = swizzled_sum(*strided.swizzle, sum);
    }
    outputs.push_back(std::move(sum));
  }
  for (const form::Digit& digit : strided.copies) extents.push_back(digit.extent.value());
  return on_box(std::move(outputs), extents, strided.copies.size());
}

// ---- Bits ----

/// A bit of the point: which coordinate, and which bit of it.
struct PointBit {
  std::size_t coordinate = 0;
  int position = 0;

  [[nodiscard]] bool precedes(const PointBit& next) const {
    return coordinate == next.coordinate && position + 1 == next.position;
  }
};

/// Writes the output bits of one axis after another.
class BitSum {
 public:
  BitSum(const BitView& view, std::span<const std::int64_t> extents) : view_(view) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      for (int k = 0; k < log2_exact(extents[i]); ++k) bits_.push_back({i, k});
    }
  }

  /// `width` rows of the matrix from `first` on, as a number.
  [[nodiscard]] QuasiSum operator()(std::size_t first, int width) const {
    QuasiSum sum;
    for (int k = 0; k < width;) {
      const std::size_t row = first + static_cast<std::size_t>(k);
      const int run = copied_bits(row, width - k);
      QuasiSum part = run > 0 ? copied(*single(row), run) : parity(row);
      if (k > 61) throw PastRange();
      sum = plus(std::move(sum), times(std::int64_t{1} << k, std::move(part)));
      k += std::max(run, 1);
    }
    return sum;
  }

 private:
  [[nodiscard]] bool has(std::size_t row, std::size_t column) const {
    return ((view_.matrix.columns()[column] >> row) & 1) != 0;
  }
  [[nodiscard]] bool is_flipped(std::size_t row) const { return ((view_.offset >> row) & 1) != 0; }

  /// The bit to which the row is equal, if the row is a single bit.
  [[nodiscard]] std::optional<PointBit> single(std::size_t row) const {
    std::optional<PointBit> found;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (!has(row, i)) continue;
      if (found) return std::nullopt;
      found = bits_[i];
    }
    return is_flipped(row) ? std::nullopt : found;
  }

  /// The number of rows from this one on that are neighbouring bits of one coordinate.
  [[nodiscard]] int copied_bits(std::size_t row, int limit) const {
    std::optional<PointBit> last = single(row);
    int count = 0;
    while (last) {
      ++count;
      if (count == limit) break;
      const std::optional<PointBit> next = single(row + static_cast<std::size_t>(count));
      if (!next || !last->precedes(*next)) break;
      last = next;
    }
    return count;
  }

  /// `count` bits of a coordinate as a number; with its highest bit, no upper bits have to be cut
  /// off.
  [[nodiscard]] QuasiSum copied(const PointBit& lowest, int count) const {
    QuasiSum low = shifted(lowest);
    const bool is_last = std::ranges::none_of(bits_, [&](const PointBit& bit) {
      return bit.coordinate == lowest.coordinate && bit.position == lowest.position + count;
    });
    return is_last ? low : remainder(std::move(low), std::int64_t{1} << count);
  }

  /// The sum of the row's bits modulo 2: equation 21.
  [[nodiscard]] QuasiSum parity(std::size_t row) const {
    QuasiSum sum{is_flipped(row) ? 1 : 0, {}};
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (has(row, i)) sum = plus(std::move(sum), shifted(bits_[i]));
    }
    return remainder(std::move(sum), 2);
  }

  [[nodiscard]] static QuasiSum shifted(const PointBit& bit) {
    return quotient(coordinate(bit.coordinate), std::int64_t{1} << bit.position);
  }

  const BitView& view_;
  std::vector<PointBit> bits_;
};

BoxFormula formula_of_bits(const BitView& bits, std::span<const std::int64_t> extents) {
  std::vector<QuasiSum> outputs;
  const BitSum sum(bits, extents);
  std::size_t row = 0;
  for (const int width : bits.widths) {
    outputs.push_back(sum(row, width));
    row += static_cast<std::size_t>(width);
  }
  return on_box(std::move(outputs), extents);
}

// ---- Text ----

/// Names for the copies that differ from all other names.
std::vector<std::string> copy_names(std::size_t count, std::span<const std::string> inputs,
                                    std::span<const std::string> outputs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = fmt::format("r{}", i);
    const auto is_taken = [&](std::span<const std::string> others) {
      return std::ranges::find(others, name) != others.end();
    };
    while (is_taken(inputs) || is_taken(outputs)) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

std::string bounds_text(const std::string& name, std::int64_t low, std::int64_t high) {
  if (low == high) return fmt::format("{} = {}", name, low);
  return fmt::format("{} <= {} <= {}", low, name, high);
}

/// A part without its braces; the names are those of the coordinates and then of the copies.
std::string part_text(const BoxFormula::Part& part, std::span<const std::string> names,
                      std::span<const std::string> outputs, std::size_t copy_count) {
  const auto inputs = names.first(names.size() - copy_count);
  const auto copies = names.last(copy_count);
  std::vector<std::string> images;
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < part.outputs.size(); ++i) {
    const std::string sum = to_string(part.outputs[i], names);
    if (copies.empty()) {
      images.push_back(outputs[i].empty() ? sum : outputs[i] + " = " + sum);
      continue;
    }
    images.push_back(outputs[i].empty() ? fmt::format("o{}", i) : outputs[i]);
    conditions.push_back(images.back() + " = " + sum);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    conditions.push_back(bounds_text(names[i], part.lows[i], part.highs[i]));
  }
  std::string condition = fmt::format("{}", fmt::join(conditions, " and "));
  if (!copies.empty()) {
    condition = fmt::format("exists ({}: {})", fmt::join(copies, ", "), condition);
  }
  return fmt::format("[{}] -> [{}]{}{}", fmt::join(inputs, ", "), fmt::join(images, ", "),
                     condition.empty() ? "" : " : ", condition);
}

// ---- Parts ----

using Part = BoxFormula::Part;

/// The number of points of the part.
exact::Value volume_of(const Part& part) {
  exact::Value volume = 1;
  for (std::size_t i = 0; volume && i < part.lows.size(); ++i) {
    const exact::Value last = exact::subtract(part.highs[i], part.lows[i]);
    const exact::Value extent = last ? exact::add(*last, 1) : last;
    volume = extent ? exact::multiply(*volume, *extent) : extent;
  }
  return volume;
}

bool have_common_points(const Part& a, const Part& b) {
  for (std::size_t i = 0; i < a.lows.size(); ++i) {
    if (a.highs[i] < b.lows[i] || b.highs[i] < a.lows[i]) return false;
  }
  return true;
}

/// The box from 0 that the parts divide: they are disjoint and have as many points as the box.
std::optional<std::vector<std::int64_t>> cut_box(std::span<const Part> parts) {
  std::vector<std::int64_t> extents(parts.front().lows.size(), 0);
  exact::Value points = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (parts[k].lows[i] < 0) return std::nullopt;
      extents[i] = std::max(extents[i], parts[k].highs[i] + 1);
    }
    for (std::size_t other = 0; other < k; ++other) {
      if (have_common_points(parts[other], parts[k])) return std::nullopt;
    }
    const exact::Value volume = volume_of(parts[k]);
    points = points && volume ? exact::add(*points, *volume) : std::nullopt;
  }
  exact::Value size = 1;
  for (const std::int64_t extent : extents) size = size ? exact::multiply(*size, extent) : size;
  if (!points || size != points) return std::nullopt;
  return extents;
}

/// The choice between a few pieces. Many pieces would be a table, which no proof can use.
std::vector<Int> chosen_at(const Piecewise& function, std::span<const Int> point) {
  constexpr std::size_t kMaxChoices = 8;
  if (function.pieces.size() <= kMaxChoices) return function(point);
  return std::vector<Int>(function.outputs, Int::undefined());
}

void find_forms(BoxFunction& box) {
  if (box.function.pieces.size() != 1) return;
  const AffinePiece& piece = box.function.pieces.front();
  box.strided = digits_in(piece, box.extents, box.copies);
  if (box.copies.empty()) box.bits = bits_in(piece, box.extents);
}

bool mentions(std::span<const QuasiSum> sums, std::size_t index) {
  return std::ranges::any_of(sums, [&](const QuasiSum& sum) {
    return std::ranges::any_of(sum.terms, [&](const QuasiTerm& term) {
      if (term.kind == QuasiTerm::Kind::kCoordinate) return term.coordinate == index;
      return mentions(std::span(term.operand.get(), 1), index);
    });
  });
}

}  // namespace

Int BoxFunction::copy_count() const { return product_of(copies); }

std::vector<Int> BoxFunction::operator()(std::span<const Int> point, const Int& copy) const {
  std::vector<Int> at(point.begin(), point.end());
  if (!copies.empty()) {
    for (Int& digit : point_of(copies, form::FlatOrder::kFirstFastest, copy)) {
      at.push_back(std::move(digit));
    }
  }
  const auto numbers = constants(at);
  if (!numbers) return chosen_at(function, at);
  const PointImage image = function(*numbers);
  if (image.state != PointImage::State::kInside) {
    return std::vector<Int>(function.outputs, Int::undefined());
  }
  return {image.values.begin(), image.values.end()};
}

std::optional<std::vector<std::vector<std::int64_t>>> BoxFunction::images(
    std::span<const std::int64_t> point) const {
  const Int count = copy_count();
  if (!count.is_constant() || count.value() > kMaxListedCopies) return std::nullopt;
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t copy = 0; copy < count.value(); ++copy) {
    std::vector<std::int64_t> at(point.begin(), point.end());
    for (const Int& digit : point_of(copies, form::FlatOrder::kFirstFastest, copy)) {
      at.push_back(digit.value());
    }
    PointImage image = function(at);
    if (image.state == PointImage::State::kOverflow) return std::nullopt;
    if (image.state == PointImage::State::kInside) all.push_back(std::move(image.values));
  }
  axe::sort_once(all);
  return all;
}

BoxFormula on_box(std::vector<QuasiSum> outputs, std::span<const std::int64_t> extents,
                  std::size_t copies) {
  BoxFormula::Part part{std::move(outputs), std::vector<std::int64_t>(extents.size(), 0), {}};
  for (const std::int64_t extent : extents) part.highs.push_back(extent - 1);
  return {{std::move(part)}, copies};
}

std::optional<BoxFormula> box_formula(const View& view) {
  auto extents = numbers_of_box(view.extents);
  if (!extents) return std::nullopt;
  try {
    // Digits under a swizzle are simpler as bits, if they are bits.
    const bool as_digits = view.strided && (!view.strided->swizzle || !view.bits);
    if (as_digits && is_number(*view.strided)) {
      return formula_of_digits(*view.strided, *std::move(extents));
    }
    if (view.bits) return formula_of_bits(*view.bits, *extents);
  } catch (const PastRange&) {
    return std::nullopt;
  }
  return std::nullopt;
}

BoxFunction box_function(Piecewise function, std::vector<Int> extents) {
  BoxFunction result{std::move(extents), {}, std::move(function), {}, {}};
  find_forms(result);
  return result;
}

std::optional<BoxFunction> box_function(const BoxFormula& formula) {
  const auto box = cut_box(formula.parts);
  if (!box) return std::nullopt;
  const auto inputs = box->end() - static_cast<std::ptrdiff_t>(formula.copies);
  const std::vector<QuasiSum>& outputs = formula.parts.front().outputs;
  BoxFunction result{
      {box->begin(), inputs}, {inputs, box->end()}, {box->size(), outputs.size(), {}}, {}, {}};
  try {
    for (const Part& part : formula.parts) {
      result.function.pieces.push_back(piece_of(part.outputs, part.lows, part.highs));
    }
  } catch (const PastRange&) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < formula.copies; ++i) {
    // Copies in the same place are one copy.
    if (!mentions(outputs, result.extents.size() + i)) result.copies[i] = 1;
  }
  find_forms(result);
  return result;
}

std::string to_string(const BoxFormula& formula, std::span<const std::string> inputs,
                      std::span<const std::string> outputs) {
  std::vector<std::string> names(inputs.begin(), inputs.end());
  std::ranges::move(copy_names(formula.copies, inputs, outputs), std::back_inserter(names));
  std::vector<std::string> texts;
  for (const Part& part : formula.parts) {
    texts.push_back(part_text(part, names, outputs, formula.copies));
  }
  return fmt::format("{{ {} }}", fmt::join(texts, "; "));
}

}  // namespace heddle::map
