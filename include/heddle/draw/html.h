#pragma once

// Pictures to explore in a browser: one self-contained page, without a network.
//
// The page holds the picture as SVG. Pointing at a cell shows what its Cell::facts say: coordinate,
// index, digits, bank. A click holds the cell and dims all cells but those of its colour, in every
// panel and in the legend; another click or Escape lets go. Light and dark follow the reader's
// system.

#include <string>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// The picture as an HTML page in UTF-8. To have facts, make the picture with
/// PictureOptions::facts.
[[nodiscard]] std::string to_html(const Picture& picture);

}  // namespace heddle::draw
#pragma GCC visibility pop
