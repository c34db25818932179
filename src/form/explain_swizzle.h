#pragma once

// Explains how an XOR swizzle changes an address, bit by bit, for swizzles of all systems.

#include "heddle/core/explanation.h"
#include "heddle/expr/int.h"

namespace heddle::form {

/// `count` bits from place `read` on are XORed onto those from place `changed` on.
struct SwizzledBits {
  int count = 0;
  int read = 0;
  int changed = 0;
};

/// Says which bits change and, of a constant address, shows them before and after.
void explain_swizzle(Explanation& explanation, const SwizzledBits& bits, const Int& address,
                     const Int& image);

}  // namespace heddle::form
