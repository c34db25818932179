#include "heddle/form/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "heddle/core/exact.h"

namespace heddle::form {
namespace {

using Vector = std::vector<std::int64_t>;

/// The divisors of `number`, ascending.
std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> low;
  std::vector<std::int64_t> high;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    low.push_back(d);
    if (d != number / d) high.push_back(number / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

/// Moebius function: 0 for numbers that a square divides, else (-1)^(number of primes).
int moebius(std::int64_t number) {
  int sign = 1;
  for (std::int64_t p = 2; p * p <= number; ++p) {
    if (number % p != 0) continue;
    number /= p;
    if (number % p == 0) return 0;
    sign = -sign;
  }
  return number > 1 ? -sign : sign;
}

bool is_zero(const Vector& v) {
  return std::ranges::all_of(v, [](std::int64_t x) { return x == 0; });
}

std::string to_text(const Vector& v) {
  if (v.size() == 1) return std::to_string(v.front());
  return fmt::format("({})", fmt::join(v, ","));
}

/// target += factor * v; false past 64 bits.
bool add_multiple(Vector& target, std::int64_t factor, const Vector& v) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    const exact::Value term = exact::multiply(factor, v[i]);
    const exact::Value sum = term ? exact::add(target[i], *term) : std::nullopt;
    if (!sum) return false;
    target[i] = *sum;
  }
  return true;
}

/// The value of the digits at a point, the last one running on; nothing past 64 bits.
std::optional<Vector> evaluate(const std::vector<Digit>& digits, std::size_t axes,
                               std::int64_t point) {
  Vector value(axes, 0);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool last = i + 1 == digits.size();
    const std::int64_t index = last ? point : point % digits[i].extent;
    if (!add_multiple(value, index, digits[i].stride)) return std::nullopt;
    point /= digits[i].extent;
  }
  return value;
}

/// C(d) for every divisor d < extent, by definition.
std::optional<std::map<std::int64_t, Vector>> level_jumps(std::int64_t extent, std::size_t axes,
                                                          const Sampler& f) {
  std::vector<std::int64_t> proper = divisors(extent);
  proper.pop_back();
  std::map<std::int64_t, Vector> differences;
  for (const std::int64_t m : proper) {
    Vector difference = f(m);
    if (!add_multiple(difference, -1, f(m - 1))) return std::nullopt;
    differences.emplace(m, std::move(difference));
  }
  std::map<std::int64_t, Vector> jumps;
  for (const std::int64_t d : proper) {
    Vector jump(axes, 0);
    for (const std::int64_t m : proper) {
      if (d % m != 0) continue;
      if (!add_multiple(jump, moebius(d / m), differences.at(m))) return std::nullopt;
    }
    jumps.emplace(d, std::move(jump));
  }
  return jumps;
}

/// The only digits that can have the function, or nothing where the levels form no chain.
std::optional<std::vector<Digit>> candidate(std::int64_t extent, std::size_t axes,
                                            const Sampler& f) {
  const auto jumps = level_jumps(extent, axes, f);
  if (!jumps) return std::nullopt;
  std::vector<std::int64_t> levels;
  for (const auto& [level, jump] : *jumps) {
    if (level != 1 && is_zero(jump)) continue;
    if (!levels.empty() && level % levels.back() != 0) return std::nullopt;
    levels.push_back(level);
  }
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::int64_t next = i + 1 < levels.size() ? levels[i + 1] : extent;
    Digit digit{next / levels[i], jumps->at(levels[i])};
    if (i > 0 && !add_multiple(digit.stride, digits.back().extent, digits.back().stride)) {
      return std::nullopt;
    }
    digits.push_back(std::move(digit));
  }
  return digits;
}

bool has_function(const std::vector<Digit>& digits, std::int64_t extent, std::size_t axes,
                  const Sampler& f) {
  for (std::int64_t point = 0; point < extent; ++point) {
    if (evaluate(digits, axes, point) != f(point)) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Digit>> recover(std::int64_t extent, std::size_t axes, const Sampler& f) {
  if (extent > kMaxVerified) {
    return refuse("recover.too_large",
                  fmt::format("{} points are too many to verify a recovered layout at "
                              "each of them (at most {})",
                              extent, kMaxVerified));
  }
  if (extent == 1) return std::vector<Digit>{};
  if (auto digits = candidate(extent, axes, f); digits && has_function(*digits, extent, axes, f)) {
    return *std::move(digits);
  }
  const std::optional<Obstacle> obstacle = find_obstacle(extent, axes, f);
  if (!obstacle)
    return refuse("recover.no_layout", "no strided layout has this function within 64 bits");
  return refuse(
      Diagnostic(
          "recover.no_layout",
          fmt::format("no strided layout on {} points has this function: its step changes at "
                      "{}, and {}",
                      extent, obstacle->point, obstacle->why))
          .with_witness({std::to_string(obstacle->point), to_text(obstacle->found),
                         to_text(obstacle->wanted)}));
}

std::optional<Obstacle> find_obstacle(std::int64_t extent, std::size_t axes, const Sampler& f,
                                      std::int64_t limit) {
  std::vector<Digit> digits;
  std::int64_t level = 1;
  for (std::int64_t point = 1; point < std::min(extent, limit); ++point) {
    Vector found = f(point);
    const auto wanted = evaluate(digits, axes, point);
    if (!digits.empty() && wanted == found) continue;
    if (point % level == 0 && extent % point == 0) {
      if (!digits.empty()) digits.back().extent = point / level;
      digits.push_back({1, std::move(found)});
      level = point;
      continue;
    }
    std::string why =
        extent % point != 0
            ? fmt::format("{} does not divide {}", point, extent)
            : fmt::format("{} is no multiple of {}, where the step changed before", point, level);
    return Obstacle{point, std::move(found), wanted.value_or(Vector(axes, 0)), std::move(why)};
  }
  return std::nullopt;
}

}  // namespace heddle::form
