#pragma once

// Operations on nested integer tuples: CuTe's int_tuple.hpp and stride.hpp, same names, same
// meaning.
//
//   product((4,(2,2)))                        16
//   shape_div((6,(3,4)), 36)                  (1,(1,2))
//   shape_mod((3,6,2,8), 9)                   (3,3,1,1)
//   idx2crd(16, (3,(2,3)))                    (1,(1,2))
//   compact_row_major((4,(2,2)))              (4,(2,1))
//
// Where a result does not fit into 64 bits its leaves are undefined (expr/int.h). Tuples whose
// nesting does not match are refused with `tuple.incongruent`.

#include <functional>

#include "heddle/core/result.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/stride.h"
#include "heddle/expr/int_tuple.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

// Folds over all leaves; max and min need at least one.

[[nodiscard]] Int product(IntTupleView tuple);
/// The number of elements of a shape: its product.
[[nodiscard]] Int size(IntTupleView shape);
[[nodiscard]] Int sum(IntTupleView tuple);
/// The greatest and the least leaf; undefined for a tuple without leaves.
[[nodiscard]] Int max(IntTupleView tuple);
[[nodiscard]] Int min(IntTupleView tuple);
[[nodiscard]] Int gcd(IntTupleView tuple);
/// The sum of the products of corresponding leaves.
[[nodiscard]] Result<Int> inner_product(IntTupleView a, IntTupleView b);

// Operations mode by mode.

/// The products of the modes: a flat tuple as long as the rank.
[[nodiscard]] IntTuple product_each(IntTupleView tuple);
/// The products of `tuple` at the leaves of `guide`: congruent to `guide`.
[[nodiscard]] Result<IntTuple> product_like(IntTupleView tuple, ProfileView guide);
/// A tuple like `guide` with `value` at every leaf.
[[nodiscard]] IntTuple repeat_like(ProfileView guide, const Int& value);
/// `a` with each leaf multiplied by the product of the matching mode of `b`.
[[nodiscard]] Result<IntTuple> elem_scale(IntTupleView a, IntTupleView b);
/// Division rounding up: leaf by leaf; a tuple by a number folds the divisor through the modes, a
/// number by a tuple divides by its product. Missing modes of `b` count as 1. Refuses
/// `tuple.divisor` for divisors below 1.
[[nodiscard]] Result<IntTuple> ceil_div(IntTupleView a, IntTupleView b);
/// The least multiple of `b` that is at least `a`, leaf by leaf; missing modes of `b` count as 1.
[[nodiscard]] Result<IntTuple> round_up(IntTupleView a, IntTupleView b);
/// Division of shapes, as ceil_div, where at every step one number divides the other. Refuses
/// `shape_div.divisibility` where neither does.
[[nodiscard]] Result<IntTuple> shape_div(IntTupleView a, IntTupleView b);
/// The part of shape `a` that its first `b` elements take, as composition by a mode b:1 keeps it:
/// min(a, b) of a number; a tuple by a number mode by mode, each using up the divisor as shape_div
/// does. Refuses `shape_mod.divisibility` where neither of two numbers divides the other, and
/// `tuple.divisor`. Seed 004, the listing after definition 2.21.
[[nodiscard]] Result<IntTuple> shape_mod(IntTupleView a, IntTupleView b);

// Nesting.

/// Whether the two have the same nesting.
[[nodiscard]] bool congruent(ProfileView a, ProfileView b);
/// Whether `b` has the nesting of `a` or a finer one.
[[nodiscard]] bool weakly_congruent(ProfileView a, ProfileView b);
/// Every coordinate of shape `a` is one of shape `b`: the sizes agree at each leaf of `a`. This and
/// the predicates below are true only if that is certain; for symbolic sizes the decide_… functions
/// refuse instead of guessing.
[[nodiscard]] bool compatible(IntTupleView a, IntTupleView b);
/// Each leaf of `a` divides the size of the matching mode of `b`.
[[nodiscard]] bool weakly_compatible(IntTupleView a, IntTupleView b);
/// The tiler's sizes divide the shape mode by mode; modes the tiler does not name are whole.
[[nodiscard]] bool evenly_divides(IntTupleView shape, IntTupleView tiler);
/// Decide the predicates above; refused (`assume.needed`) if the answer depends on unknown sizes.
[[nodiscard]] Result<bool> decide_compatible(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> decide_weakly_compatible(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> decide_evenly_divides(IntTupleView shape, IntTupleView tiler);

/// A tuple of depth at most 1 with the same leaves.
template <class Leaf>
[[nodiscard]] Tuple<Leaf> flatten(TupleView<Leaf> tuple) {
  return tuple.is_leaf() ? Tuple<Leaf>(tuple) : Tuple<Leaf>::flat(tuple.leaves());
}
/// The leaves of a flat tuple nested as `profile`; refuses `tuple.incongruent` if the number of
/// leaves differs.
[[nodiscard]] Result<IntTuple> unflatten(IntTupleView flat, ProfileView profile);

// Coordinates and indices, first mode fastest. Extents used as divisors are at least 1, otherwise
// `tuple.divisor` is refused.

/// The flat coordinate of a coordinate within a shape; the coordinate may have coarser nesting.
[[nodiscard]] Result<Int> crd2idx(IntTupleView coordinate, IntTupleView shape);
/// The coordinate of a flat coordinate within a shape; the last leaf takes the rest.
[[nodiscard]] Result<IntTuple> idx2crd(IntTupleView index, IntTupleView shape);
/// At each leaf (index / stride) mod extent, 0 for extent 1. This is the inverse of compact layouts
/// only. Refuses `idx2crd.zero_stride` where it would divide by 0, `tuple.divisor` for extents
/// below 1.
[[nodiscard]] Result<IntTuple> idx2crd(IntTupleView index, IntTupleView shape, IntTupleView stride);
/// The coordinate in `target` with the same flat coordinate as `coordinate` in `source`; mode by
/// mode where all three are tuples, which then have the same rank (CuTe's meaning).
[[nodiscard]] Result<IntTuple> crd2crd(IntTupleView coordinate, IntTupleView source,
                                       IntTupleView target);

/// Calls `visit` with every coordinate of the shape, first leaf fastest, until it returns false.
void for_each_coordinate(IntTupleView shape, const std::function<bool(const IntTuple&)>& visit);

/// The parts of `tuple` where the coordinate has `_` (slice) or an index (dice); () if there are
/// none. `_` as the whole coordinate keeps everything.
[[nodiscard]] Result<IntTuple> slice(const Coordinate& coordinate, IntTupleView tuple);
[[nodiscard]] Result<IntTuple> dice(const Coordinate& coordinate, IntTupleView tuple);

// Orders on coordinates. elem_less holds if it holds for every element. As in CuTe, each x_leq(a,
// b) is not x_less(b, a); elem_less is a partial order, so elem_leq and elem_geq may both hold.

[[nodiscard]] Result<bool> lex_less(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> lex_leq(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> lex_gtr(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> lex_geq(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> colex_less(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> colex_leq(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> colex_gtr(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> colex_geq(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> elem_less(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> elem_leq(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> elem_gtr(IntTupleView a, IntTupleView b);
[[nodiscard]] Result<bool> elem_geq(IntTupleView a, IntTupleView b);

// Compact strides. Leaves of extent 1 get stride 0, as CuTe writes them.

enum class Major { kColumn, kRow };

/// Compact strides for a shape, the first (kColumn) or the last (kRow) leaf fastest, starting with
/// `current`. If `current` is a tuple, each mode starts with its own value.
[[nodiscard]] Result<IntTuple> compact_major(IntTupleView shape, IntTupleView current, Major major);
[[nodiscard]] IntTuple compact_col_major(IntTupleView shape, const Int& current = 1);
[[nodiscard]] IntTuple compact_row_major(IntTupleView shape, const Int& current = 1);
/// Compact strides in which modes of lesser `order` run faster, and of equal order the first;
/// within one leaf of `order` the first mode is fastest. (CuTe lets modes of equal order overlap.)
[[nodiscard]] Result<IntTuple> compact_order(IntTupleView shape, IntTupleView order);

/// The numbers as strides on the plain integer line.
[[nodiscard]] StrideTuple to_strides(const IntTuple& strides);

}  // namespace heddle::cute
#pragma GCC visibility pop
