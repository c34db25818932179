// Inverts a map value by value if it has neither digits nor bits: a swizzle of sizes that are no
// powers of two, or a table.
//
//   place -> element  [[0,1,3,2],[4,5,7,6]]      element -> place  0 at (0,0), 1 at (0,1), 2 at …

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The box that the axes span: by their bounds if they have some, else up to the greatest
/// coordinates.
Result<Numbers> box_of_images(const Task& task, const Samples& samples) {
  Numbers box(samples.axes, 0);
  for (std::int64_t flat = 0; flat < samples.size(); ++flat) {
    const auto image = samples.at(flat);
    for (std::size_t axis = 0; axis < samples.axes; ++axis) {
      if (image[axis] < 0) {
        return refuse(no_layout(task, fmt::format("{}, and a box begins at 0",
                                                  sample_text(samples.point(flat), image))));
      }
      box[axis] = std::max(box[axis], image[axis]);
    }
  }
  for (std::size_t axis = 0; axis < samples.axes; ++axis) {
    const auto& bound = task.view.bounds[axis];
    const bool is_said = bound && bound->is_constant();
    HEDDLE_TRY(const Int size, check_defined(Int(box[axis]) + 1, "the size of an axis"));
    box[axis] = is_said ? bound->value() : size.value();
  }
  return box;
}

/// The point with this number in the box, the first axis fastest.
Numbers place_at(std::span<const std::int64_t> box, std::int64_t number) {
  Numbers place;
  for (const std::int64_t extent : box) {
    place.push_back(number % extent);
    number /= extent;
  }
  return place;
}

std::string text_of_place(const View& view, std::span<const std::int64_t> place) {
  std::vector<std::string> coordinates;
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    coordinates.push_back(fmt::format("{} {}", view.axes[axis].name(), place[axis]));
  }
  return fmt::format("{}", fmt::join(coordinates, ", "));
}

/// The points sorted by their images, the last axis compared first.
Numbers by_image(const Samples& samples) {
  Numbers order(static_cast<std::size_t>(samples.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
    const auto left = samples.at(a);
    const auto right = samples.at(b);
    return std::lexicographical_compare(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  });
  return order;
}

/// The view from the box of the images: `order` has the point at each place of the box.
View view_back(const View& view, const Samples& samples, const Numbers& box, Numbers order) {
  View result = turned_sides(view);
  result.extents.assign(box.begin(), box.end());
  const auto points = std::make_shared<const Numbers>(std::move(order));
  result.evaluate = [points, box, extents = samples.extents](std::span<const Int> place,
                                                             const Int&) {
    std::int64_t number = 0;
    for (std::size_t axis = box.size(); axis-- > 0;) {
      if (!place[axis].is_constant()) return std::vector<Int>(extents.size(), Int::undefined());
      number = number * box[axis] + place[axis].value();
    }
    const Numbers point = place_at(extents, (*points)[static_cast<std::size_t>(number)]);
    return std::vector<Int>(point.begin(), point.end());
  };
  return result;
}

/// The refusal if two points have the same image: then there is no inverse function, and copies are
/// only searched for among digits.
Diagnostic meeting(const Task& task, const Samples& samples, std::int64_t first,
                   std::int64_t second) {
  const auto text = [&](std::int64_t flat) {
    return sample_text(samples.point(flat), samples.at(flat));
  };
  const std::string why = fmt::format("{} and {}", text(first), text(second));
  if (task.to == System::kAxe || task.to == System::kRelation) {
    return undecided(task, why + ", and its values are not sums of digits or bits");
  }
  return no_layout(task, why + ": no function leads back");
}

}  // namespace

Result<View> converse_by_values(const Task& task) {
  HEDDLE_TRY(const Samples samples, samples_of(task));
  HEDDLE_TRY(const Numbers box, box_of_images(task, samples));
  Numbers order = by_image(samples);
  const std::int64_t size = samples.size();
  for (std::int64_t number = 0; number < size; ++number) {
    const auto at = static_cast<std::size_t>(number);
    const auto image = samples.at(order[at]);
    if (number > 0 && std::ranges::equal(image, samples.at(order[at - 1]))) {
      return refuse(meeting(task, samples, order[at - 1], order[at]));
    }
    const Numbers place = place_at(box, number);
    if (std::ranges::equal(image, place)) continue;
    return refuse(
        hole(task, text_of_place(task.view, place),
             fmt::format("the next is {}", sample_text(samples.point(order[at]), image))));
  }
  const Numbers after = place_at(box, size);
  if (std::ranges::any_of(after, [](std::int64_t coordinate) { return coordinate != 0; })) {
    return refuse(hole(task, text_of_place(task.view, after),
                       fmt::format("{} points do not fill {}", size, tuple_text(box))));
  }
  return view_back(task.view, samples, box, std::move(order));
}

}  // namespace heddle::map
