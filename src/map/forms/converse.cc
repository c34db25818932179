// Inverts a map: from its axes to its box.
//
// Over digits this is a matter of sorting: if the strides on an axis are 1, e0, e0*e1, … the axis
// counts through the digits like a clock, and each digit of the axis is one of the box.
//
//   (thread, value) -> element   ((4,8),2):((2,8),1)       strides 1 2 8: value, then threads
//   element -> (thread, value)   S[(8,4,2):(4@thread,1@thread,1@value)]
//
// A digit of the box with stride 0 means that each element is held everywhere along it: copies.
// Over bits the result is the inverse matrix, and the kernel of the map gives the copies. A map of
// neither kind is inverted value by value (converse_values.cc).

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/bits.h"
#include "core/text.h"
#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// A digit that steps upwards on one axis. `origin` is its step in the box, all 0 for a copy, which
/// is not in the box.
struct TurnedDigit {
  Int stride;
  Int extent;
  std::vector<Int> origin;
};

std::string place_text(const View& view, std::size_t axis, const std::string& coordinate) {
  return fmt::format("{} {}", view.axes[axis].name(), coordinate);
}

/// The only axis that the digit moves along; nullopt if there are several.
std::optional<std::size_t> only_axis(const form::Digit& digit) {
  std::optional<std::size_t> only;
  for (std::size_t axis = 0; axis < digit.stride.size(); ++axis) {
    if (known_equal(digit.stride[axis], 0)) continue;
    if (only) return std::nullopt;
    only = axis;
  }
  return only;
}

bool is_still(const form::Digit& digit) {
  return std::ranges::all_of(digit.stride,
                             [](const Int& stride) { return known_equal(stride, 0); });
}

/// The digits of the box and of its copies, sorted by the axes that they step on; those with stride
/// 0 become copies. Steps downwards are counted from their last one.
struct Turned {
  std::vector<std::vector<TurnedDigit>> axes;
  std::vector<form::Digit> copies;
  /// The least coordinate on each axis, and the point of the box that maps there.
  std::vector<Int> least;
  std::vector<Int> origin;
};

std::optional<Turned> turned_digits(const View& view, const StridedView& strided) {
  Turned turned;
  turned.axes.resize(view.axes.size());
  turned.least = strided.offset;
  const std::vector<Int> nowhere(view.extents.size(), Int(0));
  turned.origin = nowhere;
  const auto place = [&](const form::Digit& digit, std::vector<Int> origin) {
    const auto axis = only_axis(digit);
    if (!axis) return false;
    Int stride = digit.stride[*axis];
    if (known_less(stride, 0)) {
      turned.least[*axis] += stride * (digit.extent - 1);
      stride = -stride;
      for (std::size_t mode = 0; mode < origin.size(); ++mode) {
        turned.origin[mode] += origin[mode] * (digit.extent - 1);
        origin[mode] = -origin[mode];
      }
    }
    turned.axes[*axis].push_back({std::move(stride), digit.extent, std::move(origin)});
    return true;
  };
  for (std::size_t mode = 0; mode < strided.modes.size(); ++mode) {
    Int weight = 1;
    for (const form::Digit& digit : strided.modes[mode]) {
      std::vector<Int> origin = nowhere;
      origin[mode] = weight;
      weight *= digit.extent;
      if (known_equal(digit.extent, 1)) continue;
      if (is_still(digit)) {
        turned.copies.push_back({digit.extent, std::move(origin)});
      } else if (!place(digit, std::move(origin))) {
        return std::nullopt;
      }
    }
  }
  for (const form::Digit& digit : strided.copies) {
    if (known_equal(digit.extent, 1) || is_still(digit)) continue;
    if (!place(digit, nowhere)) return std::nullopt;
  }
  return turned;
}

/// The digits of one axis, fastest first, each starting where the ones before it end; digits that
/// do not continue the chain stay in `rest`.
std::vector<TurnedDigit> chained(std::vector<TurnedDigit>& rest, Int& reach) {
  std::vector<TurnedDigit> chain;
  while (true) {
    const auto next = std::ranges::find_if(
        rest, [&](const TurnedDigit& digit) { return known_equal(digit.stride, reach); });
    if (next == rest.end()) return chain;
    reach *= next->extent;
    chain.push_back(std::move(*next));
    rest.erase(next);
  }
}

/// Why the digits of an axis do not fill it: if sums of steps overlap, they cannot reach every
/// place equally often.
Diagnostic broken_chain(const Task& task, std::size_t axis, const TurnedDigit& next,
                        const Int& reach) {
  const std::string step =
      fmt::format("steps of {} on {}", to_string(next.stride), task.view.axes[axis].name());
  if (known_less(reach, next.stride)) {
    return hole(
        task, place_text(task.view, axis, to_string(reach)),
        fmt::format("smaller digits reach up to {}, the next one has {}", to_string(reach), step));
  }
  if (!known_less(next.stride, reach)) {
    return needs_numbers(task, fmt::format("the step {}", to_string(next.stride)));
  }
  return no_layout(
      task, fmt::format("steps overlap, so that some places are reached more often than others: "
                        "smaller digits reach up to {} on {}, the next one has {}",
                        to_string(reach), task.view.axes[axis].name(), step));
}

/// Refuses digits whose least place on the axis is not 0.
Result<void> check_begin(const Task& task, std::size_t axis, const Int& least) {
  if (known_equal(least, 0)) return {};
  const std::string begin = fmt::format("it begins at {}", to_string(least));
  if (known_less(0, least)) return refuse(hole(task, place_text(task.view, axis, "0"), begin));
  if (known_less(least, 0)) {
    return refuse(no_layout(
        task, fmt::format("{} on {}, and a box begins at 0", begin, task.view.axes[axis].name())));
  }
  return refuse(needs_numbers(task, fmt::format("the least place {}", to_string(least))));
}

Result<View> converse_of_digits(const Task& task, Turned turned) {
  const View& view = task.view;
  View result = turned_sides(view);
  StridedView there;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    HEDDLE_CHECK(check_begin(task, axis, turned.least[axis]));
    Int reach = 1;
    std::vector<form::Digit> digits;
    for (TurnedDigit& digit : chained(turned.axes[axis], reach)) {
      digits.push_back({digit.extent, std::move(digit.origin)});
    }
    if (!turned.axes[axis].empty()) {
      const auto least = std::ranges::min_element(turned.axes[axis],
                                                  [](const TurnedDigit& a, const TurnedDigit& b) {
                                                    return known_less(a.stride, b.stride);
                                                  });
      return refuse(broken_chain(task, axis, *least, reach));
    }
    if (view.bounds[axis] && !known_equal(*view.bounds[axis], reach)) {
      return refuse(hole(task, place_text(view, axis, to_string(reach)),
                         fmt::format("{} runs from 0 to {}", view.axes[axis].name(),
                                     to_string(*view.bounds[axis] - 1))));
    }
    result.extents.push_back(reach);
    there.modes.push_back(form::coalesced(digits));
  }
  there.offset = std::move(turned.origin);
  there.copies = form::coalesced(turned.copies);
  return with_digits(std::move(result), std::move(there));
}

/// The least word outside the image: a power of two if 0 is in it.
std::uint64_t least_missing(const BitView& bits, const form::Subspace& image) {
  if (!image.contains(bits.offset)) return 0;
  std::uint64_t word = 1;
  while (image.contains(word)) word <<= 1;
  return word;
}

Diagnostic unreached(const Task& task, const BitView& bits, const form::Subspace& image) {
  const std::vector<std::int64_t> place = unpacked(bits, least_missing(bits, image));
  std::vector<std::string> coordinates;
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    coordinates.push_back(place_text(task.view, axis, std::to_string(place[axis])));
  }
  return hole(task, fmt::format("{}", fmt::join(coordinates, ", ")),
              fmt::format("its bits reach {} of {}", image.dimension(),
                          counted(bits.matrix.rows(), "dimension")));
}

Result<View> converse_of_bits(const Task& task, const BitView& bits) {
  const View& view = task.view;
  const std::size_t rows = bits.matrix.rows();
  const form::Subspace image = bits.matrix.image();
  if (image.dimension() < rows) return refuse(unreached(task, bits, image));
  HEDDLE_TRY(const form::BitMatrix some, form::solve(bits.matrix, form::BitMatrix::identity(rows)));
  HEDDLE_TRY(const form::Subspace kernel, form::kernel(bits.matrix));

  View result = turned_sides(view);
  BitView inverse;
  for (const Int& extent : view.extents) inverse.widths.push_back(log2_exact(extent.value()));
  for (const int width : bits.widths) result.extents.emplace_back(std::int64_t{1} << width);
  inverse.offset = some(bits.offset);
  inverse.matrix = some;
  result = with_bits(std::move(result), inverse);
  if (kernel.dimension() == 0) return result;
  auto strided = unswizzled(inverse, result.extents, kernel);
  if (!strided) {
    return refuse(no_layout(task,
                            "inverted, each element has several places that are not steps from one "
                            "another, with or without a swizzle"));
  }
  return with_digits(std::move(result), coalesced(*std::move(strided)));
}

/// The view with an extra index of the points that says which copy is meant.
View with_copies_as_points(const View& view) {
  View result = view;
  StridedView& strided = *result.strided;
  for (const form::Digit& copy : view.strided->copies) {
    result.extents.push_back(copy.extent);
    result.names.push_back(fmt::format("copy {}", result.extents.size()));
    strided.modes.push_back({copy});
  }
  strided.copies.clear();
  return with_digits(result, strided);
}

/// The view on its first axes alone.
View on_first_axes(View view, std::size_t count) {
  std::vector<std::optional<std::size_t>> picks;
  for (std::size_t axis = 0; axis < count; ++axis) picks.emplace_back(axis);
  pick_axes(view, picks, {view.axes.begin(), view.axes.begin() + std::ssize(picks)});
  if (!view.strided) return view;
  StridedView strided = *view.strided;
  std::erase_if(strided.copies, is_still);
  return with_digits(std::move(view), std::move(strided));
}

/// Inverts a map whose notation shows neither digits nor bits, by those that its values have.
Result<View> converse_of_values(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  Task next = task;
  if (const auto found = digit_form(task); found && !found->swizzle) {
    next.view = with_digits(task.view, *found);
    return converse(next);
  }
  if (const auto bits = bit_form(task)) {
    next.view = with_bits(task.view, *bits);
    return converse(next);
  }
  return converse_by_values(task);
}

}  // namespace

View turned_sides(const View& view) {
  View result;
  result.system = System::kRelation;
  result.names = names_of(view.axes);
  for (std::size_t mode = 0; mode < view.extents.size(); ++mode) {
    result.axes.emplace_back(view.names[mode]);
    result.bounds.emplace_back(view.extents[mode]);
  }
  return result;
}

Diagnostic hole(const Task& task, const std::string& place, std::string why) {
  return Diagnostic("convert.holes",
                    fmt::format("{} cannot be inverted: nothing is at {}", task.source, place))
      .with_note(std::move(why));
}

Result<View> converse(const Task& task) {
  const View& view = task.view;
  const bool is_strided = view.strided && !view.strided->swizzle;
  if (!is_strided && view.strided && !view.is_function()) {
    Task next = task;
    next.view = with_copies_as_points(view);
    HEDDLE_TRY(const View back, converse(next));
    return on_first_axes(back, view.extents.size());
  }
  if (!is_strided && !view.bits) return converse_of_values(task);
  if (is_strided) {
    if (auto turned = turned_digits(view, *view.strided)) {
      auto result = converse_of_digits(task, *std::move(turned));
      const bool is_settled = result || result.error().code() == "convert.holes";
      if (is_settled || !view.bits) return result;
    }
  }
  if (view.bits) return converse_of_bits(task, *view.bits);
  return refuse(no_layout(task, "a step of it leads along several axes at once"));
}

}  // namespace heddle::map
