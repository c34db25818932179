#pragma once

// The picture of an operation: its operands and its result side by side, with colours and numbers
// that connect each element of the result with the elements it comes from.
//
//   logical_divide(A, B)     colour: the tile of an element of A; #n: its place in the tile
//   blocked_product(A, B)    colour: the element of B, one for each copy; #n: the element of A
//   composition(A, B)        colour and #n: the element of B, which picks the element of A
//
// Divides: A is shown cut into tiles, B as the places of a tile, the result with both. If B is a
// tiler by mode, the title names it and it has no panel.

#include <string>
#include <string_view>

#include "heddle/cute/tiler.h"
#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// Whether the operation of that name, such as `logical_divide`, is drawn with its operands:
/// compositions, divides and products of layouts.
[[nodiscard]] bool is_drawn_operation(std::string_view name);

/// An operation that is_drawn_operation(), with its operands and result.
struct AppliedOperation {
  std::string operation;
  cute::AnyLayout left;
  cute::Tiler right;
  cute::AnyLayout result;
};

/// The picture of left, right and result; `options` decide about size and facts, not about colours.
/// If the result has more than kMaxCells elements, or if an element cannot be traced, only the
/// result is drawn, and a note says why. Refuses as picture(layout).
[[nodiscard]] Result<Picture> picture(const AppliedOperation& application,
                                      const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
