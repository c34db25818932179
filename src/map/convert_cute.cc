// Writing a map as a CuTe layout, plain or composed, and as a thread-value layout.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "core/bits.h"
#include "map/conversion.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

/// The path that an axis of CuTe's stands for: `1.0`; nothing for other names.
std::optional<cute::Basis> basis_named(std::string_view name) {
  std::vector<std::size_t> path;
  while (!name.empty()) {
    std::size_t mode = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), mode);
    if (error != std::errc()) return std::nullopt;
    path.push_back(mode);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (name.empty()) break;
    if (name.front() != '.') return std::nullopt;
    name.remove_prefix(1);
  }
  const auto basis = cute::Basis::make(path);
  return basis && !path.empty() ? std::optional(*basis) : std::nullopt;
}

/// What strides on each axis are multiples of: nothing for the only axis, else the paths that the
/// axes are named after, else 0, 1, ….
Result<std::vector<cute::Basis>> bases_of(std::span<const Axis> axes) {
  if (axes.size() == 1) return std::vector<cute::Basis>(1);
  std::vector<cute::Basis> bases;
  for (const Axis& axis : axes) {
    const auto basis = basis_named(axis.name());
    if (!basis) break;
    bases.push_back(*basis);
  }
  if (bases.size() == axes.size()) return bases;
  bases.clear();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    HEDDLE_TRY(const cute::Basis basis, cute::Basis::make(std::vector<std::size_t>{i}));
    bases.push_back(basis);
  }
  return bases;
}

Result<cute::Stride> stride_of(const Task& task, const form::Digit& digit,
                               std::span<const cute::Basis> bases) {
  cute::Stride stride(0);
  std::size_t moved = 0;
  for (std::size_t axis = 0; axis < bases.size(); ++axis) {
    if (known_equal(digit.stride[axis], 0)) continue;
    stride = cute::Stride(digit.stride[axis], bases[axis]);
    ++moved;
  }
  if (moved < 2) return stride;
  std::vector<std::string> parts;
  for (const Int& step : digit.stride) parts.push_back(to_string(step));
  return refuse(no_layout(
      task, fmt::format("a step of the digit of extent {} leads along {} axes at once, to ({})",
                        to_string(digit.extent), moved, fmt::join(parts, ","))));
}

/// One mode: a leaf for a single digit, a tuple for several.
struct Modes {
  Profile profile = Profile::incomplete();
  cute::Layout::Extents extents;
  cute::Layout::Strides strides;
};

Result<void> append_mode(const Task& task, const std::vector<form::Digit>& digits,
                         std::span<const cute::Basis> bases, Modes& modes) {
  if (digits.empty()) {
    modes.extents.push_back(1);
    modes.strides.push_back(cute::Stride(0));
    return {};
  }
  for (const form::Digit& digit : digits) {
    HEDDLE_TRY(const cute::Stride stride, stride_of(task, digit, bases));
    modes.extents.push_back(digit.extent);
    modes.strides.push_back(stride);
  }
  return {};
}

Result<cute::Layout> layout_of_digits(const Task& task, const StridedView& strided) {
  HEDDLE_TRY(const std::vector<cute::Basis> bases, bases_of(task.view.axes));
  Modes modes;
  const auto leaves = [](const std::vector<form::Digit>& digits) {
    return std::max<std::size_t>(digits.size(), 1);
  };
  const auto append_profile = [&](const std::vector<form::Digit>& digits) {
    if (leaves(digits) > 1) modes.profile.append_tuple(leaves(digits));
    modes.profile.append_leaves(leaves(digits));
  };
  // A single digit needs no tuple around it; a single mode of several does, to stay one mode.
  const bool is_leaf = strided.modes.size() == 1 && leaves(strided.modes.front()) == 1;
  if (!is_leaf) modes.profile.append_tuple(strided.modes.size());
  for (const std::vector<form::Digit>& mode : strided.modes) {
    append_profile(mode);
    HEDDLE_CHECK(append_mode(task, mode, bases, modes));
  }
  return cute::Layout::make(std::move(modes.profile), std::move(modes.extents),
                            std::move(modes.strides));
}

Result<cute::Swizzle> swizzle_of(const SwizzleStep& step) {
  const auto source = static_cast<std::uint64_t>(step.source);
  const int low = std::countr_zero(source);
  return cute::Swizzle::make(std::popcount(source), low - std::max(step.shift, 0), step.shift);
}

Result<void> check_origin(const Task& task, const StridedView& strided) {
  for (const Int& coordinate : strided.offset) {
    if (known_equal(coordinate, 0)) continue;
    std::vector<std::string> parts;
    for (const Int& part : strided.offset) parts.push_back(to_string(part));
    return refuse(no_layout(task, fmt::format("coordinate 0 is at ({}), and a layout of several "
                                              "axes begins at 0",
                                              fmt::join(parts, ","))));
  }
  return {};
}

}  // namespace

Result<AnyLayout> write_cute(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  const bool is_flat = task.view.axes.size() == 1;
  HEDDLE_TRY(const StridedView strided, is_flat ? digit_form(task) : plain_digit_form(task));
  HEDDLE_TRY(cute::Layout layout, layout_of_digits(task, strided));
  if (!is_flat) {
    HEDDLE_CHECK(check_origin(task, strided));
    return layout;
  }
  if (!strided.swizzle && known_equal(strided.offset.front(), 0)) return layout;
  cute::Swizzle swizzle;
  if (strided.swizzle) {
    HEDDLE_TRY(swizzle, swizzle_of(*strided.swizzle));
  }
  HEDDLE_TRY(cute::ComposedLayout composed,
             cute::ComposedLayout::make(swizzle, strided.offset.front(), layout));
  return composed;
}

Result<AnyLayout> write_cute_tv(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  Task flat = task;
  if (task.reading == Reading::kOwnership) {
    HEDDLE_TRY(flat.view, thread_values_of_places(task));
  } else {
    HEDDLE_CHECK(check_two_modes(task));
  }
  std::vector<Int> tile;
  for (const std::optional<Int>& bound : task.view.bounds) {
    if (bound) tile.push_back(*bound);
  }
  HEDDLE_TRY(flat.view, on_one_axis(flat, "m"));
  HEDDLE_TRY(const StridedView strided, plain_digit_form(flat));
  if (!known_equal(strided.offset.front(), 0)) {
    return refuse(no_layout(flat, fmt::format("(0,0) holds element {}, and a thread-value layout "
                                              "begins at 0",
                                              to_string(strided.offset.front()))));
  }
  HEDDLE_TRY(cute::Layout layout, layout_of_digits(flat, strided));
  if (tile.size() != task.view.axes.size()) {
    HEDDLE_TRY(const Int size, cute::cosize(layout));
    tile = {size};
  }
  const IntTuple shape = tile.size() == 1 ? IntTuple(tile.front()) : IntTuple::flat(tile);
  return cute::TvLayout{std::move(layout), cute::to_tiler(shape)};
}

}  // namespace heddle::map
