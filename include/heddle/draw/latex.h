#pragma once

// Pictures for papers: a LaTeX document with one TikZ picture, of the size of the picture. It needs
// the packages `standalone` and `tikz` alone; its `tikzpicture` may as well be copied into another
// document, together with the colours above it.

#include <string>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// The picture as a LaTeX document in ASCII; other characters than `·` in title and labels become
/// `?`. TeX takes about a second for a thousand cells.
[[nodiscard]] std::string to_latex(const Picture& picture);

}  // namespace heddle::draw
#pragma GCC visibility pop
