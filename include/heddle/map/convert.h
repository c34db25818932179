#pragma once

// Exact conversion of any layout to any other system's notation, or a proof that there is none.
//
//   convert(GroupBy([4,8]).OrderBy(Col(4,8)), cute)       (4,8):(1,4)
//   convert((4,8):(8,1), axe)                             S[(4,8):(8@m,1@m)] for the shape (4,8)
//   convert(Sw<2,0,3> o 0 o (4,8):(8,1), linear)          dim0=1 -> 9, dim0=2 -> 18, dim1=1 -> 1, …
//   convert([0,1,3,2,4], linear)                          refused: 5 points, no power of two
//   convert([0,1,2,0], linear)                            refused: f(1) xor f(2) = 3, f(3) = 0
//
// A layout is read as its view (any_layout.h), brought into digits, bits or a mix of both
// (recovered where its notation does not show them), and written down. N systems need N readers
// and N writers.
//
// The reading (reading.h) says in which direction a map is read: literal, memory or ownership. If
// two systems use different directions, the names decide which reading suits: a linear layout of
// `offset` is read as memory; one of `register`, `lane`, `warp`, an Axe layout with thread axes and
// a thread-value layout are read as ownership; all others are taken literally.

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"
#include "heddle/map/reading.h"

#pragma GCC visibility push(default)
namespace heddle::map {

struct ConvertOptions {
  /// By default the reading that suits both sides.
  std::optional<Reading> reading;
  /// For an Axe layout, which has no box of its own, the box, row-major; by default the extents of
  /// its shard. For another layout the same box regrouped, in its own flat order.
  std::optional<std::vector<Int>> shape;
  Limits limits;
};

struct Converted {
  AnyLayout layout;
  /// The shape of the coordinates of the result, if its notation does not show it (Axe).
  std::vector<Int> shape;
  /// The reading of the conversion, which also converts the result back.
  Reading reading = Reading::kLiteral;
  /// Which reading was used and how coordinates and axes were matched; empty if nothing changed.
  std::string remark;
};

/// The layout in the system's notation, with the same map (under the reading).
///
/// Refuses `convert.no_layout` with the two or three coordinates whose values no layout of the
/// system can have together, and the mode or bit that fails; `convert.copies` if one point has
/// several images and the system has no replicas; `convert.holes` if a map that must be inverted
/// leaves out a place; `convert.shape` if the system needs another number of modes;
/// `convert.undecided` if a box is too large to search; `convert.symbolic` for sizes that must be
/// numbers; and what view() refuses. Cost: linear in digits or bits if the notation shows them,
/// else one evaluation for each of up to 2^20 points.
[[nodiscard]] Result<Converted> convert(const AnyLayout& layout, System to,
                                        const ConvertOptions& options = {});

/// The system whose layouts have this C++ type; CuTe also for its composed layouts.
template <class Layout>
inline constexpr System kSystemOf = System::kCute;
template <>
inline constexpr System kSystemOf<cute::TvLayout> = System::kCuteTv;
template <>
inline constexpr System kSystemOf<linear::LinearLayout> = System::kLinear;
template <>
inline constexpr System kSystemOf<axe::Layout> = System::kAxe;
template <>
inline constexpr System kSystemOf<lego::Layout> = System::kLego;
template <>
inline constexpr System kSystemOf<IntegerRelation> = System::kRelation;
template <>
inline constexpr System kSystemOf<form::Table> = System::kTable;

/// The layout converted to this type: convert_to<linear::LinearLayout>(layout). Refuses what
/// convert() refuses, and `convert.no_layout` for a plain CuTe layout if the map needs a swizzle or
/// an offset: cute::ComposedLayout can have both.
template <class Layout>
[[nodiscard]] Result<Layout> convert_to(const AnyLayout& layout,
                                        const ConvertOptions& options = {}) {
  HEDDLE_TRY(const Converted converted, convert(layout, kSystemOf<Layout>, options));
  if (const auto* found = std::get_if<Layout>(&converted.layout)) return *found;
  if constexpr (std::is_same_v<Layout, cute::ComposedLayout>) {
    return cute::ComposedLayout::make(cute::Swizzle(), 0, std::get<cute::Layout>(converted.layout));
  }
  return refuse("convert.no_layout",
                "the map is " + to_string(converted.layout) + ", which is not a plain layout");
}

}  // namespace heddle::map
#pragma GCC visibility pop
