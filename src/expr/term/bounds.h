#pragma once

// Ranges and divisors of terms.
//
//   M*N - N   with M, N >= 1    is at least 0:  (1+m)*(1+n) - (1+n) = m + m*n has no minus left
//   x - 8*(x//8)                is in [0, 7]:  8*(x//8) is x - x%8
//
// WideRange arithmetic alone loses what two products share. So a bound also tries the polynomial
// moved to the least (or greatest) values of its atoms, quotients written as remainders and the
// other way, each branch of a minimum or maximum, and the bounds that variables have by assumption.

#include <cstdint>
#include <optional>

#include "expr/term/term.h"

namespace heddle::expr {

/// The range of the quotient of a variable (see Variable).
[[nodiscard]] Range quotient_range(const Variable& variable);

/// The range of an operation on operands that have their own ranges.
[[nodiscard]] Range operation_range(Operator operation, const Int& left, const Int& right);
/// A constant that divides each value of an operation.
[[nodiscard]] std::int64_t operation_divisor(Operator operation, const Int& left, const Int& right);

/// The greatest common divisor; 1, which divides everything, beside -2^63, which has no magnitude.
[[nodiscard]] std::int64_t common_divisor(std::int64_t a, std::int64_t b);

/// A divisor of all values: 0 for 0.
[[nodiscard]] std::int64_t divisor_of(const Int& value);

/// The range by interval arithmetic alone.
[[nodiscard]] Range interval_of(const Int& value);

/// The slope of a value in an atom, as a quotient: value = slope * atom + rest. nullopt if a
/// product has the atom twice.
[[nodiscard]] std::optional<Division> line_in(const Int& value, const AtomPointer& atom);

/// Where slope * x + rest begins to be at least 0, or ceases for a negative slope.
[[nodiscard]] Int end_of(const Int& slope, const Int& rest);

/// Some value is certainly below the goal. Most questions that have no proof end here.
[[nodiscard]] bool is_refuted(const Int& value, std::int64_t goal);
/// a + gap <= b, certainly: both are defined.
[[nodiscard]] bool is_never_above(const Int& a, const Int& b, std::int64_t gap);
/// Whether all its atoms are variables of which only a range is known.
[[nodiscard]] bool is_polynomial_in_free_variables(const Int& value);

/// The value is certainly never below the bound.
[[nodiscard]] bool is_at_least(const Int& value, std::int64_t bound);

/// The greatest lower bound that is found; Range::kNoLow if none is.
[[nodiscard]] std::int64_t lower_bound(const Int& value);

}  // namespace heddle::expr
