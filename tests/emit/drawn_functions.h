#pragma once

// Random layouts of every system as functions, with what plain evaluation of the layouts gives at
// every point of their domain and at points beside it.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/emit/map_function.h"
#include "heddle/emit/print.h"
#include "heddle/map/any_layout.h"
#include "support/formula.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"

namespace heddle::emit {

using test::Random;

struct DrawnFunction {
  std::string text;
  MapFunction function;
  std::vector<test::Point> points;
  /// The places of each point; nothing outside of the domain.
  std::vector<std::optional<test::Point>> places;
  /// No two points have one place.
  bool is_injective = true;
};

// ---- Layouts ----

[[nodiscard]] inline map::AnyLayout drawn_cute(Random& random) {
  return to_layout(test::any_layout(random, 48));
}

[[nodiscard]] inline map::AnyLayout drawn_composed(Random& random) {
  if (random.chance(30)) {
    const cute::Layout outer = to_layout(test::positive_layout(random, 48));
    return cute::ComposedLayout::make(outer, IntTuple(random.between(0, 9)),
                                      to_layout(test::positive_layout(random, 48)))
        .value();
  }
  const int bits = static_cast<int>(random.between(1, 3));
  const int base = static_cast<int>(random.between(0, 2));
  const int shift = static_cast<int>(random.between(bits, 4));
  const auto swizzle = cute::Swizzle::make(bits, base, random.chance(70) ? shift : -shift);
  return cute::ComposedLayout::make(*swizzle, random.chance(70) ? 0 : random.between(0, 40),
                                    to_layout(test::positive_layout(random, 48)))
      .value();
}

[[nodiscard]] inline map::AnyLayout drawn_linear(Random& random) {
  return test::any_linear(random, 6);
}

[[nodiscard]] inline map::AnyLayout drawn_axe(Random& random) {
  test::AxeKind kind;
  kind.max_size = 36;
  kind.swizzles = random.chance(30);
  return test::any_axe(random, kind);
}

[[nodiscard]] inline map::AnyLayout drawn_lego(Random& random) {
  test::LegoKind kind;
  kind.max_size = 48;
  kind.expanded = random.chance(20);
  return test::to_layout(test::any_lego(random, kind));
}

[[nodiscard]] inline std::string drawn_relation_text(Random& random) {
  const auto n = random.between(2, 14);
  const auto m = random.between(2, 6);
  const auto a = random.between(-4, 5);
  const auto b = random.between(-4, 9);
  const auto low = random.chance(30) ? random.between(-5, 3) : 0;
  switch (random.between(0, 5)) {
    case 0:
      return fmt::format("{{ [c] -> [({}c + {}) mod {}] : 0 <= c < {} }}", a, b, n, n);
    case 1: {
      const std::vector<std::string> conditions = {"", " and j <= i", " and i + j < 5",
                                                   " and (i + j) mod 2 = 0", " and 2i >= j + 1"};
      return fmt::format("{{ [i, j] -> [{}i + {}j + {}] : {} <= i < {} and 0 <= j < {}{} }}", a, b,
                         low, low, low + n, m, random.one_of(conditions));
    }
    case 2:
      return fmt::format("{{ [c] -> [floor(c/{0}), c mod {0}] : {1} <= c < {2} }}", m, low,
                         low + 2 * n);
    case 3:
      return fmt::format("{{ [c] -> [{}c] : {} <= c < {}; [c] -> [{} - c] : {} <= c < {} }}", a,
                         low, low + m, b, low + m, low + m + n);
    case 4:
      return fmt::format(
          "{{ [i, j] -> [row = i + j, column = i - j] : 0 <= i < {} and {} <= j < {} }}", m, low,
          low + m);
    default:
      return fmt::format(
          "{{ [c] -> [{}*floor(c/{}) + {}*(c mod {}) + ((c + {}) mod {})] : {} <= c < {} }}", a, m,
          b, m, random.between(0, 5), random.between(2, 5), low, low + 2 * n);
  }
}

[[nodiscard]] inline map::AnyLayout drawn_relation(Random& random) {
  auto relation = map::IntegerRelation::parse(drawn_relation_text(random)).value();
  while (!map::domain_bounds(relation)) {
    relation = map::IntegerRelation::parse(drawn_relation_text(random)).value();
  }
  return relation;
}

// ---- Plain evaluation ----

/// All points of the box, and for each of its sides one beside it.
[[nodiscard]] inline std::vector<test::Point> points_around(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& box) {
  std::vector<test::Point> points(1);
  for (const auto& [low, end] : box) {
    std::vector<test::Point> longer;
    for (const test::Point& point : points) {
      for (std::int64_t c = low; c < end; ++c) {
        longer.push_back(point);
        longer.back().push_back(c);
      }
    }
    points = std::move(longer);
  }
  const test::Point first = points.front();
  const test::Point last = points.back();
  for (std::size_t i = 0; i < box.size(); ++i) {
    points.push_back(first);
    points.back()[i] = box[i].first - 1;
    points.push_back(last);
    points.back()[i] = box[i].second;
  }
  return points;
}

[[nodiscard]] inline std::vector<Int> as_ints(std::span<const std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

[[nodiscard]] inline test::Point as_numbers(std::span<const Int> values) {
  test::Point numbers;
  for (const Int& value : values) numbers.push_back(value.value());
  return numbers;
}

inline void add_points_of_relation(DrawnFunction& drawn, const map::IntegerRelation& relation) {
  std::vector<std::pair<std::int64_t, std::int64_t>> box;
  const auto bounds = map::domain_bounds(relation);
  for (const auto& [low, high] : *bounds) {
    box.emplace_back(low.value(), high.value() + 1);
  }
  drawn.points = points_around(box);
  for (const test::Point& point : drawn.points) {
    const auto images = map::images(relation, as_ints(point)).value();
    drawn.places.push_back(images.empty() ? std::nullopt
                                          : std::optional(as_numbers(images.front())));
  }
}

inline void add_points_of_view(DrawnFunction& drawn, const map::AnyLayout& layout) {
  map::View view = map::view(layout).value();
  if (const auto* axe = std::get_if<axe::Layout>(&layout)) {
    std::vector<Int> shape;
    for (const axe::Iter& iter : axe->shard()) shape.push_back(iter.extent);
    if (shape.empty()) shape.emplace_back(1);
    view = map::reshaped(view, shape).value();
  }
  const auto* lego = std::get_if<lego::Layout>(&layout);
  const bool has_holes = lego != nullptr && lego->expansion();
  const bool has_copies = !view.is_function();
  std::vector<std::pair<std::int64_t, std::int64_t>> box;
  for (const Int& extent : view.extents) box.emplace_back(0, extent.value());
  if (has_copies) box.emplace_back(0, view.copies.value());
  drawn.points = points_around(box);
  for (const test::Point& point : drawn.points) {
    bool is_inside = true;
    for (std::size_t i = 0; i < box.size(); ++i) {
      is_inside = is_inside && box[i].first <= point[i] && point[i] < box[i].second;
    }
    if (!is_inside) {
      drawn.places.emplace_back();
      continue;
    }
    const std::vector<Int> all = as_ints(point);
    const auto own = std::span(all).first(view.extents.size());
    test::Point place = as_numbers(view.evaluate(own, has_copies ? all.back() : Int(0)));
    const bool is_hole = has_holes && place.front() < 0;
    drawn.places.push_back(is_hole ? std::nullopt : std::optional(std::move(place)));
  }
}

[[nodiscard]] inline DrawnFunction drawn_function(const map::AnyLayout& layout,
                                                  Dialect dialect = Dialect::kC) {
  MapFunctionOptions options;
  options.target = usual_target(dialect);
  auto function = map_function(layout, options);
  if (!function)
    throw std::invalid_argument(map::to_string(layout) + ": " + function.error().to_string());
  DrawnFunction drawn{map::to_string(layout), *std::move(function), {}, {}, true};
  if (const auto* relation = std::get_if<map::IntegerRelation>(&layout)) {
    add_points_of_relation(drawn, *relation);
  } else {
    add_points_of_view(drawn, layout);
  }
  std::set<test::Point> seen;
  for (const auto& place : drawn.places) {
    if (place && !seen.insert(*place).second) drawn.is_injective = false;
  }
  return drawn;
}

/// Who draws layouts of each system.
struct Source {
  std::string name;
  map::AnyLayout (*draw)(Random&);
};
inline const std::vector<Source>& sources() {
  static const std::vector<Source> all = {
      {"cute", drawn_cute}, {"composed", drawn_composed}, {"linear", drawn_linear},
      {"axe", drawn_axe},   {"lego", drawn_lego},         {"relation", drawn_relation},
  };
  return all;
}

/// That many functions of layouts of one system.
[[nodiscard]] inline std::vector<DrawnFunction> drawn_functions(const Source& source, int count,
                                                                Dialect dialect = Dialect::kC) {
  std::vector<DrawnFunction> all;
  for (int i = 0; i < count; ++i) {
    Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    all.push_back(drawn_function(source.draw(random), dialect));
  }
  return all;
}

/// The inverse is there exactly where there is one.
inline void expect_inverse(const DrawnFunction& drawn) {
  EXPECT_EQ(drawn.function.inverse.has_value(), drawn.is_injective)
      << drawn.text
      << (drawn.function.inverse ? "" : "\n" + drawn.function.inverse.error().to_string());
}

}  // namespace heddle::emit
