#include "heddle/draw/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "draw/box.h"
#include "expr/numbers_text.h"

namespace heddle::draw {
namespace {

using Images = std::vector<std::vector<Int>>;

std::string images_text(const Images& images) {
  std::vector<std::string> parts;
  for (const std::vector<Int>& image : images) parts.push_back(commas(image));
  return fmt::format("{}", fmt::join(parts, "|"));
}

/// The cell of a point with these images; hatched where it has none.
Cell images_cell(const Images& images, const PictureOptions& options) {
  if (images.empty()) return {"", {}, kHatched, {}};
  const Int& first = images.front().front();
  const bool has_color = images.front().size() == 1 && first.is_constant() && first.value() >= 0;
  Cell cell = has_color ? position_cell(first.value(), options) : Cell{};
  cell.text = images_text(images);
  return cell;
}

void add_facts(Cell& cell, std::span<const Int> point, const PictureOptions& options) {
  if (options.facts) cell.facts = {heddle::tuple_text(point), cell.text};
}

/// One row for a box of one dimension, the last two dimensions as a grid else.
BoxPicture box_of(std::string title, std::vector<Int> sizes) {
  BoxPicture box;
  box.title = std::move(title);
  box.sides = plain_sides(sizes.size());
  box.sizes = std::move(sizes);
  box.fact_names = {"coordinate", "image"};
  return box;
}

}  // namespace

Result<Picture> picture(const map::View& view, const PictureOptions& options) {
  HEDDLE_CHECK(check_position_colors(options));
  BoxPicture box =
      box_of(options.title.value_or(std::string(map::description(view.system))), view.extents);
  box.cell = [&](std::span<const Int> point) -> Result<Cell> {
    HEDDLE_TRY(const Images images, map::images(view, point));
    Cell cell = images_cell(images, options);
    add_facts(cell, point, options);
    return cell;
  };
  return make_picture(box, options);
}

Result<Picture> picture(const map::IntegerRelation& relation, const PictureOptions& options) {
  HEDDLE_CHECK(check_position_colors(options));
  HEDDLE_TRY(const auto bounds, map::domain_bounds(relation));
  std::vector<Int> sizes;
  std::vector<std::int64_t> begins;
  for (const auto& [least, greatest] : bounds) {
    sizes.push_back(greatest - least + 1);
    begins.push_back(least.value());
  }
  BoxPicture box = box_of(relation.text(), std::move(sizes));
  box.begins = std::move(begins);
  box.cell = [&](std::span<const Int> point) -> Result<Cell> {
    HEDDLE_TRY(const Images images, map::images(relation, point));
    Cell cell = images_cell(images, options);
    add_facts(cell, point, options);
    return cell;
  };
  return make_picture(box, options);
}

Result<Picture> difference_picture(const map::View& a, const map::View& b,
                                   const PictureOptions& options) {
  HEDDLE_CHECK(check_position_colors(options));
  if (a.extents != b.extents) {
    return refuse("view.shape",
                  fmt::format("boxes of {} and {} have no points in common to compare",
                              heddle::tuple_text(a.extents), tuple_text(b.extents)));
  }
  BoxPicture box = box_of(options.title.value_or("the differences"), a.extents);
  box.cell = [&](std::span<const Int> point) -> Result<Cell> {
    HEDDLE_TRY(const Images left, map::images(a, point));
    HEDDLE_TRY(const Images right, map::images(b, point));
    Cell cell = images_cell(left, options);
    if (left != right) {
      cell.text = fmt::format("{} / {}", images_text(left), images_text(right));
      cell.color = kHatched;
    }
    add_facts(cell, point, options);
    return cell;
  };
  return make_picture(box, options);
}

}  // namespace heddle::draw
