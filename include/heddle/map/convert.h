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
// Which way a map goes is its reading (reading.h): literal, memory or ownership.
// Where two systems go different ways the names say which reading suits: a linear layout of
// `offset` is memory, one of `register`, `lane`, `warp` ownership, so are an Axe layout with thread
// axes and a thread-value layout; all else is taken literally.

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
  /// What suits both sides where it is not said.
  std::optional<Reading> reading;
  /// The box of an Axe layout, which has none of its own: row-major. Without it the extents of its
  /// shard. Of another layout: the same box regrouped, in its own flat order.
  std::optional<std::vector<Int>> shape;
  Limits limits;
};

struct Converted {
  AnyLayout layout;
  /// The coordinates of the result, where its notation does not say them (Axe).
  std::vector<Int> shape;
  /// By which it came to be, and by which it converts back.
  Reading reading = Reading::kLiteral;
  /// Which way the map goes, how coordinates and axes were matched; empty where nothing changed.
  std::string remark;
};

/// The layout in the system's notation, with the same map (under the reading).
///
/// Refuses `convert.no_layout` with the two or three coordinates whose values no layout of the
/// system can have together, and which mode or bit breaks; `convert.copies` where one point has
/// several images and the system has no replicas; `convert.holes` where a map that is to be turned
/// round leaves out a place; `convert.shape` where the system needs another number of modes;
/// `convert.undecided` where a box is too large to search; `convert.symbolic` for sizes that must
/// be numbers; and what view() refuses.
/// Cost: linear in digits or bits where the notation shows them, else one evaluation for each of up
/// to 2^20 points.
[[nodiscard]] Result<Converted> convert(const AnyLayout& layout, System to,
                                        const ConvertOptions& options = {});

/// The system whose layouts have this type; CuTe for its composed layouts too.
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

/// The layout as one of this type: convert_to<linear::LinearLayout>(layout). Refuses what convert()
/// does, and `convert.no_layout` for a plain CuTe layout where the map needs a swizzle or an
/// offset: cute::ComposedLayout takes both.
template <class Layout>
[[nodiscard]] Result<Layout> convert_to(const AnyLayout& layout,
                                        const ConvertOptions& options = {}) {
  HEDDLE_TRY(const Converted converted, convert(layout, kSystemOf<Layout>, options));
  if (const auto* found = std::get_if<Layout>(&converted.layout)) return *found;
  if constexpr (std::is_same_v<Layout, cute::ComposedLayout>) {
    return cute::ComposedLayout::make({}, 0, std::get<cute::Layout>(converted.layout));
  }
  return refuse("convert.no_layout",
                "the map is " + to_string(converted.layout) + ", which is no plain layout");
}

}  // namespace heddle::map
#pragma GCC visibility pop
