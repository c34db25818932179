#pragma once

// The swizzle of an Axe layout, TVM's SW(M,B,S): an XOR of address bits on one axis, applied last.
//
//   SW(3,3,3):   address   ... s s s d d d e e e        M = 3 low bits e stay,
//                                    ^^^                B = 3 bits d change: d ^= s,
//                                                       S = 3 places up are the bits s
//
// CuTe writes the same as Sw<B,M,S>.

#include <string>

#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/core/stream.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

using streams::operator<<;

struct Swizzle {
  int per_element = 0;  // M
  int swizzle_len = 0;  // B
  int atom_len = 0;     // S
  bool inner = true;    // the lower bits change; the mirror image (`outer`) changes the upper ones
  Axis axis = Axis::memory();

  /// Refuses `axe.swizzle`: a negative number, S < B (the swizzle would change bits that it reads),
  /// or M + B + S past 62.
  [[nodiscard]] static Result<Swizzle> make(int per_element, int swizzle_len, int atom_len,
                                            bool inner = true, Axis axis = Axis::memory());

  /// The swizzled address; the map is its own inverse, on negative numbers too (two's complement
  /// with infinite sign extension).
  [[nodiscard]] Int operator()(const Int& address) const;

  /// 2^(M+B+S): adding a multiple of it before the swizzle adds it after.
  [[nodiscard]] Int period() const;
  /// Whether B = 0: no address changes.
  [[nodiscard]] bool is_identity() const { return swizzle_len == 0; }

  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// `SW(3,3,3)`, `SW(0,3,3,outer)`, and `SW(3,3,3)@F` on another axis than m.
[[nodiscard]] std::string to_string(const Swizzle& swizzle);

}  // namespace heddle::axe
#pragma GCC visibility pop
