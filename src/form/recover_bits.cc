#include "heddle/form/recover_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "form/recovery.h"

namespace heddle::form {
namespace {

Vector exclusive_or(Vector a, const Vector& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) a[axis] ^= b[axis];
  return a;
}

bool is_negative(const Vector& value) {
  return std::ranges::any_of(value, [](std::int64_t number) { return number < 0; });
}

/// The values of a bit map at 0, 1, 2, …: a step changes the bits that its carry passes through.
class BitWalk {
 public:
  explicit BitWalk(const BitMap& map) : value_(map.offset) {
    Vector below(map.offset.size(), 0);
    for (const Vector& column : map.columns) {
      below = exclusive_or(std::move(below), column);
      changes_.push_back(below);
    }
  }

  [[nodiscard]] bool is_at(const Vector& value) const { return value_ == value; }

  void step() {
    const auto bit = static_cast<std::size_t>(std::countr_zero(++point_));
    if (bit >= changes_.size()) return;  // past the end
    for (std::size_t axis = 0; axis < value_.size(); ++axis) value_[axis] ^= changes_[bit][axis];
  }

 private:
  std::vector<Vector> changes_;
  Vector value_;
  std::uint64_t point_ = 0;
};

Refusal negative(std::int64_t point, const Vector& value) {
  return refuse("recover.no_bits", fmt::format("bits are XORed, and {} at coordinate {} is "
                                               "negative",
                                               point_text(value), point));
}

/// Refuses: f is not linear, shown at a point where the candidate is wrong.
Refusal not_linear(const BitMap& candidate, const Sampler& f, std::int64_t point) {
  const Vector found = f(point);
  if (is_negative(found)) return negative(point, found);
  // Some part of the point breaks linearity with its highest bit: at the smaller parts the
  // candidate is right, or these break it already.
  std::int64_t whole = point;
  for (;;) {
    const auto high = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(whole)));
    const std::int64_t low = whole ^ high;
    const Vector at_low = f(low);
    if (at_low != value_at(candidate, low)) {
      whole = low;
      continue;
    }
    const Vector wanted = exclusive_or(exclusive_or(f(high), at_low), candidate.offset);
    const std::string whole_text = std::to_string(whole);
    return refuse(
        Diagnostic("recover.no_bits",
                   fmt::format("no linear layout over bits has this function: f(0)^f({0})^f({1}) = "
                               "{2}, and f({0}^{1}) is {3}",
                               low, high, point_text(wanted), point_text(f(whole))))
            .with_witness({whole_text, point_text(f(whole)), point_text(wanted)}));
  }
}

}  // namespace

std::vector<std::int64_t> value_at(const BitMap& map, std::int64_t point) {
  Vector value = map.offset;
  for (std::size_t bit = 0; bit < map.columns.size(); ++bit) {
    if ((point >> bit & 1) != 0) value = exclusive_or(std::move(value), map.columns[bit]);
  }
  return value;
}

std::vector<int> widths_of(const BitMap& map) {
  std::vector<std::uint64_t> all(map.offset.begin(), map.offset.end());
  for (const Vector& column : map.columns) {
    for (std::size_t axis = 0; axis < all.size(); ++axis)
      all[axis] |= static_cast<std::uint64_t>(column[axis]);
  }
  std::vector<int> widths;
  for (const std::uint64_t bits : all) widths.push_back(static_cast<int>(std::bit_width(bits)));
  return widths;
}

Result<BitMatrix> bit_matrix(const BitMap& map, const std::vector<int>& widths) {
  int rows = 0;
  for (const int width : widths) rows += width;
  if (rows > 64) {
    return refuse("bit_matrix.too_wide",
                  fmt::format("the images have {} bits together; a bit matrix has 64 rows", rows));
  }
  std::vector<std::uint64_t> columns;
  for (const Vector& vector : map.columns) {
    std::uint64_t column = 0;
    int place = 0;
    for (std::size_t axis = 0; axis < vector.size(); ++axis) {
      if (place < 64) column |= static_cast<std::uint64_t>(vector[axis]) << place;
      place += widths[axis];
    }
    columns.push_back(column);
  }
  return BitMatrix(static_cast<std::size_t>(rows), std::move(columns));
}

std::optional<BitMap> bits_of(const StridedMap& map) {
  BitMap bits{{}, map.offset};
  const std::size_t axes = map.offset.size();
  // Relative to the least value on each axis, every bit of the point adds a positive step: adding
  // it flips the bits that its carry passes through. If no two steps flip a common bit, each flips
  // the same bits wherever it starts.
  std::vector<Vector> steps;
  WideVector least(map.offset.begin(), map.offset.end());
  for (const Digit& digit : map.digits()) {
    const auto extent = static_cast<std::uint64_t>(digit.extent.value());
    if (!std::has_single_bit(extent)) return std::nullopt;
    for (int bit = 0; bit < std::countr_zero(extent); ++bit) {
      WideVector wide;
      for (const Int& stride : digit.stride)
        wide.push_back(Wide{stride.value()} * (Wide{1} << bit));
      std::optional<Vector> step = narrow(wide);
      if (!step) return std::nullopt;
      for (std::size_t axis = 0; axis < axes; ++axis) least[axis] += std::min<Wide>(wide[axis], 0);
      steps.push_back(*std::move(step));
    }
  }
  const std::optional<Vector> origin = narrow(least);
  if (!origin || is_negative(*origin)) return std::nullopt;
  Vector flipped(axes, 0);
  for (const Vector& step : steps) {
    Vector column;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Wide size = step[axis] < 0 ? -Wide{step[axis]} : Wide{step[axis]};
      const std::optional<std::int64_t> end = narrow((*origin)[axis] + size);
      if (!end) return std::nullopt;
      column.push_back(*end ^ (*origin)[axis]);
      if ((column.back() & flipped[axis]) != 0) return std::nullopt;
      flipped[axis] |= column.back();
    }
    bits.columns.push_back(std::move(column));
  }
  return bits;
}

Result<BitMap> recover_bit_linear(std::int64_t extent, std::size_t axes, const Sampler& f,
                                  const RecoverBitsOptions& options) {
  const auto size = static_cast<std::uint64_t>(extent);
  if (!std::has_single_bit(size)) {
    return refuse(
        "recover.no_bits",
        fmt::format("a linear layout over bits has a power-of-two number of points, not {}",
                    extent));
  }
  BitMap map{{}, f(0)};
  if (is_negative(map.offset)) return negative(0, map.offset);
  for (int bit = 0; bit < std::countr_zero(size); ++bit) {
    const Vector image = f(std::int64_t{1} << bit);
    if (is_negative(image)) return negative(std::int64_t{1} << bit, image);
    map.columns.push_back(exclusive_or(image, map.offset));
  }
  if (axes == 0) return map;
  HEDDLE_TRY(const CandidateCheck check, compare(map, extent, BitWalk(map), f, options));
  if (check.is_equal) return map;
  if (!check.difference) return too_many_points(extent, options.max_points);
  return not_linear(map, f, *check.difference);
}

}  // namespace heddle::form
