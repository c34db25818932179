#include "heddle/map/composition.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/cute/composition.h"
#include "heddle/lego/algebra.h"
#include "heddle/map/composition_guard.h"
#include "heddle/map/integer_set.h"
#include "heddle/map/relations.h"

namespace heddle::map {

namespace {

/// The view that the coordinates of the inner layout index: flat for a single one.
Result<View> indexed_by(const AnyLayout& outer, std::size_t axes, const Limits& limits) {
  HEDDLE_TRY(View box, view(outer, limits));
  if (axes != 1 || box.extents.size() == 1) return box;
  return reshaped(box, std::vector<Int>{box.size()});
}

/// What is said of a composition whose inner layout has an image that is not a point of the outer
/// one.
Diagnostic outside(const AnyLayout& outer, const AnyLayout& inner, const View& box) {
  return Diagnostic("lego.composition",
                    fmt::format("composition({},{}): {} has {}, and not every image of {} is one",
                                to_string(outer), to_string(inner), to_string(outer),
                                counted(to_string(box.size()), "index"), to_string(inner)))
      .with_hint("compose(relation(B), relation(A)) has the points that stay within A");
}

/// Refuses unless each image of the inner layout is a point of the box. Relations leave others out.
Result<void> check_within(const AnyLayout& outer, const AnyLayout& inner, const View& box,
                          const View& first, const IntegerRelation& images_of_inner,
                          const Limits& limits) {
  const bool is_relation = std::holds_alternative<IntegerRelation>(outer) ||
                           std::holds_alternative<IntegerRelation>(inner);
  if (is_relation || first.axes.size() != box.extents.size()) return {};
  // The points that an ExpandBy leaves out are at -1, and have no image.
  const std::int64_t least = first.leaves_out ? -1 : 0;
  HEDDLE_TRY(const IntegerRelation lost, leaving(images_of_inner, box.extents, least, limits));
  HEDDLE_TRY(const IntegerSet points, domain(lost, limits));
  if (is_empty(points, limits).is_yes()) return {};
  if (!points.parameters().empty()) {
    return refuse(
        "composition.undecided",
        fmt::format("composition({},{}): it is not known whether each image of {} is an "
                    "index of {}",
                    to_string(outer), to_string(inner), to_string(inner), to_string(outer)));
  }
  HEDDLE_TRY(const auto point, sample(points, limits));
  if (!point) return refuse(outside(outer, inner, box));
  HEDDLE_TRY(const auto found, images(lost, *point, limits));
  const bool is_flat = box.extents.size() == 1;
  return refuse(
      outside(outer, inner, box)
          .with_witness(
              {.coordinate = point_text(*point),
               .found = point_text(found.front()),
               .wanted = is_flat ? fmt::format("a number from 0 to {}", to_string(box.size() - 1))
                                 : "a point of its box " + point_text(box.extents),
               .wanted_by = "the outer layout"}));
}

Result<AnyLayout> compose_as_relations(const AnyLayout& outer, const AnyLayout& inner,
                                       const Limits& limits) {
  HEDDLE_TRY(const View first, view(inner, limits));
  HEDDLE_TRY(const View second, indexed_by(outer, first.axes.size(), limits));
  HEDDLE_TRY(const IntegerRelation first_relation, relation(first, limits));
  HEDDLE_CHECK(check_within(outer, inner, second, first, first_relation, limits));
  HEDDLE_TRY(const IntegerRelation second_relation, relation(second, limits));
  HEDDLE_TRY(IntegerRelation composed, compose(first_relation, second_relation, limits));
  return AnyLayout(std::move(composed));
}

template <class Composed>
Result<AnyLayout> to_any(Result<Composed> composed) {
  if (!composed) return refuse(std::move(composed).error());
  return AnyLayout(*std::move(composed));
}

}  // namespace

Result<AnyLayout> composition(const AnyLayout& outer, const AnyLayout& inner,
                              const Limits& limits) {
  if (const auto* layout = std::get_if<cute::Layout>(&inner)) {
    if (const auto* plain = std::get_if<cute::Layout>(&outer))
      return to_any(cute::composition(*plain, *layout));
    if (const auto* composed = std::get_if<cute::ComposedLayout>(&outer)) {
      return to_any(cute::composition(*composed, *layout));
    }
  }
  if (const auto* layout = std::get_if<lego::Layout>(&inner)) {
    if (const auto* after = std::get_if<lego::Layout>(&outer)) {
      auto composed = lego::composition(*after, *layout);
      // The points that an ExpandBy leaves out have no image in a relation.
      const bool is_partial = !composed && composed.error().code() == "lego.expand";
      if (!is_partial) return to_any(std::move(composed));
    }
  }
  const auto* first = std::get_if<linear::LinearLayout>(&inner);
  const auto* second = std::get_if<linear::LinearLayout>(&outer);
  if (first == nullptr || second == nullptr) return compose_as_relations(outer, inner, limits);
  return to_any(linear::compose(*first, *second));
}

}  // namespace heddle::map
