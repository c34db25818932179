#include <algorithm>

#include "core/bits.h"
#include "move/program.h"

namespace heddle::move {
namespace {

/// Up to 57 bits from any place, read from no byte beyond them.
std::uint64_t bits_at(const std::byte* buffer, std::int64_t place, int bits) {
  const int shift = static_cast<int>(place % 8);
  const std::byte* begin = buffer + place / 8;
  std::uint64_t word = 0;
  for (int i = 0; 8 * i < shift + bits; ++i) {
    word |= static_cast<std::uint64_t>(begin[i]) << (8 * i);
  }
  return word >> shift & low_bits(bits);
}

void set_bits(std::byte* buffer, std::int64_t place, int bits, std::uint64_t value) {
  const int shift = static_cast<int>(place % 8);
  std::byte* begin = buffer + place / 8;
  const std::uint64_t mask = low_bits(bits) << shift;
  value <<= shift;
  for (int i = 0; 8 * i < shift + bits; ++i) {
    const auto kept = static_cast<std::byte>(~(mask >> (8 * i)) & 0xFF);
    begin[i] = (begin[i] & kept) | static_cast<std::byte>(value >> (8 * i) & 0xFF);
  }
}

}  // namespace

void move_bits(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to,
               std::int64_t bits) {
  constexpr std::int64_t kMost = 56;
  for (std::int64_t done = 0; done < bits; done += kMost) {
    const int count = static_cast<int>(std::min(kMost, bits - done));
    set_bits(destination, to + done, count, bits_at(source, from + done, count));
  }
}

}  // namespace heddle::move
