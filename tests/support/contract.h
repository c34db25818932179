#pragma once

// The defining laws of the algebra's operations, decided by plain evaluation of every coordinate,
// and CuTe's own candidates, computed once more from their description. Property tests and facts
// judge by these.

#include <cstdint>
#include <optional>
#include <vector>

#include "support/law.h"
#include "support/plain.h"

namespace heddle::test {

/// Every coordinate of a shape like `a` is one of a shape like `b`, with the same sizes at the
/// leaves of `a`.
[[nodiscard]] bool compatible(const Plain& a, const Plain& b);

/// The flat coordinate of the coordinate `crd` (any nesting coarser than the shape's) in a layout's
/// shape.
[[nodiscard]] std::int64_t flat_coordinate(IntTupleView crd, const Plain& shape);

/// R = A o B: compatible(B, R) and R(c) = A(B(c)) at every coordinate.
[[nodiscard]] Finding check_composition(const Plain& a, const Plain& b, const Plain& r);
/// Is there any such R? Tries all ordered factorisations of every leaf of B.
[[nodiscard]] bool composition_exists(const Plain& a, const Plain& b);

/// R = complement(A, M): A and R meet only at 0, R is strictly increasing, R has at least
/// floor(M / size(filter(A))) elements.
[[nodiscard]] Finding check_complement(const Plain& a, std::int64_t target, const Plain& r);
/// CuTe's candidate for the complement; nothing where one of its extents would be 0.
[[nodiscard]] std::optional<Plain> cute_complement(const Plain& a, std::int64_t target);
/// The same with its last mode as it is written, also where that has one element: so that it runs
/// on past its end in steps that keep copies apart.
[[nodiscard]] std::optional<Plain> free_positions(const Plain& a, std::int64_t target);
/// R = logical_product(A, B) = (A, C o B), where C are the positions at which copies of A are free.
[[nodiscard]] Finding check_product(const Plain& a, const Plain& b, const Plain& r);
/// Seed 004, definition 2.5, on the modes of more than one element.
[[nodiscard]] bool admissible_2_5(const Plain& a, std::int64_t target);

/// R = logical_divide(A, B): (B, complement(B, size(A'))) composed into A', where A' is A with at
/// most one mode of its coalesced form rounded up.
[[nodiscard]] Finding check_divide(const Plain& a, const Plain& b, const Plain& r);
/// R(L(c)) = c where L is injective, and L(R(L(c))) = L(c) always.
[[nodiscard]] Finding check_left_inverse(const Plain& l, const Plain& r);
/// L(R(i)) = i for all i of R.
[[nodiscard]] Finding check_right_inverse(const Plain& l, const Plain& r);

/// CuTe's right inverse: chains, in coalesced order, the first mode whose stride is where the last
/// one ended.
[[nodiscard]] Plain cute_right_inverse(const Plain& a);

/// Modes of one element dropped and neighbours joined, leaf by leaf; the empty list for one
/// element.
[[nodiscard]] std::vector<Plain> coalesced_modes(const Plain& a);

/// The tuple of these modes; 1:0 for none, the mode itself for one.
[[nodiscard]] Plain plain_layout(const std::vector<Plain>& modes);

}  // namespace heddle::test
