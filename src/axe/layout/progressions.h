#pragma once

// Sets of numbers as sums of progressions: finds a replica list that has given points.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/axe/layout.h"

namespace heddle::axe {

/// Sorted, each number once.
using Points = std::vector<std::int64_t>;

/// The result of the search: iters with these points, a proof that there are none, or neither.
struct Progressions {
  bool is_complete = true;
  std::optional<std::vector<Iter>> iters;
};

/// Iters on the axis, with positive strides, whose sums are exactly these numbers, the first one 0.
/// Exhaustive as long as the search examines fewer than 2^25 elements of sets.
[[nodiscard]] Progressions progressions(const Points& points, const Axis& axis);
/// Iters whose sums U are in `allowed` and satisfy U + known = target; all three begin with 0.
[[nodiscard]] Progressions progressions(const Points& target, const Points& known,
                                        const Points& allowed, const Axis& axis);

// ---- Replica lists as sums of sets ----
//
// The iters U with U + K = P, where the target P and the known K are replica lists on one axis.
//
//   P = {0..15}, K = {0..3}          U = 4:4
//   P = {0,1,2,3,6,7,8,9}, K = {0,1}   U = (2:2, 2:6)

struct RemainderQuestion {
  /// Both in normal form: positive strides, and all on the axis.
  std::vector<Iter> target;
  std::vector<Iter> known;
  Axis axis = Axis::memory();
  /// U must consist of multiples of this: U = unit * X for the wanted X.
  Int unit = 1;
  /// K is within [0, unit), so that U is the only possible set.
  bool is_unique = false;
};

enum class Outcome : std::uint8_t { kFound, kNone, kUndecided };

struct Remainder {
  Outcome outcome = Outcome::kUndecided;
  /// U, for kFound.
  std::vector<Iter> iters = {};
  /// Why there is none, or why it is not known.
  std::string why = {};
  /// For kNone: no set U at all, of iters or not.
  bool is_for_any_set = false;
};

/// Complete for up to kMaxPlaces points: kNone is a proof. Uses the lists alone if these decide,
/// otherwise a search over the sums of progressions, strides ascending, within the set of all u
/// with u + K in P. Undecided if the search takes too many steps.
[[nodiscard]] Remainder remainder(const RemainderQuestion& question);

}  // namespace heddle::axe
