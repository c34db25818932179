#pragma once

// Grids over dimensions of powers of two: a word of their bits, the first dimension's lowest, names
// a cell. Two axes, each some bits of the word, are rows and columns; each coordinate of the others
// has a panel, and a slice keeps some at one coordinate.
//
//   (register 4, lane 32, warp 2)       rows lane: bits 2 to 6     columns register: bits 0 and 1
//                                       panels warp: bit 7
//
// A grid that is too large loses high bits of its axes; the cells there follow by linearity.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "draw/grid.h"
#include "heddle/draw/picture.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::draw {

/// Bits [begin, begin + bits) of a word, the lower `shown` of which are shown.
struct BitAxis {
  std::string name;
  std::size_t begin = 0;
  int bits = 0;
  int shown = 0;

  [[nodiscard]] std::uint64_t word(std::uint64_t position) const {
    return shown == 0 ? 0 : position << begin;
  }
  [[nodiscard]] std::size_t shown_size() const { return std::size_t{1} << shown; }
};

/// The axes of the dimensions, in order.
[[nodiscard]] std::vector<BitAxis> axes_of(std::span<const linear::Dimension> dims);

/// The result of a slice: the axes that stay free, and the word of those that it fixes.
struct Sliced {
  std::vector<BitAxis> axes;
  std::uint64_t fixed = 0;
};
/// Refuses `draw.slice` for a name that is no axis or is given twice, or a coordinate outside its
/// axis.
[[nodiscard]] Result<Sliced> sliced(std::vector<BitAxis> axes, const linear::NamedSizes& slice);

struct BitGrid {
  std::optional<BitAxis> rows;
  std::optional<BitAxis> columns;
  /// The axes of the panels, the last one fastest.
  std::vector<BitAxis> further;
  std::uint64_t fixed = 0;

  /// log2 of the number of cells shown.
  [[nodiscard]] int bits() const;
  /// Removes high bits of axes until at most max_cells are shown (none if that asks for more than a
  /// picture has): first bits of the least `reluctance`, then of panels, then of the longer side.
  /// Returns the removed bits, each as a word, lowest first.
  [[nodiscard]] std::vector<std::uint64_t> cut(
      std::size_t max_cells, const std::function<int(std::uint64_t bit)>& reluctance);
  /// Adds the panels to a picture; `digits` gives the digits along an axis.
  [[nodiscard]] Result<void> add_to(
      Picture& picture, std::vector<std::string> fact_names,
      const std::function<Cell(std::uint64_t word)>& cell,
      const std::function<std::vector<Digit>(const BitAxis& axis)>& digits,
      const map::Limits& limits) const;
};

/// Refuses `draw.too_large` for a grid of more than kMaxCells cells or kMaxPanels panels.
[[nodiscard]] Result<void> check_room(const BitGrid& grid, const std::string& title);

}  // namespace heddle::draw
