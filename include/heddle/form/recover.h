#pragma once

// Recovering a strided layout from a function alone, with shape and strides both unknown.
//
// Let f be given on [0, E) with f(0) = 0. Write G(m) = f(m) - f(m-1) for the divisors 0 < m < E of
// E. If f is a layout whose levels (products of leading extents) are 1 = p0 | p1 | … , then G(m)
// depends only on which levels divide m, so its Moebius transform
//
//   C(d) = sum over m dividing d of moebius(d/m) * G(m)
//
// vanishes except at the levels, and there it is the jump of the difference. So the levels are 1
// and every d < E with C(d) != 0; they must form a chain of divisors. Extents are ratios of
// successive levels, the strides follow from fastest to slowest by d0 = C(1), d(i) = C(p(i)) +
// (e(i-1)) * d(i-1), and evaluating f against the result settles the matter.
//
//   f = 0 24 48 9 33 57      C(1) = 24, C(2) = 0, C(3) = 9 - 48 - 24 = -63
//                            levels 1, 3; strides 24 and -63 + 3*24 = 9:     (3,2):(24,9)
//
// This solves what seed 000, section 3.5 leaves open; it is seed 002, Theorem A.8 read as an
// algorithm. The result is the coalesced layout, the shortest one with this function.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/form/digit_form.h"

namespace heddle::form {

/// f(c): the coordinate on each axis of a point c.
using Sampler = std::function<std::vector<std::int64_t>(std::int64_t)>;

/// Domains up to this size are verified at every point.
inline constexpr std::int64_t kMaxVerified = std::int64_t{1} << 20;

/// The digits, fastest first, of the coalesced layout with the function `f` on [0, extent); none
/// for an extent of 1. The extent must be at least 1, every sample have `axes` entries, and f(0) be
/// 0.
///
/// Refuses `recover.no_layout` (with the first coordinate at which no layout can go on, where there
/// is one) and `recover.too_large` past kMaxVerified points.
/// Cost: two evaluations for each divisor of the extent, then one for each point.
[[nodiscard]] Result<std::vector<Digit>> recover(std::int64_t extent, std::size_t axes,
                                                 const Sampler& f);

/// A point at which no layout on [0, extent) can go on: the step changes there, but not at a new
/// level.
struct Obstacle {
  std::int64_t point = 0;
  std::vector<std::int64_t> found;
  std::vector<std::int64_t> wanted;
  std::string why;
};

/// The first obstacle among the first `limit` points: read from 0, a layout may change its step
/// only at a divisor of the extent that is a multiple of the level before. Nothing means: no
/// obstacle there.
[[nodiscard]] std::optional<Obstacle> find_obstacle(std::int64_t extent, std::size_t axes,
                                                    const Sampler& f,
                                                    std::int64_t limit = kMaxVerified);

}  // namespace heddle::form
