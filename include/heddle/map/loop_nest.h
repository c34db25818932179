#pragma once

// Loops that visit every point of a set, or every pair of a relation or layout, exactly once and in
// a chosen order.
//
//   { [i, j] : 0 <= j <= i < N }        for i from 0 to N-1
//                                         for j from 0 to i
//                                           visit (i, j)
//
//   (4,2):(1,8), by image               for j from 0 to 1
//                                         for i from 0 to 3
//                                           visit (i, j) with i + 8j
//
// The order is lexicographic on the points, on the images (that is, in the order of memory), on a
// permutation of the dimensions, on tiles of given sizes, or on the images of any relation, which
// is then a schedule. Points of equal rank are visited in lexicographic order. isl finds the loops
// (its AST generation); the expressions are Ints, which emit/loops.h writes in a language.
//
// Source: seed 000, sections 2.4 and 3.2: the coordinate mapping is the tiling of a loop.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/expr/variables.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

struct LoopNode;

/// for (variable = max(firsts); variable < min(ends); variable += step)
struct Loop {
  std::string name;
  /// The variable in expressions, with the range that it has.
  Int variable;
  std::vector<Int> firsts;
  std::vector<Int> ends;
  std::int64_t step = 1;
  /// No two of its iterations have an image in common, so they may run at the same time. Known for
  /// the outermost loops for which it holds, and for all loops over a set, which has no images.
  bool is_parallel = false;
  std::vector<LoopNode> body;
};

/// If all conditions of one of the alternatives hold.
struct LoopGuard {
  std::vector<std::vector<Condition>> alternatives;
  std::vector<LoopNode> then;
  std::vector<LoopNode> otherwise;
};

/// A point is visited; of a relation with one of its images.
struct Visit {
  std::vector<Int> point;
  std::vector<Int> image;
};

struct LoopNode {
  std::variant<Loop, LoopGuard, Visit> node;
};

struct LoopNest {
  /// What is visited and in which order, for comments.
  std::string visited;
  std::string order;
  /// The names of the coordinates of points and images; a set has no images.
  std::vector<std::string> coordinates;
  std::vector<std::string> places;
  /// The symbolic sizes, as variables of the expressions.
  std::vector<std::string> sizes;
  std::vector<LoopNode> nodes;
};

/// Lexicographic on the points; on the images, and then on the points.
enum class LoopOrder : std::uint8_t { kDomain, kImage };
/// Dimensions of the points, the outermost loop first.
using DimensionOrder = std::vector<std::size_t>;

struct LoopOptions {
  std::variant<LoopOrder, DimensionOrder, IntegerRelation> order = LoopOrder::kDomain;
  /// The size of a tile in each dimension of the points, 1 for none: tile by tile, each in the
  /// order. Empty for none at all.
  std::vector<std::int64_t> tile;
  /// What is known of the symbolic sizes, by name.
  Bindings known;
  Limits limits;
};

/// Refuses `loops.order` for an order that does not fit: a permutation of other dimensions, tiles
/// of the order of images or of a schedule, a schedule that leaves a point out (with the point) or
/// gives one several ranks; `relation.unbounded` for infinitely many points; `relation.gave_up`, also
/// for more than 4096 loops, conditions and visits; `overflow`.
[[nodiscard]] Result<LoopNest> loops(const IntegerSet& set, const LoopOptions& options = {});
/// Also refuses what relation() refuses.
[[nodiscard]] Result<LoopNest> loops(const AnyLayout& layout, const LoopOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
