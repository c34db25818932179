#pragma once

// Layouts as functions in pieces, over variables: what kernels are made of.

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/emit/map_function.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/integer_relation.h"

namespace heddle::emit {

/// A function of these variables; its pieces exclude each other.
struct Pieces {
  std::vector<std::string> variables;
  std::vector<map::Piece> pieces;
};

struct FunctionSource {
  std::vector<std::string> coordinates;
  std::vector<std::string> places;
  Pieces map;
  std::vector<Interval<Int>> box;
  /// Which points of the box are in the domain, by the conditions of the pieces; all of them where
  /// there are no pieces.
  Pieces inside;
  /// What the inverse is found from: the view, its coordinates those of the source; or the
  /// relation.
  std::optional<map::View> view;
  std::optional<map::IntegerRelation> relation;
  /// The LEGO layout that the view is of, coordinate by coordinate.
  std::optional<lego::Layout> lego;

  /// Points of the box that are none of the domain (ExpandBy): they have the place -1.
  [[nodiscard]] bool has_holes() const { return view && !inside.pieces.empty(); }
};

/// Refuses what map_function() does.
[[nodiscard]] Result<FunctionSource> source_of(const map::AnyLayout& layout,
                                               const MapFunctionOptions& options);
/// From places to coordinates. Refuses `emit.no_inverse`, and what isl does.
[[nodiscard]] Result<Pieces> inverse_of(const map::AnyLayout& layout, const FunctionSource& source,
                                        const map::Limits& asked);

[[nodiscard]] inline bool are_defined(std::span<const Int> values) {
  return std::ranges::all_of(values, &Int::is_defined);
}

/// The ranges of coordinates.
using NumberBox = std::vector<Range>;
/// The box, where its ends are numbers and it has at most so many points; nothing otherwise.
[[nodiscard]] std::optional<NumberBox> small_box(const GuardKernel& guard, std::int64_t most);
/// The predicate holds at all points of a box.
[[nodiscard]] bool all_points(const NumberBox& box,
                              const std::function<bool(std::span<const std::int64_t>)>& holds);

/// Names that nobody can give.
[[nodiscard]] std::vector<std::string> hidden_names(std::size_t count);
/// The name, with `_` behind it for as long as it is taken; then it is taken.
[[nodiscard]] std::string free_name(std::string name, std::vector<std::string>& taken);

}  // namespace heddle::emit
