#pragma once

// Shared by tiles and direct sums. Both are a product of a left and a right side on the interleaved
// domain: f(x || y) = f_left(x) * W + f_right(y), where W is the span of the right side for a tile
// and 1 for a direct sum.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "heddle/axe/group.h"
#include "heddle/axe/layout.h"
#include "heddle/axe/tile.h"

namespace heddle::axe {

enum class Product : std::uint8_t { kTile, kDirectSum };

/// W: a number for each axis, 1 if an axis is not mentioned.
class Scale {
 public:
  void set(Axis axis, Int width) { widths_.emplace_back(std::move(axis), std::move(width)); }
  [[nodiscard]] bool has(const Axis& axis) const;
  [[nodiscard]] Int operator[](const Axis& axis) const;

 private:
  std::vector<std::pair<Axis, Int>> widths_;
};

/// The span on each of the axes of a layout that is scaled, and its iters before and after.
void trace_scaling(const Trace& trace, const Layout& layout, const Scale& scale,
                   std::string_view tile);

/// The span of the layout on each of the axes that the other one uses. Refuses as span().
[[nodiscard]] Result<Scale> spans_on_axes_of(const Layout& layout, const Layout& other);

[[nodiscard]] std::vector<Iter> scaled(std::span<const Iter> iters, const Scale& scale);
[[nodiscard]] Coordinate scaled(const Coordinate& coordinate, const Scale& scale);

/// Refuses `axe.ranks`.
[[nodiscard]] Result<void> check_ranks(std::string_view operation, std::span<const Int> a,
                                       std::span<const Int> b);

/// group(), but a shape that is not admitted is refused in the name of `operation`.
[[nodiscard]] Result<Grouping> group_for(std::string_view operation, const Layout& layout,
                                         std::span<const Int> shape);

/// left * W + right as one list, with the swizzle applied last. Refuses as Layout::make().
[[nodiscard]] Result<Layout> interleave(const Grouping& left, const Scale& scale,
                                        const Grouping& right,
                                        const std::optional<Swizzle>& swizzle);

/// The product, whose steps are written down; refuses as tile().
[[nodiscard]] Result<Layout> multiply(Product kind, const Layout& left,
                                      std::span<const Int> left_shape, const Layout& right,
                                      std::span<const Int> right_shape, const Trace& trace = {});

/// layout * W. Refuses as scale(), in the name of `call()`.
[[nodiscard]] Result<Layout> scaled_layout(const Layout& layout, const Scale& scale,
                                           const std::function<std::string()>& call);

/// `tile((…), (8,8), (…), (8,8))`.
[[nodiscard]] std::string call_text(std::string_view operation, const Layout& a,
                                    std::span<const Int> a_shape, const Layout& b,
                                    std::span<const Int> b_shape);

}  // namespace heddle::axe
