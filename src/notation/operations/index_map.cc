#include "heddle/notation/index_map.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "heddle/notation/operations.h"

namespace heddle::notation {

Result<form::IndexMap> index_map_of(const Value& value) {
  if (const auto* layout = value.get_if<lego::Layout>()) return lego::index_map(*layout);
  if (const auto* layout = value.get_if<linear::LinearLayout>()) return linear::index_map(*layout);
  if (const auto* layout = value.get_if<axe::Layout>()) {
    std::vector<Int> shape;
    for (const axe::Iter& iter : layout->shard()) shape.push_back(iter.extent);
    return axe::index_map(*layout, shape);
  }
  if (const auto* relation = value.get_if<map::IntegerRelation>()) return map::index_map(*relation);
  if (const auto* table = value.get_if<form::Table>()) return form::index_map(*table);
  if (const auto* tv = value.get_if<cute::TvLayout>()) return cute::index_map(tv->layout);
  HEDDLE_TRY(const auto layout, convert(value, Kind::kCuteLayout));
  if (!layout) {
    return refuse("call.type", fmt::format("a layout is needed, not {}", kind_name(value)));
  }
  if (const auto* plain = layout->get_if<cute::Layout>()) return cute::index_map(*plain);
  return cute::index_map(layout->get<cute::ComposedLayout>());
}

}  // namespace heddle::notation
