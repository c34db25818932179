#pragma once

// Cutting, counting and joining small texts.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/plain_text.h"

namespace heddle {

/// The place without leading and trailing blanks and line ends.
[[nodiscard]] Span trimmed(std::string_view text, Span place);

/// `1 warp`, `4 warps`, `M axes`; the count is written out, or an integer.
[[nodiscard]] std::string counted(std::string_view count, std::string_view noun);
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return counted(std::string_view(std::to_string(count)), noun);
}

/// `its kernels are f, g`, or `its only kernel is f`.
[[nodiscard]] std::string its_names(std::string_view noun, std::span<const std::string> names);

/// The text, its middle replaced by `gap` if it is longer than `most` bytes: `a+b … y+z`. UTF-8
/// characters stay whole.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most,
                                    std::string_view gap = " … ");

/// `a, b and 3 more`: the first `most` texts, and how many follow.
[[nodiscard]] std::string first_few(std::span<const std::string> texts, std::size_t most,
                                    std::string_view separator);

/// Removes the decimal integer at the start of the text and returns it; nullopt if there is none,
/// or one past 64 bits.
[[nodiscard]] std::optional<std::int64_t> take_integer(std::string_view& text);
/// The value of a text that is a decimal integer.
[[nodiscard]] std::optional<std::int64_t> integer_in(std::string_view text);

/// The pieces between commas outside all brackets, trimmed.
[[nodiscard]] std::vector<std::string_view> split_at_commas(std::string_view text,
                                                            std::string_view opening = "([{<",
                                                            std::string_view closing = ")]}>");

/// Whether the byte continues a UTF-8 character.
[[nodiscard]] constexpr bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}
/// The number of bytes of the UTF-8 character at the start of the text; 0 if there is none.
[[nodiscard]] std::size_t character_length(std::string_view text);
/// The Unicode code point of a UTF-8 character.
[[nodiscard]] std::uint32_t code_point(std::string_view character);

}  // namespace heddle
