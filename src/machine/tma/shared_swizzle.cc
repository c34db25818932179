#include "heddle/machine/shared_swizzle.h"

#include <array>

namespace heddle::machine {

std::span<const SharedSwizzle> shared_swizzles() {
  static constexpr std::array<SharedSwizzle, 6> kSwizzles = {{
      {"NONE", 4, 0, 0, 0, 0, 0, 0},
      {"32B", 4, 1, 3, 32, 1, 3, 6},
      {"64B", 4, 2, 3, 64, 2, 2, 4},
      {"128B", 4, 3, 3, 128, 3, 1, 2},
      {"128B_ATOM_32B", 5, 2, 2, 128, 4, {}, 1},
      {"128B_ATOM_64B", 6, 1, 1, 128, 6, {}, {}},
  }};
  return kSwizzles;
}

std::optional<SharedSwizzle> shared_swizzle(const axe::Swizzle& swizzle, int element_bits) {
  if (swizzle.is_identity()) return shared_swizzles().front();
  if (!swizzle.inner || element_bits < 1) return std::nullopt;
  for (const SharedSwizzle& known : shared_swizzles()) {
    if (known.bits != swizzle.swizzle_len || known.shift != swizzle.atom_len) continue;
    // The low bits that stay count elements, those of the hardware bytes.
    const std::int64_t kept = (std::int64_t{1} << swizzle.per_element) * element_bits;
    if (kept == (std::int64_t{8} << known.low)) return known;
  }
  return std::nullopt;
}

}  // namespace heddle::machine
