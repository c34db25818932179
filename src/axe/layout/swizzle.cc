#include "heddle/axe/swizzle.h"

#include <fmt/format.h>

#include <cstdint>

#include "axe/layout/iters.h"

namespace heddle::axe {
namespace {

/// Wider swizzles would change bits that no 64-bit address has.
constexpr int kMaxBits = 62;

}  // namespace

Result<Swizzle> Swizzle::make(int per_element, int swizzle_len, int atom_len, bool inner,
                              Axis axis) {
  Swizzle swizzle{per_element, swizzle_len, atom_len, inner, std::move(axis)};
  const auto refusal = [&](std::string_view why) {
    return refuse(diagnose("axe.swizzle", "{}: {}", swizzle, why)
                      .with_hint("SW(M,B,S) keeps the M lowest bits and changes B bits by the B "
                                 "bits S places further up; CuTe writes it Sw<B,M,S>"));
  };
  if (per_element < 0 || swizzle_len < 0 || atom_len < 0) return refusal("a number is negative");
  if (atom_len < swizzle_len) {
    return refusal(fmt::format("S = {} is less than B = {}, so bits would change that are read",
                               atom_len, swizzle_len));
  }
  if (per_element > kMaxBits || swizzle_len > kMaxBits || atom_len > kMaxBits ||
      per_element + swizzle_len + atom_len > kMaxBits) {
    return refusal(fmt::format("M + B + S is more than {}", kMaxBits));
  }
  return swizzle;
}

Int Swizzle::operator()(const Int& address) const {
  const Int mask = (std::int64_t{1} << swizzle_len) - 1;
  const int low = per_element;
  const int high = per_element + atom_len;
  const int from = inner ? high : low;
  const int to = inner ? low : high;
  const Int bits = bit_and(shift_right(address, from), mask);
  return bit_xor(address, shift_left(bits, to));
}

Int Swizzle::period() const { return std::int64_t{1} << (per_element + swizzle_len + atom_len); }

std::string to_string(const Swizzle& swizzle) {
  return fmt::format("SW({},{},{}{}){}", swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len,
                     swizzle.inner ? "" : ",outer",
                     swizzle.axis == Axis::memory() ? "" : "@" + swizzle.axis.name());
}

}  // namespace heddle::axe
