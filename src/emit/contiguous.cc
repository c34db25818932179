#include "emit/contiguous.h"

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/expr/index_variable.h"

namespace heddle::emit {
namespace {

/// A name that is no variable's.
std::string free_variable(std::string name, const Int& value) {
  const std::vector<std::string> taken = variables(value);
  while (std::ranges::find(taken, name) != taken.end()) name += '_';
  return name;
}

/// The coordinate runs from 0 to a multiple of the width.
bool is_in_whole_runs(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  const auto& [low, end] = function.guard.box[coordinate];
  const std::vector<CodeExpression>& ends = function.guard.ends.results;
  return low && end && known_equal(ends[*low].value(), 0) &&
         known_divides(width, ends[*end].value());
}

/// The only place, as a result of the kernel.
std::size_t place_of(const MapFunction& function) {
  return function.map.branches.front().results.front();
}

/// By normal forms: the place at width*q + r is r further on than that at width*q.
bool is_run_by_form(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  const Int place = function.map.kernel.results[place_of(function)].value();
  const std::string& name = function.map.parameters[coordinate];
  const std::string run = free_variable("q", place);
  const std::string element = free_variable("r", place);
  const Int end = function.guard.ends.results[*function.guard.box[coordinate].end].value();
  const Int first = width * index_variable(run, floor_div(end, width));
  const Int within = Int::variable(element, 0, width - 1);
  const auto there = instantiate(place, {{name, first + within}});
  const auto here = instantiate(place, {{name, first}});
  return here && there && known({*there, Predicate::kEqual, *here + within});
}

/// Few enough to try them all.
constexpr std::int64_t kMostTried = 8192;

/// The ends of a box from 0 to numbers that has few points.
std::optional<std::vector<std::int64_t>> small_box(const MapFunction& function) {
  std::vector<std::int64_t> ends;
  Int points = 1;
  for (const auto& [low, end] : function.guard.box) {
    if (!low || !end || !known_equal(function.guard.ends.results[*low].value(), 0)) return {};
    const Int& extent = function.guard.ends.results[*end].value();
    if (!extent.is_constant()) return {};
    ends.push_back(extent.value());
    points *= extent;
  }
  return known_at_most(points, kMostTried) ? std::optional(ends) : std::nullopt;
}

/// The next point of the box; the first one behind the last.
void advance(std::vector<std::int64_t>& point, const std::vector<std::int64_t>& ends) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (++point[i] < ends[i]) return;
    point[i] = 0;
  }
}

/// By trying all points of a small box: what normal forms do not say of XOR.
bool is_run_by_trial(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  const auto ends = small_box(function);
  if (!ends) return false;
  const auto place_at = [&](const std::vector<std::int64_t>& point) {
    Bindings bindings;
    for (std::size_t i = 0; i < point.size(); ++i) bindings[function.map.parameters[i]] = point[i];
    return evaluate(function.map.kernel, bindings)[place_of(function)];
  };
  std::vector<std::int64_t> point(ends->size());
  do {
    const std::int64_t within = point[coordinate] % width;
    std::vector<std::int64_t> first = point;
    first[coordinate] -= within;
    if (within != 0 && !known_equal(place_at(point), place_at(first) + within)) return false;
    advance(point, *ends);
  } while (std::ranges::any_of(point, [](std::int64_t c) { return c != 0; }));
  return true;
}

}  // namespace

std::optional<ContiguousCoordinate> contiguous_coordinate(const MapFunction& function) {
  if (function.map.branches.size() != 1 || !function.guard.inside.branches.empty()) {
    return std::nullopt;
  }
  for (const std::int64_t width : {4, 2}) {
    for (std::size_t i = function.coordinates.size(); i-- > 0;) {
      if (!is_in_whole_runs(function, i, width)) continue;
      if (is_run_by_form(function, i, width) || is_run_by_trial(function, i, width)) {
        return ContiguousCoordinate{i, width};
      }
    }
  }
  return std::nullopt;
}

}  // namespace heddle::emit
