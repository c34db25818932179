#pragma once

// A layout as functions of a program: the map, its inverse, its guard.
//
//   Sw<1,2,2> o 0 o (4,8):(8,1)
//
//   idx(i, j)         the index of a point        8*i + j, with a bit of i XORed onto it
//   idx_inverse(m)    the point with that index   XORed back, then m // 8 and m % 8
//   idx_guard(i, j)   is it a point?              0 <= i < 4 and 0 <= j < 8
//
// Supports layouts of all systems and integer set relations; sizes are constants or parameters. A
// layout with several places (lane and register, say) gives several results, a layout with copies
// takes the number of the copy as a last coordinate. A relation is a function in pieces: one branch
// each.
//
// A MapFunction holds the computation, as kernels (expr/code_expression.h); to_text() writes it in
// a language. Other printers read the same MapFunction.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/simplify.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

/// If all of these guards of a kernel hold, these of its results are the value.
struct Branch {
  std::vector<std::size_t> guards;
  std::vector<std::size_t> results;
};

/// A function: its definitions are computed first, then the first branch whose guards hold is
/// taken; the guards of the last are not evaluated.
struct BranchedKernel {
  /// The names of its own variables, in order.
  std::vector<std::string> parameters;
  Kernel kernel;
  std::vector<Branch> branches;
};

/// low <= coordinate < end; nullopt if there is no such end.
template <class T>
struct Interval {
  std::optional<T> low;
  std::optional<T> end;
};

/// Whether coordinates are in the domain: each is within its interval, whose ends depend on the
/// sizes alone, and, if there are branches, the guards of one of them hold. These need only have a
/// value within the intervals.
struct GuardKernel {
  Kernel ends;
  /// For each coordinate, the ends of its interval, as indices of results.
  std::vector<Interval<std::size_t>> box;
  BranchedKernel inside;
};

struct MapFunction {
  /// The layout, in its own notation, and what kind of layout it is.
  std::string layout;
  std::string description;
  /// The names of coordinates. Each kernel has its own variables for coordinates and places, by
  /// position, and all have the sizes by their names.
  std::vector<std::string> coordinates;
  std::vector<std::string> places;
  std::vector<std::string> sizes;
  /// One result for each place.
  BranchedKernel map;
  GuardKernel guard;
  /// From places to coordinates, or a refusal. Its value is a point only for places of points.
  Result<BranchedKernel> inverse;
  /// For each place a range that holds all its values; the least one for small domains.
  std::vector<Range> values;
  /// A range of all numbers that any of the kernels computes with.
  Range on_the_way;
  /// Sizes without a known least or greatest value; coordinates if no size is the reason.
  std::vector<std::string> unbounded;
  /// The assumptions about the sizes: `M >= 1`, `8 | M`.
  std::vector<std::string> assumptions;
};

struct MapFunctionOptions {
  /// Names of the coordinates; one name for a layout with several is a flat coordinate in the
  /// layout's own order. By default i, j, k, or the names that the layout has.
  std::vector<std::string> coordinates;
  /// The box of an Axe layout, which has none of its own; by default the extents of its shard.
  std::optional<std::vector<Int>> shape;
  /// Assumptions about sizes beyond those that their variables carry, for the comment.
  std::vector<Condition> assumed;
  /// The costs of operations where the function runs.
  Target target = Target::gpu();
  map::Limits limits;
};

/// The computation for a layout. Refuses `relation.multi_valued` for a relation with several images
/// of a point, `relation.empty` for one without points, `relation.unbounded` for one with an
/// unbounded domain, `emit.coordinates` for another number of names, `overflow` if an intermediate
/// number exceeds 64 bits although all sizes are bounded, `view.shape`, `relation.gave_up` past the
/// limits (a limit of time never changes what is emitted) and as reading the layout does. The
/// inverse refuses `emit.no_inverse` with two points that have the same places, `lego.no_inverse`.
/// Cost: that of simplifying; if digits and bits do not show the inverse, isl within the limits and
/// a fixed number of steps, past which the inverse is `relation.gave_up`.
[[nodiscard]] Result<MapFunction> map_function(const map::AnyLayout& layout,
                                               const MapFunctionOptions& asked = {});

/// Options for MLIR.
struct MlirOptions {
  /// If set, on i32 if every intermediate number is proved to fit, on i64 otherwise, by arith
  /// alone; if not, on `index`, by affine.apply wherever an expression is quasi-affine.
  bool integers = false;
  /// The gpu.module around the functions; without a name there is none, and they may be pasted into
  /// any module.
  std::string gpu_module;
};

struct TextOptions {
  Dialect dialect = Dialect::kC;
  /// The name of the map; the others are NAME_inverse, NAME_guard, NAME_point, ….
  std::string name = "idx";
  MlirOptions mlir = {};
  /// For C and C++: functions for `omp simd` loops too, and NAME_pack and NAME_unpack, which move
  /// row-major arrays into the layout and back in parallel.
  bool openmp = false;
};

/// The functions as a program, with comments: 32 bits if every intermediate number is proved to
/// fit, 64 otherwise. Several places are the fields of a struct NAME_place, several coordinates of
/// NAME_point; Python and Triton return tuples. C++, CUDA and HIP also have NAME_accessor if there
/// is one place: a(i, j) is the element of an array in this layout. MLIR has NAME_load and
/// NAME_store, and vectors of them if a coordinate is contiguous by proof. Refuses `print.name` for
/// a name that is none in the language, `print.operation` for the expression language and for
/// operations that Triton lacks, `emit.target` for MLIR in a build without it and for OpenMP in
/// other languages than C and C++. Cost: linear in the text.
[[nodiscard]] Result<std::string> to_text(const MapFunction& function, const TextOptions& options);

/// map_function() and to_text(), for the costs of the language's machine. Refuses as both do.
[[nodiscard]] Result<std::string> map_text(const map::AnyLayout& layout, const TextOptions& text,
                                           MapFunctionOptions options = {});

}  // namespace heddle::emit
#pragma GCC visibility pop
