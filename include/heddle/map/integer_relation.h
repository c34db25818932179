#pragma once

// An integer set relation: all pairs of a point and one of its images, described by quasi-affine
// constraints. Every layout is a relation; few relations are layouts.
//
//   { [c] -> [(-3c) mod 16] : 0 <= c <= 15 }        a fan: neither strided nor bitwise
//   { [i, j] -> [8i + j] : 0 <= j <= i < 8 }        a triangle: no box
//   { [c] -> [warpid] : 0 <= warpid <= 1 }          every point has two images
//   [N] -> { [c] -> [2c] : 0 <= c < N }             one for each N
//
// The text is isl's, read and printed. A relation is a value: immutable, cheap to copy, safe to use
// from several threads. Inside, isl works on it for one question at a time and under limits
// (limits.h); isl's objects never leave src/map.
//
// Source: seed 000, sections 2.4 and 3 to 6.

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The images of the points that meet all conditions: one expression per output, over variables
/// named after the inputs and parameters.
struct Piece {
  std::vector<Condition> conditions;
  std::vector<Int> outputs;
};

/// src/map/isl/pieces.h
class PiecesCache;

class IntegerRelation {
 public:
  /// Reads isl's syntax; the names of tuples, as in `S[i] -> A[i]`, are not kept. Refuses
  /// `relation.syntax` with the place, `relation.too_large` (more than 128 dimensions, 1 MiB of
  /// text, or brackets 64 deep), `relation.spaces` for a union over differing spaces,
  /// `relation.gave_up`.
  [[nodiscard]] static Result<IntegerRelation> parse(std::string_view text,
                                                     const Limits& limits = {});

  /// The relation in isl's syntax; parse() reads it back.
  [[nodiscard]] const std::string& text() const { return data_->text; }
  [[nodiscard]] std::span<const std::string> parameters() const { return data_->parameters; }
  /// One name for each dimension: those of the text, else c0, c1, ….
  [[nodiscard]] std::span<const std::string> inputs() const { return data_->inputs; }
  /// The axes of the images: those named in the text, else m for one and 0, 1, … for several.
  [[nodiscard]] std::span<const Axis> axes() const { return data_->axes; }

  /// Whether the two have the same text.
  friend bool operator==(const IntegerRelation& a, const IntegerRelation& b) {
    return a.text() == b.text();
  }

 private:
  struct Data {
    std::string text;
    std::vector<std::string> parameters;
    std::vector<std::string> inputs;
    std::vector<Axis> axes;
    /// Whether the text gives the images as expressions: `[2c]`, not `[d] : d = 2c`.
    bool is_function = false;
    /// The pieces, computed when an image is first requested.
    std::shared_ptr<PiecesCache> cache;
  };
  explicit IntegerRelation(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}
  friend struct RelationAccess;  // src/map/isl/door.h

  std::shared_ptr<const Data> data_;
};

[[nodiscard]] std::string to_string(const IntegerRelation& relation);
std::ostream& operator<<(std::ostream& stream, const IntegerRelation& relation);

// Questions. All refuse `relation.gave_up` past the limits, with how long it took.

/// Whether each point has at most one image.
[[nodiscard]] Result<bool> is_single_valued(const IntegerRelation& relation,
                                            const Limits& limits = {});
/// The least and the greatest value of each input over the domain. Refuses `relation.empty` and
/// `relation.unbounded`, also if a bound depends on parameters.
[[nodiscard]] Result<std::vector<std::pair<Int, Int>>> domain_bounds(
    const IntegerRelation& relation, const Limits& limits = {});
/// The domain as a box [0, e0) x [0, e1) x …; nullopt if it is not one.
[[nodiscard]] Result<std::optional<std::vector<Int>>> domain_box(const IntegerRelation& relation,
                                                                 const Limits& limits = {});
/// The relation as pieces whose conditions exclude each other: its piecewise quasi-affine
/// expression. The variables are named after the inputs and the parameters and have the ranges that
/// the domain gives them. Ranges are not repeated as conditions, so a function on a box is one
/// piece without any. Refuses `relation.multi_valued` with a point and two images.
[[nodiscard]] Result<std::vector<Piece>> pieces(const IntegerRelation& relation,
                                                const Limits& limits = {});
/// `(3+c0%2, c1) where c0<4; …`: the pieces as text.
[[nodiscard]] std::string to_string(std::span<const Piece> pieces);

/// The sorted images of a point; empty outside the domain. Refuses `relation.parameters` if
/// parameters are unbound, `relation.coordinate` for another number of coordinates or symbolic
/// ones, `relation.unbounded` for infinitely many or more than 2^20 images. Cost: the pieces are
/// computed once, then linear in their size for each point; a relation that has no pieces asks isl
/// at each point.
[[nodiscard]] Result<std::vector<std::vector<Int>>> images(const IntegerRelation& relation,
                                                           std::span<const Int> point,
                                                           const Limits& limits = {});

/// The relation as a function on a box, first index fastest in its flat index. Refuses
/// `relation.multi_valued`, `relation.domain` with a point that shows that the domain is no box
/// from 0, `relation.unbounded`, `relation.empty`.
[[nodiscard]] Result<form::IndexMap> index_map(const IntegerRelation& relation,
                                               const Limits& limits = {});

// The algebra. All refuse `relation.dims_differ` where the dimensions do not fit.

/// outer after relation, in the order of linear/linear_layout.h and Triton; isl's apply_range.
[[nodiscard]] Result<IntegerRelation> compose(const IntegerRelation& relation,
                                              const IntegerRelation& outer,
                                              const Limits& limits = {});
[[nodiscard]] Result<IntegerRelation> reverse(const IntegerRelation& relation,
                                              const Limits& limits = {});
/// The relation that maps each point of the domain to itself.
[[nodiscard]] Result<IntegerRelation> identity_on_domain(const IntegerRelation& relation,
                                                         const Limits& limits = {});
/// The pairs in both relations; in either; in the first only.
[[nodiscard]] Result<IntegerRelation> intersect(const IntegerRelation& a, const IntegerRelation& b,
                                                const Limits& limits = {});
[[nodiscard]] Result<IntegerRelation> unite(const IntegerRelation& a, const IntegerRelation& b,
                                            const Limits& limits = {});
[[nodiscard]] Result<IntegerRelation> subtract(const IntegerRelation& a, const IntegerRelation& b,
                                               const Limits& limits = {});
/// The relation restricted to parameter values that meet the assumptions on the variables of the
/// same names (expr/assumptions.h). Refuses `relation.not_affine` if an assumption is no affine
/// condition.
[[nodiscard]] Result<IntegerRelation> assuming(const IntegerRelation& relation,
                                               const Bindings& known, const Limits& limits = {});

}  // namespace heddle::map
#pragma GCC visibility pop

template <>
struct std::hash<heddle::map::IntegerRelation> : heddle::HashOfText<heddle::map::IntegerRelation> {
};
