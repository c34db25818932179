#pragma once

// A swizzle permutes addresses by XORing some of their bits onto others. Swizzle<B,M,S> XORs the B
// bits from place M + S on onto the B bits from place M on (for negative S the other way: the lower
// bits onto the higher ones).
//
//   0bxxxYYYxxZZZxxxx     M = 4 (the x below ZZZ), B = 3, S = 5       ZZZ becomes ZZZ xor YYY
//
//   Swizzle<1,2,1>:  8 = 0b1000 -> 0b1100 = 12        Swizzle<2,0,3>:  9 = 0b01001 -> 0b01000 = 8
//
// It is its own inverse. Sources: CuTe's swizzle.hpp; seed 000, sections 2.2 and 4.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/form/bit_matrix.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

class Swizzle {
 public:
  /// The identity, printed as Sw<0,4,3>, CuTe's default.
  Swizzle() = default;
  /// Refuses `swizzle.parameters`: B and M must not be negative, |S| at least B, B + M + |S| at
  /// most 62.
  [[nodiscard]] static Result<Swizzle> make(int bits, int base, int shift);

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] int base() const { return base_; }
  [[nodiscard]] int shift() const { return shift_; }
  [[nodiscard]] bool is_identity() const { return bits_ == 0; }
  /// The bits that are read (YYY) and those that are changed (ZZZ).
  [[nodiscard]] std::int64_t source_mask() const;
  [[nodiscard]] std::int64_t target_mask() const;
  /// The least power of two that holds all bits: the swizzle permutes [0, 2^(B+M+|S|)).
  [[nodiscard]] std::int64_t size() const {
    return std::int64_t{1} << (bits_ + base_ + (shift_ < 0 ? -shift_ : shift_));
  }

  /// The swizzled address. Negative addresses are taken in two's complement, as C++ does.
  [[nodiscard]] Int operator()(const Int& address) const;
  [[nodiscard]] std::int64_t operator()(std::int64_t address) const;

  friend bool operator==(const Swizzle&, const Swizzle&) = default;

 private:
  int bits_ = 0;
  int base_ = 4;
  int shift_ = 3;
};

/// The swizzle that XORs the bits of mask `y` onto those of mask `z`. Refuses `swizzle.masks` where
/// the two are not runs of equally many bits.
[[nodiscard]] Result<Swizzle> make_swizzle(std::int64_t y, std::int64_t z);

/// a after b as one swizzle, if one has that function: equal ones cancel, neighbouring ones of the
/// same shift join. Refuses `swizzle.no_swizzle` with an address that shows it.
[[nodiscard]] Result<Swizzle> composition(const Swizzle& a, const Swizzle& b);

/// The swizzle on elements n times as wide or as narrow; n must be a power of two
/// (`swizzle.power_of_two`). Refuses `recast.swizzle` if an upcast would tear elements apart: if M
/// is less than log2 n.
[[nodiscard]] Result<Swizzle> upcast(const Swizzle& swizzle, const Int& n);
[[nodiscard]] Result<Swizzle> downcast(const Swizzle& swizzle, const Int& n);
[[nodiscard]] Result<Swizzle> recast(const Swizzle& swizzle, const Int& old_bits,
                                     const Int& new_bits);

/// A swizzle is its own inverse, from both sides.
[[nodiscard]] inline Swizzle inverse(const Swizzle& swizzle) { return swizzle; }

/// 2^M: the length of the runs that stay together.
[[nodiscard]] Int max_alignment(const Swizzle& swizzle);

/// The swizzle as a matrix over GF(2) on its B + M + |S| bits.
[[nodiscard]] form::BitMatrix bit_matrix(const Swizzle& swizzle);

/// `Sw<3,4,3>`.
[[nodiscard]] std::string to_string(const Swizzle& swizzle);
std::ostream& operator<<(std::ostream& stream, const Swizzle& swizzle);

}  // namespace heddle::cute
#pragma GCC visibility pop

template <>
struct std::hash<heddle::cute::Swizzle> {
  std::size_t operator()(const heddle::cute::Swizzle& swizzle) const;
};
