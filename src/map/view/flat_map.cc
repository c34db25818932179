#include "map/view/flat_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "expr/numbers_text.h"
#include "map/view/digits.h"

namespace heddle::map {
namespace {

std::vector<form::Digit> on_axes(std::span<const form::Digit> digits,
                                 std::span<const std::optional<std::size_t>> picks) {
  std::vector<form::Digit> result;
  for (const form::Digit& digit : digits) {
    form::Digit picked{digit.extent, {}};
    for (const auto& pick : picks) picked.stride.push_back(pick ? digit.stride[*pick] : Int(0));
    result.push_back(std::move(picked));
  }
  return result;
}

/// An axis that is not picked is 0 everywhere, which no swizzle changes.
FlatDigits on_axes(const FlatDigits& digits, std::span<const std::optional<std::size_t>> picks) {
  FlatDigits result{on_axes(digits.digits, picks), on_axes(digits.copies, picks), {}, {}};
  for (const auto& pick : picks) result.offset.push_back(pick ? digits.offset[*pick] : Int(0));
  if (!digits.swizzle) return result;
  const auto place = std::ranges::find(picks, std::optional(digits.swizzle->axis));
  if (place == picks.end()) return result;
  result.swizzle = digits.swizzle;
  result.swizzle->axis = static_cast<std::size_t>(place - picks.begin());
  return result;
}

/// The words of all columns, each coordinate put where `begins` says.
template <class Begin>
BitView repacked(const BitView& bits, std::vector<int> widths, Begin begin_of) {
  const auto packed = [&](std::uint64_t word) {
    const std::vector<std::int64_t> image = unpacked(bits, word);
    std::uint64_t result = 0;
    for (std::size_t axis = 0; axis < image.size(); ++axis) {
      const std::optional<int> begin = begin_of(axis);
      if (begin && *begin < 64) result |= static_cast<std::uint64_t>(image[axis]) << *begin;
    }
    return result;
  };
  BitView result;
  std::vector<std::uint64_t> columns;
  for (const std::uint64_t column : bits.matrix.columns()) columns.push_back(packed(column));
  result.offset = packed(bits.offset);
  std::size_t rows = 0;
  for (const int width : widths) rows += static_cast<std::size_t>(width);
  result.matrix = form::BitMatrix(rows, std::move(columns));
  result.widths = std::move(widths);
  return result;
}

BitView on_axes(const BitView& bits, std::span<const std::optional<std::size_t>> picks) {
  std::vector<int> widths;
  std::vector<std::optional<int>> begins(bits.widths.size());
  int begin = 0;
  for (const auto& pick : picks) {
    widths.push_back(pick ? bits.widths[*pick] : 0);
    if (pick) begins[*pick] = begin;
    begin += widths.back();
  }
  return repacked(bits, std::move(widths), [&](std::size_t axis) { return begins[axis]; });
}

/// Of bounds that are powers of two, and hold the bits.
std::optional<BitView> on_flat_axis(const BitView& bits,
                                    std::span<const std::optional<Int>> bounds) {
  std::vector<int> begins;
  int begin = 0;
  for (std::size_t axis = 0; axis < bounds.size(); ++axis) {
    if (!bounds[axis]->is_constant() || !is_power_of_two(bounds[axis]->value())) {
      return std::nullopt;
    }
    begins.push_back(begin);
    begin += log2_exact(bounds[axis]->value());
  }
  if (begin > 62) return std::nullopt;
  return repacked(bits, {begin}, [&](std::size_t axis) { return std::optional(begins[axis]); });
}

/// Of a small map whose digits are not known.
bool has_zeros_on(const FlatMap& map, std::size_t axis) {
  constexpr std::int64_t kMaxPoints = std::int64_t{1} << 12;
  const Int points = map.size * map.copies;
  if (!points.is_constant() || points.value() > kMaxPoints) return false;
  for (std::int64_t flat = 0; flat < map.size.value(); ++flat) {
    for (std::int64_t copy = 0; copy < map.copies.value(); ++copy) {
      const auto image = map.numbers_at(flat, copy);
      if (!image || (*image)[axis] != 0) return false;
    }
  }
  return true;
}

bool is_zero_on(const FlatMap& map, std::size_t axis) {
  if (map.bounds[axis] && known_equal(*map.bounds[axis], 1)) return true;
  if (!map.digits) return has_zeros_on(map, axis);
  const auto stays = [&](const form::Digit& digit) {
    return known_equal(digit.stride[axis], 0) || known_equal(digit.extent, 1);
  };
  return std::ranges::all_of(map.digits->digits, stays) &&
         std::ranges::all_of(map.digits->copies, stays) && known_equal(map.digits->offset[axis], 0);
}

bool same_axis_names(const FlatMap& a, const FlatMap& b) {
  return std::ranges::is_permutation(a.axes, b.axes);
}

bool lies_in(const FlatMap& a, const FlatMap& b) {
  return std::ranges::all_of(
      a.axes, [&](const Axis& axis) { return std::ranges::find(b.axes, axis) != b.axes.end(); });
}

FlatMap by_name(const FlatMap& map, const std::vector<Axis>& axes) {
  std::vector<std::optional<std::size_t>> picks;
  for (const Axis& axis : axes) {
    const auto found = std::ranges::find(map.axes, axis);
    picks.push_back(found == map.axes.end()
                        ? std::nullopt
                        : std::optional(static_cast<std::size_t>(found - map.axes.begin())));
  }
  return with_axes(map, picks, axes);
}

std::vector<Axis> all_axes(const FlatMap& a, const FlatMap& b) {
  std::vector<Axis> axes = a.axes;
  for (const Axis& axis : b.axes) {
    if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  }
  return axes;
}

std::string names_text(std::span<const Axis> axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name());
  return fmt::format("({})", fmt::join(names, ","));
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
  side = with_flat_axes(side);
}

/// The place of an index of a coordinate tensor: 1 of `1`, the axis of 4@1.
std::optional<std::size_t> place_of(const Axis& axis, std::size_t count) {
  for (std::size_t place = 0; place < count; ++place) {
    if (axis.name() == std::to_string(place)) return place;
  }
  return std::nullopt;
}

/// A CuTe map to some indices of a coordinate, by the names that the other side has for them.
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
  // Axes of one system that names them mean the same on both sides, and no others.
  const bool names_axes = left.system == System::kAxe || left.system == System::kCute;
  const bool share_names = names_axes && left.system == right.system;
  if (lies_in(left, right) || lies_in(right, left) || share_names) {
    const std::vector<Axis> axes = all_axes(left, right);
    if (same_axis_names(left, right) && left.axes != right.axes) {
      add_remark(pair, fmt::format("axes matched by name: {} and {}", names_text(left.axes),
                                   names_text(right.axes)));
    }
    pair.left = by_name(left, axes);
    pair.right = by_name(right, axes);
    return;
  }
  // By position all axes count; where some are too many, bounds say what they are together, and
  // without bounds those that are always 0 say nothing.
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

/// The view with its extents in another order.
View with_extents_in_order(const View& view, std::span<const std::size_t> order) {
  View result = view;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.extents[i] = view.extents[order[i]];
    result.names[i] = view.names[order[i]];
    if (result.strided) result.strided->modes[i] = view.strided->modes[order[i]];
  }
  if (view.bits) {
    std::vector<std::uint64_t> columns;
    for (const std::size_t from : order) {
      std::size_t begin = 0;
      for (std::size_t i = 0; i < from; ++i) {
        begin += static_cast<std::size_t>(log2_exact(view.extents[i].value()));
      }
      for (int i = 0; i < log2_exact(view.extents[from].value()); ++i) {
        columns.push_back(view.bits->matrix.columns()[begin++]);
      }
    }
    result.bits->matrix = form::BitMatrix(view.bits->matrix.rows(), std::move(columns));
  }
  result.relation.reset();
  result.evaluate = [order = std::vector<std::size_t>(order.begin(), order.end()),
                     evaluator = view.evaluate](std::span<const Int> point, const Int& copy) {
    std::vector<Int> there(point.size());
    for (std::size_t i = 0; i < order.size(); ++i) there[order[i]] = point[i];
    return evaluator(there, copy);
  };
  return result;
}

/// The order in which the view has the names; nothing where it has others, or other sizes.
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

/// The view that takes any shape, with the other one's: its flat coordinate is row-major.
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

bool FlatDigits::is_constant() const {
  const auto constant = [](const form::Digit& digit) {
    return digit.extent.is_constant() && std::ranges::all_of(digit.stride, &Int::is_constant);
  };
  return std::ranges::all_of(digits, constant) && std::ranges::all_of(copies, constant) &&
         std::ranges::all_of(offset, &Int::is_constant);
}

std::vector<Int> FlatMap::at(const Int& flat, const Int& copy) const {
  return evaluate(point_of(extents, order, flat), copy);
}

std::optional<std::vector<std::int64_t>> FlatMap::numbers_at(std::int64_t flat,
                                                             std::int64_t copy) const {
  std::vector<std::int64_t> numbers;
  for (const Int& number : at(flat, copy)) {
    if (!number.is_constant()) return std::nullopt;
    numbers.push_back(number.value());
  }
  return numbers;
}

bool FlatMap::is_constant() const {
  if (!size.is_constant() || !copies.is_constant()) return false;
  if (digits) return digits->is_constant();
  if (bits) return true;
  const std::vector<Int> first = at(0, 0);
  const std::vector<Int> last = at(size - 1, copies - 1);
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
  std::ranges::sort(images);
  const auto repeated = std::ranges::unique(images);
  images.erase(repeated.begin(), repeated.end());
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
  WitnessNumbers::Point point{{{}, given_names(names)}, flat};
  for (const Int& index : point_of(extents, order, flat)) {
    if (!index.is_constant()) return std::nullopt;
    point.coordinate.numbers.push_back(index.value());
  }
  return point;
}

std::optional<WitnessNumbers::Images> FlatMap::image_numbers(std::int64_t flat) const {
  constexpr std::size_t kMaxImages = 64;
  if (!copies.is_constant()) return std::nullopt;
  WitnessNumbers::Images images;
  for (std::vector<std::int64_t>& image : images_at(flat)) {
    images.push_back({std::move(image), given_names(axes)});
  }
  if (images.size() > kMaxImages) return std::nullopt;
  return images;
}

FlatMap flat_map(const View& view, form::FlatOrder order) {
  FlatMap map;
  map.system = view.system;
  map.extents = view.extents;
  map.names = view.names;
  map.order = order;
  map.axes = view.axes;
  map.bounds = view.bounds;
  map.size = view.size();
  map.copies = view.copies;
  map.evaluate = view.evaluate;
  if (view.strided) {
    map.digits = FlatDigits{flat_digits(*view.strided, order), view.strided->copies,
                            view.strided->offset, view.strided->swizzle};
  }
  if (view.bits) {
    map.bits = view.bits;
    // Bits of a view that takes any shape are those of its flat index, on one extent.
    if (order == form::FlatOrder::kLastFastest) {
      map.bits->matrix = form::BitMatrix(view.bits->matrix.rows(),
                                         mirrored(view.bits->matrix.columns(), view.extents));
    }
  }
  return map;
}

FlatMap with_axes(const FlatMap& map, std::span<const std::optional<std::size_t>> picks,
                  std::vector<Axis> axes) {
  FlatMap result = map;
  result.axes = std::move(axes);
  result.bounds.clear();
  for (const auto& pick : picks) {
    result.bounds.push_back(pick ? map.bounds[*pick] : std::optional<Int>());
  }
  if (map.digits) result.digits = on_axes(*map.digits, picks);
  if (map.bits) result.bits = on_axes(*map.bits, picks);
  const bool is_same = std::ranges::equal(result.axes, map.axes);
  if (is_same) return result;
  result.evaluate = [picks = std::vector<std::optional<std::size_t>>(picks.begin(), picks.end()),
                     evaluator = map.evaluate](std::span<const Int> point, const Int& copy) {
    const std::vector<Int> all = evaluator(point, copy);
    std::vector<Int> image;
    for (const auto& pick : picks) image.push_back(pick ? all[*pick] : Int(0));
    return image;
  };
  return result;
}

bool has_bounds(const FlatMap& map) {
  return std::ranges::all_of(map.bounds, [](const auto& bound) { return bound.has_value(); });
}

FlatMap with_flat_axes(const FlatMap& map) {
  std::vector<Int> weights;
  Int weight = 1;
  for (const auto& bound : map.bounds) {
    weights.push_back(weight);
    weight *= *bound;
  }
  const auto sum = [weights](std::span<const Int> image) {
    Int result = 0;
    for (std::size_t i = 0; i < image.size(); ++i) result += weights[i] * image[i];
    return std::vector<Int>{result};
  };
  FlatMap result = map;
  result.axes = {Axis::memory()};
  result.bounds = {weight};
  if (map.digits && !map.digits->swizzle) {
    for (form::Digit& digit : result.digits->digits) digit.stride = sum(digit.stride);
    for (form::Digit& digit : result.digits->copies) digit.stride = sum(digit.stride);
    result.digits->offset = sum(map.digits->offset);
  } else {
    result.digits.reset();
  }
  if (map.bits) result.bits = on_flat_axis(*map.bits, map.bounds);
  result.evaluate = [sum, evaluator = map.evaluate](std::span<const Int> point, const Int& copy) {
    return sum(evaluator(point, copy));
  };
  return result;
}

FlatMap without_zero_axes(const FlatMap& map) {
  std::vector<std::optional<std::size_t>> picks;
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < map.axes.size(); ++axis) {
    if (is_zero_on(map, axis)) continue;
    picks.emplace_back(axis);
    axes.push_back(map.axes[axis]);
  }
  if (axes.size() == map.axes.size()) return map;
  return with_axes(map, picks, std::move(axes));
}

Pair matched_images(const View& left, const View& right) {
  Pair pair{flat_map(left), flat_map(right), false, {}, false};
  match_axes(pair);
  return pair;
}

Pair matched(const View& left, const View& right) {
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
    pair.right = flat_map(with_extents_in_order(right, *order), left.order);
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
  match_axes(pair);
  return pair;
}

}  // namespace heddle::map
