#include "heddle/draw/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "draw/colors.h"
#include "draw/cute.h"
#include "draw/grid.h"
#include "expr/numbers_text.h"

namespace heddle::draw {
namespace {

using Dimensions = std::vector<std::size_t>;

/// A function on a box: the dimensions along each side, outermost first, and those that make
/// panels.
struct Box {
  std::vector<Int> sizes;
  Dimensions panels = {};
  Dimensions rows = {};
  Dimensions columns = {};
  /// The first index of each dimension; empty for 0.
  std::vector<std::int64_t> begins = {};
  /// The order in which its points are counted.
  form::FlatOrder order = form::FlatOrder::kLastFastest;

  [[nodiscard]] std::int64_t begin(std::size_t dimension) const {
    return begins.empty() ? 0 : begins[dimension];
  }
};

/// The number of a point in the order of its box.
std::int64_t flat_of(const Box& box, std::span<const Int> point) {
  const std::size_t rank = box.sizes.size();
  Int flat = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t dimension = box.order == form::FlatOrder::kLastFastest ? i : rank - 1 - i;
    flat = flat * box.sizes[dimension] + (point[dimension] - box.begin(dimension));
  }
  return flat.value();
}

/// The last dimension makes the columns, the one before it the rows, the others panels.
Box plain_box(std::vector<Int> sizes) {
  Box box{std::move(sizes)};
  const std::size_t rank = box.sizes.size();
  for (std::size_t i = 0; i < rank; ++i)
    (i + 1 == rank ? box.columns : i + 2 == rank ? box.rows : box.panels).push_back(i);
  return box;
}

/// Tiles of two dimensions each nest along both sides.
Box box_of(const lego::Layout& layout) {
  const bool nests =
      std::ranges::all_of(layout.tiles(), [](const lego::Sizes& tile) { return tile.size() == 2; });
  if (!nests) return plain_box(layout.dims());
  Box box{layout.dims()};
  for (std::size_t i = 0; i < box.sizes.size(); ++i)
    (i % 2 == 1 ? box.columns : box.rows).push_back(i);
  return box;
}

/// Sets the indices of the dimensions of a side at one of its positions.
void place_at(std::size_t position, const Box& box, const Dimensions& side,
              std::vector<Int>& point) {
  for (auto dimension = side.rbegin(); dimension != side.rend(); ++dimension) {
    const std::size_t extent = to_size(box.sizes[*dimension]);
    point[*dimension] = Int(position % extent) + box.begin(*dimension);
    position /= extent;
  }
}

/// Digits show their number only: a box has no strides.
Side box_side(const Box& box, const Dimensions& dimensions) {
  Side side;
  for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
    const std::size_t extent = to_size(box.sizes[*dimension]);
    if (extent != 1) side.digits.push_back({extent, side.length, std::to_string(extent)});
    side.length *= extent;
  }
  const auto coordinate = [&box, dimensions](std::size_t position) {
    std::vector<Int> point(box.sizes.size());
    place_at(position, box, dimensions, point);
    std::vector<Int> parts;
    for (const std::size_t dimension : dimensions) parts.push_back(point[dimension]);
    return commas(parts);
  };
  if (dimensions.size() > 1) {
    side.coordinate = [coordinate](std::size_t position) {
      return '(' + coordinate(position) + ')';
    };
  } else if (dimensions.size() == 1 && box.begin(dimensions.front()) != 0) {
    side.text = coordinate;
  }
  return side;
}

/// The texts of the cells of a box, and `fact_name` as their subject.
struct BoxPicture {
  std::string title;
  Box box;
  std::string fact_name;
  std::function<Result<Cell>(std::span<const Int> point, const IndexColors& colors)> cell;
  /// How the system writes a coordinate.
  std::string (*coordinate)(std::span<const Int> point) = [](std::span<const Int> point) {
    return heddle::tuple_text(point);
  };
};

/// `(2,_,_)`
std::string box_pattern(const Grid& grid, Positions further) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < further.size(); ++i)
    parts.push_back(grid.further[i].position_text(further[i]));
  if (grid.rows) parts.emplace_back("_");
  parts.emplace_back("_");
  return fmt::format("({})", fmt::join(parts, ","));
}

Result<Picture> box_picture(const BoxPicture& drawn, const PictureOptions& options) {
  HEDDLE_TRY(const IndexColors colors, IndexColors::make(options));
  const Box& box = drawn.box;
  for (const Int& extent : box.sizes) HEDDLE_CHECK(check_constant(extent, drawn.title));
  Picture picture;
  picture.title = options.title.value_or(drawn.title);
  colors.describe(picture);
  Grid grid;
  for (const std::size_t dimension : box.panels) grid.further.push_back(box_side(box, {dimension}));
  if (!box.rows.empty()) grid.rows = box_side(box, box.rows);
  grid.columns = box_side(box, box.columns);
  grid.pattern = [&](Positions further) { return box_pattern(grid, further); };
  if (options.facts) grid.fact_names = {"coordinate", drawn.fact_name};
  grid.cell = [&](Positions at) -> Result<Cell> {
    std::vector<Int> point(box.sizes.size());
    for (std::size_t i = 0; i < box.panels.size(); ++i)
      place_at(at[i], box, {box.panels[i]}, point);
    if (grid.rows) place_at(at[at.size() - 2], box, box.rows, point);
    place_at(at.back(), box, box.columns, point);
    HEDDLE_TRY(Cell cell, drawn.cell(point, colors));
    if (options.facts) cell.facts = {drawn.coordinate(point), cell.text};
    if (options.elements) cell.elements = {flat_of(box, point)};
    return cell;
  };
  const std::size_t max_cells = options.max_cells.value_or(kUsualCells);
  if (max_cells > kMaxCells && !known_at_most(grid.cell_count(), kMaxCells))
    return refuse(too_many_cells(drawn.title, to_string(grid.cell_count()), "points"));
  HEDDLE_CHECK(add_panels(picture, grid, max_cells, options.limits));
  return picture;
}

// Images.

using Images = std::vector<std::vector<Int>>;

std::string images_text(const Images& images) {
  std::vector<std::string> parts;
  for (const std::vector<Int>& image : images) parts.push_back(commas(image));
  return fmt::format("{}", fmt::join(parts, "|"));
}

/// The cell of an index; hatched below 0.
Cell index_cell(const Int& index, const IndexColors& colors) {
  Cell cell{to_string(index), {}, kHatched, {}};
  if (known_less(index, 0)) return cell;
  Look look = colors.look(index);
  cell.color = look.color;
  cell.note = std::move(look.note);
  return cell;
}

/// The cell of a point with these images; hatched if it has none.
Cell images_cell(const Images& images, const IndexColors& colors) {
  if (images.empty()) return {"", {}, kHatched, {}};
  const Int& first = images.front().front();
  const bool has_color = images.front().size() == 1 && known_at_most(0, first);
  Cell cell = has_color ? index_cell(first, colors) : Cell{};
  cell.text = images_text(images);
  return cell;
}

}  // namespace

Result<Picture> picture(const map::View& view, const PictureOptions& options) {
  const auto cell = [&](std::span<const Int> point, const IndexColors& colors) -> Result<Cell> {
    HEDDLE_TRY(const Images images, map::images(view, point));
    return images_cell(images, colors);
  };
  Box box = plain_box(view.extents);
  box.order = view.order;
  return box_picture({std::string(map::description(view.system)), std::move(box), "image", cell},
                     options);
}

Result<Picture> picture(const map::IntegerRelation& relation, const PictureOptions& options) {
  HEDDLE_TRY(const auto bounds, map::domain_bounds(relation));
  std::vector<Int> sizes;
  for (const auto& [least, greatest] : bounds) sizes.push_back(greatest - least + 1);
  Box box = plain_box(std::move(sizes));
  for (const auto& [least, greatest] : bounds) box.begins.push_back(least.value());
  const auto cell = [&](std::span<const Int> point, const IndexColors& colors) -> Result<Cell> {
    HEDDLE_TRY(const Images images, map::images(relation, point));
    return images_cell(images, colors);
  };
  return box_picture({relation.text(), std::move(box), "image", cell}, options);
}

Result<Picture> picture(const lego::Layout& layout, const PictureOptions& options) {
  const auto cell = [&](std::span<const Int> point, const IndexColors& colors) -> Result<Cell> {
    HEDDLE_TRY(const Int position, layout.apply(point));
    return index_cell(position, colors);
  };
  return box_picture({to_string(layout), box_of(layout), "position", cell, lego::to_string},
                     options);
}

Result<Picture> difference_picture(const map::View& a, const map::View& b,
                                   const PictureOptions& options) {
  if (a.extents != b.extents) {
    return refuse("view.shape",
                  fmt::format("boxes of {} and {} have no points in common to compare",
                              heddle::tuple_text(a.extents), heddle::tuple_text(b.extents)));
  }
  const auto cell = [&](std::span<const Int> point, const IndexColors& colors) -> Result<Cell> {
    HEDDLE_TRY(const Images left, map::images(a, point));
    HEDDLE_TRY(const Images right, map::images(b, point));
    Cell shown = images_cell(left, colors);
    if (left != right) {
      shown.text = fmt::format("{} / {}", images_text(left), images_text(right));
      shown.color = kHatched;
    }
    return shown;
  };
  Box box = plain_box(a.extents);
  box.order = a.order;
  return box_picture({"the differences", std::move(box), "image", cell}, options);
}

}  // namespace heddle::draw
