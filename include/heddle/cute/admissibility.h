#pragma once

// The conditions of seed 004 as questions that explain their answer. They are sufficient, not
// necessary: composition() also finds the layouts that exist without them.
//
//   left_divisible((8,6,8), 4)            yes: 4 = 1 * 4, division index 0, within factor 8
//   weakly_left_divisible((2,6,8), 8)     yes: 8 = 2 * 4, division index 1, within factor 6
//   left_divisible((2,6,8), 8)            no: 8 = 2 * 4, but 4 does not divide factor 1, 6
//
//   is_sorted((2,4):(4,1))                no: the stride 4 of mode 0 is above 1 of mode 1
//
// A factor below 1 in a shape is refused with `layout.extent`.

#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// Left divisibility of a factorised size (the leaves of `shape`, the last one without bound) by
/// `divisor`.
struct Divisibility {
  bool holds = false;
  /// The division index i: the product of the first i factors divides the divisor.
  std::optional<std::size_t> index;
  /// c = divisor / that product.
  std::optional<Int> quotient;
  /// The factors that remain, the last one without bound; only where strong divisibility holds.
  std::vector<Int> rest;
  /// One sentence with the numbers.
  std::string explanation;

  friend bool operator==(const Divisibility&, const Divisibility&) = default;
};

/// Seed 004, definition 2.11: left_divisible() asks all three conditions, weakly_left_divisible()
/// leaves out the third. Refuse `tuple.divisor` for a divisor below 1.
[[nodiscard]] Result<Divisibility> left_divisible(const IntTuple& shape, const Int& divisor);
[[nodiscard]] Result<Divisibility> weakly_left_divisible(const IntTuple& shape, const Int& divisor);

/// Seed 004, definition 2.16: the interval in which a mode N:r acts within the bounded factors of
/// `shape`; nullopt if it is empty. Refuses `tuple.incongruent` for more than one mode.
struct DefinitionInterval {
  Int first;
  Int last;

  friend bool operator==(const DefinitionInterval&, const DefinitionInterval&) = default;
};
[[nodiscard]] Result<std::optional<DefinitionInterval>> interval_of_definition(
    const IntTuple& shape, const Layout& mode);

/// Seed 004, definitions 2.12 and 2.17: may A (of shape `shape`) be composed with B by division
/// alone? The verdict names the mode and the condition that fails.
///
/// Disjoint intervals of definition do not keep a sum of steps from carrying: for the shape (12,2)
/// and B = (2,2,3):(1,3,4) they are [1,1], [3,3] and [4,8], but 1 + 3 + 8 = 12. So theorem 2.18
/// needs one more condition, which is checked too: the sum of B's digits exceeds no digit of the
/// shape.
[[nodiscard]] Result<Verdict> admissible_for_composition(const IntTuple& shape, const Layout& b);
/// As admissible_for_composition(), with CUTLASS's stricter second condition (definition 2.21).
[[nodiscard]] Result<Verdict> admissible_for_cutlass_composition(const IntTuple& shape,
                                                                 const Layout& b);

/// Seed 004, definition 2.4: do the strides of the leaves never fall, and of equal strides the
/// extents? The verdict names the first two neighbours that are out of order. Refuses
/// `complement.two_axes` for strides in several axes, `assume.needed`.
[[nodiscard]] Result<Verdict> is_sorted(const Layout& layout);

/// Is f(0) < f(1) < … , as it must be of a complement? It is if each stride exceeds what the modes
/// before it reach; a no has the first flat coordinate whose index is not above the one before.
/// Refuses as is_sorted().
[[nodiscard]] Result<Verdict> is_increasing(const Layout& layout);

}  // namespace heddle::cute
#pragma GCC visibility pop
