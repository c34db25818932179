#pragma once

// A layout of any system, and its view, which decisions, relations and conversions read.
//
//   view((4,(2,2)):(2,(1,8)))                box 4 x 4, first fastest, axis m
//   view(S[(8,2):(4@laneid,1@m)] + R[…])     flat box 16, usable with any shape of that size, axes
//                                            laneid and m, two copies of each point
//   view(a linear layout)                    box of register, lane, …; axes dim0, dim1 with sizes
//
// A view is the meaning of a layout: a function on a box of coordinates, several-valued if the
// layout has copies, and the structure that the system's notation shows without evaluation (digits,
// bits). Decisions (decide.h), relations (relations.h) and conversions (convert.h) read only views
// and do not depend on the systems.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/thread_value.h"
#include "heddle/expr/int.h"
#include "heddle/form/bit_matrix.h"
#include "heddle/form/digit_form.h"
#include "heddle/form/index_map.h"
#include "heddle/form/table.h"
#include "heddle/lego/layout.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

enum class System : std::uint8_t { kCute, kCuteTv, kLinear, kAxe, kLego, kRelation, kTable };

/// `cute`, `cute_tv`, `linear`, `axe`, `lego`, `relation`, `table`.
[[nodiscard]] std::string_view name(System system);
/// `a CuTe layout`, `a linear layout`, …, for messages.
[[nodiscard]] std::string_view description(System system);
/// The system with this name, or with the name triton, tvm or isl; nullopt if there is none.
[[nodiscard]] std::optional<System> find_system(std::string_view name);
[[nodiscard]] std::span<const System> systems();

using AnyLayout =
    std::variant<cute::Layout, cute::ComposedLayout, cute::TvLayout, linear::LinearLayout,
                 axe::Layout, lego::Layout, IntegerRelation, form::Table>;

[[nodiscard]] System system_of(const AnyLayout& layout);
/// The layout in its own system's notation.
[[nodiscard]] std::string to_string(const AnyLayout& layout);
std::ostream& operator<<(std::ostream& stream, const AnyLayout& layout);

/// An XOR of address bits, applied last: address ^ ((address & source) >> shift), to the left for a
/// negative shift, on the axis with this index.
struct SwizzleStep {
  std::size_t axis = 0;
  std::int64_t source = 0;
  int shift = 0;

  friend bool operator==(const SwizzleStep&, const SwizzleStep&) = default;
};

/// swizzle(offset + sum of digit * stride): exact for CuTe and Axe, including symbolic sizes.
struct StridedView {
  /// For each extent of the box its digits, fastest first; a stride has one number per axis.
  std::vector<std::vector<form::Digit>> modes;
  std::vector<Int> offset;
  /// Digits whose values distinguish the copies of a point.
  std::vector<form::Digit> copies;
  std::optional<SwizzleStep> swizzle;
};

/// A matrix over GF(2) from the bits of the point (first extent lowest) to the bits of its image
/// (axis by axis, the first lowest, `widths` bits each), XORed with `offset`.
struct BitView {
  form::BitMatrix matrix;
  std::vector<int> widths;
  std::uint64_t offset = 0;
};

struct View {
  System system = System::kCute;
  std::vector<Int> extents;
  /// One name per extent: `register`, `lane` if the system has names, else c0, c1, ….
  std::vector<std::string> names;
  form::FlatOrder order = form::FlatOrder::kFirstFastest;
  /// The box has no shape of its own: every shape of the same size is allowed, row-major (Axe).
  bool takes_any_shape = false;
  std::vector<Axis> axes;
  /// For each axis, coordinates are in [0, bound) if the system gives a bound (linear layouts,
  /// tiles). Bounds combine several axes into one flat index, first fastest.
  std::vector<std::optional<Int>> bounds;
  /// The number of copies of each point; 1 for a function.
  Int copies = 1;
  /// Some points have no image (ExpandBy); evaluate() gives -1 there, as LEGO does.
  bool leaves_out = false;

  /// The image of the given copy of a point on each axis, given one index per extent; undefined
  /// where the layout has no value.
  using Evaluator = std::function<std::vector<Int>(std::span<const Int> point, const Int& copy)>;
  Evaluator evaluate;

  std::optional<StridedView> strided;
  std::optional<BitView> bits;
  /// The relation, if the layout is one.
  std::optional<IntegerRelation> relation;

  [[nodiscard]] Int size() const;
  /// Whether the layout is a function: it has no replicas.
  [[nodiscard]] bool is_function() const;
  /// The function on the box that the first copy gives.
  [[nodiscard]] form::IndexMap index_map() const;
};

/// The view of a layout, read from its notation without evaluating it: digits for CuTe and Axe
/// layouts, for LEGO chains of regular permutations and for linear layouts whose bases share no
/// bits; bits for linear layouts, for digits whose sums never carry and for LEGO's permutations of
/// bits. Refuses what index_map() of a relation refuses. The one axis of a TvLayout is the element
/// in its column-major tile, bounded by the tile's size.
[[nodiscard]] Result<View> view(const AnyLayout& layout, const Limits& limits = {});

/// The view on a box of another shape of the same size: any shape for a view that takes_any_shape,
/// otherwise one that regroups the flat order. Refuses `view.shape` if the sizes differ,
/// `assume.needed` if that is not known.
[[nodiscard]] Result<View> reshaped(const View& view, std::span<const Int> shape);

/// The images of a point, sorted and without repetition, one number per axis. Refuses
/// `view.coordinate`, `overflow`, `axe.undecided` past 2^20 copies.
[[nodiscard]] Result<std::vector<std::vector<Int>>> images(const View& view,
                                                           std::span<const Int> point);

// Functions with the same names for layouts of every system. They refuse what view() refuses. Each
// builds the view again: for many points build the view or the index map once.

/// The number of points in the box of the layout.
[[nodiscard]] Result<Int> size(const AnyLayout& layout);
/// The sorted images of a point of its box: one for a function, several if there are copies. A
/// point of an Axe layout is a flat index, or has one index per iter of its shard; a point outside
/// a relation's domain has no image. Refuses what images() refuses.
[[nodiscard]] Result<std::vector<std::vector<Int>>> evaluate(const AnyLayout& layout,
                                                             const std::vector<Int>& point);
/// The function on the box of the layout that the first copy gives.
[[nodiscard]] Result<form::IndexMap> index_map(const AnyLayout& layout);

}  // namespace heddle::map
#pragma GCC visibility pop
