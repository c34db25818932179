#pragma once

// A composed layout is a function after an offset after a layout. The function is a swizzle, or
// another layout:
//
//   Sw<3,4,3> o 0 o (8,64):(64,1)          c  ->  Sw( 0 + (8,64):(64,1)(c) )
//   (4,8):(1,4) o (1,2) o (2,4):(1@0,1@1)  c  ->  (4,8):(1,4)( (1,2) + (2,4):(1@0,1@1)(c) )
//
// It has a shape but no strides. Operations on coordinates (slicing, divides, products, composition
// from the right) act on the inner layout and keep this form. Questions that only the function can
// decide are tried at every coordinate and refused with `composition.undecided` past 2^20 of them.
//
// Sources: CuTe's layout_composed.hpp and swizzle_layout.hpp; seed 000, section 4.

#include <concepts>
#include <functional>
#include <iosfwd>
#include <memory>
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

class ComposedLayout;
/// A plain layout if that is enough, otherwise a composed one.
using AnyLayout = std::variant<Layout, ComposedLayout>;

class ComposedLayout {
 public:
  /// The most layouts and swizzles of a chain.
  static constexpr std::size_t kMaxChain = 64;

  /// swizzle o offset o layout. Refuses `composed.not_integral` for a layout with strides in
  /// several axes and `overflow`.
  [[nodiscard]] static Result<ComposedLayout> make(const Swizzle& swizzle, const Int& offset,
                                                   const Layout& layout);
  /// outer o offset o layout: `layout` maps to flat coordinates of `outer` or, with strides along
  /// modes, to coordinates by mode, to which the offset is added; missing coordinates are 0.
  /// Refuses `composed.not_integral` for an `outer` that maps to coordinates itself,
  /// `coordinate.incongruent` if it does not take such coordinates, `overflow` if the first or the
  /// last of these coordinates is past 64 bits or leads there, and `composed.too_long` for a chain
  /// of more than kMaxChain layouts.
  [[nodiscard]] static Result<ComposedLayout> make(const AnyLayout& outer, const IntTuple& offset,
                                                   const Layout& layout);
  /// The same function after another offset and layout; refuses what make() refuses.
  [[nodiscard]] Result<ComposedLayout> with(const IntTuple& offset, const Layout& layout) const;

  /// The layout that is applied last; nullptr if that is a swizzle.
  [[nodiscard]] const AnyLayout* outer() const { return outer_.get(); }
  /// The swizzle that is applied last; there must be one.
  [[nodiscard]] const Swizzle& swizzle() const;
  /// A leaf before a swizzle, otherwise a coordinate of the outer layout.
  [[nodiscard]] const IntTuple& offset() const { return offset_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  [[nodiscard]] IntTuple shape() const { return layout_.shape(); }
  [[nodiscard]] std::size_t rank() const { return layout_.rank(); }
  [[nodiscard]] std::size_t depth() const { return layout_.depth(); }
  [[nodiscard]] Int size() const { return layout_.size(); }

  /// The index of a flat coordinate, or of (i, j, …); undefined where evaluate() refuses.
  template <std::convertible_to<Int>... Indices>
  [[nodiscard]] Int operator()(const Indices&... indices) const {
    if (outer_ == nullptr) return swizzle_(offset_.leaf() + layout_(Int(indices)...));
    if constexpr (sizeof...(indices) == 1) return at(IntTuple(Int(indices)...));
    return at(IntTuple{IntTuple(Int(indices))...});
  }

  friend bool operator==(const ComposedLayout& a, const ComposedLayout& b);

 private:
  ComposedLayout(Swizzle swizzle, std::shared_ptr<const AnyLayout> outer, IntTuple offset,
                 Layout layout)
      : swizzle_(swizzle),
        outer_(std::move(outer)),
        offset_(std::move(offset)),
        layout_(std::move(layout)) {}

  [[nodiscard]] Int at(const IntTuple& coordinate) const;

  /// The identity if there is an outer layout.
  Swizzle swizzle_;
  std::shared_ptr<const AnyLayout> outer_;
  IntTuple offset_;
  Layout layout_;
};

/// The index of a coordinate. Refuses as evaluate() of the layout and of the outer layout.
[[nodiscard]] Result<IntTuple> evaluate(const ComposedLayout& layout, const Coordinate& coordinate);
[[nodiscard]] form::IndexMap index_map(const ComposedLayout& layout);
/// One more than the greatest index.
[[nodiscard]] Result<Int> cosize(const ComposedLayout& layout);

// A function of a layout of either kind answers as that kind does.

[[nodiscard]] IntTuple shape(const AnyLayout& layout);
/// The plain layout, or the one inside the composed layout; lives as long as its argument.
[[nodiscard]] const Layout& inner_layout(const AnyLayout& layout);
/// The integers of which the layout is made.
[[nodiscard]] std::vector<Int> integers(const AnyLayout& layout);
[[nodiscard]] Int size(const AnyLayout& layout);
[[nodiscard]] Result<Int> cosize(const AnyLayout& layout);
[[nodiscard]] Result<IntTuple> evaluate(const AnyLayout& layout, const Coordinate& coordinate);
[[nodiscard]] form::IndexMap index_map(const AnyLayout& layout);
[[nodiscard]] std::string to_string(const AnyLayout& layout);

/// What a composed layout may apply last.
using OuterFunction = std::variant<Layout, ComposedLayout, Swizzle>;
/// outer o offset o inner, in the form function o offset o layout: a composed `inner` leaves its
/// own function to the outer one. With an offset of 0 it is the plain layout composition(outer,
/// inner) if that exists. Refuses what ComposedLayout::make() refuses, and `composition.offset` for
/// an offset between two swizzles or between a layout and a swizzle.
[[nodiscard]] Result<AnyLayout> make_composed_layout(const OuterFunction& outer,
                                                     const IntTuple& offset,
                                                     const AnyLayout& inner);

/// swizzle o layout; if the swizzle is the identity, the plain layout.
[[nodiscard]] Result<AnyLayout> composition(const Swizzle& swizzle, const Layout& layout);
[[nodiscard]] Result<AnyLayout> composition(const Swizzle& swizzle, const ComposedLayout& layout);
/// (function o offset o layout) o right.
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b);
[[nodiscard]] Result<ComposedLayout> composition(const ComposedLayout& a, const Tiler& tiler);
/// layout o swizzle, rewritten as swizzle o layout: the swizzle is carried through the layout to
/// the other side. Refuses `composition.swizzle` where no single swizzle has that effect, with an
/// address that shows it.
[[nodiscard]] Result<AnyLayout> composition(const Layout& a, const Swizzle& b);
[[nodiscard]] Result<AnyLayout> composition(const ComposedLayout& a, const Swizzle& b);
[[nodiscard]] Result<AnyLayout> composition(const Layout& a, const ComposedLayout& b);
[[nodiscard]] Result<AnyLayout> composition(const ComposedLayout& a, const ComposedLayout& b);

/// The swizzle (the identity if there is none), and the part without it.
[[nodiscard]] Swizzle get_swizzle_portion(const AnyLayout& layout);
[[nodiscard]] AnyLayout get_nonswizzle_portion(const AnyLayout& layout);

/// The composed layout of the modes that `_` leaves free; its offset, before the function, is the
/// index at which the slice begins.
[[nodiscard]] Result<ComposedLayout> slice(const Coordinate& coordinate,
                                           const ComposedLayout& layout);
/// As CuTe decays a slice: a plain layout and the index of its first element, if the slice is
/// strided (under a swizzle: if it does not touch both bits of any swizzled pair). Refuses
/// `slice.not_strided`.
[[nodiscard]] Result<OffsetLayout> slice_and_offset(const Coordinate& coordinate,
                                                    const ComposedLayout& layout);
/// The layout shifted so that it begins at `coordinate`.
[[nodiscard]] Result<ComposedLayout> domain_offset(const Coordinate& coordinate,
                                                   const ComposedLayout& layout);

/// The inverses of the plain layout, brought into the form swizzle o layout; see
/// composition(Layout, Swizzle). Without a swizzle they are those of the strided layout that the
/// composed layout is, if it is one (`slice.not_strided`). They refuse what those refuse,
/// `inverse.offset` unless they begin at index 0, and `inverse.swizzle` where the result is no
/// inverse.
[[nodiscard]] Result<AnyLayout> right_inverse(const ComposedLayout& layout);
[[nodiscard]] Result<AnyLayout> left_inverse(const ComposedLayout& layout);

/// The width of the elements changes in both layouts. Refuse `recast.divisibility`, also for an
/// outer layout that does not lead runs of `n` coordinates to runs of `n` indices; `recast.swizzle`
/// if the swizzle tears a wider element of the layout apart, which is found by evaluation
/// (`composition.undecided` where that is not possible).
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
  return composed.with(composed.offset(), layout);
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
