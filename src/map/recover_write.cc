#include "map/recover_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace heddle::map {
namespace {

/// The path that an axis's name spells: `1.0`.
std::optional<cute::Basis> basis_of_name(std::string_view name) {
  std::vector<std::size_t> path;
  for (;;) {
    std::size_t step = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
    if (error != std::errc()) return std::nullopt;
    path.push_back(step);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (name.empty()) break;
    if (name.front() != '.') return std::nullopt;
    name.remove_prefix(1);
  }
  Result<cute::Basis> basis = cute::Basis::make(path);
  return basis ? std::optional(*basis) : std::nullopt;
}

std::string digit_text(const form::Digit& digit) {
  std::vector<std::string> numbers;
  for (const Int& number : digit.stride) numbers.push_back(to_string(number));
  return fmt::format("{}:({})", to_string(digit.extent), fmt::join(numbers, ","));
}

/// Where the digit leads: the one axis on which it moves, if it does.
Result<std::optional<std::size_t>> axis_of(const form::Digit& digit) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < digit.stride.size(); ++i) {
    if (known_equal(digit.stride[i], 0)) continue;
    if (axis) {
      return refuse("recover.no_layout",
                    fmt::format("the digit {} leads along two axes at once, which no stride does",
                                digit_text(digit)));
    }
    axis = i;
  }
  return axis;
}

Result<cute::Layout> mode_of(const std::vector<form::Digit>& digits,
                             std::span<const cute::Basis> bases) {
  if (digits.empty()) return cute::Layout();
  cute::Layout::Extents extents;
  cute::Layout::Strides strides;
  for (const form::Digit& digit : digits) {
    HEDDLE_TRY(const std::optional<std::size_t> axis, axis_of(digit));
    extents.push_back(digit.extent);
    strides.push_back(axis ? cute::Stride(digit.stride[*axis], bases[*axis]) : cute::Stride(0));
  }
  Profile profile = digits.size() == 1 ? Profile() : Profile::flat(digits.size());
  return cute::Layout::make(std::move(profile), extents, strides);
}

/// The modes of `shape` in turn, nested as it is.
Result<cute::Layout> nested(IntTupleView shape, std::span<const std::vector<form::Digit>>& modes,
                            std::span<const cute::Basis> bases) {
  if (shape.is_leaf()) {
    const std::vector<form::Digit>& digits = modes.front();
    modes = modes.subspan(1);
    return mode_of(digits, bases);
  }
  std::vector<cute::Layout> children;
  for (const IntTupleView mode : shape.modes()) {
    HEDDLE_TRY(children.emplace_back(), nested(mode, modes, bases));
  }
  return cute::make_layout(children);
}

}  // namespace

std::vector<cute::Basis> bases_of(std::span<const Axis> axes) {
  if (axes.size() == 1 && axes.front() == Axis::memory()) return {cute::Basis()};
  std::vector<cute::Basis> bases;
  for (const Axis& axis : axes) {
    if (const auto basis = basis_of_name(axis.name())) bases.push_back(*basis);
  }
  const auto clash = [&](const cute::Basis& a) {
    return std::ranges::count_if(bases, [&](const cute::Basis& b) { return a.is_prefix_of(b); }) >
           1;
  };
  if (bases.size() == axes.size() && std::ranges::none_of(bases, clash)) return bases;
  bases.clear();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    bases.push_back(cute::Basis::make(std::vector<std::size_t>{i}).value_or(cute::Basis()));
  }
  return bases;
}

SwizzleStep step_of(const form::SwizzleBits& swizzle, std::size_t axis) {
  const std::int64_t mask = ((std::int64_t{1} << swizzle.bits) - 1) << swizzle.base;
  return {axis, swizzle.shift < 0 ? mask : mask << swizzle.shift, swizzle.shift};
}

Result<cute::AnyLayout> with_offset(const cute::Layout& layout,
                                    std::span<const std::int64_t> offset) {
  if (std::ranges::all_of(offset, [](std::int64_t number) { return number == 0; })) return layout;
  if (offset.size() != 1 || !layout.is_integral()) {
    return refuse("recover.no_layout",
                  fmt::format("the image of 0 is ({}), and a layout of several axes starts at 0",
                              fmt::join(offset, ",")));
  }
  HEDDLE_TRY(cute::ComposedLayout composed,
             cute::ComposedLayout::make(cute::Swizzle(), offset.front(), layout));
  return composed;
}

Result<cute::AnyLayout> to_cute(const form::StridedMap& map, IntTupleView shape,
                                std::span<const Axis> axes) {
  const std::vector<cute::Basis> bases = bases_of(axes);
  std::span<const std::vector<form::Digit>> modes(map.modes);
  if (modes.empty()) return with_offset(cute::Layout(), map.offset);
  HEDDLE_TRY(const cute::Layout layout, nested(shape, modes, bases));
  return with_offset(layout, map.offset);
}

Result<linear::LinearLayout> to_linear(const form::BitMap& map, const View& view) {
  if (std::ranges::any_of(map.offset, [](std::int64_t number) { return number != 0; })) {
    return refuse(Diagnostic("recover.no_bits",
                             fmt::format("the image of 0 is {}, and a linear layout takes 0 to 0",
                                         fmt::join(map.offset, ",")))
                      .with_witness({"0", fmt::format("{}", fmt::join(map.offset, ",")), "0",
                                     "a linear layout"}));
  }
  linear::Bases bases;
  std::size_t bit = 0;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    linear::InBases ins{view.names[i], {}};
    for (std::int64_t size = view.extents[i].value(); size > 1; size /= 2) {
      ins.vectors.push_back(map.columns[bit++]);
    }
    bases.push_back(std::move(ins));
  }
  const std::vector<int> widths = form::widths_of(map);
  linear::NamedSizes outs;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    std::int64_t size = std::int64_t{1} << std::min(widths[axis], 62);
    if (const auto& bound = view.bounds[axis]; bound && bound->is_constant()) {
      const auto unsigned_bound = static_cast<std::uint64_t>(bound->value());
      if (std::has_single_bit(unsigned_bound)) size = std::max(size, bound->value());
    }
    outs.emplace_back(view.axes[axis].name(), size);
  }
  return linear::LinearLayout::make(bases, outs);
}

Result<axe::Layout> to_axe(const form::MixedMap& map, std::span<const Axis> axes) {
  std::vector<axe::Iter> shard;
  for (const std::vector<form::Digit>& mode : map.strided.modes) {
    for (auto digit = mode.rbegin(); digit != mode.rend(); ++digit) {
      HEDDLE_TRY(const std::optional<std::size_t> axis, axis_of(*digit));
      shard.push_back({digit->extent, axis ? digit->stride[*axis] : Int(0),
                       axis ? axes[*axis] : Axis::memory()});
    }
  }
  axe::Coordinate offset;
  for (std::size_t i = 0; i < axes.size(); ++i) offset.add(axes[i], map.strided.offset[i]);
  std::optional<axe::Swizzle> swizzle;
  if (map.swizzle.bits > 0) {
    const auto& [bits, base, shift] = map.swizzle;
    HEDDLE_TRY(swizzle, axe::Swizzle::make(base, bits, std::abs(shift), shift > 0, axes[map.axis]));
  }
  return axe::Layout::make(std::move(shard), {}, offset, swizzle);
}

}  // namespace heddle::map
