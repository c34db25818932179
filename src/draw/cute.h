#pragma once

// Parts of pictures of CuTe layouts of either kind: texts, numbers, and grids. The colours are
// given by the caller: picture() colours by index or bank, an operation's picture by the origin of
// elements.
//
//   add_panels(picture, (4,8,2):(8,1,32), …)      the panels (_,_,0) and (_,_,1), 4 x 8 each

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "draw/colors.h"
#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/draw/picture.h"

namespace heddle::draw {

[[nodiscard]] std::string layout_text(const cute::AnyLayout& layout);

/// `(0,(1,2))`
[[nodiscard]] std::string tuple_text(const IntTuple& tuple);

/// The layout, or the one inside a composed layout.
[[nodiscard]] const cute::Layout& strided_part(const cute::AnyLayout& layout);

/// The index or, for strides in several axes, the coordinate of a flat coordinate.
[[nodiscard]] Result<IntTuple> image_of(const cute::AnyLayout& layout, std::size_t flat);

/// Refuses `draw.symbolic` if an extent, a stride or the offset is not a constant: cells hold
/// numbers.
[[nodiscard]] Result<void> check_constant(const cute::AnyLayout& layout);
/// Checks a number of something else, `whole`.
[[nodiscard]] Result<void> check_constant(const Int& number, std::string_view whole);

/// A constant that is not negative.
[[nodiscard]] inline std::size_t to_size(const Int& constant) {
  return static_cast<std::size_t>(constant.value());
}

/// The looks of the cells of a layout.
struct Looks {
  /// The look of the element at a flat coordinate, from that and its image.
  std::function<Look(std::size_t flat, const IntTuple& image)> of;
  /// The name of the facts: "bank".
  std::string fact_name;
  /// The numbers of the points that belong to the element (Cell::elements).
  std::function<std::vector<std::int64_t>(std::size_t flat)> elements_of = [](std::size_t flat) {
    return std::vector{static_cast<std::int64_t>(flat)};
  };
};

/// Adds the panels of a layout to a picture, and notes what they leave out. Refuses as picture(),
/// except for colours.
[[nodiscard]] Result<void> add_panels(Picture& picture, const cute::AnyLayout& layout,
                                      const PictureOptions& options, const Looks& looks);

}  // namespace heddle::draw
