#pragma once

// The inverses of tile and direct sum: one side of a product, given the product and the other side.
//
// The scale W is known beforehand: 1 for a direct sum, span(right) if the right side of a tile is
// known, and span(T) / span(left) on each axis if the left one is, because span(T) = span(left) *
// span(right). Without swizzles the parts of a layout are then independent:
//
//   D   T groups by the interleaved shape, because the product does, and canonical lists are
//       unique (theorem A.8): the blocks of the known side must be among them, the others are the
//       unknown side's, divided by W on the left.
//   O   O_T = W*O_left + O_right, the replicas' normal forms all beginning at 0.
//   R   W*R_left + R_right = R_T as sets, axis by axis (axe/layout/progressions.h).
//
// A swizzled side can have a product without one: S[(3,2):(10,1)] is no S[(2,3):…], but it may be
// SW(0,1,3) o S[(2,3):…]. So if T does not group, or a replica is no sum of progressions, the table
// of all places decides (up to kMaxPlaces).

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "axe/layout/iters.h"
#include "axe/quotient/product.h"
#include "heddle/axe/layout.h"
#include "heddle/axe/tile.h"

namespace heddle::axe {

enum class Side : std::uint8_t { kLeft, kRight };

/// T = left * W + right, with one side unknown.
struct Quotient {
  Product kind = Product::kTile;
  Side unknown = Side::kLeft;
  std::string_view operation;
  const Layout& product;
  std::span<const Int> product_shape;
  const Layout& known;
  std::span<const Int> known_shape;

  /// The same quotient of other layouts, which must live as long.
  [[nodiscard]] Quotient with(const Layout& other_product, const Layout& other_known) const {
    return {kind, unknown, operation, other_product, product_shape, other_known, known_shape};
  }
  [[nodiscard]] bool left_is_unknown() const { return unknown == Side::kLeft; }
};

/// The unknown side in normal form, and the steps to it. Refuses as tile_of().
[[nodiscard]] Result<Layout> divide(const Quotient& given, const Trace& trace = {});

// The operations of tile.h, whose steps are written down.

[[nodiscard]] Result<Layout> tile_of(const Layout& tiled, std::span<const Int> tiled_shape,
                                     const Layout& inner, std::span<const Int> inner_shape,
                                     const Trace& trace);
[[nodiscard]] Result<Layout> tile_inner_of(const Layout& tiled, std::span<const Int> tiled_shape,
                                           const Layout& outer, std::span<const Int> outer_shape,
                                           const Trace& trace);
[[nodiscard]] Result<Layout> direct_sum_left_of(const Layout& sum, std::span<const Int> sum_shape,
                                                const Layout& right,
                                                std::span<const Int> right_shape,
                                                const Trace& trace);
[[nodiscard]] Result<Layout> direct_sum_right_of(const Layout& sum, std::span<const Int> sum_shape,
                                                 const Layout& left,
                                                 std::span<const Int> left_shape,
                                                 const Trace& trace);

/// whole[j] / part[j]; `call()` is the operation with its operands. Refuses
/// `axe.shape_divisibility`, `assume.needed`.
[[nodiscard]] Result<Shape> divide_shape(std::span<const Int> whole, std::span<const Int> part,
                                         const std::function<std::string()>& call);

/// The operation with its operands.
[[nodiscard]] std::string call_text(const Quotient& quotient);

/// The refusal `axe.not_a_tile` or `axe.not_a_direct_sum`, with the reason why the known side does
/// not fit.
[[nodiscard]] Diagnostic no_quotient(const Quotient& quotient, std::string why);

/// The known side as users call it: `outer` and `inner` of a tile, `left` and `right` of a sum.
[[nodiscard]] std::string_view known_name(const Quotient& quotient);

struct PlainQuotient {
  Result<Layout> layout;
  /// Whether the refusal holds for any unknown side; otherwise a swizzled one is not ruled out.
  bool is_final = true;
};

/// The unknown side without a swizzle of a product without swizzles, with this scale and shape. The
/// swizzles of both operands are ignored.
[[nodiscard]] PlainQuotient divide_plain(const Quotient& quotient, const Scale& scale,
                                         std::span<const Int> unknown_shape, const Trace& trace);

/// The unknown side, swizzled or not, by a table of all places unless the swizzle can be treated
/// separately.
[[nodiscard]] Result<Layout> divide_swizzled(const Quotient& quotient, const Scale& scale,
                                             std::span<const Int> unknown_shape);

}  // namespace heddle::axe
