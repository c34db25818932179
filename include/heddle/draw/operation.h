#pragma once

// The picture of an operation: its operands and its result side by side, with colours and numbers
// that lead from each element of the result to the elements it comes from.
//
//   logical_divide(A, B)     colour: the tile an element of A is in; #n: its place in the tile
//   blocked_product(A, B)    colour: the element of B, one for each copy; #n: the element of A
//   composition(A, B)        colour and #n: the element of B, which picks the element of A
//
// Divides: A is shown cut into tiles, B as the places of a tile, the result with both. Where B is a
// tiler by mode, the title names it and it has no panel.

#include <string>
#include <string_view>

#include "heddle/cute/tiler.h"
#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// Whether the picture of the operation of that name, `logical_divide`, has operands: compositions,
/// divides and products of layouts.
[[nodiscard]] bool is_drawn_operation(std::string_view name);

/// An operation that is_drawn_operation(), and what came of it.
struct AppliedOperation {
  std::string operation;
  cute::AnyLayout left;
  cute::Tiler right;
  cute::AnyLayout result;
};

/// The picture of left, right and result; `options` decide about size and facts, not about colours.
/// Where the result has more than kMaxCells elements, or where an element cannot be traced, it is
/// the result alone, and a note says why. Refuses what picture(layout) refuses.
[[nodiscard]] Result<Picture> picture(const AppliedOperation& application,
                                      const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
