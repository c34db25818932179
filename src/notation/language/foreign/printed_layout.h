#pragma once

// Finds linear layouts in Triton's format within a text; parse_printed_layout() reads them.

#include <cstddef>
#include <string_view>

namespace heddle::notation {

// Its fixed words.
inline constexpr std::string_view kEmptyLayout = "(empty layout)";
inline constexpr std::string_view kOutDims = "where out dims are:";
inline constexpr std::string_view kSizeOne = "is a size 1 dimension";

/// `- lane=1 -> (…`, `- lane is a size 1 dimension`, `where out dims are:`, `(empty layout)`.
[[nodiscard]] bool begins_printed_layout(std::string_view text);
/// The length of such a layout, up to the end of its output dimensions.
[[nodiscard]] std::size_t printed_layout_length(std::string_view text);

}  // namespace heddle::notation
