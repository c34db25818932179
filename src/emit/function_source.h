#pragma once

// Layouts as functions in pieces, over variables: the source of kernels.

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
  /// Conditions for points of the box to be in the domain, by pieces; all points are if there are
  /// no pieces.
  Pieces inside;
  /// The source of the inverse: the view, with the coordinates of this source; or the relation.
  std::optional<map::View> view;
  std::optional<map::IntegerRelation> relation;
  /// The LEGO layout of the view, with the same coordinates.
  std::optional<lego::Layout> lego;

  /// Whether points of the box are outside the domain (ExpandBy): they have the place -1.
  [[nodiscard]] bool has_holes() const { return view && !inside.pieces.empty(); }
};

/// Refuses as map_function().
[[nodiscard]] Result<FunctionSource> source_of(const map::AnyLayout& layout,
                                               const MapFunctionOptions& options);
/// From places to coordinates. Refuses `emit.no_inverse`, and as isl does.
[[nodiscard]] Result<Pieces> inverse_of(const map::AnyLayout& layout, const FunctionSource& source,
                                        const map::Limits& limits);

[[nodiscard]] inline bool are_defined(std::span<const Int> values) {
  return std::ranges::all_of(values, &Int::is_defined);
}

/// The ranges of coordinates.
using NumberBox = std::vector<Range>;
/// The box, if its ends are constants and it has at most so many points; otherwise nullopt.
[[nodiscard]] std::optional<NumberBox> small_box(const GuardKernel& guard, std::int64_t most);
/// Whether the predicate holds at all points of a box.
[[nodiscard]] bool all_points(const NumberBox& box,
                              const std::function<bool(std::span<const std::int64_t>)>& holds);

/// Names that no user can write.
[[nodiscard]] std::vector<std::string> hidden_names(std::size_t count);
/// The name, followed by as many `_` as make it free; it is then added to `taken`.
[[nodiscard]] std::string free_name(std::string name, std::vector<std::string>& taken);

}  // namespace heddle::emit
