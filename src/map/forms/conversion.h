#pragma once

// A map on its way from one system to another: the data that the readers, the forms and the writers
// of convert() pass on.
//
//   layout --view()--> View --reading--> View --form--> digits or bits --writer--> layout

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/numbers_text.h"
#include "heddle/core/result.h"
#include "heddle/form/subspace.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"
#include "heddle/map/reading.h"
#include "map/forms/layouts_of_forms.h"

namespace heddle::map {

/// The map to write, in the direction and with the names of the system that it goes to.
struct Task {
  View view;
  System to = System::kCute;
  /// The layout that the map came from, as messages name it.
  std::string source;
  Limits limits;
  Reading reading = Reading::kLiteral;
};

/// The layout's text if that is short, else a description such as `the linear layout`.
[[nodiscard]] std::string source_text(const AnyLayout& layout);
/// The sizes of a thread-value layout's tile; empty for any other layout.
[[nodiscard]] std::vector<Int> tile_of(const AnyLayout& layout);
/// The view on the box of this shape; by default an Axe layout on the extents of its shard, any
/// other layout unchanged.
[[nodiscard]] Result<View> boxed(const AnyLayout& layout, const View& view,
                                 const std::optional<std::vector<Int>>& shape = {});
/// Boxes of up to this many points are evaluated; larger ones are not.
inline constexpr std::int64_t kMaxConverted = std::int64_t{1} << 20;

// ---- Refusals (refusals.cc) ----

/// A point and its image, for proofs: `f(1,0) = 8`.
[[nodiscard]] std::string sample_text(std::span<const std::int64_t> point,
                                      std::span<const std::int64_t> value);

/// `lane`, `(lane,warp)` from names or from axes; `(register,lane) -> (dim0,dim1)`.
[[nodiscard]] std::string join_names(std::span<const std::string> names);
[[nodiscard]] std::string join_axes(std::span<const Axis> axes);
[[nodiscard]] std::string direction_text(const View& view);

/// `no CuTe layout`.
[[nodiscard]] std::string nobody(System system);
/// `convert.no_layout`: no layout of the target has this map, and why.
[[nodiscard]] Diagnostic no_layout(const Task& task, std::string why);
/// As above, because of a point whose image is not the one that other images require.
[[nodiscard]] Diagnostic no_layout(const Task& task, std::string why,
                                   std::span<const std::int64_t> point,
                                   std::span<const std::int64_t> found,
                                   std::span<const std::int64_t> wanted);
/// no_layout() as a function, for the writers of forms.
[[nodiscard]] NoLayout refusal_of(const Task& task);
/// `convert.undecided`: because of too many points, or for another reason.
[[nodiscard]] Diagnostic undecided(const Task& task);
[[nodiscard]] Diagnostic undecided(const Task& task, std::string_view why);
[[nodiscard]] Diagnostic needs_numbers(const Task& task, const std::string& what);
/// Refuses `convert.copies` for a map with several images of a point.
[[nodiscard]] Result<void> check_function(const Task& task);

// ---- Forms ----

/// All images as numbers: points first index fastest, one number per axis for each.
struct Samples {
  std::vector<std::int64_t> extents;
  std::size_t axes = 0;
  std::vector<std::int64_t> values;

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::span<const std::int64_t> at(std::int64_t flat) const;
  [[nodiscard]] std::int64_t flat(std::span<const std::int64_t> point) const;
  [[nodiscard]] std::vector<std::int64_t> point(std::int64_t flat) const;
};

/// Evaluates the map everywhere. Refuses `convert.symbolic`, `convert.undecided` past
/// kMaxConverted points, `overflow`.
[[nodiscard]] Result<Samples> samples_of(const Task& task);

/// swizzle(offset + sum of digit * stride), from the notation or from the values; without a swizzle
/// unless one is needed. Refuses `convert.no_layout` with the coordinates that show that there is
/// no such form.
[[nodiscard]] Result<StridedView> digit_form(const Task& task);
/// digit_form() without a swizzle.
[[nodiscard]] Result<StridedView> plain_digit_form(const Task& task);

/// The matrix over GF(2), without offset. Refuses `convert.no_layout` with two points and their
/// XOR, or with an extent that is no power of two.
[[nodiscard]] Result<BitView> bit_form(const Task& task);

/// A function over bits as digits under a swizzle of one axis with the fewest bits, without a
/// swizzle if none is needed; nullopt if there are no such digits. If there are copies, each image
/// represents all of its XORs with them, and the copies become steps.
[[nodiscard]] std::optional<StridedView> unswizzled(const BitView& bits,
                                                    std::span<const Int> extents,
                                                    const form::Subspace& copies = {});

// ---- Views ----

/// The view of these digits, with an evaluator, and with bits if it has them.
[[nodiscard]] View with_digits(View view, StridedView strided);
[[nodiscard]] View with_bits(View view, BitView bits);

/// The inverted map: from the coordinates on its axes to the points of its box. Digits of stride 0
/// become copies, and copies become digits of stride 0. Refuses `convert.holes` with the least
/// place that the map does not reach, `convert.no_layout` with two points if the map has no digits
/// or bits that can be inverted.
[[nodiscard]] Result<View> converse(const Task& task);
/// A view with the axes and the indices of the box exchanged; its extents and its map must still be
/// set.
[[nodiscard]] View turned_sides(const View& view);
/// The inverse computed value by value for a map that is one-to-one. Refuses `convert.undecided` if
/// several points have one image and the target has copies, and what samples_of() refuses.
[[nodiscard]] Result<View> converse_by_values(const Task& task);
/// `convert.holes`: the map does not reach the place.
[[nodiscard]] Diagnostic hole(const Task& task, const std::string& place, std::string why);

/// The index `thread` split into lane and warp, if there are whole warps.
[[nodiscard]] View with_lanes(View view, std::size_t thread);

/// All axes as one flat index named `name`, first fastest, by their bounds. Refuses
/// `convert.no_layout` if an axis has no bound.
[[nodiscard]] Result<View> on_one_axis(const Task& task, const std::string& name);

/// Whether a thread-value layout counts this name as threads: lane, warp, block or thread.
[[nodiscard]] bool is_thread_name(std::string_view name);

/// Converts a view of (thread, value) into one of (register, lane, warp), and back: (register,
/// lane) for up to 32 threads, (register, thread) if the threads are no whole warps. Refuses
/// `convert.shape` for a view without places that does not have two extents.
[[nodiscard]] View places_of_thread_values(View view);
[[nodiscard]] Result<View> thread_values_of_places(const Task& task);
[[nodiscard]] Result<void> check_two_modes(const Task& task);

// ---- Names ----
//
//   Triton   register  lane    warp    block  offset       dim0, dim1, …
//   Axe      reg       laneid  warpid  cta    m            (none: a flat index of any shape)
//   CuTe     (thread, value)                  (one axis)   0, 1, …

/// The view of an Axe layout on the axes register, lane, warp, block for a linear layout: its
/// thread axes as lane and warp. If it has other thread axes than laneid and warpid, and for all
/// other systems, they become one axis `thread` (tx = 32*warpid + laneid).
[[nodiscard]] View with_place_names(View view, System to);

/// A view of a box of register, lane, warp, …, with the indices in Triton's order.
[[nodiscard]] View in_order_of_places(View view);

/// The view with the names of the system; `turned` if its direction was reversed.
[[nodiscard]] View with_names_of(System to, View view, bool turned);

// ---- Writers ----

[[nodiscard]] Result<AnyLayout> write_cute(const Task& task);
[[nodiscard]] Result<AnyLayout> write_cute_tv(const Task& task);
[[nodiscard]] Result<AnyLayout> write_linear(const Task& task);
[[nodiscard]] Result<AnyLayout> write_axe(const Task& task);
[[nodiscard]] Result<AnyLayout> write_lego(const Task& given);
[[nodiscard]] Result<AnyLayout> write_table(const Task& task);
[[nodiscard]] Result<AnyLayout> write_relation(const Task& task);

}  // namespace heddle::map
