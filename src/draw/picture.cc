#include "heddle/draw/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cute/format.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"

namespace heddle::draw {
namespace {

std::string text_of(const IntTuple& tuple) {
  if (tuple.is_leaf()) return to_string(tuple.leaf());
  std::ostringstream stream;
  stream << tuple;
  return stream.str();
}

// Sizes.

/// The modes of a shape as the sides of the grid.
struct Grid {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t slices = 1;
};

Refusal too_large(std::string what) {
  return refuse(
      Diagnostic("draw.too_large", std::move(what))
          .with_hint(
              "draw a part of it: a slice, as in slice((_,0), L), or one tile of a divide, as in "
              "slice(((_,_),(0,0)), tiled) after tiled = zipped_divide(L, (64,64))"));
}

Result<Grid> grid_of(const cute::AnyLayout& layout) {
  const IntTuple shape = cute::shape(layout);
  if (shape.rank() == 0)
    return refuse("tuple.empty", "a layout without modes has no cells to draw");
  const std::size_t nodes = shape.profile().view().nodes().size();
  if (nodes > kMaxShapeNodes) {
    return refuse(
        Diagnostic(
            "draw.too_large",
            fmt::format(
                "a picture labels shapes of at most {} leaves and tuples, and this one has {}",
                kMaxShapeNodes, nodes))
            .with_hint("coalesce the layout by mode, which drops extents of 1"));
  }
  const Int size = cute::size(shape);
  if (!known_at_most(size, kMaxCells)) {
    return too_large(fmt::format("{} has {} elements, and a picture at most {} cells",
                                 cute::to_string(layout), size, kMaxCells));
  }
  Grid grid;
  const auto extent = [&](std::size_t mode) {
    return static_cast<std::size_t>(cute::size(shape.mode(mode)).value());
  };
  if (shape.rank() == 1) {
    grid.columns = extent(0);
    return grid;
  }
  grid.rows = extent(0);
  grid.columns = extent(1);
  for (std::size_t mode = 2; mode < shape.rank(); ++mode) grid.slices *= extent(mode);
  if (grid.slices > kMaxSlices) {
    return too_large(
        fmt::format("the modes of {} after the second make {} slices, and a picture shows at "
                    "most {}",
                    cute::to_string(layout), grid.slices, kMaxSlices));
  }
  return grid;
}

// Rulers.

std::string coordinate_in(const IntTuple& shape, std::size_t position) {
  const Result<IntTuple> coordinate = cute::idx2crd(IntTuple(Int(position)), shape);
  return coordinate ? text_of(*coordinate) : std::string();
}

Ruler ruler_of(const IntTuple& mode, std::size_t length) {
  Ruler ruler;
  ruler.length = length;
  std::size_t block = 1;
  for (const Int& extent : mode.leaves()) {
    if (block > 1 && block < length && (ruler.blocks.empty() || ruler.blocks.back() != block)) {
      ruler.blocks.push_back(block);
    }
    block *= static_cast<std::size_t>(extent.value());
  }
  if (mode.is_leaf()) return ruler;
  for (std::size_t i = 0; i < length; ++i) ruler.coordinates.push_back(coordinate_in(mode, i));
  return ruler;
}

/// `(_,_,1)`: the coordinate of slice `index`.
std::string slice_label(const IntTuple& shape, std::size_t index) {
  if (shape.is_leaf()) return "_";
  if (shape.rank() == 1) return "(_)";
  std::string label = "(_,_";
  for (std::size_t mode = 2; mode < shape.rank(); ++mode) {
    const IntTuple part = shape.mode(mode);
    const auto extent = static_cast<std::size_t>(cute::size(part).value());
    label += ',' + coordinate_in(part, index % extent);
    index /= extent;
  }
  return label + ')';
}

// Colours.

/// The number that decides the colour of what a cell maps to.
class Colors {
 public:
  Colors(const cute::AnyLayout& layout, const PictureOptions& options) : options_(options) {
    if (options.color_by == ColorBy::kNone) return;
    const auto* plain = std::get_if<cute::Layout>(&layout);
    if (plain != nullptr && !plain->is_integral() && !place_coordinates(*plain)) return;
    count_ = static_cast<std::size_t>(options.modulus);
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] std::string legend() const {
    if (count_ == 0) return {};
    const std::string place = weights_.empty() ? "index" : "place of the coordinate";
    if (options_.run == 1) return fmt::format("{} mod {}", place, options_.modulus);
    return fmt::format("floor({} / {}) mod {}", place, options_.run, options_.modulus);
  }

  [[nodiscard]] std::size_t of(const IntTuple& image) const {
    if (count_ == 0) return 0;
    Int index = image.leaves().front();
    if (!weights_.empty()) {
      index = 0;
      for (std::size_t i = 0; i < image.leaves().size(); ++i)
        index += image.leaves()[i] * weights_[i];
    }
    const Int color = mod(floor_div(index, options_.run), options_.modulus);
    return color.is_constant() ? static_cast<std::size_t>(color.value()) : 0;
  }

 private:
  /// Coordinates count within the box of all of them; false where their number leaves 64 bits.
  bool place_coordinates(const cute::Layout& layout) {
    const Result<IntTuple> box = cute::coshape(layout);
    if (!box) return false;
    Int weight = 1;
    for (const Int& extent : box->leaves()) {
      weights_.push_back(weight);
      weight *= extent;
    }
    return weight.is_defined();
  }

  PictureOptions options_;
  std::vector<Int> weights_;
  std::size_t count_ = 0;
};

Result<void> check_colors(const PictureOptions& options) {
  if (options.color_by == ColorBy::kNone) return {};
  if (options.modulus < 1 || options.modulus > kMaxColors) {
    return refuse("draw.color", fmt::format("colours go by the index modulo 1 to {}, not modulo {}",
                                            kMaxColors, options.modulus));
  }
  if (options.run < 1) {
    return refuse(
        "draw.color",
        fmt::format("runs of {} indices cannot share a colour; a run has at least 1", options.run));
  }
  return {};
}

// Cells.

Result<IntTuple> image_of(const cute::AnyLayout& layout, const Int& flat) {
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout)) {
    return IntTuple((*composed)(flat));
  }
  const auto& plain = std::get<cute::Layout>(layout);
  if (plain.is_integral()) return IntTuple(plain(flat));
  return cute::evaluate(plain, cute::Coordinate(cute::Index(flat)));
}

/// The cells of one slice; the flat coordinate runs down the rows first.
Result<std::vector<Cell>> cells_of(const cute::AnyLayout& layout, const Grid& grid,
                                   const Colors& colors, std::size_t slice) {
  std::vector<Cell> cells(grid.rows * grid.columns);
  for (std::size_t column = 0; column < grid.columns; ++column) {
    for (std::size_t row = 0; row < grid.rows; ++row) {
      const std::size_t flat = row + grid.rows * (column + grid.columns * slice);
      HEDDLE_TRY(const IntTuple image, image_of(layout, Int(flat)));
      cells[row * grid.columns + column] = {text_of(image), colors.of(image)};
    }
  }
  return cells;
}

const std::string& position_text(const Ruler& ruler, std::size_t position, std::string& buffer) {
  if (!ruler.coordinates.empty()) return ruler.coordinates[position];
  return buffer = std::to_string(position);
}

}  // namespace

std::size_t boundary_level(const Ruler& ruler, std::size_t position) {
  const auto crosses = [&](std::size_t block) { return position % block == 0; };
  return static_cast<std::size_t>(std::ranges::find_if_not(ruler.blocks, crosses) -
                                  ruler.blocks.begin());
}

std::string coordinate_text(const Picture& picture, const Slice& slice, std::size_t row,
                            std::size_t column) {
  std::string text;
  std::string buffer;
  bool is_row = picture.rows.is_mode;
  for (const char c : slice.label) {
    if (c != '_') {
      text += c;
      continue;
    }
    text += is_row ? position_text(picture.rows, row, buffer)
                   : position_text(picture.columns, column, buffer);
    is_row = false;
  }
  return text;
}

Result<Picture> picture(const cute::AnyLayout& layout, const PictureOptions& options) {
  HEDDLE_CHECK(check_colors(options));
  HEDDLE_TRY(const Grid grid, grid_of(layout));
  const IntTuple shape = cute::shape(layout);
  const Colors colors(layout, options);
  Picture picture;
  picture.title = options.title.value_or(cute::to_string(layout));
  picture.legend = colors.legend();
  picture.colors = colors.count();
  if (shape.rank() == 1) {
    picture.rows.is_mode = false;
    picture.columns = ruler_of(shape.mode(0), grid.columns);
  } else {
    picture.rows = ruler_of(shape.mode(0), grid.rows);
    picture.columns = ruler_of(shape.mode(1), grid.columns);
  }
  for (std::size_t index = 0; index < grid.slices; ++index) {
    HEDDLE_TRY(std::vector<Cell> cells, cells_of(layout, grid, colors, index));
    picture.slices.push_back({slice_label(shape, index), std::move(cells)});
  }
  return picture;
}

}  // namespace heddle::draw
