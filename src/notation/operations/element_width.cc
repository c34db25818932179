#include "notation/operations/element_width.h"

#include <array>
#include <utility>

#include "core/text.h"
#include "heddle/form/element_type.h"

namespace heddle::notation {

std::optional<std::int64_t> width_of_type(std::string_view type) {
  if (const form::ElementType* known = form::find_element_type(type)) return known->bits;
  for (const std::string_view kind : {"float", "bfloat", "int", "uint"}) {
    if (!type.starts_with(kind)) continue;
    // The format of a small float follows its width: float8_e4m3fn.
    const std::string_view width = type.substr(kind.size());
    const auto bits = integer_in(width.substr(0, width.find('_')));
    if (bits && *bits > 0 && *bits <= 128) return bits;
  }
  return std::nullopt;
}

std::optional<std::int64_t> bytes_of_mode(std::string_view name) {
  constexpr std::array kModes = {std::pair("SWIZZLE_NONE", 0), std::pair("SWIZZLE_32B_ATOM", 32),
                                 std::pair("SWIZZLE_64B_ATOM", 64),
                                 std::pair("SWIZZLE_128B_ATOM", 128)};
  for (const auto& [mode, bytes] : kModes) {
    if (name == mode) return bytes;
  }
  return std::nullopt;
}

}  // namespace heddle::notation
