#include "form/explain_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/bits.h"

namespace heddle::form {
namespace {

/// The last `width` bits of a number, with dots for those outside `mask`. A negative number without
/// a mask begins with `…`, for further ones.
std::string binary(std::int64_t number, int width, std::int64_t mask = -1) {
  std::string text = mask == -1 && number < 0 ? "…" : "";
  for (int bit = width - 1; bit >= 0; --bit) {
    const bool is_shown = ((mask >> bit) & 1) != 0;
    text += is_shown ? (((number >> bit) & 1) != 0 ? '1' : '0') : '.';
  }
  return text;
}

int width_of(std::int64_t number) {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(number < 0 ? ~number : number)));
}

std::string bit_range(int low, int count) {
  return count == 1 ? fmt::format("place {}", low)
                    : fmt::format("places {} to {}", low, low + count - 1);
}

}  // namespace

void explain_swizzle(Explanation& explanation, const SwizzledBits& bits, const Int& address,
                     const Int& image) {
  const auto [count, read, changed] = bits;
  explanation.text = fmt::format("The bits at {} are XORed onto those at {}.",
                                 bit_range(read, count), bit_range(changed, count));
  if (!address.is_constant()) return;
  const std::int64_t before = address.value();
  const std::int64_t after = image.value();
  const int width = std::max({std::max(read, changed) + count, width_of(before), width_of(after)});
  const auto mask = static_cast<std::int64_t>(low_bits(count));
  explanation.steps = {step("before", binary(before, width), to_string(address)),
                       step("read", binary(before, width, mask << read)),
                       step("xor", binary(before ^ after, width, mask << changed)),
                       step("after", binary(after, width), to_string(image))};
}

}  // namespace heddle::form
