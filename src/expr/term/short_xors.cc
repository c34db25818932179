#include "expr/term/short_xors.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "expr/term/bounds.h"
#include "expr/term/substitute.h"

namespace heddle::expr {

namespace {

/// Wider operands are kept as they are.
constexpr std::int64_t kMostBits = std::int64_t{1} << 30;

Int short_xor(Int narrow, Int wide) {
  if (range(narrow).high > range(wide).high) std::swap(narrow, wide);
  const Range bits = range(narrow);
  if (bits.low < 0 || bits.high > kMostBits || range(wide).low < 0) return bit_xor(narrow, wide);
  const Int above = std::int64_t{1} << std::bit_width(static_cast<std::uint64_t>(bits.high));
  const Int low_bits = mod(wide, above);
  const std::int64_t divisor = divisor_of(narrow);
  const Int unit = divisor == 0 ? Int(1) : Int(divisor & -divisor);
  const Int changed = bit_xor(floor_div(narrow, unit), floor_div(low_bits, unit));
  return above * floor_div(wide, above) + unit * changed + mod(low_bits, unit);
}

}  // namespace

Int with_short_xors(const Int& value) {
  return with_factors(value, [](const AtomPointer& atom) -> Int {
    if (atom->operation() == Operator::kVariable) return make_int(atom);
    if (atom->operation() != Operator::kXor) return with_operands(*atom, with_short_xors);
    return short_xor(with_short_xors(atom->left()), with_short_xors(atom->right()));
  });
}

}  // namespace heddle::expr
