#pragma once

// Axe layouts as text, in every spelling that is written for them:
//
//   S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[(2):(4@warpid)] + 5@warpid
//   S[8, 64] + 13                                    strides row-major, memory by default
//   SW(3,3,3) o S[(8,64):(64,1)]                     a swizzle in TVM's order M,B,S, after the rest
//   T.TileLayout(T.S[8:4 @ Axis.laneid] + T.R[2:4 @ Axis.warpid] + 5 @ Axis.warpid)
//   T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8, 64):(64, 1)]))
//   \begin{pmatrix}8&2\\ 4@\texttt{lane}&1@\texttt{m}\end{pmatrix}+5@\texttt{warp}
//
// All of them are expressions of the language (evaluator.h), and so may have names, symbolic sizes
// and arithmetic in them; axe::to_string() is how they are printed. An axis applies to the whole
// product before its `@`: K//BK@m is (K//BK)@m. Parts may be in any order.

#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/axes.h"
#include "heddle/axe/layout.h"
#include "heddle/core/result.h"
#include "heddle/notation/datum.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// `4@laneid` on its own: a stride or an offset along an axis; the axis is kept even if it is 0.
struct AxisStep {
  Int value;
  Axis axis;

  friend bool operator==(const AxisStep&, const AxisStep&) = default;
};

/// The parts that are added to the shard part of a layout, on their own: `R[(2):(4@warpid)]`,
/// `R[(2):(4@warpid)] + 5@warpid`, `5@warpid + 1@m`.
struct AxePart {
  std::vector<axe::Iter> replica;
  axe::Coordinate offset;

  friend bool operator==(const AxePart&, const AxePart&) = default;
};

/// `[Iter(8, 4, "laneid"), Iter(2, 1, "m")]`.
using IterList = std::vector<axe::Iter>;
/// The set of places that an index maps to, sorted.
using Places = std::vector<axe::Coordinate>;

[[nodiscard]] std::string to_string(const AxisStep& step);
[[nodiscard]] std::string to_string(const AxePart& part);
/// `[(8, 4@laneid),(2, 1@m)]`.
[[nodiscard]] std::string to_string(const IterList& iters);
/// `{1@m + 5@warpid, 1@m + 9@warpid}`.
[[nodiscard]] std::string to_string(const Places& places);

/// `{"laneid":6,"m":1}`: zero coordinates are left out; symbolic ones are texts.
[[nodiscard]] Datum to_datum(const axe::Coordinate& place);
/// `[128,1,"P"]`.
[[nodiscard]] Datum to_datum(const axe::Iter& iter);

/// A layout in any of its spellings. Refuses `call.type` if the text is something else, and what
/// evaluate() refuses.
[[nodiscard]] Result<axe::Layout> parse_axe(std::string_view text);

/// The KIND in `axis NAME: KIND`: `memory`, `device`, `thread`, or for axes of threads what they
/// count and within what, `warp in cta`. Refuses `axe.axis_syntax`.
[[nodiscard]] Result<axe::AxisInfo> parse_axis(std::string_view text);

/// The layout as LaTeX in the paper's notation: the shard part as a pmatrix of extents over
/// strides, the replica part as a bmatrix, then the offset. parse_axe() reads it.
[[nodiscard]] std::string to_latex(const axe::Layout& layout);

}  // namespace heddle::notation
#pragma GCC visibility pop
