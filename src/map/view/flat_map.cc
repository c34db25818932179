#include "map/view/flat_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "axe/layout/iters.h"
#include "core/bits.h"
#include "expr/numbers_text.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// For small maps whose digits are not known.
bool has_zeros_on(const FlatMap& map, std::size_t axis) {
  constexpr std::int64_t kMaxSearched = std::int64_t{1} << 12;
  const Int points = map.points * map.copies;
  if (!points.is_constant() || points.value() > kMaxSearched) return false;
  for (std::int64_t flat = 0; flat < map.points.value(); ++flat) {
    for (std::int64_t copy = 0; copy < map.copies.value(); ++copy) {
      const auto image = map.numbers_at(flat, copy);
      if (!image || (*image)[axis] != 0) return false;
    }
  }
  return true;
}

bool is_zero_on(const FlatMap& map, std::size_t axis) {
  if (map.bounds[axis] && known_equal(*map.bounds[axis], 1)) return true;
  if (!map.strided) return has_zeros_on(map, axis);
  const auto stays = [&](const form::Digit& digit) {
    return known_equal(digit.stride[axis], 0) || known_equal(digit.extent, 1);
  };
  return std::ranges::all_of(one_mode(*map.strided), stays) &&
         std::ranges::all_of(map.strided->copies, stays) &&
         known_equal(map.strided->offset[axis], 0);
}

bool same_axis_names(const FlatMap& a, const FlatMap& b) {
  return std::ranges::is_permutation(a.axes, b.axes);
}

bool lies_in(const FlatMap& a, const FlatMap& b) {
  return std::ranges::all_of(
      a.axes, [&](const Axis& axis) { return std::ranges::find(b.axes, axis) != b.axes.end(); });
}

std::vector<Axis> all_axes(const FlatMap& a, const FlatMap& b) {
  std::vector<Axis> axes = a.axes;
  for (const Axis& axis : b.axes) {
    if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  }
  return axes;
}

std::string names_text(std::span<const Axis> axes) {
  return fmt::format("({})", fmt::join(names_of(axes), ","));
}

std::string bounds_text(const FlatMap& map) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < map.axes.size(); ++i) {
    texts.push_back(fmt::format("{} ({})", map.axes[i].name(), to_string(*map.bounds[i])));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_remark(Pair& pair, const std::string& remark) {
  if (!pair.remark.empty()) pair.remark += "; ";
  pair.remark += remark;
}

void flatten_axes(Pair& pair, FlatMap& side) {
  add_remark(pair, fmt::format("axes flattened, first fastest: {}", bounds_text(side)));
  flatten_axes(side, Axis::memory());
}

/// The position of the axis in a coordinate tensor: 1 for `1`, the axis of 4@1.
std::optional<std::size_t> place_of(const Axis& axis, std::size_t count) {
  for (std::size_t place = 0; place < count; ++place) {
    if (axis.name() == std::to_string(place)) return place;
  }
  return std::nullopt;
}

/// Gives the axes of a CuTe map to some indices of a coordinate the other side's names for these.
void name_indices(FlatMap& map, const FlatMap& other) {
  if (map.system != System::kCute || other.system == System::kCute) return;
  if (map.axes.size() >= other.axes.size()) return;
  std::vector<Axis> axes;
  for (const Axis& axis : map.axes) {
    const auto place = place_of(axis, other.axes.size());
    if (!place) return;
    axes.push_back(other.axes[*place]);
  }
  map.axes = std::move(axes);
}

void match_axes(Pair& pair) {
  name_indices(pair.left, pair.right);
  name_indices(pair.right, pair.left);
  FlatMap left = without_zero_axes(pair.left);
  FlatMap right = without_zero_axes(pair.right);
  // Axes of a system that names them mean the same on both sides; those of other systems do not.
  const bool names_axes = left.system == System::kAxe || left.system == System::kCute;
  const bool share_names = names_axes && left.system == right.system;
  if (lies_in(left, right) || lies_in(right, left) || share_names) {
    const std::vector<Axis> axes = all_axes(left, right);
    if (same_axis_names(left, right) && left.axes != right.axes) {
      add_remark(pair, fmt::format("axes matched by name: {} and {}", names_text(left.axes),
                                   names_text(right.axes)));
    }
    pick_axes(left, axes);
    pick_axes(right, axes);
    pair.left = std::move(left);
    pair.right = std::move(right);
    return;
  }
  // By position all axes count. If one side has more, bounds combine them into one index; without
  // bounds, axes that are always 0 are dropped.
  const auto count_flat = [](const FlatMap& map) {
    return map.axes.size() > 1 && has_bounds(map) ? 1 : map.axes.size();
  };
  const bool are_as_many = pair.left.axes.size() == pair.right.axes.size();
  if (are_as_many) {
    left = pair.left;
    right = pair.right;
  }
  const bool are_flattened = !are_as_many && count_flat(pair.left) == count_flat(pair.right);
  if (left.axes.size() == right.axes.size() && !are_flattened) {
    if (left.axes.size() > 1) {
      add_remark(pair, fmt::format("axes matched by position: {} and {}", names_text(left.axes),
                                   names_text(right.axes)));
    }
    right.axes = left.axes;
    pair.left = std::move(left);
    pair.right = std::move(right);
    return;
  }
  for (FlatMap* side : {&pair.left, &pair.right}) {
    if (side->axes.size() > 1 && has_bounds(*side)) flatten_axes(pair, *side);
  }
  pair.axes_differ = pair.left.axes.size() != pair.right.axes.size();
  if (!pair.axes_differ) pair.right.axes = pair.left.axes;
}

/// The order of the names in the view; nullopt if it has other names, or other sizes.
std::optional<std::vector<std::size_t>> order_by_name(const View& view, const View& wanted) {
  if (view.names == wanted.names || view.names.size() != wanted.names.size()) return std::nullopt;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < wanted.names.size(); ++i) {
    const auto found = std::ranges::find(view.names, wanted.names[i]);
    if (found == view.names.end()) return std::nullopt;
    order.push_back(static_cast<std::size_t>(found - view.names.begin()));
    if (!known_equal(view.extents[order.back()], wanted.extents[i])) return std::nullopt;
  }
  return order;
}

/// A view that takes any shape, in the shape of the other one: its flat coordinate is row-major.
FlatMap shaped_like(const View& view, const View& other) {
  FlatMap map = flat_map(view);
  map.extents = other.extents;
  map.names = other.names;
  map.evaluate = [from = view.extents, to = other.extents, order = view.order,
                  evaluator = view.evaluate](std::span<const Int> point, const Int& copy) {
    return evaluator(point_of(from, order, flat_of(to, order, point)), copy);
  };
  return map;
}

}  // namespace

std::vector<Int> FlatMap::at(const Int& flat, const Int& copy) const {
  return evaluate(point_of(extents, order, flat), copy);
}

std::optional<std::vector<std::int64_t>> FlatMap::numbers_at(std::int64_t flat,
                                                             std::int64_t copy) const {
  return constants(at(flat, copy));
}

bool FlatMap::is_constant() const {
  if (!points.is_constant() || !copies.is_constant()) return false;
  if (strided) return is_number(*strided);
  if (bits) return true;
  const std::vector<Int> first = at(0, 0);
  const std::vector<Int> last = at(points - 1, copies - 1);
  return std::ranges::none_of(first, &Int::is_symbolic) &&
         std::ranges::none_of(last, &Int::is_symbolic);
}

std::string FlatMap::point_text(std::int64_t flat) const {
  if (extents.size() < 2) return std::to_string(flat);
  const bool is_named = system == System::kLinear || system == System::kCuteTv;
  const std::vector<Int> point = point_of(extents, order, flat);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < point.size(); ++i) {
    texts.push_back(is_named ? fmt::format("{}={}", names[i], to_string(point[i]))
                             : to_string(point[i]));
  }
  return fmt::format("{} = ({})", flat, fmt::join(texts, is_named ? ", " : ","));
}

std::vector<std::vector<std::int64_t>> FlatMap::images_at(std::int64_t flat) const {
  constexpr std::int64_t kListed = 4096;
  const std::int64_t listed = copies.is_constant() ? std::min(copies.value(), kListed) : 1;
  std::vector<std::vector<std::int64_t>> images;
  for (std::int64_t copy = 0; copy < listed; ++copy) {
    if (auto image = numbers_at(flat, copy)) images.push_back(*std::move(image));
  }
  axe::sort_once(images);
  return images;
}

std::string FlatMap::image_text(std::int64_t flat) const {
  constexpr std::int64_t kShown = 4;
  const auto images = images_at(flat);
  if (images.empty()) return "nothing";
  if (images.size() == 1) return heddle::point_text(images.front());
  std::vector<std::string> texts;
  for (const auto& image : images) {
    if (std::ssize(texts) == kShown) {
      texts.emplace_back("…");
      break;
    }
    texts.push_back(heddle::point_text(image));
  }
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

std::optional<WitnessNumbers::Point> FlatMap::point_numbers(std::int64_t flat) const {
  auto point = constants(point_of(extents, order, flat));
  if (!point) return std::nullopt;
  return WitnessNumbers::Point{{*std::move(point), given_names(names)}, flat};
}

std::optional<WitnessNumbers::Images> FlatMap::image_numbers(std::int64_t flat) const {
  constexpr std::size_t kMaxShownImages = 64;
  if (!copies.is_constant()) return std::nullopt;
  WitnessNumbers::Images images;
  for (std::vector<std::int64_t>& image : images_at(flat)) {
    images.push_back({std::move(image), given_names(axes)});
  }
  if (images.size() > kMaxShownImages) return std::nullopt;
  return images;
}

FlatMap flat_map(const View& view, form::FlatOrder order) {
  FlatMap map;
  static_cast<View&>(map) = view;
  map.order = order;
  map.points = view.size();
  if (view.strided) map.strided->modes = {flat_digits(*view.strided, order)};
  // Bits of a view that takes any shape are those of its flat index, on one extent.
  if (view.bits && order == form::FlatOrder::kLastFastest) {
    map.bits->matrix = form::BitMatrix(view.bits->matrix.rows(),
                                       mirrored(view.bits->matrix.columns(), view.extents));
  }
  return map;
}

bool has_bounds(const View& view) {
  return std::ranges::all_of(view.bounds, [](const auto& bound) { return bound.has_value(); });
}

FlatMap without_zero_axes(const FlatMap& map) {
  std::vector<std::optional<std::size_t>> picks;
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < map.axes.size(); ++axis) {
    if (is_zero_on(map, axis)) continue;
    picks.emplace_back(axis);
    axes.push_back(map.axes[axis]);
  }
  FlatMap result = map;
  if (axes.size() < map.axes.size()) pick_axes(result, picks, std::move(axes));
  return result;
}

Pair matched_images(const View& left, const View& right) {
  Pair pair{flat_map(left), flat_map(right), false, {}, false};
  match_axes(pair);
  return pair;
}

Pair matched_points(const View& left, const View& right) {
  Pair pair;
  if (left.takes_any_shape && right.takes_any_shape) {
    pair.left = flat_map(left);
    pair.right = flat_map(right);
  } else if (left.takes_any_shape || right.takes_any_shape) {
    const View& shaped = left.takes_any_shape ? right : left;
    const FlatMap plain = flat_map(shaped, form::FlatOrder::kLastFastest);
    pair.left = left.takes_any_shape ? shaped_like(left, right) : plain;
    pair.right = left.takes_any_shape ? plain : shaped_like(right, left);
    if (shaped.extents.size() > 1) {
      add_remark(pair,
                 fmt::format("the Axe layout takes the shape {}", tuple_text(shaped.extents)));
    }
  } else if (const auto order = order_by_name(right, left);
             order && left.system == System::kLinear && right.system == System::kLinear) {
    pair.left = flat_map(left);
    pair.right = flat_map(reordered(right, *order), left.order);
    add_remark(pair, fmt::format("inputs matched by name: ({}) and ({})",
                                 fmt::join(left.names, ","), fmt::join(right.names, ",")));
  } else if (are_equal(left.extents, right.extents)) {
    pair.left = flat_map(left);
    pair.right = flat_map(right, left.order);
  } else {
    pair.left = flat_map(left);
    pair.right = flat_map(right);
    pair.same_points = left.extents.size() == 1 && right.extents.size() == 1;
    if (!pair.same_points) {
      add_remark(pair, fmt::format("compared by flat coordinate: {} and {}",
                                   tuple_text(left.extents), tuple_text(right.extents)));
    }
  }
  return pair;
}

Pair matched(const View& left, const View& right) {
  Pair pair = matched_points(left, right);
  match_axes(pair);
  return pair;
}

}  // namespace heddle::map
