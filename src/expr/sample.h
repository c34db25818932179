#pragma once

// Values of terms at some choices of their variables: what fails there needs no search for a proof.

#include "expr/term.h"
#include "heddle/core/diagnostic.h"
#include "heddle/expr/proof.h"

namespace heddle::expr {

/// The atoms that stand in products of a value, each once; the value is no constant.
[[nodiscard]] std::vector<AtomPointer> factors_of(const Int& value);

/// Some value is certainly below the goal. Most questions that have no proof end here.
[[nodiscard]] bool is_refuted(const Int& value, std::int64_t goal);

/// The two sides of a condition that fails at these values.
[[nodiscard]] Witness failure_at(const Condition& at, const Bindings& values);

}  // namespace heddle::expr
