#pragma once

// An integer set: the points that meet quasi-affine constraints. The domain of a relation is one,
// and so is its range.
//
//   { [i, j] : 0 <= j <= i < 8 }                          a triangle
//   { [i] : 0 <= i < 20 and i mod 3 = 1 }                 every third number
//   { [i] : 0 <= i < 4; [i] : 8 <= i < 12 }               a union
//   [N] -> { [i, j] : 0 <= i < N and 0 <= j < N }         one for each N
//
//   gaps(range((4,2):(1,8)))                              { [m] : 4 <= m <= 7 }
//   image((4,8):(8,1), { [i, j] : i = 1 })                { [m] : 8 <= m <= 15 }
//
// The text is isl's, read and printed. A set is a value: immutable, cheap to copy, safe to use from
// several threads. As for relations, isl works on it for one question at a time and under limits
// (limits.h), and operations have isl's names. Layouts of all systems are relations (relations.h).
//
// Source: seed 000, sections 2.4 and 3.1.

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/expr/int.h"
#include "heddle/expr/variables.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

class IntegerSet {
 public:
  /// Reads isl's syntax; the names of tuples, as in `S[i]`, are not kept. Refuses
  /// `relation.syntax` with the place, `relation.too_large`, `relation.spaces` for a union over
  /// differing spaces, `relation.gave_up`.
  [[nodiscard]] static Result<IntegerSet> parse(std::string_view text, const Limits& limits = {});

  /// The set in isl's syntax; parse() reads it back.
  [[nodiscard]] const std::string& text() const { return data_->text; }
  [[nodiscard]] std::span<const std::string> parameters() const { return data_->parameters; }
  /// One name for each dimension: those of the text, else c0, c1, ….
  [[nodiscard]] std::span<const std::string> names() const { return data_->names; }

  /// Whether the two have the same text; equal() compares the points.
  friend bool operator==(const IntegerSet& a, const IntegerSet& b) { return a.text() == b.text(); }

 private:
  struct Data {
    std::string text;
    std::vector<std::string> parameters;
    std::vector<std::string> names;
  };
  explicit IntegerSet(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}
  friend struct SetAccess;  // src/map/isl/door.h

  std::shared_ptr<const Data> data_;
};

[[nodiscard]] std::string to_string(const IntegerSet& set);
std::ostream& operator<<(std::ostream& stream, const IntegerSet& set);

// All functions below refuse `relation.gave_up` past the limits, and `relation.dims_differ` where
// dimensions do not fit; verdicts are then unknown.

// ---- Relations and their sets ----

/// The points that have an image.
[[nodiscard]] Result<IntegerSet> domain(const IntegerRelation& relation, const Limits& limits = {});
/// The images of all points.
[[nodiscard]] Result<IntegerSet> range(const IntegerRelation& relation, const Limits& limits = {});
/// The images of the points in the set.
[[nodiscard]] Result<IntegerSet> image(const IntegerRelation& relation, const IntegerSet& set,
                                       const Limits& limits = {});
/// The points that have an image in the set.
[[nodiscard]] Result<IntegerSet> preimage(const IntegerRelation& relation, const IntegerSet& set,
                                          const Limits& limits = {});
/// The pairs whose point is in the set.
[[nodiscard]] Result<IntegerRelation> intersect_domain(const IntegerRelation& relation,
                                                       const IntegerSet& set,
                                                       const Limits& limits = {});
/// The pairs whose image is in the set.
[[nodiscard]] Result<IntegerRelation> intersect_range(const IntegerRelation& relation,
                                                      const IntegerSet& set,
                                                      const Limits& limits = {});
/// Each point with the lexicographically least (greatest) of its images. Refuses
/// `relation.unbounded` if there is no such image.
[[nodiscard]] Result<IntegerRelation> lexmin(const IntegerRelation& relation,
                                             const Limits& limits = {});
[[nodiscard]] Result<IntegerRelation> lexmax(const IntegerRelation& relation,
                                             const Limits& limits = {});

// ---- The algebra ----

[[nodiscard]] Result<IntegerSet> intersect(const IntegerSet& a, const IntegerSet& b,
                                           const Limits& limits = {});
[[nodiscard]] Result<IntegerSet> unite(const IntegerSet& a, const IntegerSet& b,
                                       const Limits& limits = {});
[[nodiscard]] Result<IntegerSet> subtract(const IntegerSet& a, const IntegerSet& b,
                                          const Limits& limits = {});
/// The lexicographically least (greatest) point, one for each value of the parameters; empty for an
/// empty set. Refuses `relation.unbounded` if there is none.
[[nodiscard]] Result<IntegerSet> lexmin(const IntegerSet& set, const Limits& limits = {});
[[nodiscard]] Result<IntegerSet> lexmax(const IntegerSet& set, const Limits& limits = {});
/// The points of `within` that are not in the set; by default of the least box that holds the set.
/// Refuses `relation.unbounded` if there is no such box, also if it depends on parameters.
[[nodiscard]] Result<IntegerSet> gaps(const IntegerSet& set, const Limits& limits = {});
/// The set for the values of parameters that meet the assumptions on the variables of the same
/// names. Refuses `relation.not_affine`.
[[nodiscard]] Result<IntegerSet> assuming(const IntegerSet& set, const Bindings& known,
                                          const Limits& limits = {});

// ---- Questions ----

/// For all values of the parameters; a no names a point that shows it, the least one if there is
/// one.
[[nodiscard]] Verdict equal(const IntegerSet& a, const IntegerSet& b, const Limits& limits = {});
[[nodiscard]] Verdict is_subset(const IntegerSet& a, const IntegerSet& b,
                                const Limits& limits = {});
[[nodiscard]] Verdict is_disjoint(const IntegerSet& a, const IntegerSet& b,
                                  const Limits& limits = {});
[[nodiscard]] Verdict is_empty(const IntegerSet& set, const Limits& limits = {});
/// Refuses `relation.parameters` if parameters are unbound, `relation.coordinate` for another
/// number of coordinates or symbolic ones.
[[nodiscard]] Result<bool> contains(const IntegerSet& set, std::span<const Int> point,
                                    const Limits& limits = {});
/// A point of the set, the least one if there is one; nullopt for an empty set. Refuses
/// `relation.parameters`, `overflow`.
[[nodiscard]] Result<std::optional<std::vector<Int>>> sample(const IntegerSet& set,
                                                             const Limits& limits = {});
/// How many points there are. A set with parameters must be a box, 0 <= i < N in each dimension,
/// with other ends or steps as the case may be; its count is an expression of them. Refuses
/// `relation.unbounded` for infinitely many, `count.symbolic` for parameters without such a box,
/// `count.too_large` past 2^22 steps of counting, `overflow`. Cost: dimensions that share no
/// constraint are counted apart, and of those that do all but the longest are enumerated.
[[nodiscard]] Result<Int> count(const IntegerSet& set, const Limits& limits = {});
/// The points in lexicographic order. Refuses `relation.parameters`, `relation.unbounded` for
/// infinitely many or more than 2^20 points, `overflow`.
[[nodiscard]] Result<std::vector<std::vector<Int>>> points(const IntegerSet& set,
                                                           const Limits& limits = {});

}  // namespace heddle::map
#pragma GCC visibility pop

template <>
struct std::hash<heddle::map::IntegerSet> : heddle::HashOfText<heddle::map::IntegerSet> {};
