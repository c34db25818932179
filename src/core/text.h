#pragma once

// Small texts: cutting, counting, joining.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/plain_text.h"

namespace heddle {

/// The place without blanks and line ends at its ends.
[[nodiscard]] Span trimmed(std::string_view text, Span place);

/// `1 warp`, `4 warps`.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// The text with `gap` in place of its middle if it is longer than `most` bytes: `a+b … y+z`.
/// Characters of UTF-8 stay whole.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most,
                                    std::string_view gap = " … ");

/// The decimal integer that the text begins with, which is removed from it; nothing if it begins
/// with none, or with one past 64 bits.
[[nodiscard]] std::optional<std::int64_t> take_integer(std::string_view& text);
/// The decimal integer that the whole text is.
[[nodiscard]] std::optional<std::int64_t> integer_in(std::string_view text);

/// The pieces between the commas that are in none of the brackets, trimmed.
[[nodiscard]] std::vector<std::string_view> split_at_commas(std::string_view text,
                                                            std::string_view opening = "([{<",
                                                            std::string_view closing = ")]}>");

/// A byte of a character of UTF-8 that is not its first.
[[nodiscard]] constexpr bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}
/// How many bytes the character of UTF-8 has that the text begins with; 0 if it begins with none.
[[nodiscard]] std::size_t character_length(std::string_view text);
/// The number in Unicode of a character of UTF-8.
[[nodiscard]] std::uint32_t code_point(std::string_view character);

}  // namespace heddle
