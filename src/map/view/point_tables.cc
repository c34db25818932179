#include "heddle/map/point_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/form/table.h"
#include "map/view/narrow_points.h"

namespace heddle::map {
namespace {

/// Tables of this many numbers stay in the nearest cache.
constexpr std::int64_t kGroup = std::int64_t{1} << 12;
/// A single table may be as large as the next cache.
constexpr std::int64_t kSingle = std::int64_t{1} << 15;
constexpr std::int64_t kMaxWhole = std::int64_t{1} << 22;
constexpr std::size_t kBlock = 1024;

Result<std::int64_t> number_of(const Int& value, const AnyLayout& layout) {
  if (value.is_constant()) return value.value();
  if (value.is_defined()) {
    return refuse("table.symbolic", fmt::format("{} has symbolic sizes: there are no numbers to "
                                                "write",
                                                to_string(layout)));
  }
  return refuse("overflow", fmt::format("{} has images beyond 64 bits", to_string(layout)));
}

/// `extent` values of a coordinate, and the step of each on every axis.
struct Step {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

using DigitSteps = std::vector<Step>;

constexpr std::int64_t kNarrowEnd = std::int64_t{1} << 31;
/// A table does the work of so many digits in vector registers.
constexpr std::size_t kDigitsOfTable = 4;

/// The same steps on one axis as digits, none of extent 1, and runs of one stride as one digit.
std::vector<NarrowDigit> narrow_digits(const DigitSteps& steps) {
  DigitSteps runs;
  for (const Step& step : steps) {
    if (step.extent == 1) continue;
    const Step* const last = runs.empty() ? nullptr : &runs.back();
    const bool continues =
        last != nullptr && step.strides.front() == last->strides.front() * last->extent;
    if (continues) {
      runs.back().extent *= step.extent;
    } else {
      runs.push_back(step);
    }
  }
  std::vector<NarrowDigit> digits;
  for (const Step& run : runs) digits.push_back(narrow_digit(run.extent, run.strides.front()));
  return digits;
}

std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

}  // namespace

struct PointTables::Maker {
  const AnyLayout& layout;
  PointTables made = {};
  /// No image is beyond it, on any axis.
  Int reach = 0;

  Result<std::vector<std::int64_t>> numbers_of(std::span<const Int> values) const {
    std::vector<std::int64_t> numbers;
    for (const Int& value : values) {
      HEDDLE_TRY(const std::int64_t number, number_of(value, layout));
      numbers.push_back(number);
    }
    return numbers;
  }

  /// The greatest sum that can occur fits into 64 bits.
  Result<void> check_reach(const std::vector<DigitSteps>& all) {
    for (std::size_t axis = 0; axis < made.axes_.size(); ++axis) {
      Int greatest = abs(Int(made.offsets_[axis]));
      for (const DigitSteps& steps : all) {
        for (const Step& step : steps) greatest += abs(Int(step.strides[axis])) * (step.extent - 1);
      }
      HEDDLE_CHECK(number_of(greatest + 1, layout));
      reach = max(reach, greatest);
    }
    return {};
  }

  Result<std::vector<DigitSteps>> steps_of(const StridedView& strided) {
    std::vector<DigitSteps> all;
    for (const std::vector<form::Digit>& mode : strided.modes) {
      DigitSteps& steps = all.emplace_back();
      for (const form::Digit& digit : mode) {
        HEDDLE_TRY(const std::int64_t extent, number_of(digit.extent, layout));
        HEDDLE_TRY(auto strides, numbers_of(digit.stride));
        steps.push_back({extent, std::move(strides)});
      }
    }
    HEDDLE_TRY(made.offsets_, numbers_of(strided.offset));
    made.swizzle_ = strided.swizzle;
    HEDDLE_CHECK(check_reach(all));
    return all;
  }

  std::vector<std::int64_t> axes_of(std::uint64_t word, const BitView& bits) const {
    std::vector<std::int64_t> parts;
    for (const int width : bits.widths) {
      parts.push_back(static_cast<std::int64_t>(word & ((std::uint64_t{1} << width) - 1)));
      word >>= width;
    }
    return parts;
  }

  std::vector<DigitSteps> steps_of(const BitView& bits) {
    made.by_xor_ = true;
    made.offsets_ = axes_of(bits.offset, bits);
    std::vector<DigitSteps> all;
    auto column = bits.matrix.columns().begin();
    for (const std::int64_t extent : made.box_) {
      DigitSteps& steps = all.emplace_back();
      for (std::int64_t size = 1; size < extent; size *= 2) {
        steps.push_back({2, axes_of(*column++, bits)});
      }
    }
    return all;
  }

  /// A map without structure: coordinates lead to a place in a table of all points, row-major.
  Result<std::vector<DigitSteps>> steps_of_whole(const View& view) {
    const form::IndexMap map = view.index_map();
    HEDDLE_TRY(const std::int64_t size, number_of(map.size(), layout));
    if (size > kMaxWhole) {
      return refuse("table.too_large",
                    fmt::format("{} has {}, and its notation shows no digits and no bits; "
                                "at most {} are tabulated",
                                to_string(layout), counted(size, "point"), kMaxWhole));
    }
    HEDDLE_TRY(const form::Table table, form::table_of(map));
    const std::size_t axes = made.axes_.size();
    made.whole_.assign(axes, std::vector<std::int64_t>(table.values.size() / axes));
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      made.whole_[i % axes][i / axes] = table.values[i];
    }
    made.offsets_ = {0};
    std::vector<DigitSteps> all(made.box_.size());
    std::int64_t stride = 1;
    for (std::size_t i = all.size(); i-- > 0;) {
      all[i] = {{made.box_[i], {stride}}};
      stride *= made.box_[i];
    }
    return all;
  }

  Group group_of(std::span<const Step> steps) const {
    Group group;
    for (const Step& step : steps) group.size *= static_cast<std::uint64_t>(step.extent);
    group.shift = std::has_single_bit(group.size) ? std::countr_zero(group.size) : -1;
    group.reciprocal = group.size > 1 ? ~std::uint64_t{0} / group.size + 1 : 0;
    if (steps.size() == 1 && !made.by_xor_) {
      group.strides = steps.front().strides;
      return group;
    }
    for (std::size_t axis = 0; axis < steps.front().strides.size(); ++axis) {
      std::vector<std::int64_t> table = {0};
      for (const Step& step : steps) {
        const std::size_t before = table.size();
        for (std::int64_t digit = 1; digit < step.extent; ++digit) {
          const std::int64_t value = digit * step.strides[axis];
          for (std::size_t i = 0; i < before; ++i) {
            table.push_back(made.by_xor_ ? table[i] ^ value : table[i] + value);
          }
        }
      }
      group.tables.push_back(std::move(table));
    }
    return group;
  }

  /// The same map of narrow numbers, if all are, and if there are few digits for each table.
  std::shared_ptr<const NarrowMap> narrow_map_of(const std::vector<DigitSteps>& all) const {
    if (made.axes_.size() != 1 || made.by_xor_ || !made.whole_.empty()) return nullptr;
    const SwizzleStep swizzle = made.swizzle_.value_or(SwizzleStep());
    const bool is_narrow = known_less(reach, kNarrowEnd) && swizzle.source >= 0 &&
                           swizzle.source < kNarrowEnd && swizzle.shift > -32 &&
                           swizzle.source <= (kNarrowEnd - 1) >> std::max(-swizzle.shift, 0) &&
                           swizzle.shift < 32;
    if (!is_narrow) return nullptr;
    NarrowMap narrow = {{},
                        static_cast<std::uint32_t>(made.offsets_.front()),
                        static_cast<std::uint32_t>(swizzle.source),
                        swizzle.shift};
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (made.extents_[c] < 1 || made.extents_[c] >= kNarrowEnd) return nullptr;
      auto digits = narrow_digits(all[c]);
      if (digits.size() > kDigitsOfTable * made.coordinates_[c].size()) return nullptr;
      narrow.coordinates.push_back(
          {static_cast<std::uint32_t>(made.extents_[c]), std::move(digits)});
    }
    return std::make_shared<const NarrowMap>(std::move(narrow));
  }

  Groups groups_of(DigitSteps steps) const {
    std::erase_if(steps, [](const Step& step) { return step.extent == 1; });
    Groups groups;
    Int all = 1;
    for (const Step& step : steps) all *= step.extent;
    const std::int64_t most = known_at_most(all, kSingle) ? kSingle : kGroup;
    for (std::size_t begin = 0; begin < steps.size();) {
      std::size_t end = begin + 1;
      std::int64_t size = steps[begin].extent;
      while (end < steps.size() && size <= most && steps[end].extent <= most / size) {
        size *= steps[end++].extent;
      }
      groups.push_back(group_of(std::span(steps).subspan(begin, end - begin)));
      begin = end;
    }
    return groups;
  }
};

Result<PointTables> PointTables::make(const AnyLayout& layout, Coordinates coordinates,
                                      const Limits& limits) {
  HEDDLE_TRY(const View view, map::view(layout, limits));
  if (!view.is_function()) {
    return refuse(
        Diagnostic("recover.copies", fmt::format("each point of {} has {} images",
                                                 to_string(layout), to_string(view.copies)))
            .with_hint("apply gives all images of one point"));
  }
  Maker maker{layout};
  PointTables& made = maker.made;
  made.axes_ = view.axes;
  made.names_ = view.names;
  HEDDLE_TRY(made.box_, maker.numbers_of(view.extents));
  HEDDLE_TRY(const std::int64_t size, number_of(view.size(), layout));
  std::vector<DigitSteps> all;
  if (view.strided && !view.leaves_out) {
    HEDDLE_TRY(all, maker.steps_of(*view.strided));
  } else if (view.bits && !view.leaves_out) {
    all = maker.steps_of(*view.bits);
  } else {
    HEDDLE_TRY(all, maker.steps_of_whole(view));
  }
  made.extents_ = made.box_;
  if (coordinates == Coordinates::kFlat) {
    if (view.order == form::FlatOrder::kLastFastest) std::ranges::reverse(all);
    DigitSteps flat;
    for (DigitSteps& steps : all) std::ranges::move(steps, std::back_inserter(flat));
    all = {std::move(flat)};
    made.extents_ = {size};
  }
  for (const DigitSteps& steps : all) made.coordinates_.push_back(maker.groups_of(steps));
  made.narrow_ = maker.narrow_map_of(all);
  return std::move(maker.made);
}

std::optional<std::size_t> PointTables::outside(const Inputs& points, std::size_t begin,
                                                std::size_t end) const {
  std::optional<std::size_t> first;
  for (std::size_t c = 0; c < extents_.size(); ++c) {
    const auto extent = static_cast<std::uint64_t>(extents_[c]);
    const std::int64_t* const at = points[c].data();
    // The bits of all together are no less than the greatest.
    std::uint64_t bits = 0;
    for (std::size_t i = begin; i < end; ++i) bits |= static_cast<std::uint64_t>(at[i]);
    if (bits < extent) continue;
    bool are_inside = true;
    for (std::size_t i = begin; i < end; ++i) {
      are_inside &= static_cast<std::uint64_t>(at[i]) < extent;
    }
    for (std::size_t i = begin; !are_inside && i < end; ++i) {
      if (static_cast<std::uint64_t>(at[i]) < extent) continue;
      first = std::min(first.value_or(i), i);
      break;
    }
  }
  return first;
}

namespace {

/// A group of a map with one coordinate and one axis.
struct LinePart {
  /// nullptr where what a digit adds is a multiple of the stride.
  const std::int64_t* table = nullptr;
  std::int64_t stride = 0;
  std::uint64_t size = 1;
  std::uint64_t reciprocal = 0;
  int shift = 0;
};

/// What the groups of a coordinate add up to, or flip; AreBits says that all sizes are powers of
/// two.
template <bool AreBits, bool ByXor, std::size_t Part, std::size_t Parts>
[[gnu::always_inline]] inline std::int64_t image_of(const std::array<LinePart, Parts>& parts,
                                                    std::uint64_t rest, std::int64_t sum) {
  const LinePart& part = parts[Part];
  const auto add = [&](std::uint64_t digit) {
    if constexpr (ByXor) return sum ^ part.table[digit];
    const auto more = part.table != nullptr ? static_cast<std::uint64_t>(part.table[digit])
                                            : digit * static_cast<std::uint64_t>(part.stride);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + more);
  };
  if constexpr (Part + 1 == Parts) {
    return add(rest);
  } else if constexpr (AreBits) {
    return image_of<AreBits, ByXor, Part + 1>(parts, rest >> part.shift,
                                              add(rest & (part.size - 1)));
  } else {
    const std::uint64_t quotient =
        part.shift >= 0 ? rest >> part.shift : high_product(rest, part.reciprocal);
    return image_of<AreBits, ByXor, Part + 1>(parts, quotient, add(rest - quotient * part.size));
  }
}

template <bool AreBits, bool ByXor, std::size_t Parts>
void images_of(const LinePart* given, std::int64_t offset, std::span<const std::int64_t> points,
               std::int64_t* images) {
  std::array<LinePart, Parts> parts;
  std::copy_n(given, Parts, parts.begin());
  for (std::size_t i = 0; i < points.size(); ++i) {
    images[i] = image_of<AreBits, ByXor, 0>(parts, static_cast<std::uint64_t>(points[i]), offset);
  }
}

using LineImages = void (*)(const LinePart*, std::int64_t, std::span<const std::int64_t>,
                            std::int64_t*);
constexpr std::size_t kMostParts = 4;

template <bool AreBits, bool ByXor>
constexpr std::array<LineImages, kMostParts> kImages = {
    images_of<AreBits, ByXor, 1>, images_of<AreBits, ByXor, 2>, images_of<AreBits, ByXor, 3>,
    images_of<AreBits, ByXor, 4>};

/// Splits the coordinates into their fastest digit groups and the rest.
template <class Divide>
void split(std::span<std::uint64_t> rest, std::span<std::uint64_t> digits, std::uint64_t size,
           Divide divide) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::uint64_t quotient = divide(rest[i]);
    digits[i] = rest[i] - quotient * size;
    rest[i] = quotient;
  }
}

}  // namespace

void PointTables::evaluate_block(const Inputs& points, const Outputs& images, std::size_t begin,
                                 std::size_t end) const {
  const std::size_t count = end - begin;
  std::array<std::uint64_t, kBlock> rest;
  std::array<std::uint64_t, kBlock> digits;
  const std::size_t sums = offsets_.size();
  std::vector<std::array<std::int64_t, kBlock>> totals(sums);
  for (std::size_t axis = 0; axis < sums; ++axis) totals[axis].fill(offsets_[axis]);
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    for (std::size_t i = 0; i < count; ++i) {
      rest[i] = static_cast<std::uint64_t>(points[c][begin + i]);
    }
    const Groups& groups = coordinates_[c];
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Group& group = groups[g];
      const bool is_last = g + 1 == groups.size();
      const std::span<std::uint64_t> all(rest.data(), count);
      const std::uint64_t size = group.size;
      if (is_last) {
        digits = rest;
      } else if (group.shift >= 0) {
        split(all, digits, size, [&](std::uint64_t x) { return x >> group.shift; });
      } else if (static_cast<std::uint64_t>(extents_[c]) <= ~std::uint64_t{0} / size) {
        // The reciprocal exceeds 2^64/size by less than 1, and x * size is below 2^64.
        const std::uint64_t reciprocal = group.reciprocal;
        split(all, digits, size, [&](std::uint64_t x) { return high_product(x, reciprocal); });
      } else {
        split(all, digits, size, [&](std::uint64_t x) { return x / size; });
      }
      for (std::size_t axis = 0; axis < sums; ++axis) {
        std::int64_t* const total = totals[axis].data();
        if (group.tables.empty()) {
          const auto stride = static_cast<std::uint64_t>(group.strides[axis]);
          for (std::size_t i = 0; i < count; ++i) {
            total[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(total[i]) +
                                                 digits[i] * stride);
          }
          continue;
        }
        const std::int64_t* const table = group.tables[axis].data();
        if (by_xor_) {
          for (std::size_t i = 0; i < count; ++i) total[i] ^= table[digits[i]];
        } else {
          for (std::size_t i = 0; i < count; ++i) total[i] += table[digits[i]];
        }
      }
    }
  }
  if (!whole_.empty()) {
    for (std::size_t axis = 0; axis < images.size(); ++axis) {
      for (std::size_t i = 0; i < count; ++i) {
        images[axis][begin + i] = whole_[axis][static_cast<std::size_t>(totals[0][i])];
      }
    }
    return;
  }
  if (swizzle_) {
    auto& total = totals[swizzle_->axis];
    const int shift = swizzle_->shift;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t source = total[i] & swizzle_->source;
      total[i] ^= shift >= 0
                      ? source >> shift
                      : static_cast<std::int64_t>(static_cast<std::uint64_t>(source) << -shift);
    }
  }
  for (std::size_t axis = 0; axis < images.size(); ++axis) {
    std::copy_n(totals[axis].data(), count, images[axis].data() + begin);
  }
}

std::optional<std::size_t> PointTables::evaluate(const Inputs& points,
                                                 const Outputs& images) const {
  const std::size_t count = points.empty() ? 0 : points.front().size();
  for (std::size_t begin = 0; narrow_ != nullptr && begin < count; begin += kNarrowBlock) {
    const std::size_t end = std::min(begin + kNarrowBlock, count);
    if (!evaluate_narrow(*narrow_, points, images.front(), begin, end)) {
      return outside(points, begin, end);
    }
  }
  if (narrow_ != nullptr) return std::nullopt;
  std::array<LinePart, kMostParts> parts;
  LineImages evaluate_line = nullptr;
  const bool is_line = coordinates_.size() == 1 && offsets_.size() == 1 && whole_.empty() &&
                       !swizzle_ && coordinates_.front().size() <= kMostParts;
  if (is_line && !coordinates_.front().empty()) {
    const Groups& groups = coordinates_.front();
    bool are_bits = true;
    bool are_exact = true;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Group& group = groups[g];
      const bool is_table = !group.tables.empty();
      parts[g] = {is_table ? group.tables.front().data() : nullptr,
                  is_table ? 0 : group.strides.front(), group.size, group.reciprocal, group.shift};
      if (g + 1 == groups.size()) break;
      are_bits = are_bits && group.shift >= 0;
      are_exact = are_exact && (group.shift >= 0 || static_cast<std::uint64_t>(extents_.front()) <=
                                                        ~std::uint64_t{0} / group.size);
    }
    const std::size_t which = groups.size() - 1;
    if (are_bits) {
      evaluate_line = by_xor_ ? kImages<true, true>[which] : kImages<true, false>[which];
    } else if (are_exact) {
      evaluate_line = by_xor_ ? kImages<false, true>[which] : kImages<false, false>[which];
    }
  }
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, count);
    if (const auto first = outside(points, begin, end)) return first;
    if (evaluate_line == nullptr) {
      evaluate_block(points, images, begin, end);
    } else {
      evaluate_line(parts.data(), offsets_.front(), points[0].subspan(begin, end - begin),
                    images[0].data() + begin);
    }
  }
  return std::nullopt;
}

}  // namespace heddle::map
