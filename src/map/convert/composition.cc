#include "heddle/map/composition.h"

#include <utility>
#include <variant>
#include <vector>

#include "heddle/cute/composition.h"
#include "heddle/lego/algebra.h"
#include "heddle/map/relations.h"

namespace heddle::map {

namespace {

/// The view that the coordinates of the inner layout index: flat for a single one.
Result<View> indexed_by(const AnyLayout& outer, std::size_t axes, const Limits& limits) {
  HEDDLE_TRY(View box, view(outer, limits));
  if (axes != 1 || box.extents.size() == 1) return box;
  return reshaped(box, std::vector<Int>{box.size()});
}

Result<AnyLayout> compose_as_relations(const AnyLayout& outer, const AnyLayout& inner,
                                       const Limits& limits) {
  HEDDLE_TRY(const View first, view(inner, limits));
  HEDDLE_TRY(const View second, indexed_by(outer, first.axes.size(), limits));
  HEDDLE_TRY(const IntegerRelation first_relation, relation(first, limits));
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
