// The matrix of a map over GF(2): the images of single bits, and the proof that they determine all
// other images, or do not.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/bits.h"
#include "core/text.h"
#include "map/forms/conversion.h"
#include "map/forms/layouts_of_forms.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kMaxColumnBits = 64;

/// One bit of the coordinate: the point in which only it is 1, and the image of that point.
struct UnitPoint {
  Numbers point;
  Numbers image;
};

Result<Numbers> image_at(const Task& task, const Numbers& point) {
  const std::vector<Int> indices(point.begin(), point.end());
  Numbers image;
  for (const Int& coordinate : task.view.evaluate(indices, 0)) {
    HEDDLE_TRY(const Int value, check_defined(coordinate, [&] {
                 return fmt::format("the value of {} at {}", task.source, point_text(point));
               }));
    if (!value.is_constant()) {
      return refuse(needs_numbers(task, fmt::format("the value {}", to_string(value))));
    }
    image.push_back(value.value());
  }
  return image;
}

Numbers exclusive_or(const Numbers& a, std::span<const std::int64_t> b) {
  Numbers result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] ^ b[i]);
  return result;
}

Result<void> check_natural(const Task& task, const Numbers& point,
                           std::span<const std::int64_t> image) {
  if (std::ranges::all_of(image, [](std::int64_t value) { return value >= 0; })) return {};
  return refuse(no_layout(task, fmt::format("{}: there are no negative coordinates over bits",
                                            sample_text(point, image))));
}

/// The single bits, those of the first extent first.
Result<std::vector<UnitPoint>> unit_points(const Task& task) {
  std::vector<UnitPoint> units;
  const std::size_t rank = task.view.extents.size();
  for (std::size_t mode = 0; mode < rank; ++mode) {
    const Int& extent = task.view.extents[mode];
    if (!extent.is_constant()) {
      return refuse(needs_numbers(task, fmt::format("the size {}", to_string(extent))));
    }
    if (!is_power_of_two(extent.value())) {
      return refuse(no_layout(task, fmt::format("mode {} has {}, not a power of two", mode,
                                                counted(extent.value(), "point"))));
    }
    for (std::int64_t step = 1; step < extent.value(); step *= 2) {
      Numbers point(rank, 0);
      point[mode] = step;
      HEDDLE_TRY(Numbers image, image_at(task, point));
      HEDDLE_CHECK(check_natural(task, point, image));
      units.push_back({std::move(point), std::move(image)});
    }
  }
  return units;
}

Diagnostic broken_xor(const Task& task, const UnitPoint& a, const UnitPoint& b,
                      const Numbers& point, std::span<const std::int64_t> found) {
  const Numbers wanted = exclusive_or(a.image, b.image);
  return no_layout(
      task,
      fmt::format("{} and {}, whose XOR is {}, but {}", sample_text(a.point, a.image),
                  sample_text(b.point, b.image), point_text(wanted), sample_text(point, found)),
      point, found, wanted);
}

/// Checks that no two bits violate linearity. For digits without a swizzle that is enough: their
/// sums are XORs exactly if no two of them overlap.
Result<void> check_pairs(const Task& task, std::span<const UnitPoint> units) {
  for (std::size_t b = 1; b < units.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const Numbers point = exclusive_or(units[a].point, units[b].point);
      HEDDLE_TRY(const Numbers found, image_at(task, point));
      if (found != exclusive_or(units[a].image, units[b].image)) {
        return refuse(broken_xor(task, units[a], units[b], point, found));
      }
    }
  }
  return {};
}

/// Checks that the image of every point is the XOR of those of its highest bit and the rest.
Result<void> check_everywhere(const Task& task) {
  HEDDLE_TRY(const Samples samples, samples_of(task));
  for (std::int64_t flat = 1; flat < samples.size(); ++flat) {
    const auto top = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(flat)));
    const auto sample = [&](std::int64_t at) {
      const auto image = samples.at(at);
      return UnitPoint{samples.point(at), Numbers(image.begin(), image.end())};
    };
    const UnitPoint rest = sample(flat - top);
    const UnitPoint unit = sample(top);
    const UnitPoint found = sample(flat);
    HEDDLE_CHECK(check_natural(task, found.point, found.image));
    if (exclusive_or(rest.image, unit.image) == found.image) continue;
    return refuse(broken_xor(task, rest, unit, found.point, found.image));
  }
  return {};
}

Result<BitView> matrix_of(const Task& task, std::span<const UnitPoint> units) {
  form::BitMap map{{}, Numbers(task.view.axes.size(), 0)};
  for (const UnitPoint& unit : units) map.columns.push_back(unit.image);
  auto bits = bit_view(map, task.view.bounds);
  if (bits && units.size() <= kMaxColumnBits) return bits;
  int rows = 0;
  const std::vector<int> widths = form::widths_of(map);
  for (std::size_t axis = 0; axis < widths.size(); ++axis) {
    rows += bounded_width(widths[axis], task.view.bounds[axis]);
  }
  return refuse(no_layout(
      task, fmt::format("it would take {} bits to {}, and 64 to 64 are the most there are",
                        units.size(), rows)));
}

Result<void> check_origin(const Task& task) {
  const Numbers origin(task.view.extents.size(), 0);
  HEDDLE_TRY(const Numbers image, image_at(task, origin));
  const Numbers zero(image.size(), 0);
  if (image == zero) return {};
  return refuse(
      no_layout(task, fmt::format("{}: what is linear takes 0 to 0", sample_text(origin, image)),
                origin, image, zero));
}

}  // namespace

Result<BitView> bit_form(const Task& task) {
  const View& view = task.view;
  if (view.bits && view.bits->offset == 0) return *view.bits;
  HEDDLE_TRY(const std::vector<UnitPoint> units, unit_points(task));
  HEDDLE_CHECK(check_origin(task));
  HEDDLE_CHECK(check_pairs(task, units));
  const bool is_plain = view.strided && !view.strided->swizzle;
  if (!is_plain) HEDDLE_CHECK(check_everywhere(task));
  return matrix_of(task, units);
}

}  // namespace heddle::map
