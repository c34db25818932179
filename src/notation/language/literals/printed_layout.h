#pragma once

// Where a linear layout as Triton prints it stands in a text; parse_printed_layout() reads it.

#include <cstddef>
#include <string_view>

namespace heddle::notation {

// Its fixed words.
inline constexpr std::string_view kEmptyLayout = "(empty layout)";
inline constexpr std::string_view kOutDims = "where out dims are:";
inline constexpr std::string_view kSizeOne = "is a size 1 dimension";

/// `- lane=1 -> (…`, `- lane is a size 1 dimension`, `where out dims are:`, `(empty layout)`.
[[nodiscard]] bool begins_printed_layout(std::string_view text);
/// How much of such a text it takes: up to the end of the output dimensions.
[[nodiscard]] std::size_t printed_layout_length(std::string_view text);

}  // namespace heddle::notation
