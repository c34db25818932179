// Ownership or memory compared place by place: used if one of the two layouts cannot be inverted.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "axe/layout/iters.h"
#include "expr/numbers_text.h"
#include "map/reading/read_as.h"
#include "map/view/flat_map.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

using Numbers = std::vector<std::int64_t>;

/// One pair of a layout: the value (an element, an address) at a key (a place, a coordinate).
struct Entry {
  /// Slowest index first, so that entries are sorted in the order of the coordinates.
  Numbers key;
  Numbers value;

  friend auto operator<=>(const Entry&, const Entry&) = default;
};

std::optional<std::vector<Int>> all_bounds(const View& view) {
  std::vector<Int> bounds;
  for (const auto& bound : view.bounds) {
    if (!bound) return std::nullopt;
    bounds.push_back(*bound);
  }
  return bounds;
}

/// All entries of two sides: one maps keys to values, the other values to keys.
class Entries {
 public:
  Entries(const View& forwards, const View& backwards, bool by_name)
      : forwards_(forwards), backwards_(backwards) {
    if (by_name) {
      names_ = forwards.names;
      for (const Axis& axis : backwards.axes) {
        if (std::ranges::find(names_, axis.name()) == names_.end()) names_.push_back(axis.name());
      }
      return;
    }
    const auto bounds = all_bounds(backwards);
    keeps_coordinates_ = bounds && are_equal(*bounds, forwards.extents);
  }

  [[nodiscard]] std::optional<std::vector<Entry>> of_forwards() const {
    return entries_of(forwards_, [&](const auto& point, const auto& image) {
      return entry(named(point, forwards_.names),
                   flat_of(forwards_.extents, forwards_.order, point), point, coordinates(image));
    });
  }
  [[nodiscard]] std::optional<std::vector<Entry>> of_backwards() const {
    const std::vector<std::string> axes = names_of(backwards_.axes);
    const auto bounds = all_bounds(backwards_);
    return entries_of(backwards_, [&](const auto& point, const auto& image) {
      const Int flat =
          bounds ? flat_of(*bounds, form::FlatOrder::kFirstFastest, image) : image.front();
      return entry(named(image, axes), flat, image, std::optional(point));
    });
  }

  [[nodiscard]] std::string key_text(Numbers key) const {
    std::ranges::reverse(key);
    if (names_.empty()) return point_text(key);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < key.size(); ++i) {
      texts.push_back(fmt::format("{}={}", names_[i], key[i]));
    }
    return fmt::format("({})", fmt::join(texts, ", "));
  }

 private:
  using Point = std::vector<Int>;

  template <class Make>
  static std::optional<std::vector<Entry>> entries_of(const View& view, Make make) {
    std::vector<Entry> entries;
    for (std::int64_t flat = 0; flat < view.size().value(); ++flat) {
      const Point point = point_of(view.extents, view.order, flat);
      for (std::int64_t copy = 0; copy < view.copies.value(); ++copy) {
        auto entry = make(point, view.evaluate(point, copy));
        if (!entry) return std::nullopt;
        entries.push_back(*std::move(entry));
      }
    }
    axe::sort_once(entries);
    return entries;
  }

  /// The coordinates by name; without names if they are matched by position.
  [[nodiscard]] Point named(const Point& numbers, std::span<const std::string> names) const {
    Point result(names_.size(), Int(0));
    if (names_.empty()) return result;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto found = std::ranges::find(names_, names[i]);
      result[static_cast<std::size_t>(found - names_.begin())] = numbers[i];
    }
    return result;
  }

  [[nodiscard]] std::optional<Entry> entry(const Point& by_name, const Int& flat,
                                           const Point& coordinates,
                                           const std::optional<Point>& value) const {
    Point key = !names_.empty() ? by_name : keeps_coordinates_ ? coordinates : Point{flat};
    std::ranges::reverse(key);
    auto keys = constants(key);
    auto values = value ? constants(*value) : std::nullopt;
    if (!keys || !values) return std::nullopt;
    return Entry{*std::move(keys), *std::move(values)};
  }

  /// A value of one side as a coordinate of the other; the last index takes numbers outside.
  [[nodiscard]] std::optional<Point> coordinates(const Point& image) const {
    const std::vector<Int>& box = backwards_.extents;
    if (image.size() == box.size()) return image;
    const auto bounds = all_bounds(forwards_);
    if (image.size() > 1 && !bounds) return std::nullopt;
    Int rest =
        image.size() == 1 ? image.front() : flat_of(*bounds, form::FlatOrder::kFirstFastest, image);
    Point result;
    for (std::size_t i = 0; i + 1 < box.size(); ++i) {
      result.push_back(mod(rest, box[i]));
      rest = floor_div(rest, box[i]);
    }
    result.push_back(rest);
    return result;
  }

  const View& forwards_;
  const View& backwards_;
  std::vector<std::string> names_;
  bool keeps_coordinates_ = false;
};

/// The values at a key, of entries that begin there.
std::string values_text(std::span<const Entry> entries, const Numbers& key) {
  std::vector<std::string> texts;
  for (const Entry& entry : entries) {
    if (entry.key != key) break;
    texts.push_back(point_text(entry.value));
  }
  if (texts.empty()) return "nothing";
  return texts.size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ", "));
}

/// The witness for the first key at which the two differ.
std::optional<Witness> first_difference(std::span<const Entry> a, std::span<const Entry> b,
                                        const Entries& all) {
  const auto [x, y] = std::ranges::mismatch(a, b);
  if (x == a.end() && y == b.end()) return std::nullopt;
  const bool is_of_a = y == b.end() || (x != a.end() && x->key <= y->key);
  const Numbers key = is_of_a ? x->key : y->key;
  const auto from = [&](std::span<const Entry> entries) {
    const auto begin = std::ranges::lower_bound(entries, key, {}, &Entry::key);
    return entries.subspan(static_cast<std::size_t>(begin - entries.begin()));
  };
  return Witness{all.key_text(key), values_text(from(a), key), values_text(from(b), key)};
}

bool is_listed(const View& view, std::int64_t max_points) {
  const Int points = view.size() * view.copies;
  return points.is_constant() && points.value() <= max_points;
}

/// Gives the places of both sides the same names: Triton's, or threads and values if one side has
/// these.
Result<void> name_alike(const Side& side, View& forwards, View& backwards,
                        const DecideOptions& options) {
  const auto thread = std::ranges::find(backwards.axes, Axis("thread"));
  const bool has_thread = std::ranges::find(forwards.names, "thread") != forwards.names.end();
  const bool by_thread = is_thread_value(forwards) || thread != backwards.axes.end() || has_thread;
  if (!by_thread) return {};
  if (!is_thread_value(forwards)) {
    HEDDLE_TRY(forwards, by_threads(side, forwards, options));
  }
  forwards.names = {"thread", "value"};
  std::ranges::replace(backwards.axes, Axis("register"), Axis("value"));
  return {};
}

}  // namespace

Verdict equal_by_places(Reading reading, const Side& a, const Side& b,
                        const DecideOptions& options) {
  const bool turns_a = is_turned(reading, a.view, &b.view);
  const Side& other = turns_a ? b : a;
  auto backwards_view = backwards(reading, turns_a ? a : b, &other, options);
  if (!backwards_view) return Verdict::unknown(backwards_view.error().message());
  View forwards = other.view;
  const bool by_name = reading == Reading::kOwnership;
  if (by_name) {
    const auto named = name_alike(other, forwards, *backwards_view, options);
    if (!named) return Verdict::unknown(named.error().message());
  }
  if (!is_listed(forwards, options.max_points) || !is_listed(*backwards_view, options.max_points)) {
    return Verdict::unknown("too many places to look at each, or sizes that are not numbers");
  }
  const Entries all(forwards, *backwards_view, by_name);
  const auto of_forwards = all.of_forwards();
  const auto of_backwards = all.of_backwards();
  if (!of_forwards || !of_backwards) return Verdict::unknown("values that are not numbers");
  const auto witness = turns_a ? first_difference(*of_backwards, *of_forwards, all)
                               : first_difference(*of_forwards, *of_backwards, all);
  if (witness) return Verdict::no("evaluation", witness);
  return Verdict::yes(fmt::format("evaluated all {} places", of_forwards->size()));
}

}  // namespace heddle::map
