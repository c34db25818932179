#pragma once

// Recovering a strided layout from a function alone, with shape and strides both unknown.
//
// Let f be given on [0, E). Write G(m) = f(m) - f(m-1) for the divisors 0 < m < E of E. If f is an
// offset and a layout whose levels (products of leading extents) are 1 = p0 | p1 | … , then G(m)
// depends only on which levels divide m, so its Moebius transform
//
//   C(d) = sum over m dividing d of moebius(d/m) * G(m)
//
// vanishes except at the levels, and there it is the jump of the difference. So the levels are 1
// and every d < E with C(d) != 0; they must form a chain of divisors. Extents are ratios of
// successive levels, the strides follow from fastest to slowest by d0 = C(1), d(i) = C(p(i)) +
// (e(i-1)) * d(i-1), and comparing f with the result decides.
//
//   f = 0 24 48 9 33 57      C(1) = 24, C(2) = 0, C(3) = 9 - 48 - 24 = -63
//                            levels 1, 3; strides 24 and -63 + 3*24 = 9:     (3,2):(24,9)
//
// This solves what seed 000, section 3.5 leaves open; it is seed 002, Theorem A.8 read as an
// algorithm. The result is the coalesced layout, the shortest one with this function. If more is
// known, fewer evaluations are needed: with a known shape, one for each mode; for a layout
// compatible with a shape, each mode is recovered by itself.
//
// The candidate takes two evaluations for each divisor, so sizes up to 2^62 are no obstacle. Small
// domains are then verified at every point; for large ones the caller has to verify, who may know
// how f is made.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/form/digit_form.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// f(c): the coordinate on each axis of a point c.
using Sampler = std::function<std::vector<std::int64_t>(std::int64_t)>;

/// Domains up to this size are verified at every point.
inline constexpr std::int64_t kMaxVerified = std::int64_t{1} << 20;

/// An offset and the digits of each mode of a box, mode 0 and digit 0 fastest; all are constants.
struct StridedMap {
  std::vector<std::vector<Digit>> modes;
  std::vector<std::int64_t> offset;

  /// The digits of all modes, fastest first.
  [[nodiscard]] std::vector<Digit> digits() const;
  friend bool operator==(const StridedMap&, const StridedMap&) = default;
};

/// The coordinates of the point with this flat index; nullopt if one exceeds 64 bits.
[[nodiscard]] std::optional<std::vector<std::int64_t>> value_at(const StridedMap& map,
                                                                std::int64_t flat);

/// The options of all functions that recover a map.
template <class Map>
struct RecoverOptions {
  /// Decides without evaluating every point whether f is this map; nullopt if it cannot. Called
  /// first, so that f is evaluated only where it leaves the question open.
  std::function<std::optional<bool>(const Map&)> verify;
  /// Domains up to this size may be evaluated.
  std::int64_t max_points = kMaxVerified;
  /// Called periodically with the number of evaluations; false gives up.
  std::function<bool(std::int64_t)> keep_going;
};
using RecoverStridedOptions = RecoverOptions<StridedMap>;

// All refuse `recover.no_layout` (with a coordinate that shows it, if found the first at which no
// layout can continue), `recover.too_large` if the candidate cannot be verified, and
// `recover.gave_up`. Extents must be at least 1, their product at most 2^62, and every sample has
// `axes` entries. A box is numbered by one flat index, mode 0 fastest.

/// The offset and the coalesced layout of f on [0, extent), one mode.
/// Cost: two evaluations for each divisor of the extent, and the verification.
[[nodiscard]] Result<StridedMap> recover_strided(std::int64_t extent, std::size_t axes,
                                                 const Sampler& f,
                                                 const RecoverStridedOptions& options = {});

/// The layout whose shape refines the given one: each mode is coalesced by itself.
///
///   f on 4 x 4 = 0 1 2 3 4 5 6 7 …       (4,4):(1,4), where recover_strided finds 16:1
///
/// It exists exactly if every mode has a layout and f(i,j,…) - f(0,0,…) is the sum of what the
/// modes add alone. Cost: as recover_strided for each mode.
[[nodiscard]] Result<StridedMap> recover_compatible(std::span<const std::int64_t> shape,
                                                    std::size_t axes, const Sampler& f,
                                                    const RecoverStridedOptions& options = {});

/// The layout with exactly these extents, one digit for each mode (strides of extents 1 are 0):
/// seed 000, Algorithm 2. Cost: one evaluation for each mode, and the verification.
[[nodiscard]] Result<StridedMap> recover_with_shape(std::span<const std::int64_t> shape,
                                                    std::size_t axes, const Sampler& f,
                                                    const RecoverStridedOptions& options = {});

/// The layout with exactly these strides, each one number for each axis, fastest first: seed 000,
/// Algorithm 3. Strides may have any sign and may be zero; a mode that the function does not need
/// has extent 1. If several shapes fit, the one with the most modes of extent above 1; of
/// consecutive strides 0 the first takes all. Refuses `recover.strides` if f is a layout, but none
/// with these strides.
///
///   f = 0 1 2 3 8 9 10 11, strides 1 2 8     (2,2,2)       strides 1 8     (4,2)
[[nodiscard]] Result<StridedMap> recover_with_strides(
    std::int64_t extent, std::span<const std::vector<std::int64_t>> strides, const Sampler& f,
    const RecoverStridedOptions& options = {});

/// The digits, fastest first, of the coalesced layout with the function `f` on [0, extent), where
/// f(0) must be 0; empty for an extent of 1. Refusals and cost are those of recover_strided().
[[nodiscard]] Result<std::vector<Digit>> recover(std::int64_t extent, std::size_t axes,
                                                 const Sampler& f);

/// A point past which no layout on [0, extent) can continue: the steps before it do not give the
/// value there, and a new step cannot begin there, because the point is not a new level.
struct Obstacle {
  std::int64_t point = 0;
  std::vector<std::int64_t> found;
  std::vector<std::int64_t> wanted;
  std::string why;
};

/// The first obstacle among the first `limit` points: read from 0, a layout may change its step
/// only at a divisor of the extent that is a multiple of the level before. nullopt if there is no
/// obstacle there.
[[nodiscard]] std::optional<Obstacle> find_obstacle(std::int64_t extent, std::size_t axes,
                                                    const Sampler& f,
                                                    std::int64_t limit = kMaxVerified);

}  // namespace heddle::form
#pragma GCC visibility pop
