#pragma once

// The grids of a layout without a word about their colours, which every kind of picture gives
// itself: picture() colours by index or bank, an operation's picture by where elements come from.
//
//   make_panels((4,8,2):(8,1,32), options, looks)      the panels (_,_,0) and (_,_,1), 4 x 8 each

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "heddle/draw/picture.h"

namespace heddle::draw {

/// How a cell looks besides its text.
struct Look {
  std::size_t color = kPlain;
  std::string note;
  /// What both say, as a fact.
  std::string fact;
};

/// How the cells of a layout look.
struct Looks {
  /// The look of the element at a flat coordinate, given also what it maps to.
  std::function<Look(std::size_t flat, const IntTuple& image)> of;
  /// What the facts are about: "bank".
  std::string fact_name;
};

struct Panels {
  std::vector<Panel> panels;
  /// What is left out.
  std::vector<std::string> notes;
};

/// The panels of a layout. Refuses what picture() refuses, but for colours.
[[nodiscard]] Result<Panels> make_panels(const cute::AnyLayout& layout,
                                         const PictureOptions& options, const Looks& looks);

}  // namespace heddle::draw
