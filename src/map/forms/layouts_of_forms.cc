#include "map/forms/layouts_of_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/bits.h"
#include "core/text.h"
#include "expr/numbers_text.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// The path that an axis's name spells: `1.0`.
std::optional<cute::Basis> basis_of_name(std::string_view name) {
  std::vector<std::size_t> path;
  for (;;) {
    const std::optional<std::int64_t> step = take_integer(name);
    if (!step || *step < 0) return std::nullopt;
    path.push_back(static_cast<std::size_t>(*step));
    if (name.empty()) break;
    if (name.front() != '.') return std::nullopt;
    name.remove_prefix(1);
  }
  Result<cute::Basis> basis = cute::Basis::make(path);
  return basis ? std::optional(*basis) : std::nullopt;
}

/// The one axis on which the digit moves; nullopt if it does not move.
Result<std::optional<std::size_t>> axis_of(const form::Digit& digit, const NoLayout& no_layout) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < digit.stride.size(); ++i) {
    if (known_equal(digit.stride[i], 0)) continue;
    if (axis) {
      return refuse(no_layout(
          fmt::format("a step of the digit of extent {} leads along several axes at once, to {}",
                      to_string(digit.extent), tuple_text(digit.stride))));
    }
    axis = i;
  }
  return axis;
}

Result<cute::Layout> cute_mode(const std::vector<form::Digit>& digits,
                               std::span<const cute::Basis> bases, const NoLayout& no_layout) {
  if (digits.empty()) return cute::Layout();
  cute::Layout::Extents extents;
  cute::Layout::Strides strides;
  for (const form::Digit& digit : digits) {
    HEDDLE_TRY(const std::optional<std::size_t> axis, axis_of(digit, no_layout));
    extents.push_back(digit.extent);
    strides.push_back(axis ? cute::Stride(digit.stride[*axis], bases[*axis]) : cute::Stride(0));
  }
  Profile profile = digits.size() == 1 ? Profile() : Profile::flat(digits.size());
  return cute::Layout::make(std::move(profile), extents, strides);
}

/// The next modes nested as `shape`; they are removed from `modes`.
Result<cute::Layout> nested_modes(std::span<const std::vector<form::Digit>>& modes,
                                  IntTupleView shape, std::span<const cute::Basis> bases,
                                  const NoLayout& no_layout) {
  if (shape.is_leaf()) {
    const std::vector<form::Digit>& digits = modes.front();
    modes = modes.subspan(1);
    return cute_mode(digits, bases, no_layout);
  }
  std::vector<cute::Layout> children;
  for (const IntTupleView mode : shape.modes()) {
    HEDDLE_TRY(children.emplace_back(), nested_modes(modes, mode, bases, no_layout));
  }
  return cute::make_layout(children);
}

bool is_zero(const Int& number) { return known_equal(number, 0); }

/// A digit of stride 0 needs an axis of the map too: it must not introduce another one.
Result<axe::Iter> iter_of(const form::Digit& digit, std::span<const Axis> axes,
                          const NoLayout& no_layout) {
  HEDDLE_TRY(const std::optional<std::size_t> axis, axis_of(digit, no_layout));
  if (axis) return axe::Iter{digit.extent, digit.stride[*axis], axes[*axis]};
  return axe::Iter{digit.extent, 0, axes.empty() ? Axis::memory() : axes.front()};
}

}  // namespace

StridedView strided_view(const form::MixedMap& map) {
  StridedView strided;
  strided.modes = map.strided.modes;
  strided.offset.assign(map.strided.offset.begin(), map.strided.offset.end());
  if (map.swizzle.bits > 0) strided.swizzle = step_of(map.swizzle, map.axis);
  return strided;
}

SwizzleStep step_of(const form::SwizzleBits& swizzle, std::size_t axis) {
  const std::int64_t mask = ((std::int64_t{1} << swizzle.bits) - 1) << swizzle.base;
  return {axis, swizzle.shift < 0 ? mask : mask << swizzle.shift, swizzle.shift};
}

form::SwizzleBits swizzle_bits(const SwizzleStep& step) {
  const auto source = static_cast<std::uint64_t>(step.source);
  return {std::popcount(source), std::countr_zero(source) - std::max(step.shift, 0), step.shift};
}

AnyLayout any_layout(const cute::AnyLayout& layout) {
  return std::visit([](const auto& plain) { return AnyLayout(plain); }, layout);
}

std::vector<cute::Basis> bases_of(std::span<const Axis> axes) {
  std::vector<cute::Basis> bases;
  for (const Axis& axis : axes) {
    if (const auto basis = basis_of_name(axis.name())) bases.push_back(*basis);
  }
  const auto clash = [&](const cute::Basis& a) {
    return std::ranges::count_if(bases, [&](const cute::Basis& b) { return a.is_prefix_of(b); }) >
           1;
  };
  if (bases.size() == axes.size() && std::ranges::none_of(bases, clash)) return bases;
  if (axes.size() == 1) return {cute::Basis()};
  bases.clear();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    bases.push_back(cute::Basis::make(std::vector<std::size_t>{i}).value_or(cute::Basis()));
  }
  return bases;
}

Result<cute::Layout> cute_modes(std::span<const std::vector<form::Digit>> modes, IntTupleView shape,
                                std::span<const Axis> axes, const NoLayout& no_layout) {
  if (modes.empty()) return cute::Layout();
  return nested_modes(modes, shape, bases_of(axes), no_layout);
}

Result<cute::AnyLayout> with_offset(const cute::Layout& layout, std::span<const Int> offset,
                                    const NoLayout& no_layout) {
  if (std::ranges::all_of(offset, is_zero)) return layout;
  if (offset.size() != 1 || !layout.is_integral()) {
    return refuse(no_layout(fmt::format(
        "the image of 0 is {}, and a layout of several axes begins at 0", tuple_text(offset))));
  }
  HEDDLE_TRY(cute::ComposedLayout composed,
             cute::ComposedLayout::make(cute::Swizzle(), offset.front(), layout));
  return composed;
}

Result<cute::AnyLayout> cute_layout(const StridedView& strided, IntTupleView shape,
                                    std::span<const Axis> axes, const NoLayout& no_layout) {
  HEDDLE_TRY(const cute::Layout layout, cute_modes(strided.modes, shape, axes, no_layout));
  if (!strided.swizzle) return with_offset(layout, strided.offset, no_layout);
  const auto [bits, base, shift] = swizzle_bits(*strided.swizzle);
  HEDDLE_TRY(const cute::Swizzle swizzle, cute::Swizzle::make(bits, base, shift));
  HEDDLE_TRY(cute::ComposedLayout composed,
             cute::ComposedLayout::make(swizzle, strided.offset.front(), layout));
  return composed;
}

Result<linear::LinearLayout> linear_layout(const BitView& bits, const View& view) {
  linear::Bases bases;
  std::size_t column = 0;
  for (std::size_t mode = 0; mode < view.extents.size(); ++mode) {
    linear::InBases in{view.names[mode], {}};
    for (int bit = 0; bit < log2_exact(view.extents[mode].value()); ++bit, ++column) {
      in.vectors.push_back(unpacked(bits, bits.matrix.columns()[column]));
    }
    bases.push_back(std::move(in));
  }
  linear::NamedSizes sizes;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    constexpr int kMaxBits = 62;
    if (bits.widths[axis] > kMaxBits) {
      return refuse("overflow", fmt::format("the size of {}, 2^{}, does not fit into 64 bits",
                                            view.axes[axis].name(), bits.widths[axis]));
    }
    sizes.emplace_back(view.axes[axis].name(), std::int64_t{1} << bits.widths[axis]);
  }
  return linear::LinearLayout::make(bases, sizes);
}

Result<axe::Layout> axe_layout(const StridedView& strided, std::span<const Axis> axes,
                               const NoLayout& no_layout) {
  std::vector<axe::Iter> shard;
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (std::size_t i = mode.size(); i-- > 0;) {
      HEDDLE_TRY(shard.emplace_back(), iter_of(mode[i], axes, no_layout));
    }
  }
  std::vector<axe::Iter> replica;
  for (const form::Digit& digit : strided.copies) {
    HEDDLE_TRY(replica.emplace_back(), iter_of(digit, axes, no_layout));
  }
  axe::Coordinate offset;
  for (std::size_t i = 0; i < axes.size(); ++i) offset.add(axes[i], strided.offset[i]);
  std::optional<axe::Swizzle> swizzle;
  if (strided.swizzle) {
    const auto [bits, base, shift] = swizzle_bits(*strided.swizzle);
    HEDDLE_TRY(swizzle, axe::Swizzle::make(base, bits, std::abs(shift), shift > 0,
                                           axes[strided.swizzle->axis]));
  }
  return axe::Layout::make(std::move(shard), std::move(replica), std::move(offset), swizzle);
}

}  // namespace heddle::map
