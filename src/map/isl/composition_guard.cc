// The condition under which every image of the right layout is a coordinate of the left one.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <ostream>

#include "heddle/expr/proof.h"
#include "heddle/map/composition_guard.h"
#include "heddle/map/relations.h"
#include "map/isl/terms.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// The number of coordinates of the left side along each axis of the right side's images.
Result<std::vector<Int>> rooms_of(const AnyLayout& left, const View& left_view, const View& right) {
  const auto* layout = std::get_if<cute::Layout>(&left);
  if (right.axes.size() == 1 && right.axes.front() == Axis::memory()) {
    return std::vector<Int>{left_view.size()};
  }
  std::vector<Int> rooms;
  for (const Axis& axis : right.axes) {
    std::optional<Int> room;
    for (std::size_t mode = 0; layout != nullptr && mode < layout->rank(); ++mode) {
      if (axis.name() == std::to_string(mode)) room = layout->mode(mode).size();
    }
    if (!room && right.axes.size() == 1) room = left_view.size();
    if (!room) {
      return refuse(
          "relation.dims_differ",
          fmt::format("the images of the right side are on the axis {}, which is not a mode of {}",
                      axis.name(), to_string(left)));
    }
    rooms.push_back(*std::move(room));
  }
  return rooms;
}

Result<bool> leaves_nothing(const IntegerRelation& leaving, const Limits& limits) {
  IslSession session(limits);
  return session.ask("whether a point leaves", [&] { return read(session, leaving).is_empty(); });
}

}  // namespace

Result<IntegerRelation> leaving(const IntegerRelation& relation, std::span<const Int> box,
                                std::int64_t least, const Limits& limits) {
  IslSession session(limits);
  return session.ask("which points leave the domain", [&]() -> Result<IntegerRelation> {
    const isl::map map = read(session, relation);
    IslTerms terms(session, std::vector<std::string>(box.size()));
    isl::set inside = terms.universe();
    try {
      for (std::size_t axis = 0; axis < box.size(); ++axis) {
        const isl::pw_aff here = terms.coordinate(axis);
        inside = inside.intersect(here.ge_set(terms.constant(least)));
        inside = inside.intersect(here.lt_set(terms(box[axis])));
      }
    } catch (const NotAffine& why) {
      return refuse("relation.not_affine", fmt::format("a size of the box: {}", why.reason));
    }
    const auto aligned = [](const isl::set& set, const isl::set& like) {
      return isl::manage(isl_set_align_params(set.copy(), isl_set_get_space(like.get())));
    };
    const isl::set range = aligned(map.range(), inside);
    const auto in_range = [&](const isl::set& set) {
      return isl::manage(
          isl_set_reset_space(aligned(set, range).release(), isl_set_get_space(range.get())));
    };
    const isl::set outside = range.intersect(in_range(terms.known())).subtract(in_range(inside));
    return map::write(coalesced(map.intersect_range(outside)),
                      {relation.axes().begin(), relation.axes().end()});
  });
}

Result<CompositionGuard> composition_guard(const AnyLayout& left, const AnyLayout& right,
                                           const Limits& limits) {
  HEDDLE_TRY(const View outer, view(left, limits));
  HEDDLE_TRY(const View inner, view(right, limits));
  HEDDLE_TRY(const std::vector<Int> rooms, rooms_of(left, outer, inner));
  CompositionGuard guard;
  guard.point = variable_point(inner.extents, inner.names);
  const std::vector<Int> image = inner.evaluate(guard.point, 0);
  for (std::size_t axis = 0; axis < image.size(); ++axis) {
    for (const Condition& condition : {Condition{0, Predicate::kAtMost, image[axis]},
                                       Condition{image[axis], Predicate::kLess, rooms[axis]}}) {
      if (!known(condition)) guard.conditions.push_back(condition);
    }
  }
  const bool is_numeric = std::ranges::all_of(rooms, &Int::is_constant);
  const auto whole = relation(inner, limits);
  if (!whole || !is_numeric) return guard;
  HEDDLE_TRY(guard.leaving, leaving(*whole, rooms, 0, limits));
  HEDDLE_TRY(const bool is_empty, leaves_nothing(*guard.leaving, limits));
  if (is_empty) guard.conditions.clear();
  return guard;
}

std::string to_string(const CompositionGuard& guard) {
  if (guard.is_always_inside()) return "guard none: no point leaves";
  std::vector<std::string> conditions;
  for (const Condition& condition : guard.conditions) {
    conditions.push_back(to_string(condition));
  }
  std::string text = fmt::format("guard {}", fmt::join(conditions, " and "));
  if (guard.leaving) text += fmt::format("\nleaves {}", to_string(*guard.leaving));
  return text;
}

std::ostream& operator<<(std::ostream& stream, const CompositionGuard& guard) {
  return stream << to_string(guard);
}

}  // namespace heddle::map
