// A map turned round: from its axes to its box.
//
// Over digits that is a matter of sorting: where the strides on an axis are 1, e0, e0*e1, … the
// axis counts the digits like a clock, and each digit of the axis is one of the box.
//
//   (thread, value) -> element   ((4,8),2):((2,8),1)       strides 1 2 8: value, then threads
//   element -> (thread, value)   S[(8,4,2):(4@thread,1@thread,1@value)]
//
// A digit of the box that does not move is held everywhere along it: copies. Over bits it is the
// inverse matrix, and what the map takes to 0 are the copies.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "map/conversion.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

/// A digit that steps on one axis: what one step of it is in the box, where it is there at all.
struct TurnedDigit {
  Int stride;
  Int extent;
  std::vector<Int> origin;
};

Diagnostic hole(const Task& task, const std::string& place, std::string why) {
  return Diagnostic("convert.holes",
                    fmt::format("{} cannot be turned round: nothing is at {}", task.source, place))
      .with_note(std::move(why));
}

std::string place_text(const View& view, std::size_t axis, const std::string& coordinate) {
  return fmt::format("{} {}", view.axes[axis].name(), coordinate);
}

/// The only axis that the digit moves along; nothing where there are several.
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

/// The digits of the box and of its copies by the axes that they step on; those that do not move
/// become copies.
struct Turned {
  std::vector<std::vector<TurnedDigit>> axes;
  std::vector<form::Digit> copies;
};

std::optional<Turned> turned_digits(const View& view, const StridedView& strided) {
  Turned turned;
  turned.axes.resize(view.axes.size());
  const std::vector<Int> nowhere(view.extents.size(), Int(0));
  const auto place = [&](const form::Digit& digit, std::vector<Int> origin) {
    const auto axis = only_axis(digit);
    if (axis) turned.axes[*axis].push_back({digit.stride[*axis], digit.extent, std::move(origin)});
    return axis.has_value();
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

/// The digits of one axis, fastest first, each going on where the ones before end; those that are
/// left over stay in `rest`.
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

/// Why the digits of an axis do not fill it.
Diagnostic broken_chain(const Task& task, std::size_t axis, const TurnedDigit& next,
                        const Int& reach) {
  const std::string step =
      fmt::format("steps of {} on {}", to_string(next.stride), task.view.axes[axis].name());
  if (known_less(reach, next.stride)) {
    return hole(
        task, place_text(task.view, axis, to_string(reach)),
        fmt::format("smaller digits reach up to {}, the next one has {}", to_string(reach), step));
  }
  return no_layout(task, fmt::format("it cannot be turned round digit by digit: smaller digits "
                                     "reach up to {} on {}, the next one has {}",
                                     to_string(reach), task.view.axes[axis].name(), step));
}

Result<View> converse_of_digits(const Task& task, const StridedView& strided, Turned turned) {
  const View& view = task.view;
  View result;
  result.system = System::kRelation;
  result.names.clear();
  StridedView there;
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    if (!known_equal(strided.offset[axis], 0)) {
      return refuse(hole(task, place_text(view, axis, "0"),
                         fmt::format("it begins at {}", to_string(strided.offset[axis]))));
    }
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
    result.names.push_back(view.axes[axis].name());
    there.modes.push_back(form::coalesced(digits));
  }
  for (std::size_t mode = 0; mode < view.extents.size(); ++mode) {
    result.axes.emplace_back(view.names[mode]);
    result.bounds.emplace_back(view.extents[mode]);
  }
  there.offset.assign(view.extents.size(), Int(0));
  there.copies = form::coalesced(turned.copies);
  return with_digits(std::move(result), std::move(there));
}

/// The least word outside of the image: a power of two where 0 is in it.
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
  return hole(
      task, fmt::format("{}", fmt::join(coordinates, ", ")),
      fmt::format("its bits reach {} of {} dimensions", image.dimension(), bits.matrix.rows()));
}

/// The copies that the kernel makes, as steps: nothing where two of them touch, or touch what the
/// map itself reaches.
std::optional<std::vector<form::Digit>> copies_of(const form::Subspace& kernel,
                                                  const BitView& inverse) {
  std::uint64_t taken = inverse.offset;
  for (const std::uint64_t column : inverse.matrix.columns()) taken |= column;
  std::vector<form::Digit> copies;
  for (const std::uint64_t vector : kernel.basis()) {
    if ((taken & vector) != 0) return std::nullopt;
    taken |= vector;
    const std::vector<std::int64_t> step = unpacked(inverse, vector);
    copies.push_back({2, std::vector<Int>(step.begin(), step.end())});
  }
  return copies;
}

Result<View> converse_of_bits(const Task& task, const BitView& bits) {
  const View& view = task.view;
  const std::size_t rows = bits.matrix.rows();
  const form::Subspace image = bits.matrix.image();
  if (image.dimension() < rows) return refuse(unreached(task, bits, image));
  HEDDLE_TRY(const form::BitMatrix some, form::solve(bits.matrix, form::BitMatrix::identity(rows)));
  HEDDLE_TRY(const form::Subspace kernel, form::kernel(bits.matrix));

  View result;
  result.system = System::kRelation;
  BitView inverse;
  std::size_t width = 0;
  for (std::size_t mode = 0; mode < view.extents.size(); ++mode) {
    result.axes.emplace_back(view.names[mode]);
    result.bounds.emplace_back(view.extents[mode]);
    inverse.widths.push_back(log2_exact(view.extents[mode].value()));
    width += static_cast<std::size_t>(inverse.widths.back());
  }
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    result.extents.emplace_back(std::int64_t{1} << bits.widths[axis]);
    result.names.push_back(view.axes[axis].name());
  }
  std::vector<std::uint64_t> columns;
  for (const std::uint64_t column : some.columns()) columns.push_back(kernel.reduce(column));
  inverse.offset = kernel.reduce(some(bits.offset));
  inverse.matrix = form::BitMatrix(width, std::move(columns));
  const auto copies = copies_of(kernel, inverse);
  result = with_bits(std::move(result), inverse);
  if (kernel.dimension() == 0) return result;
  if (!copies || !result.strided) {
    return refuse(no_layout(
        task, "turned round, each element has several places that are no steps from one another"));
  }
  StridedView strided = coalesced(*result.strided);
  strided.copies = form::coalesced(*copies);
  return with_digits(std::move(result), std::move(strided));
}

}  // namespace

Result<View> converse(const Task& task) {
  const View& view = task.view;
  std::optional<StridedView> strided;
  if (view.strided && !view.strided->swizzle) strided = *view.strided;
  if (!strided && !view.bits) {
    HEDDLE_CHECK(check_function(task));
    const auto found = digit_form(task);
    Task next = task;
    if (found) next.view = with_digits(view, *found);
    if (!found) {
      const auto bits = bit_form(task);
      if (!bits) return refuse(found.error());
      next.view = with_bits(view, *bits);
    }
    if (next.view.bits || !next.view.strided->swizzle) return converse(next);
    return refuse(no_layout(task, "swizzled sizes that are no powers of two are not turned round"));
  }
  if (strided) {
    if (auto turned = turned_digits(view, *strided)) {
      auto result = converse_of_digits(task, *strided, *std::move(turned));
      const bool is_settled = result || result.error().code() == "convert.holes";
      if (is_settled || !view.bits) return result;
    }
  }
  if (view.bits) return converse_of_bits(task, *view.bits);
  if (view.strided->swizzle) {
    return refuse(no_layout(task, "swizzled sizes that are no powers of two are not turned round"));
  }
  return refuse(no_layout(task, "a step of it leads along several axes at once"));
}

}  // namespace heddle::map
