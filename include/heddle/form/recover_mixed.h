#pragma once

// Recovering a strided map followed by a swizzle, from the function alone:
//
//   f = 0 1 2 3 5 4 7 6      Sw<1,0,2> o 0 o 8:1         address ^ ((address >> 2) & 1)
//
// A swizzle is its own inverse: f is such a map exactly if some swizzle applied after f gives a
// strided map. There are few swizzles on the bits that values have, and a few values refute most of
// them (form/recover.h), so all are tried. The extents need not be powers of two.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/recover.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// address ^ (B bits from place M + S up, moved down onto those from place M up); for a negative S
/// those from M up, moved up onto those from M - S. CuTe's Swizzle<B,M,S>.
struct SwizzleBits {
  int bits = 0;
  int base = 0;
  int shift = 0;

  [[nodiscard]] std::int64_t operator()(std::int64_t address) const;
  friend bool operator==(const SwizzleBits&, const SwizzleBits&) = default;
};

/// A strided map, and a swizzle of its addresses on one axis; without a swizzle it has no bits.
struct MixedMap {
  StridedMap strided;
  SwizzleBits swizzle;
  std::size_t axis = 0;

  friend bool operator==(const MixedMap&, const MixedMap&) = default;
};

[[nodiscard]] std::optional<std::vector<std::int64_t>> value_at(const MixedMap& map,
                                                                std::int64_t flat);

using RecoverMixedOptions = RecoverOptions<MixedMap>;

/// The map whose strided part is compatible with the shape (each mode is coalesced by itself). If
/// several swizzles fit, the one of the fewest bits; among those, in this order, one without an
/// offset, with a positive shift, with the shortest layout, the lowest base, the least shift.
///
/// Refuses `recover.no_mixed` (with the coordinate at which no plain layout can continue),
/// `recover.too_large` if candidates remain that cannot be verified, `recover.gave_up`.
/// Cost: two evaluations for each divisor of each extent, that many steps for each of some w^3 / 6
/// swizzles of w bits, and one verification for each candidate left.
[[nodiscard]] Result<MixedMap> recover_mixed(std::span<const std::int64_t> shape, std::size_t axes,
                                             const Sampler& f,
                                             const RecoverMixedOptions& options = {});

}  // namespace heddle::form
#pragma GCC visibility pop
