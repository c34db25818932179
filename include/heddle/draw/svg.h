#pragma once

// Pictures for documents: one self-contained SVG file, without style sheets or scripts.
//
// Colours are tints of the Okabe-Ito palette under dark text, or 32 colours that readers of every
// colour vision can tell apart. Rulers show the digits of nested modes with their extents and
// strides, the outer ones as brackets over their blocks. Outlines of blocks get wider from inner to
// outer ones; each cell says `(1,(0,1)) → 11` when pointed at. Panels stand side by side as long as
// there is room.

#include <string>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// The picture as an SVG document in UTF-8. Characters that XML does not know are replaced. A cell
/// takes about 150 bytes: 128 x 128 cells make 2.5 MB.
[[nodiscard]] std::string to_svg(const Picture& picture);

}  // namespace heddle::draw
#pragma GCC visibility pop
