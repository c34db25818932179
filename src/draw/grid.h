#pragma once

// A box of cells in panels: dimensions that run down, along, and from panel to panel. Layouts of
// every system are drawn on one.
//
//   further (2,3), rows 8, columns 16      panels (0,0,_,_), (0,1,_,_), …, (1,2,_,_) of 8 x 16
//
// If a box has too many cells, a part is shown: the ends of long sides, and the first few panels.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/draw/picture.h"

namespace heddle::draw {

/// One side of a box.
struct Side {
  std::size_t length = 1;
  /// The parts of its positions, innermost first.
  std::vector<Digit> digits;
  /// The text at a position instead of its number, and its coordinate in a nested mode; either may
  /// be empty.
  std::function<std::string(std::size_t position)> text = {};
  std::function<std::string(std::size_t position)> coordinate = {};
  /// Named runs of positions instead of digits.
  std::vector<Group> groups = {};

  [[nodiscard]] std::string position_text(std::size_t position) const {
    return text ? text(position) : std::to_string(position);
  }
};

using Positions = std::span<const std::size_t>;

struct Grid {
  /// The sides that lead from panel to panel, the last one fastest.
  std::vector<Side> further;
  std::optional<Side> rows;
  std::optional<Side> columns;
  /// The pattern of a panel, given the positions of `further`.
  std::function<std::string(Positions further)> pattern = {};
  /// The label of a panel, if there are further sides; empty for the pattern.
  std::function<std::string(Positions further)> label = {};
  /// Whether a panel has nothing to show and is left out; empty for none.
  std::function<Result<bool>(Positions further)> is_empty = {};
  std::vector<std::string> fact_names = {};
  /// The cell at the positions of `further`, of the row and of the column, those that exist.
  std::function<Result<Cell>(Positions at)> cell;

  /// The number of cells, and of panels, shown or not.
  [[nodiscard]] Int cell_count() const;
  [[nodiscard]] Int panel_count() const;
};

/// Adds the panels of a grid to a picture, and notes what they leave out. Refuses `draw.gave_up`.
[[nodiscard]] Result<void> add_panels(Picture& picture, const Grid& grid, std::size_t max_cells,
                                      const map::Limits& limits);
/// Refuses `draw.gave_up` once the limits are over.
[[nodiscard]] Result<void> check_time(const map::Limits& limits);

/// Refuses `draw.too_large` if all cells are asked for and they, or their panels, are more than a
/// picture has; `noun` names the cells of `whole`.
[[nodiscard]] Result<void> check_room(const Grid& grid, std::size_t max_cells,
                                      std::string_view whole, std::string_view noun);
/// Refuses: `whole` has this many of them, more than a picture has cells.
[[nodiscard]] Diagnostic too_many_cells(std::string_view whole, std::string_view count,
                                        std::string_view noun);

/// One digit with the length of the side, or its name.
[[nodiscard]] std::vector<Digit> whole_side(std::size_t length, std::string label);

}  // namespace heddle::draw
