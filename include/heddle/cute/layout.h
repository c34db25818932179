#pragma once

// A CuTe layout is a shape and a congruent stride, written shape:stride. It is the function
//
//   f(c) = sum over the leaves of  digit * stride
//
// where a flat coordinate c is first decomposed into digits, the first mode fastest
// (colexicographic):
//
//   L = (4,(2,2)):(2,(1,8))      c = 13 = 1 + 4*(1 + 2*1), digits 1, 1, 1
//                                L(13) = 1*2 + 1*1 + 1*8 = 11
//
//        0  1  8  9
//        2  3 10 11        L as a 4 x 4 table: row c0, column c1
//        4  5 12 13
//        6  7 14 15
//
// Past its end a layout continues in its last mode, as CuTe does (the extension of seed 004,
// section 2): L(16) = 16. Coordinates may be given flat, L(13), by mode, L(1,3), or hierarchically,
// L(1,(1,1)).
//
// A tuple without modes has one element, as the empty product is 1: ():() maps every coordinate to
// 0, and slicing all modes of a layout away leaves it.
//
// Sources: CuTe's layout.hpp; seed 004 definitions 2.1 to 2.3; seed 000 section 2.1.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/stream.h"
#include "heddle/core/tuple.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/stride.h"
#include "heddle/expr/int_tuple.h"
#include "heddle/form/digit_form.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

using streams::operator<<;

namespace constant {
struct Draft;
}  // namespace constant

/// An immutable layout. A value: copy, structural == (same shape and stride), hash, stream output.
///
/// Always holds: shape and stride are congruent and at most kMaxDepth deep, every extent is at
/// least 1, and the size and the largest and smallest index on every axis fit into 64 bits.
/// Extents and strides may be symbolic, as in (M,N):(1,M), if extents are known to be at least 1
/// and every stride is known to be negative or known not to be.
class Layout {
 public:
  using Extents = IntTuple::Leaves;
  using Strides = StrideTuple::Leaves;

  /// 1:0, the layout of one element.
  Layout() : extents_(1, Int(1)), strides_(1, Stride(0)) {}

  /// shape:stride. Refuses `layout.incongruent`, `layout.extent` (an extent below 1),
  /// `stride.mixed_axes` (a stride of the whole beside strides of its parts), `tuple.too_deep`,
  /// `overflow`, `assume.needed` (a symbolic extent that may be below 1, a
  /// symbolic stride of unknown sign).
  [[nodiscard]] static Result<Layout> make(const IntTuple& shape, const StrideTuple& stride);
  /// As make() above, from flat leaves and their common profile; both have as many leaves as it.
  [[nodiscard]] static Result<Layout> make(Profile profile, Extents extents, Strides strides);
  /// For the algebra only, which has checked that the draft is a layout.
  explicit Layout(const constant::Draft& draft);

  [[nodiscard]] const Profile& profile() const { return profile_; }
  /// The leaves of the shape and of the stride, in order: the flattened layout.
  [[nodiscard]] std::span<const Int> extents() const { return {extents_.data(), extents_.size()}; }
  [[nodiscard]] std::span<const Stride> strides() const {
    return {strides_.data(), strides_.size()};
  }

  [[nodiscard]] IntTuple shape() const { return {profile_, extents_}; }
  [[nodiscard]] StrideTuple stride() const { return {profile_, strides_}; }
  [[nodiscard]] std::size_t rank() const { return profile_.rank(); }
  [[nodiscard]] std::size_t depth() const { return profile_.depth(); }
  /// The number of elements.
  [[nodiscard]] Int size() const;
  /// Mode `index` as a layout of its own; `index` must be below rank().
  [[nodiscard]] Layout mode(std::size_t index) const;
  [[nodiscard]] std::vector<Layout> modes() const;
  /// Whether all strides are on the plain integer line (no `1@0`).
  [[nodiscard]] bool is_integral() const;

  /// The index of a flat coordinate, which may be past the end. Undefined (see expr/int.h) past 64
  /// bits, for a coordinate of more than one leaf that is negative or may be, and for a layout that
  /// is not integral; evaluate() gives the reason.
  [[nodiscard]] Int operator()(const Int& coordinate) const;
  /// The index of (i, j, …), each flat in its mode.
  template <std::convertible_to<Int>... Rest>
    requires(sizeof...(Rest) > 0)
  [[nodiscard]] Int operator()(const Int& first, const Rest&... rest) const {
    return at(IntTuple{IntTuple(first), IntTuple(Int(rest))...});
  }

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Layout(Profile profile, Extents extents, Strides strides)
      : profile_(std::move(profile)), extents_(std::move(extents)), strides_(std::move(strides)) {}

  [[nodiscard]] Int at(const IntTuple& coordinate) const;

  Profile profile_;
  Extents extents_;
  Strides strides_;
};

/// A layout from its parts; see Layout::make. Without a stride it is compact, first mode fastest.
[[nodiscard]] Result<Layout> make_layout(const IntTuple& shape, const StrideTuple& stride);
[[nodiscard]] Result<Layout> make_layout(const IntTuple& shape);
/// The layout whose modes are the given layouts; ():() if there are none. Refuses `overflow`,
/// `tuple.too_deep`, `stride.mixed_axes`.
[[nodiscard]] Result<Layout> make_layout(std::span<const Layout> modes);
[[nodiscard]] Result<Layout> make_layout(std::initializer_list<Layout> modes);

/// The index (or, for strides in several axes, the coordinate) of a coordinate, which may be flat,
/// by mode or hierarchical; for symbolic coordinates the index expression. Refuses
/// `coordinate.incongruent`, `coordinate.negative`, `coordinate.underscore`, `overflow`,
/// `assume.needed` (a flat coordinate that may be negative). Coordinates past the end continue in
/// the last leaf.
[[nodiscard]] Result<IntTuple> evaluate(const Layout& layout, const Coordinate& coordinate);

/// The coordinate with one index for each top-level mode; of a layout without modes, whose box has
/// one side of extent 1, the index itself.
[[nodiscard]] IntTuple modal_coordinate(const Layout& layout, std::span<const Int> indices);

/// The layout as an index map over the box of its top-level modes, first mode fastest.
[[nodiscard]] form::IndexMap index_map(const Layout& layout);

/// The layout's digits in normal form: two layouts of one size are the same function exactly when
/// these are equal.
[[nodiscard]] form::DigitForm digit_form(const Layout& layout);

/// `(4,(2,2)):(2,(1,8))`, CuTe's notation without spaces.
[[nodiscard]] std::string to_string(const Layout& layout);
std::ostream& operator<<(std::ostream& stream, const Layout& layout);

}  // namespace heddle::cute
#pragma GCC visibility pop

template <>
struct std::hash<heddle::cute::Layout> {
  std::size_t operator()(const heddle::cute::Layout& layout) const;
};
