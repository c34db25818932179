#include "map/view/shown_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/bits.h"
#include "heddle/expr/index_variable.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxWord = 64;

Int shifted(const Int& number, int places) {
  return places >= 0 ? shift_right(number, places) : shift_left(number, -places);
}

bool is_number(const Int& value) { return value.is_constant(); }

bool is_number(const form::Digit& digit) {
  return digit.extent.is_constant() &&
         std::ranges::all_of(digit.stride, [](const Int& s) { return s.is_constant(); });
}

/// The bits of a view on sums of its axes; nullopt if two of them overlap.
std::optional<BitView> summed_bits(const BitView& bits, std::span<const AxisPart> parts,
                                   std::span<const std::optional<Int>> bounds) {
  std::vector<int> shifts(parts.size(), 0);
  std::vector<int> widths(bounds.size(), 0);
  std::vector<std::uint64_t> taken(bounds.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [target, weight] = parts[i];
    if (!target || bits.widths[i] == 0) continue;
    if (!weight.is_constant() || !is_power_of_two(weight.value())) return std::nullopt;
    shifts[i] = log2_exact(weight.value());
    const int end = shifts[i] + bits.widths[i];
    if (end > 62) return std::nullopt;
    const std::uint64_t field = low_bits(bits.widths[i]) << shifts[i];
    if ((taken[*target] & field) != 0) return std::nullopt;
    taken[*target] |= field;
    widths[*target] = std::max(widths[*target], end);
  }
  std::size_t rows = 0;
  std::vector<int> begins;
  for (std::size_t axis = 0; axis < bounds.size(); ++axis) {
    widths[axis] = bounded_width(widths[axis], bounds[axis]);
    begins.push_back(static_cast<int>(rows));
    rows += static_cast<std::size_t>(widths[axis]);
  }
  if (rows > kMaxWord) return std::nullopt;
  const auto moved = [&](std::uint64_t word) {
    const std::vector<std::int64_t> image = unpacked(bits, word);
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].target || image[i] == 0) continue;
      result |= static_cast<std::uint64_t>(image[i]) << (begins[*parts[i].target] + shifts[i]);
    }
    return result;
  };
  std::vector<std::uint64_t> columns;
  std::ranges::transform(bits.matrix.columns(), std::back_inserter(columns), moved);
  return BitView{form::BitMatrix(rows, std::move(columns)), std::move(widths), moved(bits.offset)};
}

/// The swizzle step on the new axes; nullopt if its axis is summed with others.
std::optional<SwizzleStep> moved_swizzle(const SwizzleStep& step, std::span<const AxisPart> parts) {
  const AxisPart& own = parts[step.axis];
  const auto shares = [&](const AxisPart& part) { return part.target == own.target; };
  if (!known_equal(own.weight, 1) || std::ranges::count_if(parts, shares) != 1) return std::nullopt;
  return SwizzleStep{*own.target, step.source, step.shift};
}

}  // namespace

bool are_equal(std::span<const Int> a, std::span<const Int> b) {
  return std::ranges::equal(a, b, [](const Int& x, const Int& y) { return known_equal(x, y); });
}

Int product_of(std::span<const Int> numbers) {
  Int product = 1;
  for (const Int& number : numbers) product *= number;
  return product;
}

std::optional<std::vector<std::int64_t>> constants(std::span<const Int> numbers) {
  std::vector<std::int64_t> values;
  values.reserve(numbers.size());
  for (const Int& number : numbers) {
    if (!number.is_constant()) return std::nullopt;
    values.push_back(number.value());
  }
  return values;
}

std::vector<std::string> numbered_names(std::size_t count, std::string_view begin) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", begin, i));
  return names;
}

std::vector<std::string> names_of(std::span<const Axis> axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name());
  return names;
}

std::vector<Int> variable_point(std::span<const Int> extents, std::span<const std::string> names) {
  std::vector<Int> point;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    point.push_back(index_variable(names[i], extents[i]));
  }
  return point;
}

Int flat_of(std::span<const Int> extents, form::FlatOrder order, std::span<const Int> point) {
  Int flat = 0;
  for (std::size_t step = 0; step < extents.size(); ++step) {
    const std::size_t i = order == form::FlatOrder::kLastFastest ? step : extents.size() - 1 - step;
    flat = flat * extents[i] + point[i];
  }
  return flat;
}

std::vector<Int> point_of(std::span<const Int> extents, form::FlatOrder order, const Int& flat) {
  std::vector<Int> point(extents.size());
  Int rest = flat;
  for (std::size_t step = 0; step < extents.size(); ++step) {
    const std::size_t i =
        order == form::FlatOrder::kFirstFastest ? step : extents.size() - 1 - step;
    // The slowest index takes the rest, which keeps symbolic indices simple.
    point[i] = step + 1 == extents.size() ? rest : mod(rest, extents[i]);
    rest = floor_div(rest, extents[i]);
  }
  return point;
}

std::int64_t swizzled(const SwizzleStep& step, std::int64_t address) {
  const std::int64_t read = address & step.source;
  if (step.shift >= 0) return address ^ (read >> step.shift);
  return address ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(read) << -step.shift);
}

Int swizzled(const SwizzleStep& step, const Int& address) {
  if (address.is_constant()) return swizzled(step, address.value());
  return bit_xor(address, flipped_bits(step, address));
}

Int flipped_bits(const SwizzleStep& step, const Int& address) {
  return shifted(bit_and(address, step.source), step.shift);
}

bool is_involution(const SwizzleStep& step) {
  const std::int64_t written = swizzled(step, step.source) ^ step.source;
  return (written & step.source) == 0;
}

std::vector<Int> image_of(const StridedView& strided, std::span<const Int> point, const Int& copy) {
  std::vector<Int> image = strided.offset;
  const auto add = [&](std::span<const form::Digit> digits, const Int& index) {
    Int rest = index;
    for (const form::Digit& digit : digits) {
      // The slowest digit takes the rest.
      const bool is_last = &digit == &digits.back();
      const Int step = is_last ? rest : mod(rest, digit.extent);
      for (std::size_t axis = 0; axis < image.size(); ++axis) {
        image[axis] += step * digit.stride[axis];
      }
      if (!is_last) rest = floor_div(rest, digit.extent);
    }
  };
  for (std::size_t i = 0; i < strided.modes.size(); ++i) add(strided.modes[i], point[i]);
  add(strided.copies, copy);
  if (strided.swizzle) {
    Int& address = image[strided.swizzle->axis];
    address = swizzled(*strided.swizzle, address);
  }
  return image;
}

std::vector<form::Digit> flat_digits(const StridedView& strided, form::FlatOrder order) {
  std::vector<form::Digit> digits;
  const auto append = [&](const std::vector<form::Digit>& mode) {
    digits.insert(digits.end(), mode.begin(), mode.end());
  };
  if (order == form::FlatOrder::kFirstFastest) {
    std::for_each(strided.modes.begin(), strided.modes.end(), append);
  } else {
    std::for_each(strided.modes.rbegin(), strided.modes.rend(), append);
  }
  return digits;
}

std::optional<std::vector<std::vector<form::Digit>>> cut_digits(std::span<const form::Digit> digits,
                                                                std::span<const Int> extents) {
  std::vector<form::Digit> rest(digits.rbegin(), digits.rend());  // the fastest at the back
  std::vector<std::vector<form::Digit>> modes;
  for (const Int& extent : extents) {
    std::vector<form::Digit> mode;
    Int wanted = extent;
    while (!known_equal(wanted, 1)) {
      if (rest.empty()) return std::nullopt;
      form::Digit digit = std::move(rest.back());
      rest.pop_back();
      if (known_divides(digit.extent, wanted)) {
        wanted = floor_div(wanted, digit.extent);
        mode.push_back(std::move(digit));
        continue;
      }
      if (!known_divides(wanted, digit.extent)) return std::nullopt;
      form::Digit above{floor_div(digit.extent, wanted), {}};
      for (const Int& stride : digit.stride) above.stride.push_back(stride * wanted);
      rest.push_back(std::move(above));
      mode.push_back({wanted, std::move(digit.stride)});
      wanted = 1;
    }
    modes.push_back(std::move(mode));
  }
  const auto is_unit = [](const form::Digit& digit) { return known_equal(digit.extent, 1); };
  if (!std::ranges::all_of(rest, is_unit)) return std::nullopt;
  return modes;
}

Result<BitView> bit_view(const form::BitMap& map, std::span<const std::optional<Int>> bounds) {
  BitView bits;
  bits.widths = form::widths_of(map);
  for (std::size_t axis = 0; axis < bits.widths.size(); ++axis) {
    bits.widths[axis] = bounded_width(bits.widths[axis], bounds[axis]);
  }
  HEDDLE_TRY(bits.matrix, form::bit_matrix(map, bits.widths));
  bits.offset = packed(bits.widths, map.offset);
  return bits;
}

std::optional<BitView> bits_of(const StridedView& strided,
                               std::span<const std::optional<Int>> bounds) {
  if (!strided.copies.empty() || !is_number(strided)) return std::nullopt;
  const form::StridedMap map{strided.modes, *constants(strided.offset)};
  std::optional<form::BitMap> bits = form::bits_of(map);
  if (!bits || bits->columns.size() > kMaxWord) return std::nullopt;
  if (strided.swizzle) {
    const auto swizzle = [&](std::vector<std::int64_t>& image) {
      image[strided.swizzle->axis] = swizzled(*strided.swizzle, image[strided.swizzle->axis]);
    };
    swizzle(bits->offset);
    std::ranges::for_each(bits->columns, swizzle);
  }
  Result<BitView> view = bit_view(*bits, bounds);
  return view ? std::optional(*std::move(view)) : std::nullopt;
}

std::vector<std::uint64_t> mirrored(std::span<const std::uint64_t> columns,
                                    std::span<const Int> extents) {
  std::vector<std::uint64_t> result;
  std::size_t end = columns.size();
  for (std::size_t i = extents.size(); i-- > 0;) {
    std::size_t begin = end;
    for (std::int64_t size = extents[i].value(); size > 1; size /= 2) --begin;
    const auto part = columns.subspan(begin, end - begin);
    result.insert(result.end(), part.begin(), part.end());
    end = begin;
  }
  return result;
}

std::vector<std::int64_t> unpacked(const BitView& bits, std::uint64_t word) {
  std::vector<std::int64_t> image;
  for (const int width : bits.widths) {
    image.push_back(static_cast<std::int64_t>(word & low_bits(width)));
    word = width < 64 ? word >> width : 0;
  }
  return image;
}

std::uint64_t packed(std::span<const int> widths, std::span<const std::int64_t> coordinates) {
  std::uint64_t word = 0;
  int begin = 0;
  for (std::size_t axis = 0; axis < widths.size(); ++axis) {
    if (widths[axis] > 0) word |= static_cast<std::uint64_t>(coordinates[axis]) << begin;
    begin += widths[axis];
  }
  return word;
}

int bounded_width(int needed, const std::optional<Int>& bound) {
  if (!bound || !bound->is_constant() || !is_power_of_two(bound->value())) return needed;
  return std::max(needed, log2_exact(bound->value()));
}

std::optional<StridedView> digits_of(const BitView& bits, std::span<const Int> extents) {
  StridedView strided;
  const std::vector<std::int64_t> origin = unpacked(bits, bits.offset);
  strided.offset.assign(origin.begin(), origin.end());
  std::uint64_t taken = 0;
  std::size_t bit = 0;
  for (const Int& extent : extents) {
    std::vector<form::Digit> mode;
    for (int i = 0; i < log2_exact(extent.value()); ++i, ++bit) {
      const std::uint64_t column = bits.matrix.columns()[bit];
      if ((taken & column) != 0) return std::nullopt;
      taken |= column;
      const std::vector<std::int64_t> there = unpacked(bits, bits.offset ^ column);
      form::Digit digit{2, {}};
      for (std::size_t axis = 0; axis < there.size(); ++axis) {
        digit.stride.emplace_back(there[axis] - origin[axis]);
      }
      mode.push_back(std::move(digit));
    }
    strided.modes.push_back(std::move(mode));
  }
  return strided;
}

std::vector<std::string> given_names(std::span<const std::string> names) {
  if (std::ranges::equal(names, numbered_names(names.size()))) return {};
  return {names.begin(), names.end()};
}

std::vector<std::string> given_names(std::span<const Axis> axes) {
  if (axes.size() == 1 && axes.front() == Axis::memory()) return {};
  std::vector<std::string> names = names_of(axes);
  const bool are_numbered = axes.size() > 1 && names == numbered_names(axes.size(), "");
  return are_numbered ? std::vector<std::string>() : names;
}

void complete(View& view) {
  if (view.strided && !view.bits) view.bits = bits_of(*view.strided, view.bounds);
  if (view.bits && !view.strided) view.strided = digits_of(*view.bits, view.extents);
}

bool is_number(const StridedView& strided) {
  const auto number = [](const auto& part) { return is_number(part); };
  return std::ranges::all_of(strided.offset, number) &&
         std::ranges::all_of(strided.copies, number) &&
         std::ranges::all_of(strided.modes, [&](const std::vector<form::Digit>& mode) {
           return std::ranges::all_of(mode, number);
         });
}

View reordered(const View& view, std::span<const std::size_t> order) {
  View result = view;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.extents[i] = view.extents[order[i]];
    result.names[i] = view.names[order[i]];
    if (view.strided) result.strided->modes[i] = view.strided->modes[order[i]];
  }
  result.relation.reset();
  result.evaluate = [order = std::vector(order.begin(), order.end()), evaluate = view.evaluate](
                        std::span<const Int> point, const Int& copy) {
    std::vector<Int> there(point.size());
    for (std::size_t i = 0; i < order.size(); ++i) there[order[i]] = point[i];
    return evaluate(there, copy);
  };
  if (!view.bits) return result;
  std::vector<std::size_t> begins;
  std::size_t begin = 0;
  for (const Int& extent : view.extents) {
    begins.push_back(begin);
    begin += static_cast<std::size_t>(log2_exact(extent.value()));
  }
  std::vector<std::uint64_t> columns;
  for (const std::size_t from : order) {
    const auto count = static_cast<std::size_t>(log2_exact(view.extents[from].value()));
    const auto part = view.bits->matrix.columns().subspan(begins[from], count);
    columns.insert(columns.end(), part.begin(), part.end());
  }
  result.bits->matrix = form::BitMatrix(view.bits->matrix.rows(), std::move(columns));
  return result;
}

void sum_axes(View& view, std::span<const AxisPart> parts, std::vector<Axis> axes,
              std::vector<std::optional<Int>> bounds) {
  const auto summed = [parts = std::vector(parts.begin(), parts.end()),
                       count = axes.size()](std::span<const Int> image) {
    std::vector<Int> result(count, Int(0));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].target) result[*parts[i].target] += parts[i].weight * image[i];
    }
    return result;
  };
  view.evaluate = [summed, evaluate = std::move(view.evaluate)](std::span<const Int> point,
                                                                const Int& copy) {
    return summed(evaluate(point, copy));
  };
  if (view.bits) view.bits = summed_bits(*view.bits, parts, bounds);
  if (view.strided) {
    StridedView& strided = *view.strided;
    for (std::vector<form::Digit>& mode : strided.modes) {
      for (form::Digit& digit : mode) digit.stride = summed(digit.stride);
    }
    for (form::Digit& digit : strided.copies) digit.stride = summed(digit.stride);
    strided.offset = summed(strided.offset);
    // A dropped axis drops its swizzle too.
    const bool is_swizzled = strided.swizzle && parts[strided.swizzle->axis].target;
    strided.swizzle = is_swizzled ? moved_swizzle(*strided.swizzle, parts) : std::nullopt;
    if (is_swizzled && !strided.swizzle) view.strided.reset();
  }
  view.axes = std::move(axes);
  view.bounds = std::move(bounds);
  view.relation.reset();
}

void pick_axes(View& view, std::span<const std::optional<std::size_t>> picks,
               std::vector<Axis> axes) {
  if (std::ranges::equal(view.axes, axes)) return;
  std::vector<AxisPart> parts(view.axes.size());
  std::vector<std::optional<Int>> bounds;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    if (picks[i]) parts[*picks[i]].target = i;
    bounds.push_back(picks[i] ? view.bounds[*picks[i]] : std::nullopt);
  }
  sum_axes(view, parts, std::move(axes), std::move(bounds));
}

void pick_axes(View& view, const std::vector<Axis>& axes) {
  std::vector<std::optional<std::size_t>> picks;
  for (const Axis& axis : axes) {
    const auto found = std::ranges::find(view.axes, axis);
    picks.push_back(found == view.axes.end()
                        ? std::nullopt
                        : std::optional(static_cast<std::size_t>(found - view.axes.begin())));
  }
  pick_axes(view, picks, axes);
}

void flatten_axes(View& view, const Axis& axis) {
  std::vector<AxisPart> parts;
  Int weight = 1;
  for (const auto& bound : view.bounds) {
    parts.push_back({0, weight});
    weight *= *bound;
  }
  sum_axes(view, parts, {axis}, {weight});
}

StridedView coalesced(StridedView strided) {
  for (std::vector<form::Digit>& mode : strided.modes) mode = form::coalesced(mode);
  strided.copies = form::coalesced(strided.copies);
  return strided;
}

}  // namespace heddle::map
