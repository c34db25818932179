#include "heddle/form/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/text.h"
#include "form/recovery.h"

namespace heddle::form {
namespace {

// Refusals.

Refusal no_layout(std::string message, const Obstacle& obstacle) {
  return refuse(Diagnostic("recover.no_layout", std::move(message))
                    .with_witness({std::to_string(obstacle.point), point_text(obstacle.found),
                                   point_text(obstacle.wanted)}));
}

/// Refuses: f on [0, extent) has no layout; `where` names the domain: "on 12 points", "in mode 1".
Refusal no_strided(std::int64_t extent, const Sampler& f, const std::string& where) {
  const std::optional<Obstacle> obstacle = find_obstacle(extent, f(0).size(), f);
  if (!obstacle) {
    return refuse(
        "recover.no_layout",
        fmt::format(
            "no strided layout {} has this function: no layout has its steps at the divisors of {}",
            where, extent));
  }
  return no_layout(fmt::format("no strided layout {} has this function: the steps before {} do "
                               "not give the value there, and {}",
                               where, obstacle->point, obstacle->why),
                   *obstacle);
}

// Modes.

/// f along one mode of the box, with the other coordinates 0.
Sampler along(const Sampler& f, std::int64_t step) {
  return [&f, step](std::int64_t index) { return f(index * step); };
}

/// `(1,0,2)`.
std::string place_text(std::span<const std::int64_t> shape, std::int64_t flat) {
  Vector point;
  for (const std::int64_t extent : shape) {
    point.push_back(flat % extent);
    flat /= extent;
  }
  return point_text(point);
}

/// The sum f(i,0,…) + f(0,j,…) + … less the offsets counted twice, as text.
std::string sum_text(std::span<const std::int64_t> shape, const Sampler& f, std::int64_t flat) {
  Vector terms;
  std::string text;
  int count = 0;
  std::int64_t step = 1;
  for (const std::int64_t extent : shape) {
    const std::int64_t index = flat / step % extent;
    if (index != 0) {
      text += (count++ == 0 ? "" : " + ") + point_text(f(index * step));
    }
    step *= extent;
  }
  const std::string origin = point_text(f(0));
  for (int i = 1; i < count; ++i) text += " - " + origin;
  return text;
}

/// Refuses: the modes do not add up to f.
Refusal no_sum(std::span<const std::int64_t> shape, const StridedMap& candidate, const Sampler& f,
               std::int64_t flat) {
  const std::string point = place_text(shape, flat);
  return refuse(Diagnostic("recover.no_layout",
                           fmt::format("no layout compatible with {} has this function: its modes "
                                       "add up to {} at {}, where the value is {}",
                                       point_text(shape), sum_text(shape, f, flat), point,
                                       point_text(f(flat))))
                    .with_witness(witness_at(point, flat, f, candidate)));
}

}  // namespace

std::vector<Digit> StridedMap::digits() const {
  std::vector<Digit> all;
  for (const std::vector<Digit>& mode : modes) all.insert(all.end(), mode.begin(), mode.end());
  return all;
}

std::optional<std::vector<std::int64_t>> value_at(const StridedMap& map, std::int64_t flat) {
  return value_of(map.digits(), map.offset, flat);
}

Result<StridedMap> recover_strided(std::int64_t extent, std::size_t axes, const Sampler& f,
                                   const RecoverStridedOptions& options) {
  const std::string where = fmt::format("on {}", counted(extent, "point"));
  auto digits = digits_of(samples_of(extent, 1, f), axes);
  if (!digits) return no_strided(extent, f, where);
  StridedMap map{{*std::move(digits)}, f(0)};
  HEDDLE_TRY(const CandidateCheck comparison, compare(map, f, options));
  if (comparison.is_equal) return map;
  if (extent <= options.max_points) return no_strided(extent, f, where);
  return no_candidate(map, comparison, f,
                      fmt::format("no strided layout {} has this function: the only one with its "
                                  "steps at the divisors differs from it",
                                  where));
}

Result<StridedMap> recover_compatible(std::span<const std::int64_t> shape, std::size_t axes,
                                      const Sampler& f, const RecoverStridedOptions& options) {
  if (shape.size() == 1) return recover_strided(shape.front(), axes, f, options);
  StridedMap map{{}, f(0)};
  std::int64_t step = 1;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    auto digits = digits_of(samples_of(shape[mode], step, f), axes);
    if (!digits) return no_strided(shape[mode], along(f, step), fmt::format("of mode {}", mode));
    map.modes.push_back(*std::move(digits));
    step *= shape[mode];
  }
  HEDDLE_TRY(const CandidateCheck comparison, compare(map, f, options));
  if (comparison.is_equal) return map;
  // A mode that has no layout is a better reason than a sum that is wrong.
  step = 1;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    const Sampler line = along(f, step);
    if (find_obstacle(shape[mode], axes, line)) {
      return no_strided(shape[mode], line, fmt::format("of mode {}", mode));
    }
    step *= shape[mode];
  }
  if (comparison.difference) return no_sum(shape, map, f, *comparison.difference);
  return no_candidate(
      map, comparison, f,
      fmt::format("no layout compatible with {} has this function", point_text(shape)));
}

Result<std::vector<Digit>> recover(std::int64_t extent, std::size_t axes, const Sampler& f) {
  HEDDLE_TRY(StridedMap map, recover_strided(extent, axes, f));
  return std::move(map.modes.front());
}

std::optional<Obstacle> find_obstacle(std::int64_t extent, std::size_t axes, const Sampler& f,
                                      std::int64_t limit) {
  if (axes == 0) return std::nullopt;
  const Vector offset = f(0);
  std::vector<Digit> digits;
  std::int64_t level = 1;
  for (std::int64_t point = 1; point < std::min(extent, limit); ++point) {
    Vector found = f(point);
    const auto wanted = value_of(digits, offset, point);
    if (!digits.empty() && wanted == found) continue;
    const bool is_level = point % level == 0 && extent % point == 0;
    WideVector step(found.begin(), found.end());
    for (std::size_t i = 0; i < step.size(); ++i) step[i] -= offset[i];
    const std::optional<Vector> stride = narrow(step);
    if (is_level && stride) {
      if (!digits.empty()) digits.back().extent = point / level;
      digits.push_back({1, {stride->begin(), stride->end()}});
      level = point;
      continue;
    }
    std::string why = "the new step does not fit into 64 bits";
    if (extent % point != 0) {
      why = fmt::format("a new step cannot begin there: {} does not divide {}", point, extent);
    } else if (point % level != 0) {
      why = fmt::format(
          "a new step cannot begin there: {} is not a multiple of {}, where the last one began",
          point, level);
    }
    return Obstacle{point, std::move(found), wanted.value_or(Vector(offset.size(), 0)),
                    std::move(why)};
  }
  return std::nullopt;
}

}  // namespace heddle::form
