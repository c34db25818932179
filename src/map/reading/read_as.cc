#include "map/reading/read_as.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heddle/axe/axes.h"
#include "map/forms/conversion.h"
#include "map/view/flat_map.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::array<std::string_view, 3> kReadings = {"literal", "memory", "ownership"};

bool has_name(const View& view, std::string_view name) {
  return std::ranges::find(view.names, name) != view.names.end();
}

bool leads_to_offset(const View& view) {
  return view.axes.size() == 1 && view.axes.front().name() == "offset";
}

Task task_of(const Side& side, View view, System to, const DecideOptions& options) {
  return {std::move(view), to, source_text(side.layout), options.limits, Reading::kOwnership};
}

// ---- Elements ----

/// The shape of the tensor whose elements the side maps to: a tile, the sizes of Triton's dims.
std::vector<Int> elements_of(const Side& side) {
  std::vector<Int> shape = tile_of(side.layout);
  if (side.view.system != System::kLinear) return shape;
  for (const auto& bound : side.view.bounds) shape.push_back(*bound);
  return shape;
}

/// An Axe layout from the elements of a tensor to the places that hold them, by Triton's names: in
/// the given shape, by default that of the other side, else the extents of its shard.
Result<View> holders(const Side& side, const Side* other, const DecideOptions& options) {
  std::optional<std::vector<Int>> shape = options.shape;
  if (!shape && other != nullptr) {
    shape = elements_of(*other);
    if (shape->empty() || !known_equal(product_of(*shape), side.view.size())) shape.reset();
  }
  HEDDLE_TRY(View box, boxed(side.layout, side.view, shape));
  const bool has_lanes = other != nullptr && other->view.system == System::kLinear;
  return with_place_names(std::move(box), has_lanes ? System::kLinear : System::kCuteTv);
}

Result<View> turned(Reading reading, const Side& side, const Side* other,
                    const DecideOptions& options) {
  if (!is_turned(reading, side.view, other == nullptr ? nullptr : &other->view)) return side.view;
  HEDDLE_TRY(View view, backwards(reading, side, other, options));
  HEDDLE_TRY(view, converse(task_of(side, std::move(view), System::kTable, options)));
  if (reading == Reading::kMemory) return view;
  view = in_order_of_places(std::move(view));
  view.system = System::kLinear;
  return view;
}

/// Turns digits of element numbers into digits of the elements' coordinates in a tile.
class TileCutter {
 public:
  explicit TileCutter(std::span<const Int> tile) : tile_(tile), reached_(tile.size(), Int(0)) {
    Int weight = 1;
    for (const Int& size : tile) {
      weights_.push_back(weight);
      weight *= size;
    }
  }

  /// nullopt if a digit is not known to stay within one index, or to split evenly.
  std::optional<std::vector<form::Digit>> cut(std::span<const form::Digit> digits) {
    std::vector<form::Digit> result;
    for (const form::Digit& digit : digits) {
      if (!cut(digit.extent, digit.stride.front(), result)) return std::nullopt;
    }
    return result;
  }

  /// Whether no sum of digits carries from one index into the next.
  [[nodiscard]] bool is_exact() const {
    for (std::size_t axis = 0; axis + 1 < tile_.size(); ++axis) {
      if (!known_less(reached_[axis], tile_[axis])) return false;
    }
    return true;
  }

 private:
  bool cut(Int extent, Int stride, std::vector<form::Digit>& result) {
    while (!known_equal(extent, 1)) {
      std::vector<Int> step(tile_.size(), Int(0));
      if (known_equal(stride, 0)) {
        result.push_back({extent, std::move(step)});
        return true;
      }
      const auto axis = axis_of(stride);
      if (!axis || !known_less(0, stride)) return false;
      const Int inner = floor_div(stride, weights_[*axis]);
      const Int& size = tile_[*axis];
      const bool stays = *axis + 1 == tile_.size() || known_at_most(inner * extent, size);
      if (!stays && !known_divides(inner, size)) return false;
      const Int part = stays ? extent : floor_div(size, inner);
      // A part of 1 begins beyond the index, and no later index takes it.
      if (known_equal(part, 1) || !known_divides(part, extent)) return false;
      step[*axis] = inner;
      result.push_back({part, std::move(step)});
      reached_[*axis] += inner * (part - 1);
      extent = floor_div(extent, part);
      stride *= part;
    }
    return true;
  }

  /// The slowest index whose step divides the stride.
  [[nodiscard]] std::optional<std::size_t> axis_of(const Int& stride) const {
    for (std::size_t axis = tile_.size(); axis-- > 0;) {
      if (known_equal(tile_[axis], 1)) continue;
      if (known_divides(weights_[axis], stride)) return axis;
    }
    return std::nullopt;
  }

  std::span<const Int> tile_;
  std::vector<Int> weights_;
  std::vector<Int> reached_;
};

/// The digits of a thread-value layout as steps in coordinates of the tile.
std::optional<StridedView> cut_digits_at(const View& view, std::span<const Int> tile) {
  if (!view.strided || !known_equal(view.strided->offset.front(), 0)) return std::nullopt;
  TileCutter cutter(tile);
  StridedView strided;
  for (const std::vector<form::Digit>& mode : view.strided->modes) {
    auto digits = cutter.cut(mode);
    if (!digits) return std::nullopt;
    strided.modes.push_back(*std::move(digits));
  }
  if (!cutter.is_exact()) return std::nullopt;
  strided.offset.assign(tile.size(), Int(0));
  return strided;
}

/// Coordinates in the tile instead of the number of an element in it; the last index takes numbers
/// outside the tile.
View in_tile(View view, std::span<const Int> tile) {
  auto strided = cut_digits_at(view, tile);
  view.axes.clear();
  view.bounds.assign(tile.begin(), tile.end());
  for (std::size_t i = 0; i < tile.size(); ++i) view.axes.emplace_back(fmt::format("dim{}", i));
  if (strided) return with_digits(std::move(view), *std::move(strided));
  view.strided.reset();
  view.bits.reset();
  view.relation.reset();
  view.evaluate = [tile = std::vector<Int>(tile.begin(), tile.end()), evaluate = view.evaluate](
                      std::span<const Int> point, const Int& copy) {
    std::vector<Int> image;
    Int rest = evaluate(point, copy).front();
    for (std::size_t i = 0; i + 1 < tile.size(); ++i) {
      image.push_back(mod(rest, tile[i]));
      rest = floor_div(rest, tile[i]);
    }
    image.push_back(rest);
    return image;
  };
  return view;
}

/// Replaces elements of a tile by their coordinates in it, if the other side has as many indices.
void cut_tiles(const Side& a, const Side& b, View& left, View& right) {
  const auto cut = [](const Side& side, View& view, std::size_t other) {
    const std::vector<Int> tile = tile_of(side.layout);
    if (view.axes.size() == 1 && tile.size() > 1 && tile.size() == other) {
      view = in_tile(std::move(view), tile);
    }
  };
  const auto indices = [](const Side& side, const View& view) {
    return std::max(tile_of(side.layout).size(), view.axes.size());
  };
  const std::size_t of_left = indices(a, left);
  const std::size_t of_right = indices(b, right);
  cut(a, left, of_right);
  cut(b, right, of_left);
}

// ---- Places ----

/// The view with one more extent, of 1.
View with_extent(View view, const std::string& name) {
  const std::size_t rank = view.extents.size();
  view.extents.emplace_back(1);
  view.names.push_back(name);
  if (view.strided) view.strided->modes.emplace_back();
  view.relation.reset();
  view.evaluate = [rank, evaluate = view.evaluate](std::span<const Int> point, const Int& copy) {
    return evaluate(point.first(rank), copy);
  };
  return view;
}

/// The view with these names in this order; missing ones are added.
View with_names(View view, std::span<const std::string> names) {
  std::vector<std::size_t> order;
  for (const std::string& name : names) {
    if (!has_name(view, name)) view = with_extent(std::move(view), name);
  }
  for (const std::string& name : names) {
    const auto found = std::ranges::find(view.names, name);
    order.push_back(static_cast<std::size_t>(found - view.names.begin()));
  }
  return reordered(view, order);
}

bool has_all_names(const View& view, const View& of) {
  return std::ranges::all_of(of.names,
                             [&](const std::string& name) { return has_name(view, name); });
}

std::vector<std::string> all_names(const View& a, const View& b) {
  std::vector<std::string> names = a.names;
  for (const std::string& name : b.names) {
    if (!has_name(a, name)) names.push_back(name);
  }
  return names;
}

/// Gives the places of both sides the same names: Triton's, or threads and values.
Result<void> name_places(const Side& a, const Side& b, View& left, View& right,
                         const DecideOptions& options) {
  const bool are_places = names_places(left) && names_places(right);
  const auto has_threads = [](const View& view) {
    return is_thread_value(view) || has_name(view, "thread");
  };
  const auto is_either = [](const View& view) {
    return is_thread_value(view) || names_places(view);
  };
  const bool by_thread =
      is_either(left) && is_either(right) && (has_threads(left) || has_threads(right));
  if (by_thread) {
    if (names_places(left)) {
      HEDDLE_TRY(left, by_threads(a, left, options));
    }
    if (names_places(right)) {
      HEDDLE_TRY(right, by_threads(b, right, options));
    }
    for (View* side : {&left, &right}) side->names = {"thread", "value"};
    for (View* side : {&left, &right}) side->system = System::kCuteTv;
  } else if (are_places) {
    const std::vector<std::string> names = all_names(left, right);
    left = with_names(std::move(left), names);
    right = with_names(std::move(right), names);
  } else {
    // Coordinates that are axes of an Axe layout keep their names.
    if (a.view.system == System::kAxe && has_all_names(right, left)) {
      left = with_names(std::move(left), right.names);
    } else if (b.view.system == System::kAxe && has_all_names(left, right)) {
      right = with_names(std::move(right), left.names);
    }
    return {};
  }
  left.order = form::FlatOrder::kFirstFastest;
  right.order = form::FlatOrder::kFirstFastest;
  return {};
}

/// The elements of both sides at a place; outside their boxes there are none.
class Holdings {
 public:
  Holdings(const View& a, const View& b) : a_(flat_map(a)), b_(flat_map(b)) {}

  [[nodiscard]] Witness at(std::span<const Int> point) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < point.size(); ++i) {
      texts.push_back(fmt::format("{}={}", a_.names[i], to_string(point[i])));
    }
    return {fmt::format("({})", fmt::join(texts, ", ")), held(a_, point), held(b_, point)};
  }

  /// The first place where the two differ; a place that only one side has counts as a difference.
  [[nodiscard]] std::optional<Witness> first_difference(std::span<const Int> box) const {
    for (std::int64_t flat = 0; flat < product_of(box).value(); ++flat) {
      Witness witness = at(point_of(box, form::FlatOrder::kFirstFastest, flat));
      if (witness.found != witness.wanted) return witness;
    }
    return std::nullopt;
  }

 private:
  static std::string held(const FlatMap& map, std::span<const Int> point) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!known_less(point[i], map.extents[i])) return "nothing";
    }
    return map.image_text(flat_of(map.extents, map.order, point).value());
  }

  FlatMap a_;
  FlatMap b_;
};

/// The first place where boxes of numbers differ; if they are too large to compare, or map to other
/// axes, the first place past the end of the smaller one.
std::optional<Witness> difference_of_places(const View& a, const View& b, std::size_t name,
                                            std::int64_t max_points) {
  std::vector<Int> box;
  for (std::size_t i = 0; i < a.extents.size(); ++i) {
    box.push_back(max(a.extents[i], b.extents[i]));
  }
  const Int size = product_of(box);
  if (!size.is_constant()) return std::nullopt;
  const Holdings holdings(a, b);
  if (a.axes == b.axes && size.value() <= max_points) return holdings.first_difference(box);
  std::vector<Int> point(a.extents.size(), Int(0));
  point[name] = min(a.extents[name], b.extents[name]);
  return holdings.at(point);
}

/// The first name of which one side has more places.
std::optional<Verdict> different_places(const View& a, const View& b,
                                        const DecideOptions& options) {
  for (std::size_t i = 0; i < a.extents.size(); ++i) {
    const Condition same{a.extents[i], Predicate::kEqual, b.extents[i]};
    if (known(same)) continue;
    const std::string sizes =
        fmt::format("{} and {}", to_string(a.extents[i]), to_string(b.extents[i]));
    const std::string text = fmt::format("the sizes of {} differ: {}", a.names[i], sizes);
    if (same.left.is_constant() && same.right.is_constant()) {
      return Verdict::no(text, difference_of_places(a, b, i, options.max_points));
    }
    const Verdict verdict = prove(same);
    if (verdict.is_no()) return Verdict::no(text, verdict.counterexample());
    return Verdict::unknown(fmt::format("the sizes of {} may differ: {}", a.names[i], sizes));
  }
  return std::nullopt;
}

// ---- Pairs ----

/// For elements -> threads on both sides: gives them the same axes if they count threads
/// differently.
void name_threads(View& a, View& b) {
  if (!has_thread_axis(a) || !has_thread_axis(b)) return;
  if (std::ranges::is_permutation(a.axes, b.axes)) return;
  a = with_place_names(std::move(a), System::kCuteTv);
  b = with_place_names(std::move(b), System::kCuteTv);
}

Result<ReadPair> by_owners(const Side& a, const Side& b, const DecideOptions& options) {
  ReadPair pair{a.view, b.view, {}, {}};
  if (a.view.system == System::kAxe && b.view.system == System::kAxe) {
    name_threads(pair.a, pair.b);
    return pair;
  }
  HEDDLE_TRY(pair.a, turned(Reading::kOwnership, a, &b, options));
  HEDDLE_TRY(pair.b, turned(Reading::kOwnership, b, &a, options));
  HEDDLE_CHECK(name_places(a, b, pair.a, pair.b, options));
  cut_tiles(a, b, pair.a, pair.b);
  const bool are_linear = a.view.system == System::kLinear && b.view.system == System::kLinear;
  // Dims of two linear layouts are matched by name.
  const bool has_same_axes = pair.a.axes.size() == pair.b.axes.size();
  if (has_same_axes && !are_linear) pair.b.axes = pair.a.axes;
  if (names_places(pair.a) && pair.a.names == pair.b.names) {
    pair.places = different_places(pair.a, pair.b, options);
    pair.remark = direction_text(pair.a);
  }
  const auto has_no_tile = [](const View& view, const View& other) {
    return view.system == System::kCute && is_thread_value(view) && view.axes.size() == 1 &&
           other.axes.size() > 1;
  };
  if (has_no_tile(a.view, pair.b) || has_no_tile(b.view, pair.a)) {
    pair.remark += "; without a tile elements are counted column-major";
  }
  return pair;
}

/// The view without indices of one value, which inverted layouts lose.
Result<View> without_idle_extents(const View& view) {
  std::vector<Int> shape;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    if (known_equal(view.extents[i], 1)) continue;
    shape.push_back(view.extents[i]);
    names.push_back(view.names[i]);
  }
  if (shape.empty() || shape.size() == view.extents.size()) return view;
  HEDDLE_TRY(View result, reshaped(view, shape));
  result.names = std::move(names);
  return result;
}

Result<ReadPair> by_addresses(const Side& a, const Side& b, const DecideOptions& options) {
  ReadPair pair{a.view, b.view, {}, {}};
  HEDDLE_TRY(pair.a, turned(Reading::kMemory, a, &b, options));
  HEDDLE_TRY(pair.b, turned(Reading::kMemory, b, &a, options));
  const bool is_any_turned =
      is_turned(Reading::kMemory, a.view, &b.view) || is_turned(Reading::kMemory, b.view, &a.view);
  for (View* view : {&pair.a, &pair.b}) {
    if (!is_any_turned || view->takes_any_shape) continue;
    HEDDLE_TRY(*view, without_idle_extents(*view));
  }
  if (is_turned(Reading::kMemory, a.view, &b.view)) pair.remark = direction_text(pair.a);
  if (is_turned(Reading::kMemory, b.view, &a.view)) pair.remark = direction_text(pair.b);
  for (View* view : {&pair.a, &pair.b}) {
    if (is_any_turned && view->system == System::kAxe) {
      *view = with_place_names(std::move(*view), System::kLinear);
    }
  }
  const bool has_same_axes = pair.a.axes.size() == pair.b.axes.size();
  const bool shares_names =
      std::ranges::find_first_of(pair.a.axes, pair.b.axes) != pair.a.axes.end();
  if (has_same_axes && !shares_names && a.view.system != b.view.system) pair.b.axes = pair.a.axes;
  return pair;
}

}  // namespace

bool is_thread_value(const View& view) {
  const bool is_cute = view.system == System::kCuteTv || view.system == System::kCute;
  return is_cute && view.extents.size() == 2;
}

bool is_turned(Reading reading, const View& view, const View* other) {
  if (reading == Reading::kOwnership) {
    return view.system == System::kAxe && (other == nullptr || other->system != System::kAxe);
  }
  if (reading != Reading::kMemory || view.system != System::kLinear) return false;
  const bool is_other_way =
      other == nullptr || other->system != System::kLinear || leads_to_offset(*other);
  return is_other_way && !leads_to_offset(view);
}

Result<View> backwards(Reading reading, const Side& side, const Side* other,
                       const DecideOptions& options) {
  if (reading == Reading::kOwnership) return holders(side, other, options);
  return side.view;
}

Result<View> by_threads(const Side& side, const View& view, const DecideOptions& options) {
  return thread_values_of_places(task_of(side, view, System::kCuteTv, options));
}

std::string_view name(Reading reading) { return kReadings[static_cast<std::size_t>(reading)]; }

std::optional<Reading> find_reading(std::string_view name) {
  const auto found = std::ranges::find(kReadings, name);
  if (found == kReadings.end()) return std::nullopt;
  return static_cast<Reading>(found - kReadings.begin());
}

bool names_places(const View& view) {
  return std::ranges::any_of(view.names, is_thread_name) || has_name(view, "register");
}

bool names_offset(const View& view) { return has_name(view, "offset"); }

bool has_thread_axis(const View& view) {
  const axe::AxisTable table = axe::AxisTable::hardware();
  return std::ranges::any_of(
      view.axes, [&](const Axis& axis) { return table.kind(axis) == axe::AxisKind::kThread; });
}

Result<ReadPair> read_as(Reading reading, const Side& a, const Side& b,
                         const DecideOptions& options) {
  switch (reading) {
    case Reading::kOwnership:
      return by_owners(a, b, options);
    case Reading::kMemory:
      return by_addresses(a, b, options);
    case Reading::kLiteral:
      break;
  }
  return ReadPair{a.view, b.view, {}, {}};
}

Result<View> read_as(Reading reading, const Side& side, const DecideOptions& options) {
  return turned(reading, side, nullptr, options);
}

Reading usual_reading(const View& a, const View& b) {
  const auto is_written_out = [](const View& view) {
    return view.system == System::kTable || view.system == System::kRelation;
  };
  if (a.system == b.system || is_written_out(a) || is_written_out(b)) return Reading::kLiteral;
  // Shared memory has blocks besides its offset, which are places too; so addresses are tried
  // first.
  const auto stores = [](const View& view) {
    return view.system == System::kLinear && names_offset(view);
  };
  if (stores(a) || stores(b)) return Reading::kMemory;
  const auto owns = [](const View& view) {
    const bool is_places = view.system == System::kLinear && names_places(view);
    const bool is_axe = view.system == System::kAxe && has_thread_axis(view);
    return is_places || is_axe || is_thread_value(view);
  };
  return owns(a) && owns(b) ? Reading::kOwnership : Reading::kLiteral;
}

}  // namespace heddle::map
