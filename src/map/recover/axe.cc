// Axe layouts of functions and of relations with several images.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "axe/quotient/set_map.h"
#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/axe/canonical.h"
#include "heddle/map/recover.h"
#include "map/forms/layouts_of_forms.h"
#include "map/recover/question.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// The number of points of a relation whose images are requested one by one.
constexpr std::int64_t kMaxAsked = std::int64_t{1} << 14;

/// The refusal of another recovery, with the code of this one.
Refusal no_axe(const Diagnostic& reason) {
  const bool is_proof = reason.code() == "recover.no_mixed" || reason.code() == "recover.no_layout";
  if (!is_proof) return refuse(reason);
  Diagnostic diagnostic("recover.no_axe", reason.message());
  if (reason.witness()) diagnostic = std::move(diagnostic).with_witness(*reason.witness());
  for (const std::string& note : reason.notes()) {
    diagnostic = std::move(diagnostic).with_note(note);
  }
  return refuse(std::move(diagnostic));
}

Result<RecoveredAxe> axe_of_function(const RecoverQuestion& question) {
  const std::span<const std::int64_t> extents = question.extents();
  const auto map = question.checked(
      form::recover_mixed(extents, question.axes(), question.sampler(), question.mixed_options()));
  if (!map) return no_axe(map.error());
  Result<axe::Layout> layout =
      axe_layout(strided_view(*map), question.view().axes, recover_no_layout);
  if (!layout) return no_axe(layout.error());
  return RecoveredAxe{*std::move(layout), {extents.begin(), extents.end()}};
}

/// Appends the sets of the point on each axis to those of the map.
Result<void> append_sets(axe::SetMap& map, std::span<const Axis> axes,
                         const std::vector<std::vector<Int>>& places, std::span<const Int> point) {
  std::vector<std::set<std::int64_t>> sets(axes.size());
  for (const std::vector<Int>& place : places) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (!place[axis].is_constant()) {
        return refuse("assume.needed", fmt::format("an image of {} is {}", tuple_text(point),
                                                   to_string(place[axis])));
      }
      sets[axis].insert(place[axis].value());
    }
  }
  std::size_t product = 1;
  for (const auto& set : sets) product *= set.size();
  if (product != places.size()) {
    return refuse("recover.no_axe",
                  fmt::format("{} has {} images, and their coordinates on the axes combine in {} "
                              "ways: an Axe layout's copies are all of these",
                              tuple_text(point), places.size(), product));
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    map.axes[axes[axis]].append({sets[axis].begin(), sets[axis].end()});
  }
  return {};
}

Result<RecoveredAxe> axe_of_relation(const IntegerRelation& relation, const Limits& limits) {
  HEDDLE_TRY(const auto box, domain_box(relation, limits));
  if (!box) {
    return refuse("recover.no_axe",
                  "the relation's domain is not a box from 0, which an Axe layout's is");
  }
  axe::SetMap map;
  Int size = product_of(*box);
  if (!size.is_constant()) {
    return refuse("assume.needed",
                  fmt::format("the relation has {}", counted(to_string(size), "point")));
  }
  if (size.value() > kMaxAsked) {
    return refuse(
        "recover.too_large",
        fmt::format("{} points of a relation are too many to evaluate one by one (at most {})",
                    size.value(), kMaxAsked));
  }
  map.size = size.value();
  for (std::int64_t flat = 0; flat < map.size; ++flat) {
    const std::vector<Int> point = point_of(*box, form::FlatOrder::kLastFastest, flat);
    HEDDLE_TRY(const auto places, images(relation, point, limits));
    HEDDLE_CHECK(append_sets(map, relation.axes(), places, point));
  }
  const axe::Recovery recovery = axe::recover(map, *box);
  if (recovery.layout) return RecoveredAxe{*recovery.layout, *box};
  if (!recovery.is_proof) {
    return refuse("recover.gave_up", "gave up the search for replicas after too many steps");
  }
  Diagnostic diagnostic("recover.no_axe", "no Axe layout has these sets of images");
  if (const auto obstacle = axe::plain_obstacle(map)) {
    diagnostic = std::move(diagnostic)
                     .with_witness({std::to_string(obstacle->index), obstacle->found,
                                    obstacle->wanted, "a layout without a swizzle"});
  }
  return refuse(std::move(diagnostic));
}

}  // namespace

Result<RecoveredAxe> recover_axe(const AnyLayout& layout, const RecoverOptions& options) {
  if (const auto* relation = std::get_if<IntegerRelation>(&layout)) {
    HEDDLE_TRY(const bool is_function, is_single_valued(*relation, options.limits));
    if (!is_function) return axe_of_relation(*relation, options.limits);
  }
  if (const auto* axe_layout = std::get_if<axe::Layout>(&layout)) {
    HEDDLE_TRY(const Int copies, Result<Int>(axe::replication(*axe_layout)));
    if (!known_equal(copies, 1)) {
      HEDDLE_TRY(axe::Layout canonical, axe::canonicalize(*axe_layout));
      return RecoveredAxe{std::move(canonical), {axe::size(*axe_layout)}};
    }
  }
  HEDDLE_TRY(const RecoverQuestion question, RecoverQuestion::make(layout, options.limits));
  return axe_of_function(question);
}

}  // namespace heddle::map
