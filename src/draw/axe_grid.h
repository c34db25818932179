#pragma once

// The grids of pictures of Axe layouts: dimensions of any extents, of which the last two make rows
// and columns and each coordinate of the others a panel.
//
//   (2,3,8,16)      panels (0,0,_,_), (0,1,_,_), …, (1,2,_,_) of 8 x 16

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/draw/picture.h"

namespace heddle::draw {

/// One dimension of a grid.
struct GridSide {
  /// What stands beside it: `warpid`; may be empty.
  std::string name;
  std::size_t length = 1;
  /// The first position's number.
  std::int64_t first = 0;
  /// What stands along it, innermost first; empty for the name alone.
  std::vector<Digit> digits;
  /// What stands at a position instead of its number.
  std::function<std::string(std::size_t position)> text = {};

  [[nodiscard]] std::string position_text(std::size_t position) const;
};

struct AxeGrid {
  /// Outer ones first; at least one.
  std::vector<GridSide> sides;
  /// The label of a panel, given the positions of its sides before the last two; may be empty.
  std::function<std::string(std::span<const std::size_t> further)> label;
  /// Panels without anything to show, which are left out; empty for none.
  std::function<Result<bool>(std::span<const std::size_t> further)> is_empty = {};

  /// Refuses `draw.too_large` where max_cells asks for more cells, or panels, than a picture has.
  [[nodiscard]] Result<void> check_room(std::size_t max_cells, const std::string& title) const;
  /// The panels, and into `notes` what they leave out.
  [[nodiscard]] Result<std::vector<Panel>> panels(
      std::size_t max_cells, std::vector<std::string>& notes,
      const std::function<Result<Cell>(std::span<const std::size_t> positions)>& cell) const;
};

}  // namespace heddle::draw
