#include "files/reshard/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/format.h"

namespace heddle::files {
namespace {

constexpr std::string_view kKind = "xxh3-64:";
constexpr std::string_view kKey = "checksum.";
constexpr std::size_t kDigits = 16;

}  // namespace

std::string checksum_of(std::span<const std::byte> bytes) {
  return fmt::format("{}{:016x}", kKind, XXH3_64bits(bytes.data(), bytes.size()));
}

std::string no_checksum() { return fmt::format("{}{:016x}", kKind, 0); }

bool is_checksum(std::string_view text) {
  return text.starts_with(kKind) && text.size() == kKind.size() + kDigits;
}

std::string checksum_key(std::string_view tensor) {
  return std::string(kKey) + std::string(tensor);
}

}  // namespace heddle::files
