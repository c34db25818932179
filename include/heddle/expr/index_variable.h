#pragma once

// An index of which only the extent is known: the argument of a layout that is evaluated
// symbolically.
//
//   const Int n = Int::variable("N", 1, 4096);
//   const Int i = index_variable("i", n);
//   known_less(i, n)                  // true
//   mod(i, n)                         // i

#include <string_view>

#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle {

/// The variable `name`, any integer from 0 to `extent` - 1; 0 if the extent is 1. Undefined if the
/// extent is, or cannot be 1 or more.
[[nodiscard]] Int index_variable(std::string_view name, const Int& extent);

}  // namespace heddle
#pragma GCC visibility pop
