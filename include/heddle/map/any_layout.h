#pragma once

// A layout of any system, and the view of it that decisions, relations and conversions read.
//
//   view((4,(2,2)):(2,(1,8)))                box 4 x 4, first fastest, axis m
//   view(S[(8,2):(4@laneid,1@m)] + R[…])     flat box 16, any shape of that size will do, axes
//                                            laneid and m, two copies of each point
//   view(a linear layout)                    box of register, lane, …; axes dim0, dim1 with sizes
//
// A view is one layout's meaning: a function on a box of coordinates, several-valued where the
// layout has copies, and the structure that the system's notation shows without evaluating (digits,
// bits). Decisions (decide.h), relations (relations.h) and conversions (convert.h) read views; they
// know no system.

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
/// By its name, or as triton, tvm or isl.
[[nodiscard]] std::optional<System> find_system(std::string_view name);
[[nodiscard]] std::span<const System> systems();

using AnyLayout =
    std::variant<cute::Layout, cute::ComposedLayout, cute::TvLayout, linear::LinearLayout,
                 axe::Layout, lego::Layout, IntegerRelation, form::Table>;

[[nodiscard]] System system_of(const AnyLayout& layout);
/// In the layout's own notation.
[[nodiscard]] std::string to_string(const AnyLayout& layout);
std::ostream& operator<<(std::ostream& stream, const AnyLayout& layout);

/// XOR of address bits, after all else: address ^ ((address & source) >> shift), to the left for a
/// negative shift, on the axis of this index.
struct SwizzleStep {
  std::size_t axis = 0;
  std::int64_t source = 0;
  int shift = 0;

  friend bool operator==(const SwizzleStep&, const SwizzleStep&) = default;
};

/// swizzle(offset + sum of digit * stride): exact for CuTe and Axe, symbolic sizes too.
struct StridedView {
  /// For each extent of the box its digits, fastest first; a stride has one number for each axis.
  std::vector<std::vector<form::Digit>> modes;
  std::vector<Int> offset;
  /// Steps that tell the copies of a point apart.
  std::vector<form::Digit> copies;
  std::optional<SwizzleStep> swizzle;
};

/// A matrix over GF(2) from the bits of the point (first extent lowest) to those of its image (axis
/// by axis, the first lowest, `widths` bits each), XORed with `offset`.
struct BitView {
  form::BitMatrix matrix;
  std::vector<int> widths;
  std::uint64_t offset = 0;
};

struct View {
  System system = System::kCute;
  std::vector<Int> extents;
  /// One for each extent: `register`, `lane` where the system has names, else c0, c1, ….
  std::vector<std::string> names;
  form::FlatOrder order = form::FlatOrder::kFirstFastest;
  /// The box has no shape of its own: any shape of the same size will do, row-major (Axe).
  bool takes_any_shape = false;
  std::vector<Axis> axes;
  /// One for each axis: coordinates on it are in [0, bound), where the system says so (linear
  /// layouts, tiles): by them several axes make one flat index, first fastest.
  std::vector<std::optional<Int>> bounds;
  /// The copies of each point; 1 for a function.
  Int copies = 1;
  /// Some points have no place (ExpandBy); evaluate() gives -1 there, as LEGO does.
  bool leaves_out = false;

  /// The image on each axis of the given copy of a point, one index for each extent; undefined
  /// where the layout has no value.
  using Evaluator = std::function<std::vector<Int>(std::span<const Int> point, const Int& copy)>;
  Evaluator evaluate;

  std::optional<StridedView> strided;
  std::optional<BitView> bits;
  /// The relation, where the layout is one.
  std::optional<IntegerRelation> relation;

  [[nodiscard]] Int size() const;
  /// No replicas: a function.
  [[nodiscard]] bool is_function() const;
  /// As a function on the box: of the first copy.
  [[nodiscard]] form::IndexMap index_map() const;
};

/// What the layout's notation shows, without evaluating it: digits of CuTe and Axe layouts, of LEGO
/// chains of regular permutations and of linear layouts whose bases share no bits; bits of linear
/// layouts, of digits whose sums never carry, of LEGO's permutations of bits. Refuses what a
/// relation's index_map() does. The one axis of a TvLayout is the element in its column-major tile,
/// bounded by the tile's size.
[[nodiscard]] Result<View> view(const AnyLayout& layout, const Limits& limits = {});

/// The same on a box of another shape of the same size: any for one that takes_any_shape, one that
/// the flat order regroups for others. Refuses `view.shape` where the sizes differ, `assume.needed`
/// where that is open.
[[nodiscard]] Result<View> reshaped(const View& view, std::span<const Int> shape);

/// The sorted images of a point, each one number an axis, each once. Refuses `view.coordinate`,
/// `overflow`, `axe.undecided` past 2^20 copies.
[[nodiscard]] Result<std::vector<std::vector<Int>>> images(const View& view,
                                                           std::span<const Int> point);

// The same words for layouts of every system. What a system's own functions refuse, view() refuses.
// Each reads the layout anew: for many points take its view or its index map once.

/// The number of points of its box.
[[nodiscard]] Result<Int> size(const AnyLayout& layout);
/// The sorted images of a point of its box: one for a function, several where there are copies. A
/// point of an Axe layout is a flat index, or has an index for each iter of its shard; a point
/// outside of a relation's domain has no image. Refuses what images() does.
[[nodiscard]] Result<std::vector<std::vector<Int>>> evaluate(const AnyLayout& layout,
                                                             const std::vector<Int>& point);
/// As a function on its box, of the first copy.
[[nodiscard]] Result<form::IndexMap> index_map(const AnyLayout& layout);

}  // namespace heddle::map
#pragma GCC visibility pop
