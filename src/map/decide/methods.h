#pragma once

// How decisions are made: a claim about one or two maps, and the methods that may settle it. Each
// method says yes or no, or unknown with the reason why it does not apply.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/verdict.h"
#include "heddle/map/decide.h"
#include "map/view/flat_map.h"

namespace heddle::map {

/// The reading by which equal() compares the two: the one asked for, literal if they are equal as
/// they are, else the one that suits them.
[[nodiscard]] Reading reading_of(const AnyLayout& a, const AnyLayout& b,
                                 const DecideOptions& options);

enum class Question : std::uint8_t {
  kEqual,
  kInjective,
  kOnto,
  kContiguous,
  kDisjoint,
  kMeetAtZero,
  kCovers,
  kWithin,
  kInvolution,
};

struct Claim {
  Question question = Question::kEqual;
  FlatMap a;
  /// The other map, for kEqual, kDisjoint, kMeetAtZero (no image but 0 is one of both) and kCovers
  /// (every image of b is one of a).
  std::optional<FlatMap> b;
  /// For kOnto: the images are the box of these sizes, one per axis.
  std::vector<Int> sizes;
  /// For kWithin.
  Int low;
  Int high;
  /// For kEqual: both sides have the same points.
  bool same_points = true;

  [[nodiscard]] bool is_constant() const;
  /// Whether every map has a single copy of each point.
  [[nodiscard]] bool is_function() const;
};

/// Decides by digits: exact for strided layouts of any size, with a swizzle if it does not matter.
[[nodiscard]] Verdict by_digits(const Claim& claim);
/// Decides by bits: exact for layouts over bits of any size.
[[nodiscard]] Verdict by_bits(const Claim& claim);
/// Evaluates every point; of larger maps some points, which may show a no.
[[nodiscard]] Verdict by_points(const Claim& claim, const DecideOptions& options);
/// Decides by ranges and normal forms of the maps at symbolic points, then by Z3.
[[nodiscard]] Verdict by_solver(const Claim& claim, const DecideOptions& options);
/// Decides by isl (isl/decide.cc).
[[nodiscard]] Verdict by_isl(const Claim& claim, const DecideOptions& options);

/// Decides for relations that are no functions on a box, with points as the relations have them;
/// the maps of the claim are not used.
[[nodiscard]] Verdict by_relations(const Claim& claim, const IntegerRelation& a,
                                   const std::optional<IntegerRelation>& b,
                                   const DecideOptions& options);

/// Unknown, because the limits are over.
[[nodiscard]] Verdict given_up(const Limits& limits);

// ---- Witnesses ----

/// The point at which the two sides differ.
[[nodiscard]] Witness difference_at(const Claim& claim, std::int64_t flat);
/// The point x of `x_map`, which has an image in common with y of `y_map`.
[[nodiscard]] Witness collision_at(const FlatMap& x_map, std::int64_t x, const FlatMap& y_map,
                                   std::int64_t y);
/// The text for an image that must be below `limit`: `at most 3`.
[[nodiscard]] std::string below_text(const Int& limit);
/// The point, whose image should be `wanted`.
[[nodiscard]] Witness outside_at(const FlatMap& map, std::int64_t flat, std::string wanted);
/// The point at which f(f(x)) = x fails; if f(x) is no coordinate, with f(x).
[[nodiscard]] Witness not_restored_at(const FlatMap& map, std::int64_t flat);
/// The witness that f(f(x)) = x fails: among the first 2^16 points the first failure before a point
/// whose image is outside [0, size), else `out`.
[[nodiscard]] Verdict first_not_restored(const FlatMap& map, Verdict out);
/// An image that no point has.
[[nodiscard]] Witness not_met(std::span<const std::int64_t> image);

}  // namespace heddle::map
