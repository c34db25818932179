#pragma once

// A composed layout is a swizzle after an offset after a layout:
//
//   Sw<3,4,3> o 0 o (8,64):(64,1)          c  ->  Sw( 0 + (8,64):(64,1)(c) )
//
// It has a shape but no strides. Operations on coordinates (slicing, divides, products, composition
// from the right) act on the inner layout and keep this form. Questions that only the function can
// decide are tried at every coordinate and refused with `composition.undecided` past 2^20 of them.
//
// Sources: CuTe's layout_composed.hpp and swizzle_layout.hpp; seed 000, section 4.

#include <concepts>
#include <functional>
#include <iosfwd>
#include <string>
#include <variant>

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/swizzle.h"
#include "heddle/cute/tiler.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

class ComposedLayout {
 public:
  /// swizzle o offset o layout. Refuses `composed.not_integral` for a layout with strides in
  /// several axes and `overflow`.
  [[nodiscard]] static Result<ComposedLayout> make(const Swizzle& swizzle, const Int& offset,
                                                   const Layout& layout);

  [[nodiscard]] const Swizzle& swizzle() const { return swizzle_; }
  [[nodiscard]] const Int& offset() const { return offset_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  [[nodiscard]] IntTuple shape() const { return layout_.shape(); }
  [[nodiscard]] std::size_t rank() const { return layout_.rank(); }
  [[nodiscard]] std::size_t depth() const { return layout_.depth(); }
  [[nodiscard]] Int size() const { return layout_.size(); }

  /// The index of a flat coordinate, or of (i, j, …).
  template <std::convertible_to<Int>... Indices>
  [[nodiscard]] Int operator()(const Indices&... indices) const {
    return swizzle_(offset_ + layout_(Int(indices)...));
  }

  friend bool operator==(const ComposedLayout&, const ComposedLayout&) = default;

 private:
  ComposedLayout(Swizzle swizzle, Int offset, Layout layout)
      : swizzle_(swizzle), offset_(offset), layout_(std::move(layout)) {}

  Swizzle swizzle_;
  Int offset_;
  Layout layout_;
};

/// A plain layout if that is enough, otherwise a composed one.
using AnyLayout = std::variant<Layout, ComposedLayout>;

[[nodiscard]] Result<IntTuple> evaluate(const ComposedLayout& layout, const Coordinate& coordinate);
[[nodiscard]] form::IndexMap index_map(const ComposedLayout& layout);
/// One more than the greatest index.
[[nodiscard]] Result<Int> cosize(const ComposedLayout& layout);

// A function of a layout of either kind answers as that kind does.

[[nodiscard]] IntTuple shape(const AnyLayout& layout);
/// The plain layout, or the one inside the composed layout; lives as long as its argument.
[[nodiscard]] const Layout& inner_layout(const AnyLayout& layout);
[[nodiscard]] Int size(const AnyLayout& layout);
[[nodiscard]] Result<Int> cosize(const AnyLayout& layout);
[[nodiscard]] Result<IntTuple> evaluate(const AnyLayout& layout, const Coordinate& coordinate);
[[nodiscard]] form::IndexMap index_map(const AnyLayout& layout);
[[nodiscard]] std::string to_string(const AnyLayout& layout);

/// swizzle o layout; if the swizzle is the identity, the plain layout.
[[nodiscard]] Result<AnyLayout> composition(const Swizzle& swizzle, const Layout& layout);
[[nodiscard]] Result<AnyLayout> composition(const Swizzle& swizzle, const ComposedLayout& layout);
/// (swizzle o offset o layout) o right.
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b);
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Tiler& tiler);
/// layout o swizzle, rewritten as swizzle o layout: the swizzle is carried through the layout to
/// the other side. Refuses `composition.swizzle` where no single swizzle has that effect, with an
/// address that shows it.
[[nodiscard]] Result<AnyLayout> composition(const Layout& a, const Swizzle& b);
[[nodiscard]] Result<AnyLayout> composition(const ComposedLayout& a, const Swizzle& b);
[[nodiscard]] Result<AnyLayout> composition(const Layout& a, const ComposedLayout& b);
[[nodiscard]] Result<AnyLayout> composition(const ComposedLayout& a, const ComposedLayout& b);

/// The swizzle (the identity for a plain layout), and the part without it.
[[nodiscard]] Swizzle get_swizzle_portion(const AnyLayout& layout);
[[nodiscard]] Layout get_nonswizzle_portion(const AnyLayout& layout);

/// The composed layout of the modes that `_` leaves free; its offset, before the swizzle, is the
/// index at which the slice begins.
[[nodiscard]] Result<ComposedLayout> slice(const Coordinate& coordinate,
                                           const ComposedLayout& layout);
/// As CuTe decays a slice: a plain layout and the index of its first element, if the slice is
/// strided (it does not touch both bits of any swizzled pair). Refuses `slice.not_strided`.
[[nodiscard]] Result<OffsetLayout> slice_and_offset(const Coordinate& coordinate,
                                                    const ComposedLayout& layout);
/// The layout shifted so that it begins at `coordinate`.
[[nodiscard]] Result<ComposedLayout> domain_offset(const Coordinate& coordinate,
                                                   const ComposedLayout& layout);

/// The inverses of the plain layout, brought into the form swizzle o layout; see
/// composition(Layout, Swizzle). They refuse what those refuse, `inverse.offset` for an offset, and
/// `inverse.swizzle` where the result is no inverse.
[[nodiscard]] Result<AnyLayout> right_inverse(const ComposedLayout& layout);
[[nodiscard]] Result<AnyLayout> left_inverse(const ComposedLayout& layout);

[[nodiscard]] Result<ComposedLayout> upcast(const ComposedLayout& layout, const Int& n);
[[nodiscard]] Result<ComposedLayout> downcast(const ComposedLayout& layout, const Int& n);
[[nodiscard]] Result<ComposedLayout> recast(const ComposedLayout& layout, const Int& old_bits,
                                            const Int& new_bits);
[[nodiscard]] Result<Int> max_alignment(const ComposedLayout& layout);
/// As for plain layouts; the indices of a composed layout are counted from its offset.
[[nodiscard]] Result<Int> max_common_vector(const AnyLayout& left_side,
                                            const AnyLayout& right_side);
[[nodiscard]] Result<Layout> max_common_layout(const AnyLayout& left_side,
                                               const AnyLayout& right_side);

/// Applies an operation on layouts to the inner layout: coalesce, flatten, zipped_divide,
/// tile_to_shape, …
///
///   map_layout(atom, [](const Layout& l) { return tile_to_shape(l, {128, 64}); })
template <class Operation>
[[nodiscard]] Result<ComposedLayout> map_layout(const ComposedLayout& composed,
                                                Operation operation) {
  HEDDLE_TRY(const Layout layout, Result<Layout>(operation(composed.layout())));
  return ComposedLayout::make(composed.swizzle(), composed.offset(), layout);
}

/// `Sw<3,4,3> o 0 o (8,64):(64,1)`.
[[nodiscard]] std::string to_string(const ComposedLayout& layout);
std::ostream& operator<<(std::ostream& stream, const ComposedLayout& layout);

}  // namespace heddle::cute
#pragma GCC visibility pop

template <>
struct std::hash<heddle::cute::ComposedLayout> {
  std::size_t operator()(const heddle::cute::ComposedLayout& layout) const;
};
