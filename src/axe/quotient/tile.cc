#include "heddle/axe/tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "axe/quotient/product.h"
#include "axe/quotient/quotient.h"

namespace heddle::axe {

Shape product_shape(std::span<const Int> outer, std::span<const Int> inner) {
  Shape shape;
  for (std::size_t i = 0; i < outer.size() && i < inner.size(); ++i) {
    shape.push_back(outer[i] * inner[i]);
  }
  return shape;
}

Shape interleaved(std::span<const Int> outer, std::span<const Int> inner) {
  Shape shape;
  for (std::size_t i = 0; i < outer.size() && i < inner.size(); ++i) {
    shape.push_back(outer[i]);
    shape.push_back(inner[i]);
  }
  return shape;
}

Result<Layout> tile(const Layout& outer, std::span<const Int> outer_shape, const Layout& inner,
                    std::span<const Int> inner_shape) {
  return multiply(Product::kTile, outer, outer_shape, inner, inner_shape);
}

Result<Layout> direct_sum(const Layout& left, std::span<const Int> left_shape, const Layout& right,
                          std::span<const Int> right_shape) {
  return multiply(Product::kDirectSum, left, left_shape, right, right_shape);
}

Result<Layout> scale(const Layout& layout, std::span<const Coordinate::Entry> widths) {
  Scale scale;
  for (const auto& [axis, width] : widths) scale.set(axis, width);
  return scaled_layout(layout, scale, [&] {
    std::vector<std::string> texts;
    for (const auto& [axis, width] : widths) texts.push_back(step_text(width, axis));
    return fmt::format("scale({}, {})", layout, fmt::join(texts, " + "));
  });
}

Result<Layout> tile_to(const Layout& layout, std::span<const Int> to_shape,
                       std::span<const Int> current_shape) {
  const auto call = [&] {
    return fmt::format("tile_to({}, {}, {})", layout, tuple_text(to_shape),
                       tuple_text(current_shape));
  };
  HEDDLE_CHECK(check_ranks("tile_to", to_shape, current_shape));
  HEDDLE_CHECK(check_admits(layout, current_shape, "tile_to"));
  HEDDLE_TRY(const Shape grid_shape, divide_shape(to_shape, current_shape, call));
  std::vector<Iter> grid;
  const std::vector<Int> strides = compact_strides(grid_shape);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    grid.push_back({grid_shape[i], strides[i], Axis::memory()});
  }
  HEDDLE_TRY(const Layout grid_layout, Layout::make(std::move(grid)));
  return tile(grid_layout, grid_shape, layout, current_shape);
}

Result<Layout> tile_of(const Layout& tiled, std::span<const Int> tiled_shape, const Layout& inner,
                       std::span<const Int> inner_shape, const Trace& trace) {
  return divide({Product::kTile, Side::kLeft, "tile_of", tiled, tiled_shape, inner, inner_shape},
                trace);
}
Result<Layout> tile_of(const Layout& tiled, std::span<const Int> tiled_shape, const Layout& inner,
                       std::span<const Int> inner_shape) {
  return tile_of(tiled, tiled_shape, inner, inner_shape, Trace());
}

Result<Layout> tile_inner_of(const Layout& tiled, std::span<const Int> tiled_shape,
                             const Layout& outer, std::span<const Int> outer_shape,
                             const Trace& trace) {
  return divide(
      {Product::kTile, Side::kRight, "tile_inner_of", tiled, tiled_shape, outer, outer_shape},
      trace);
}
Result<Layout> tile_inner_of(const Layout& tiled, std::span<const Int> tiled_shape,
                             const Layout& outer, std::span<const Int> outer_shape) {
  return tile_inner_of(tiled, tiled_shape, outer, outer_shape, Trace());
}

Result<Layout> direct_sum_left_of(const Layout& sum, std::span<const Int> sum_shape,
                                  const Layout& right, std::span<const Int> right_shape,
                                  const Trace& trace) {
  return divide(
      {Product::kDirectSum, Side::kLeft, "direct_sum_left_of", sum, sum_shape, right, right_shape},
      trace);
}
Result<Layout> direct_sum_left_of(const Layout& sum, std::span<const Int> sum_shape,
                                  const Layout& right, std::span<const Int> right_shape) {
  return direct_sum_left_of(sum, sum_shape, right, right_shape, Trace());
}

Result<Layout> direct_sum_right_of(const Layout& sum, std::span<const Int> sum_shape,
                                   const Layout& left, std::span<const Int> left_shape,
                                   const Trace& trace) {
  return divide(
      {Product::kDirectSum, Side::kRight, "direct_sum_right_of", sum, sum_shape, left, left_shape},
      trace);
}
Result<Layout> direct_sum_right_of(const Layout& sum, std::span<const Int> sum_shape,
                                   const Layout& left, std::span<const Int> left_shape) {
  return direct_sum_right_of(sum, sum_shape, left, left_shape, Trace());
}

}  // namespace heddle::axe
