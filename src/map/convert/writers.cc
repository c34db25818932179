// Writes a map as a CuTe layout, plain or composed, as a thread-value layout, a linear layout, an
// Axe layout (digits slowest first, each on its axis), a table and a relation.

#include "map/forms/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heddle/form/table.h"
#include "heddle/map/relations.h"
#include "map/forms/layouts_of_forms.h"

namespace heddle::map {

namespace {

/// One mode for each extent of the box. A single digit needs no tuple around it; if the box has a
/// single mode of several digits, the tuple keeps it one mode.
IntTuple cute_box(const View& view, const StridedView& strided) {
  const bool is_leaf = strided.modes.size() == 1 && strided.modes.front().size() <= 1;
  return is_leaf ? IntTuple(view.extents.front()) : IntTuple::flat(view.extents);
}

/// One more than the greatest coordinate on each axis.
std::vector<Int> reaches_of(const StridedView& strided) {
  std::vector<Int> reaches(strided.offset.size(), Int(1));
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (const form::Digit& digit : mode) {
      for (std::size_t axis = 0; axis < reaches.size(); ++axis) {
        const Int& stride = digit.stride[axis];
        if (!known_less(stride, 0)) reaches[axis] += (digit.extent - 1) * stride;
      }
    }
  }
  return reaches;
}

/// Refuses a layout that leads below 0 on some axis, where no tile has elements.
Result<void> check_not_below_zero(const Task& task, const StridedView& strided) {
  for (std::size_t axis = 0; axis < strided.offset.size(); ++axis) {
    Int least = 0;
    for (const std::vector<form::Digit>& mode : strided.modes) {
      for (const form::Digit& digit : mode) {
        const Int& stride = digit.stride[axis];
        if (known_less(stride, 0)) least += (digit.extent - 1) * stride;
      }
    }
    if (!known_less(least, 0)) continue;
    return refuse(no_layout(
        task, fmt::format("it leads to element {}, and a tile begins at 0", to_string(least))));
  }
  return {};
}

}  // namespace

Result<AnyLayout> write_cute(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  const bool is_flat = task.view.axes.size() == 1;
  HEDDLE_TRY(const StridedView strided, is_flat ? digit_form(task) : plain_digit_form(task));
  HEDDLE_TRY(const cute::AnyLayout layout,
             cute_layout(strided, cute_box(task.view, strided), task.view.axes, refusal_of(task)));
  return any_layout(layout);
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
  // Axes without known bounds are kept: elements are then coordinates.
  const bool stays_on_axes = task.view.axes.size() > 1 && tile.size() != task.view.axes.size();
  if (!stays_on_axes) {
    HEDDLE_TRY(flat.view, on_one_axis(flat, "m"));
  }
  HEDDLE_TRY(const StridedView strided, plain_digit_form(flat));
  const auto is_zero = [](const Int& coordinate) { return known_equal(coordinate, 0); };
  if (!std::ranges::all_of(strided.offset, is_zero)) {
    const std::string first =
        stays_on_axes ? tuple_text(strided.offset) : to_string(strided.offset.front());
    return refuse(no_layout(
        flat, fmt::format("(0,0) holds element {}, and a thread-value layout begins at 0", first)));
  }
  HEDDLE_CHECK(check_not_below_zero(flat, strided));
  HEDDLE_TRY(cute::Layout layout, cute_modes(strided.modes, cute_box(flat.view, strided),
                                             flat.view.axes, refusal_of(flat)));
  if (stays_on_axes) {
    tile = reaches_of(strided);
  } else if (tile.size() != task.view.axes.size()) {
    HEDDLE_TRY(const Int size, cute::cosize(layout));
    tile = {size};
  }
  const IntTuple shape = tile.size() == 1 ? IntTuple(tile.front()) : IntTuple::flat(tile);
  return cute::TvLayout{std::move(layout), cute::to_tiler(shape)};
}

Result<AnyLayout> write_linear(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  HEDDLE_TRY(const BitView bits, bit_form(task));
  HEDDLE_TRY(linear::LinearLayout layout, linear_layout(bits, task.view));
  return layout;
}

Result<AnyLayout> write_axe(const Task& task) {
  HEDDLE_TRY(const StridedView strided, digit_form(task));
  HEDDLE_TRY(axe::Layout layout, axe_layout(strided, task.view.axes, refusal_of(task)));
  return layout;
}

Result<AnyLayout> write_table(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  HEDDLE_TRY(form::Table table, form::table_of(task.view.index_map()));
  return table;
}

Result<AnyLayout> write_relation(const Task& task) {
  const auto shown = relation(task.view, task.limits);
  if (shown) return *shown;
  if (shown.error().code() != "relation.not_affine") return refuse(shown.error());
  // A map that is written as a product may still be a sum of digits.
  const auto digits = digit_form(task);
  if (!digits) return refuse(shown.error());
  HEDDLE_TRY(IntegerRelation written, relation(with_digits(task.view, *digits), task.limits));
  return written;
}

}  // namespace heddle::map
