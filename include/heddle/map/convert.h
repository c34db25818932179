#pragma once

// Exact conversion of any layout to any other system's notation, or a proof that there is none.
//
//   convert(TileBy([2,2],[2,2]).OrderBy(Row(4,4)), cute)      (2,2,2,2):(8,2,4,1)
//   convert(Sw<2,0,3> o 0 o (4,8):(8,1), linear)              bases dim0 8, 17, dim1 …
//   convert([0,1,3,2,4], linear)                              refused: 5 points, no power of two
//   convert([0,1,2,0], linear)                                refused: f(1)^f(2) = 3, f(3) = 0
//
// A layout is read as its view (any_layout.h), brought into digits, bits or a mix of both
// (form/recover.h where its notation does not show them), and written down.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

namespace heddle::map {

/// A map that a system reads both ways: from coordinates to memory, or from hardware places to what
/// they own (a linear register layout, a thread-value layout) and so, for Axe, from what is owned
/// to its places.
enum class Reading : std::uint8_t { kMemory, kOwnership };

struct ConvertOptions {
  /// What suits both sides where it is not said.
  std::optional<Reading> reading;
  Limits limits;
};

struct Converted {
  AnyLayout layout;
  /// The coordinates of the result, where its notation does not say them (Axe).
  std::vector<Int> shape;
  /// Which way the map goes, how coordinates and axes were matched; empty where nothing changed.
  std::string remark;
};

/// The layout in the system's notation, with the same map. Refuses `convert.no_layout` with the two
/// or three coordinates whose values no layout of the system can have together, and which mode or
/// bit breaks; `convert.copies` where one point has several images and the system has no replicas;
/// `convert.undecided` where a box is too large to search; `convert.symbolic`; what view() refuses.
[[nodiscard]] Result<Converted> convert(const AnyLayout& layout, System to,
                                        const ConvertOptions& options = {});

}  // namespace heddle::map
