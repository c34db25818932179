#include "heddle/form/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace heddle::form {
namespace {

using Vector = std::vector<std::int64_t>;

// Sums of a few hundred products of 64-bit values and extents of up to 2^20 fit into 128 bits, so
// that no intermediate result can overflow.
__extension__ using Wide = __int128;
using WideVector = std::vector<Wide>;

/// A digit in the making, in plain numbers.
struct Run {
  std::int64_t extent = 1;
  Vector stride;
};

std::vector<Digit> to_digits(const std::vector<Run>& runs) {
  std::vector<Digit> digits;
  for (const Run& run : runs)
    digits.push_back({run.extent, {run.stride.begin(), run.stride.end()}});
  return digits;
}

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

std::string to_text(const Vector& v) {
  if (v.size() == 1) return std::to_string(v.front());
  return fmt::format("({})", fmt::join(v, ","));
}

template <class Element>
void add_multiple(WideVector& target, Wide factor, const std::vector<Element>& v) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += factor * v[i];
}

/// The same numbers in 64 bits; nothing where one does not fit.
std::optional<Vector> narrow(const WideVector& wide) {
  Vector narrow;
  for (const Wide value : wide) {
    if (value < std::numeric_limits<std::int64_t>::min() ||
        value > std::numeric_limits<std::int64_t>::max()) {
      return std::nullopt;
    }
    narrow.push_back(static_cast<std::int64_t>(value));
  }
  return narrow;
}

/// The value of the digits at a point, the last one running on; nothing past 64 bits.
std::optional<Vector> evaluate(const std::vector<Run>& digits, std::size_t axes,
                               std::int64_t point) {
  WideVector value(axes, 0);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool last = i + 1 == digits.size();
    add_multiple(value, last ? point : point % digits[i].extent, digits[i].stride);
    point /= digits[i].extent;
  }
  return narrow(value);
}

/// C(d) for every divisor d < extent, by definition.
std::map<std::int64_t, WideVector> level_jumps(std::int64_t extent, std::size_t axes,
                                               const Sampler& f) {
  std::vector<std::int64_t> proper = divisors(extent);
  proper.pop_back();
  std::map<std::int64_t, WideVector> differences;
  for (const std::int64_t m : proper) {
    WideVector difference(axes, 0);
    add_multiple(difference, 1, f(m));
    add_multiple(difference, -1, f(m - 1));
    differences.emplace(m, std::move(difference));
  }
  std::map<std::int64_t, WideVector> jumps;
  for (const std::int64_t d : proper) {
    WideVector jump(axes, 0);
    for (const std::int64_t m : proper) {
      if (d % m == 0) add_multiple(jump, moebius(d / m), differences.at(m));
    }
    jumps.emplace(d, std::move(jump));
  }
  return jumps;
}

/// The only digits that can have the function, or nothing where the levels form no chain.
std::optional<std::vector<Run>> candidate(std::int64_t extent, std::size_t axes, const Sampler& f) {
  const auto jumps = level_jumps(extent, axes, f);
  std::vector<std::int64_t> levels;
  for (const auto& [level, jump] : jumps) {
    const bool jumps_here = std::ranges::any_of(jump, [](Wide x) { return x != 0; });
    if (level != 1 && !jumps_here) continue;
    if (!levels.empty() && level % levels.back() != 0) return std::nullopt;
    levels.push_back(level);
  }
  std::vector<Run> digits;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::int64_t next = i + 1 < levels.size() ? levels[i + 1] : extent;
    WideVector stride = jumps.at(levels[i]);
    if (i > 0) add_multiple(stride, digits.back().extent, digits.back().stride);
    std::optional<Vector> fitting = narrow(stride);
    if (!fitting) return std::nullopt;
    digits.push_back({next / levels[i], *std::move(fitting)});
  }
  return digits;
}

bool has_function(const std::vector<Run>& digits, std::int64_t extent, std::size_t axes,
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
    return to_digits(*digits);
  }
  const std::optional<Obstacle> obstacle = find_obstacle(extent, axes, f);
  if (!obstacle) return refuse("recover.no_layout", "no strided layout has this function");
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
  std::vector<Run> digits;
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
