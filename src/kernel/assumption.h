#pragma once

// What a kernel would have to assume.

#include <functional>
#include <span>
#include <string>

#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"

namespace heddle::kernel {

/// A hint for a condition that is not known: `assume N%4==0 before the launch`; empty where nothing
/// about sizes would do, as where it is about indices, which no assumption before a launch can
/// name.
[[nodiscard]] std::string assumption(const Condition& condition);

/// What a value would be if a size were a multiple of some number; undefined if it cannot be one.
using Assumed = std::function<Int(const Int&)>;

/// The least of these numbers, and the sizes in the values, of which it is enough to assume that
/// they are multiples of it: `N % 8 == 0`; empty if there are none. `holds` says whether it is
/// enough.
[[nodiscard]] std::string assumed_multiples(std::span<const Int> values,
                                            std::span<const std::int64_t> numbers,
                                            const std::function<bool(const Assumed&)>& holds);

}  // namespace heddle::kernel
