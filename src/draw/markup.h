#pragma once

// Texts of XML documents.

#include <string>
#include <string_view>

#include "heddle/draw/palette.h"

namespace heddle::draw {

/// The text, escaped for XML and HTML, between tags and in attributes.
[[nodiscard]] std::string escape_xml(std::string_view text);
/// `#1a1a1a`
[[nodiscard]] std::string hex(Rgb color);

inline constexpr std::string_view kFont =
    "font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\"";

}  // namespace heddle::draw
