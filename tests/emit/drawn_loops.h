#pragma once

// Random loop nests, and the points that they must visit, in order, by plain enumeration.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emit/drawn_functions.h"
#include "heddle/emit/loops.h"
#include "heddle/map/relations.h"
#include "support/any_layout.h"
#include "support/law.h"
#include "support/random_set.h"

namespace heddle::emit {

using test::Coordinates;

/// The values of the sizes, and what is visited with them: points, each with its image.
struct DrawnRun {
  Coordinates sizes;
  std::vector<Coordinates> visits;
};

struct DrawnLoops {
  map::LoopNest nest;
  std::vector<DrawnRun> runs;
};

/// The rank of a point, by which visits are sorted.
using Rank = std::function<Coordinates(const Coordinates& point, const Coordinates& image)>;

struct DrawnOrder {
  map::LoopOptions options;
  Rank rank;
};

[[nodiscard]] inline DrawnOrder order_of_images() {
  map::LoopOptions options;
  options.order = map::LoopOrder::kImage;
  return {options, [](const Coordinates& point, const Coordinates& image) {
            Coordinates rank = image;
            rank.insert(rank.end(), point.begin(), point.end());
            return rank;
          }};
}

/// Of points of so many dimensions; ties are broken by the points.
[[nodiscard]] inline DrawnOrder drawn_order(test::Random& random, std::size_t dimensions,
                                            bool has_images) {
  const auto lexicographic = [](const Coordinates& point, const Coordinates& image) {
    Coordinates rank = point;
    rank.insert(rank.end(), image.begin(), image.end());
    return rank;
  };
  const std::int64_t kind = random.between(0, has_images ? 4 : 3);
  if (kind == 0) return {{}, lexicographic};
  if (kind == 4) return order_of_images();
  if (kind == 3) {
    // A schedule: a skewed or halved coordinate first.
    std::vector<std::int64_t> factors;
    std::string sum = "0";
    std::string names;
    for (std::size_t i = 0; i < dimensions; ++i) {
      factors.push_back(random.between(-2, 2));
      sum += fmt::format(" + {}*x{}", factors.back(), i);
      names += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
    }
    const std::int64_t divisor = random.between(1, 3);
    map::LoopOptions options;
    options.order = map::IntegerRelation::parse(
                        fmt::format("{{ [{}] -> [floor(({})/{})] }}", names, sum, divisor))
                        .value();
    return {options,
            [factors, divisor, lexicographic](const Coordinates& point, const Coordinates& image) {
              std::int64_t all = 0;
              for (std::size_t i = 0; i < point.size(); ++i) all += factors[i] * point[i];
              Coordinates rank = lexicographic(point, image);
              rank.insert(rank.begin(),
                          all >= 0 ? all / divisor : -((divisor - 1 - all) / divisor));
              return rank;
            }};
  }
  map::DimensionOrder order(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) order[i] = i;
  random.shuffle(order);
  map::LoopOptions options;
  options.order = order;
  if (kind == 2) {
    for (std::size_t i = 0; i < dimensions; ++i) options.tile.push_back(random.between(1, 4));
  }
  return {options,
          [order, tile = options.tile](const Coordinates& point, const Coordinates& image) {
            Coordinates rank;
            for (const std::size_t i : order) {
              if (tile.empty() || tile[i] == 1) continue;
              const std::int64_t x = point[i];
              rank.push_back(x >= 0 ? x / tile[i] : -((tile[i] - 1 - x) / tile[i]));
            }
            for (const std::size_t i : order) rank.push_back(point[i]);
            rank.insert(rank.end(), image.begin(), image.end());
            return rank;
          }};
}

[[nodiscard]] inline std::vector<Coordinates> in_order(
    std::vector<std::pair<Coordinates, Coordinates>> visits, const Rank& rank) {
  std::ranges::sort(visits, {}, [&](const auto& visit) { return rank(visit.first, visit.second); });
  std::vector<Coordinates> all;
  for (auto& [point, image] : visits) {
    point.insert(point.end(), image.begin(), image.end());
    all.push_back(std::move(point));
  }
  return all;
}

/// The condition on the points of all parts of a set.
inline void add_condition(std::string& set, const std::string& condition) {
  const std::string with_it = " : " + condition + " and ";
  for (std::size_t at = 0; (at = set.find(" : ", at)) != std::string::npos; at += with_it.size()) {
    set.replace(at, 3, with_it);
  }
}

/// Loops over a set, whose first dimension may end at a size N, and whose second one at bits of the
/// first: bounds are then shifts and masks.
[[nodiscard]] inline DrawnLoops drawn_loops_of_set(test::Random& random) {
  const test::DrawnSet set = test::drawn_set(random);
  const bool is_symbolic = random.chance(30);
  const bool ends_at_bits = set.dimensions > 1 && random.chance(30);
  const bool is_masked = random.chance(50);
  const std::int64_t power = std::int64_t{1} << random.between(1, 3);
  std::string text = set.text();
  if (ends_at_bits) {
    add_condition(text, is_masked ? fmt::format("x1 <= (x0 mod {})", power)
                                  : fmt::format("{}*x1 <= x0", power));
  }
  if (is_symbolic) {
    add_condition(text, "x0 < N");
    text = "[N] -> " + text;
  }
  const auto is_within = [&](const Coordinates& point) {
    if (!ends_at_bits) return true;
    const std::int64_t low_bits = ((point[0] % power) + power) % power;
    return is_masked ? point[1] <= low_bits : power * point[1] <= point[0];
  };
  const DrawnOrder order = drawn_order(random, set.dimensions, false);
  const map::IntegerSet read = map::IntegerSet::parse(text).value();
  auto nest = map::loops(read, order.options);
  if (!nest) throw std::invalid_argument(text + ": " + nest.error().to_string());
  DrawnLoops drawn{*std::move(nest), {}};
  const Coordinates sizes = is_symbolic ? Coordinates{-3, 0, 1, 4, 20} : Coordinates{0};
  for (const std::int64_t size : sizes) {
    std::vector<std::pair<Coordinates, Coordinates>> visits;
    for (const Coordinates& point : set.points()) {
      if (is_within(point) && (!is_symbolic || point[0] < size))
        visits.emplace_back(point, Coordinates());
    }
    // The condition on N may not be needed.
    drawn.runs.push_back({drawn.nest.sizes.empty() ? Coordinates() : Coordinates{size},
                          in_order(std::move(visits), order.rank)});
  }
  return drawn;
}

/// Loops over a relation or a layout of any system, with the images of its points.
[[nodiscard]] inline std::optional<DrawnLoops> drawn_loops_of_layout(test::Random& random,
                                                                     const map::AnyLayout& layout,
                                                                     bool by_image = false) {
  const auto relation = map::relation(layout);
  if (!relation) return std::nullopt;
  const auto domain = map::domain(*relation);
  const auto count = domain ? map::count(*domain) : Result<Int>(Int::undefined());
  if (!count || !known_at_most(*count, 256)) return std::nullopt;
  const DrawnOrder order =
      by_image ? order_of_images() : drawn_order(random, relation->inputs().size(), true);
  auto nest = map::loops(layout, order.options);
  if (!nest) {
    // isl may take too long to turn bits round, and its numbers may grow.
    const std::string& code = nest.error().code();
    if (code == "relation.gave_up" || code == "overflow") return std::nullopt;
    throw std::invalid_argument(map::to_string(layout) + ": " + nest.error().to_string());
  }
  // The indices of a long chain may grow past the limit of terms.
  const auto text = to_text(*nest, {});
  if (!text && text.error().code() == "overflow") return std::nullopt;
  std::vector<std::pair<Coordinates, Coordinates>> visits;
  const auto points = map::points(*domain).value();
  for (const std::vector<Int>& point : points) {
    const auto numbers = [](const std::vector<Int>& values) {
      Coordinates all;
      for (const Int& value : values) all.push_back(value.value());
      return all;
    };
    const auto images = map::images(*relation, point).value();
    for (const std::vector<Int>& image : images) {
      visits.emplace_back(numbers(point), numbers(image));
    }
  }
  return DrawnLoops{*std::move(nest), {{{}, in_order(std::move(visits), order.rank)}}};
}

/// A list of values over a view of two dimensions.
[[nodiscard]] inline map::AnyLayout drawn_values(test::Random& random) {
  const std::int64_t rows = random.between(1, 4);
  const std::int64_t columns = random.between(2, 5);
  std::vector<std::int64_t> values(static_cast<std::size_t>(rows * columns));
  std::iota(values.begin(), values.end(), 0);
  random.shuffle(values);
  return test::layout_of_text(fmt::format("GroupBy([{},{}]).OrderBy(GenP([{}],[{}]))", rows,
                                          columns, values.size(), fmt::join(values, ",")));
}

/// A swizzled tile whose rows begin at blocks of the swizzle, or fill them.
[[nodiscard]] inline map::AnyLayout drawn_swizzled_tile(test::Random& random) {
  const std::int64_t bits = random.between(1, 3);
  const std::int64_t base = random.between(0, 2);
  const bool is_left = bits == 1 && base == 0 && random.chance(50);
  const std::int64_t shift = is_left ? -random.between(1, 3) : random.between(bits, 4);
  const std::int64_t block = std::int64_t{1} << (bits + base + (is_left ? -shift : 0));
  const bool fills = random.chance(40);
  const std::int64_t columns =
      fills ? std::int64_t{1} << random.between(0, 4) : random.between((block + 15) / 16, block);
  const std::int64_t rows = fills ? 16 * random.between(1, 2) : random.between(1, 8);
  const std::int64_t leading = fills ? columns : 2 * block * random.between(1, 2);
  const std::string tile = random.chance(50)
                               ? fmt::format("({},{}):({},1)", rows, columns, leading)
                               : fmt::format("({},{}):(1,{})", columns, rows, leading);
  return test::layout_of_text(
      fmt::format("Sw<{},{},{}> o {} o {}", bits, base, shift, block * random.between(0, 2), tile));
}

/// Loops in the order of the images of such layouts.
[[nodiscard]] inline std::vector<DrawnLoops> drawn_loops_by_image(
    map::AnyLayout (*draw)(test::Random&), int count) {
  std::vector<DrawnLoops> all;
  test::Random random(test::property_seed());
  for (int i = 0; i < count; ++i) {
    auto drawn = drawn_loops_of_layout(random, draw(random), true);
    if (drawn) all.push_back(*std::move(drawn));
  }
  return all;
}

/// Loops over sets, and over layouts of every system and relations.
[[nodiscard]] inline std::vector<DrawnLoops> drawn_loops(int count) {
  using Draw = map::AnyLayout (*)(test::Random&);
  constexpr Draw kDraws[] = {drawn_cute, drawn_composed, drawn_linear,
                             drawn_axe,  drawn_lego,     drawn_relation};
  std::vector<DrawnLoops> all;
  test::Random random(test::property_seed());
  for (int i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      all.push_back(drawn_loops_of_set(random));
      continue;
    }
    const Draw draw = kDraws[static_cast<std::size_t>(i / 2) % std::size(kDraws)];
    for (int trial = 0; trial < 8; ++trial) {
      auto drawn = drawn_loops_of_layout(random, draw(random));
      if (!drawn) continue;
      all.push_back(*std::move(drawn));
      break;
    }
  }
  return all;
}

}  // namespace heddle::emit
