// The functions that GenP knows by name, each with its inverse.

#include "lego/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/bits.h"
#include "core/text.h"
#include "expr/format.h"
#include "heddle/expr/condition.h"
#include "lego/checks.h"

namespace heddle::lego {
namespace {

using Numbers = std::span<const Int>;
using Point = std::vector<Int>;

/// A tile with the parameters of the name.
struct Call {
  std::string_view name;
  Numbers dims;
  Numbers parameters;

  [[nodiscard]] std::string text() const {
    const BuiltIn named{std::string(name), {parameters.begin(), parameters.end()}};
    return fmt::format("GenP({},{})", to_string(dims), to_string(named));
  }
  [[nodiscard]] Refusal refusal(std::string_view why) const {
    return refuse("lego.genp", "{}: {}", text(), why);
  }
  /// Refuses `lego.genp` with this reason if the condition fails, and `assume.needed` if it is
  /// open.
  [[nodiscard]] Result<void> require(const Condition& condition, const std::string& why) const {
    HEDDLE_TRY(const bool holds, decide_open(condition, [&] { return text(); }));
    if (holds) return {};
    return refusal(why);
  }
  [[nodiscard]] Result<void> require_two_dims() const {
    if (dims.size() == 2) return {};
    return refusal(fmt::format("it is of two dimensions, not {}", dims.size()));
  }
};

struct Definition {
  std::string_view name;
  std::size_t parameters;
  Result<void> (*check)(const Call&);
  Int (*apply)(const Call&, Numbers point);
  Result<Point> (*inv)(const Call&, const Int& flat);
};

Result<void> accept(const Call& /*call*/) { return {}; }

Int power_of_two(std::int64_t exponent) { return shift_left(1, exponent); }

// ---- reverse: N-1-flat, its own inverse digit by digit ----

Int apply_reverse(const Call& call, Numbers point) {
  return product(call.dims) - 1 - flatten(call.dims, point);
}

Result<Point> invert_reverse(const Call& call, const Int& flat) {
  Point point = unflatten(call.dims, flat);
  for (std::size_t i = 0; i < point.size(); ++i) point[i] = call.dims[i] - 1 - point[i];
  return point;
}

// ---- antidiag ----
//
// The antidiagonal i+j = d-1 has d points for d <= n and 2n-d beyond. Before it are 1 + … + (d-1) =
// d(d-1)/2 points; point (i, j) is the i-th of its antidiagonal in the upper half. The lower half
// is the upper one rotated by 180 degrees: (i, j) has the number n*n-1 minus that of (n-1-i,
// n-1-j), which is equivalent to the formula of figure 7. Inversely, d is the number with d(d-1)/2
// <= x < d(d+1)/2, that is (2d-1)^2 <= 8x+1 < (2d+1)^2.

Result<void> check_antidiag(const Call& call) {
  HEDDLE_CHECK(call.require_two_dims());
  HEDDLE_CHECK(call.require({call.dims[0], Predicate::kEqual, call.dims[1]},
                            fmt::format("antidiag is for squares, and {} by {} is not square",
                                        to_string(call.dims[0]), to_string(call.dims[1]))));
  HEDDLE_CHECK(
      check_defined(8 * product(call.dims), [&] { return "8 times the size of " + call.text(); }));
  return {};
}

Int triangle(const Int& rows) { return floor_div(rows * (rows - 1), 2); }

Int apply_antidiag(const Call& call, Numbers point) {
  const Int& n = call.dims[0];
  const Int& i = point[0];
  const Int diagonal = i + point[1] + 1;
  return select({diagonal, Predicate::kAtMost, n}, i + triangle(diagonal),
                n * n - n + i - triangle(2 * n - diagonal));
}

/// The point of the upper half with this number.
Point upper_point(const Int& number) {
  const Int diagonal = floor_div(isqrt(8 * number + 1) + 1, 2);
  const Int i = number - triangle(diagonal);
  return {i, diagonal - 1 - i};
}

Result<Point> invert_antidiag(const Call& call, const Int& flat) {
  const Int& n = call.dims[0];
  const Condition is_upper = {flat, Predicate::kLess, triangle(n + 1)};
  const Point upper = upper_point(flat);
  const Point turned = upper_point(n * n - 1 - flat);
  return Point{select(is_upper, upper[0], n - 1 - turned[0]),
               select(is_upper, upper[1], n - 1 - turned[1])};
}

// ---- morton: a permutation of the bits of the coordinates ----

/// `count` bits of dimension `dimension` from its bit `from` on, at bit `to` of the number.
struct BitRun {
  std::size_t dimension = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

std::vector<BitRun> morton_runs(Numbers dims) {
  std::vector<BitRun> runs;
  std::int64_t to = 0;
  for (std::int64_t from = 0; from < 63; ++from) {
    for (std::size_t dimension = dims.size(); dimension-- > 0;) {
      if (dims[dimension].value() >> from <= 1) continue;
      if (!runs.empty() && runs.back().dimension == dimension) {
        ++runs.back().count;
      } else {
        runs.push_back({dimension, from, to, 1});
      }
      ++to;
    }
  }
  return runs;
}

/// The bits [from, from+count) of a value in [0, below).
Int bits_of(const Int& value, std::int64_t from, std::int64_t count, const Int& below) {
  const Int shifted = floor_div(value, power_of_two(from));
  const bool is_top = power_of_two(from + count) == below;
  return is_top ? shifted : mod(shifted, power_of_two(count));
}

/// Only constants are decided: a symbolic size may be a power of two, but is refused.
Result<void> require_power_of_two(const Call& call, const Int& size) {
  if (size.is_constant() && is_power_of_two(size.value())) return {};
  const std::string_view what =
      size.is_constant() ? "is not a power of two" : "must be a number, a power of two";
  return call.refusal(fmt::format("{} {}", to_string(size), what));
}

Result<void> check_morton(const Call& call) {
  for (const Int& size : call.dims) HEDDLE_CHECK(require_power_of_two(call, size));
  return {};
}

Int apply_morton(const Call& call, Numbers point) {
  Int number = 0;
  for (const BitRun& run : morton_runs(call.dims)) {
    number += bits_of(point[run.dimension], run.from, run.count, call.dims[run.dimension]) *
              power_of_two(run.to);
  }
  return number;
}

Result<Point> invert_morton(const Call& call, const Int& flat) {
  Point point(call.dims.size(), 0);
  for (const BitRun& run : morton_runs(call.dims)) {
    point[run.dimension] +=
        bits_of(flat, run.to, run.count, product(call.dims)) * power_of_two(run.from);
  }
  return point;
}

// ---- xor: the row stays, and j -> j xor (i%C) is its own inverse and stays below C = 2^k ----

Result<void> check_xor(const Call& call) {
  HEDDLE_CHECK(call.require_two_dims());
  return require_power_of_two(call, call.dims[1]);
}

Int apply_xor(const Call& call, Numbers point) {
  const Int& columns = call.dims[1];
  return point[0] * columns + bit_xor(point[1], mod(point[0], columns));
}

Result<Point> invert_xor(const Call& call, const Int& flat) {
  const Int& columns = call.dims[1];
  const Int row = floor_div(flat, columns);
  return Point{row, bit_xor(mod(flat, columns), mod(row, columns))};
}

// ---- swizzle(B,M,S) ----
//
// The bits that are read and those that are written are disjoint, so applying it twice is the
// identity; if the written bits are within the trailing zeros of N, nothing leaves [0, N).

Result<void> check_swizzle(const Call& call) {
  constexpr std::int64_t kMostBits = 62;
  for (const Int& parameter : call.parameters) {
    if (!parameter.is_constant()) return call.refusal("B, M and S are numbers");
  }
  const std::int64_t bits = call.parameters[0].value();
  const std::int64_t base = call.parameters[1].value();
  const std::int64_t shift = call.parameters[2].value();
  const bool is_small = bits >= 0 && bits <= kMostBits && base >= 0 && base <= kMostBits &&
                        shift >= -kMostBits && shift <= kMostBits;
  if (!is_small || bits + base + std::abs(shift) > kMostBits) {
    return call.refusal("B and M are at least 0, and B, M and |S| at most 62 together");
  }
  if (std::abs(shift) < bits) {
    return call.refusal(
        fmt::format("needs |S| >= B: {} bits, shifted by {}, overlap", bits, shift));
  }
  if (bits == 0) return {};
  const Int unit = power_of_two(bits + base + std::max<std::int64_t>(0, -shift));
  return call.require({unit, Predicate::kDivides, product(call.dims)},
                      fmt::format("it turns blocks of {}, which does not divide {}",
                                  to_string(unit), to_string(product(call.dims))));
}

Int swizzled(const Call& call, const Int& flat) {
  const std::int64_t bits = call.parameters[0].value();
  const std::int64_t base = call.parameters[1].value();
  const std::int64_t shift = call.parameters[2].value();
  if (bits == 0) return flat;
  const std::int64_t from = base + std::max<std::int64_t>(0, shift);
  const std::int64_t to = base + std::max<std::int64_t>(0, -shift);
  const Int read = bits_of(flat, from, bits, product(call.dims));
  return bit_xor(flat, read * power_of_two(to));
}

Int apply_swizzle(const Call& call, Numbers point) {
  return swizzled(call, flatten(call.dims, point));
}

Result<Point> invert_swizzle(const Call& call, const Int& flat) {
  return unflatten(call.dims, swizzled(call, flat));
}

// ---- cyclic(a): each row is rotated, and rotating back inverts it ----

Result<void> check_cyclic(const Call& call) {
  HEDDLE_CHECK(call.require_two_dims());
  const Int farthest = product(call.dims) + call.dims[0] * abs(call.parameters[0]);
  HEDDLE_CHECK(check_defined(farthest, [&] { return "the turns of " + call.text(); }));
  return {};
}

Int apply_cyclic(const Call& call, Numbers point) {
  const Int& columns = call.dims[1];
  return point[0] * columns + mod(point[1] + call.parameters[0] * point[0], columns);
}

Result<Point> invert_cyclic(const Call& call, const Int& flat) {
  const Int& columns = call.dims[1];
  const Int row = floor_div(flat, columns);
  return Point{row, mod(flat - call.parameters[0] * row, columns)};
}

// ---- fan(a): multiplication by a unit of the integers modulo N ----

/// a in [0, N), if both are constants.
Int fan_factor(const Call& call) { return mod(call.parameters[0], product(call.dims)); }

Result<void> check_fan(const Call& call) {
  const Int size = product(call.dims);
  const Int common = gcd(call.parameters[0], size);
  HEDDLE_CHECK(
      call.require({common, Predicate::kEqual, 1},
                   fmt::format("{} and {} have the common divisor {}",
                               to_string(call.parameters[0]), to_string(size), to_string(common))));
  HEDDLE_CHECK(
      check_defined(fan_factor(call) * size, [&] { return "the reach of " + call.text(); }));
  return {};
}

Int apply_fan(const Call& call, Numbers point) {
  return mod(fan_factor(call) * flatten(call.dims, point), product(call.dims));
}

/// b with a*b = 1 modulo n, for coprime numbers.
std::int64_t inverse_modulo(std::int64_t a, std::int64_t n) {
  std::int64_t rest = n;
  std::int64_t next = a;
  std::int64_t factor = 0;
  std::int64_t next_factor = 1;
  while (next != 0) {
    const std::int64_t quotient = rest / next;
    rest = std::exchange(next, rest - quotient * next);
    factor = std::exchange(next_factor, factor - quotient * next_factor);
  }
  return factor < 0 ? factor + n : factor;
}

Result<Point> invert_fan(const Call& call, const Int& flat) {
  const Int size = product(call.dims);
  const Int factor = fan_factor(call);
  if (!size.is_constant() || !factor.is_constant()) {
    return refuse("lego.no_inverse",
                  "{}: the inverse of {} modulo {} has no formula; give the GenP one", call.text(),
                  to_string(call.parameters[0]), to_string(size));
  }
  const Int back = inverse_modulo(factor.value(), size.value());
  HEDDLE_CHECK(check_defined(back * size, [&] { return "the inverse of " + call.text(); }));
  return unflatten(call.dims, mod(back * flat, size));
}

// ---- grouped(g) ----
//
// Groups of g rows, one after the other, have g*n points each; only the last may have fewer rows, h
// = min(m - first, g), so group x//(g*n) is the right one for every x. Within a group the points
// are numbered as in the h x n tile column by column.

Result<void> check_grouped(const Call& call) {
  HEDDLE_CHECK(call.require_two_dims());
  HEDDLE_CHECK(call.require(
      {1, Predicate::kAtMost, call.parameters[0]},
      fmt::format("a group has at least 1 row, not {}", to_string(call.parameters[0]))));
  HEDDLE_CHECK(check_defined(call.parameters[0] * call.dims[1] + product(call.dims),
                             [&] { return "the size of a group of " + call.text(); }));
  return {};
}

Int group_height(const Call& call, const Int& first) {
  return min(call.dims[0] - first, call.parameters[0]);
}

Int apply_grouped(const Call& call, Numbers point) {
  const Int& group = call.parameters[0];
  const Int first = floor_div(point[0], group) * group;
  return first * call.dims[1] + point[1] * group_height(call, first) + mod(point[0], group);
}

Result<Point> invert_grouped(const Call& call, const Int& flat) {
  const Int& group = call.parameters[0];
  const Int points = group * call.dims[1];
  const Int first = floor_div(flat, points) * group;
  const Int height = group_height(call, first);
  const Int within = mod(flat, points);
  return Point{first + mod(within, height), floor_div(within, height)};
}

constexpr std::array kDefinitions = {
    Definition{"antidiag", 0, check_antidiag, apply_antidiag, invert_antidiag},
    Definition{"cyclic", 1, check_cyclic, apply_cyclic, invert_cyclic},
    Definition{"fan", 1, check_fan, apply_fan, invert_fan},
    Definition{"grouped", 1, check_grouped, apply_grouped, invert_grouped},
    Definition{"morton", 0, check_morton, apply_morton, invert_morton},
    Definition{"reverse", 0, accept, apply_reverse, invert_reverse},
    Definition{"swizzle", 3, check_swizzle, apply_swizzle, invert_swizzle},
    Definition{"xor", 0, check_xor, apply_xor, invert_xor},
};

const Definition* find_definition(std::string_view name) {
  const auto found = std::ranges::find(kDefinitions, name, &Definition::name);
  return found == kDefinitions.end() ? nullptr : &*found;
}

Call call_of(Numbers dims, const BuiltIn& function) {
  return {function.name, dims, function.parameters};
}

}  // namespace

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const Definition& definition : kDefinitions) names.emplace_back(definition.name);
  return names;
}

Result<void> check_built_in(Numbers dims, const BuiltIn& function) {
  const Call call = call_of(dims, function);
  const Definition* const definition = find_definition(function.name);
  if (definition == nullptr) {
    return refuse(diagnose("lego.genp", "GenP does not know the permutation {}", function.name)
                      .with_hint(fmt::format("it knows {}", fmt::join(built_in_names(), ", "))));
  }
  if (definition->parameters != function.parameters.size()) {
    return call.refusal(fmt::format("{} has {}, not {}", function.name,
                                    counted(definition->parameters, "parameter"),
                                    function.parameters.size()));
  }
  for (const Int& parameter : function.parameters) {
    HEDDLE_CHECK(check_defined(parameter, [&] { return "a parameter of " + function.name; }));
  }
  return definition->check(call);
}

Int apply_built_in(Numbers dims, const BuiltIn& function, Numbers point) {
  return find_definition(function.name)->apply(call_of(dims, function), point);
}

Result<Point> invert_built_in(Numbers dims, const BuiltIn& function, const Int& flat) {
  return find_definition(function.name)->inv(call_of(dims, function), flat);
}

}  // namespace heddle::lego
