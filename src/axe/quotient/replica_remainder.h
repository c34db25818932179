#pragma once

// Replica lists as sums of sets: the iters U with U + K = P, where the target P and the known K are
// replica lists on one axis.
//
//   P = {0..15}, K = {0..3}          U = 4:4
//   P = {0,1,2,3,6,7,8,9}, K = {0,1}   U = (2:2, 2:6)

#include <string>
#include <vector>

#include "heddle/axe/layout.h"

namespace heddle::axe {

struct RemainderQuestion {
  /// Both in normal form: positive strides, and all on the axis.
  std::vector<Iter> target;
  std::vector<Iter> known;
  Axis axis = Axis::memory();
  /// U has multiples of this only: U = unit * X for the X that is asked for.
  Int unit = 1;
  /// K lies within [0, unit), so that U is the one set there can be.
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

/// Complete for up to kMaxPlaces points: kNone is a proof. By the lists alone where that answers,
/// else by a search over the sums of progressions, strides ascending, within the set of all u with
/// u + K in P. Undecided where the search takes too many steps.
[[nodiscard]] Remainder remainder(const RemainderQuestion& question);

}  // namespace heddle::axe
