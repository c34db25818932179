#pragma once

// Slices: a layout at coordinates some of which run over their whole dimension, as Triton kernels
// write them.
//
//   DL_a = TileBy([M//BM,K//BK],[BM,BK]).OrderBy(Row(M,K))
//   DL_a[pid_m, k, :, :]   ->   (pid_m*BM + r0)*K + k*BK + r1
//       r0 = tl.arange(0, BM)[:, None],   r1 = tl.arange(0, BK)[None, :]
//
// (Seed 001, section IV-A and figure 10.)

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// A coordinate; nullopt for `:`.
using SliceIndex = std::optional<Int>;

/// A dimension that runs over all of its values.
struct SliceRange {
  /// The variable for its value, from 0 to extent - 1, in the index.
  Int variable;
  Int extent;
  /// The dimension of the layout, counted from 0.
  std::size_t dimension = 0;
  /// The number of the range, counted from 0: the position of its `:` among the `None`s.
  std::size_t position = 0;

  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

struct Slice {
  /// The physical position, an expression in the coordinates and the ranges' variables.
  Int index;
  std::vector<SliceRange> ranges;

  friend bool operator==(const Slice&, const Slice&) = default;
};

/// The layout at these coordinates, one for each of dims(). The ranges' variables are r0, r1, …;
/// names that occur in the layout or the coordinates are skipped. Refuses as apply().
[[nodiscard]] Result<Slice> slice(const Layout& layout, std::span<const SliceIndex> coordinates);

}  // namespace heddle::lego
#pragma GCC visibility pop
