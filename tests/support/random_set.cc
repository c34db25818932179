#include "support/random_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::test {
namespace {

using Kind = DrawnConstraint::Kind;

DrawnConstraint drawn_constraint(Random& random, std::size_t dimensions) {
  DrawnConstraint drawn;
  drawn.kind = random.chance(45)   ? Kind::kAtLeast
               : random.chance(80) ? Kind::kMultiple
                                   : Kind::kEqual;
  for (std::size_t i = 0; i < dimensions; ++i) {
    drawn.coefficients.push_back(random.chance(70) ? random.between(-3, 3) : 0);
  }
  drawn.constant = random.between(-4, 6);
  drawn.divisor = random.between(2, 4);
  return drawn;
}

bool is_in(const DrawnPart& part, const Coordinates& point) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] < part.lows[i] || point[i] > part.highs[i]) return false;
  }
  return std::ranges::all_of(part.constraints,
                             [&](const DrawnConstraint& each) { return each.holds(point); });
}

void add_points(const DrawnSet& set, const Coordinates& lows, const Coordinates& highs,
                Coordinates& point, std::vector<Coordinates>& found) {
  const std::size_t at = point.size();
  if (at == set.dimensions) {
    if (set.holds(point)) found.push_back(point);
    return;
  }
  for (std::int64_t x = lows[at]; x <= highs[at]; ++x) {
    point.push_back(x);
    add_points(set, lows, highs, point, found);
    point.pop_back();
  }
}

}  // namespace

bool DrawnConstraint::holds(const Coordinates& point) const {
  std::int64_t sum = constant;
  for (std::size_t i = 0; i < point.size(); ++i) sum += coefficients[i] * point[i];
  return kind == Kind::kAtLeast ? sum >= 0 : kind == Kind::kEqual ? sum == 0 : sum % divisor == 0;
}

std::string DrawnConstraint::text() const {
  std::string sum = std::to_string(constant);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    sum += fmt::format(" + {}*x{}", coefficients[i], i);
  }
  if (kind == Kind::kMultiple) return fmt::format("({}) mod {} = 0", sum, divisor);
  return sum + (kind == Kind::kAtLeast ? " >= 0" : " = 0");
}

bool DrawnSet::holds(const Coordinates& point) const {
  return std::ranges::any_of(parts, [&](const DrawnPart& part) { return is_in(part, point); });
}

std::string DrawnSet::text() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dimensions; ++i) names.push_back(fmt::format("x{}", i));
  std::vector<std::string> texts;
  for (const DrawnPart& part : parts) {
    std::vector<std::string> conditions;
    for (std::size_t i = 0; i < dimensions; ++i) {
      conditions.push_back(fmt::format("{} <= x{} <= {}", part.lows[i], i, part.highs[i]));
    }
    for (const DrawnConstraint& each : part.constraints) conditions.push_back(each.text());
    texts.push_back(
        fmt::format("[{}] : {}", fmt::join(names, ", "), fmt::join(conditions, " and ")));
  }
  return fmt::format("{{ {} }}", fmt::join(texts, "; "));
}

std::vector<Coordinates> DrawnSet::points() const {
  Coordinates lows = parts.front().lows;
  Coordinates highs = parts.front().highs;
  for (const DrawnPart& part : parts) {
    for (std::size_t i = 0; i < dimensions; ++i) {
      lows[i] = std::min(lows[i], part.lows[i]);
      highs[i] = std::max(highs[i], part.highs[i]);
    }
  }
  std::vector<Coordinates> found;
  Coordinates point;
  add_points(*this, lows, highs, point, found);
  return found;
}

DrawnSet drawn_set(Random& random, std::size_t dimensions, std::int64_t extent) {
  DrawnSet set{dimensions, {}};
  const std::int64_t parts = random.chance(60) ? 1 : random.between(2, 3);
  for (std::int64_t p = 0; p < parts; ++p) {
    DrawnPart& part = set.parts.emplace_back();
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::int64_t low = random.chance(60) ? 0 : random.between(-5, 5);
      part.lows.push_back(low);
      part.highs.push_back(low + random.between(0, extent - 1));
    }
    const std::int64_t constraints = random.between(0, 2);
    for (std::int64_t c = 0; c < constraints; ++c) {
      part.constraints.push_back(drawn_constraint(random, dimensions));
    }
  }
  return set;
}

DrawnSet drawn_set(Random& random) {
  const std::int64_t dimensions = random.between(1, 3);
  return drawn_set(random, static_cast<std::size_t>(dimensions), dimensions == 3 ? 5 : 8);
}

}  // namespace heddle::test
