#include "emit/contiguous.h"

#include <algorithm>
#include <string>

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
  const std::vector<Expression>& ends = function.guard.ends.results;
  return low && end && known_equal(ends[*low].value(), 0) &&
         known_divides(width, ends[*end].value());
}

/// The place at width*q + r is r further on than that at width*q.
bool is_run(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  const Int place = function.map.kernel.results[function.map.branches.front().results[0]].value();
  const std::string& name = function.map.parameters[coordinate];
  const std::string run = free_variable("q", place);
  const std::string element = free_variable("r", place);
  const Int end = function.guard.ends.results[*function.guard.box[coordinate].end].value();
  const Int first = width * index_variable(run, floor_div(end, width));
  const Int within = Int::variable(element, 0, width - 1);
  const auto there = instantiate(place, {{name, first + within}});
  const auto here = instantiate(place, {{name, first}});
  return here && there && known({*there, Relation::kEqual, *here + within});
}

}  // namespace

std::optional<ContiguousCoordinate> contiguous_coordinate(const MapFunction& function) {
  if (function.map.branches.size() != 1 || !function.guard.inside.branches.empty()) {
    return std::nullopt;
  }
  for (const std::int64_t width : {4, 2}) {
    for (std::size_t i = function.coordinates.size(); i-- > 0;) {
      if (is_in_whole_runs(function, i, width) && is_run(function, i, width)) {
        return ContiguousCoordinate{i, width};
      }
    }
  }
  return std::nullopt;
}

}  // namespace heddle::emit
