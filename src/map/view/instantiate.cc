#include "heddle/map/instantiate.h"

#include <utility>

#include "core/overloaded.h"
#include "heddle/axe/instantiate.h"
#include "heddle/cute/instantiate.h"
#include "heddle/lego/instantiate.h"

namespace heddle::map {

Result<AnyLayout> instantiate(const AnyLayout& layout, const Bindings& values) {
  return std::visit(
      Overloaded{[&](const cute::TvLayout& tv) -> Result<AnyLayout> {
                   HEDDLE_TRY(cute::Layout inner, cute::instantiate(tv.layout, values));
                   return AnyLayout(cute::TvLayout{std::move(inner), tv.tiler});
                 },
                 [](const linear::LinearLayout& same) -> Result<AnyLayout> { return same; },
                 [](const IntegerRelation& same) -> Result<AnyLayout> { return same; },
                 [](const form::Table& same) -> Result<AnyLayout> { return same; },
                 [&](const auto& plain) -> Result<AnyLayout> {
                   HEDDLE_TRY(auto made, instantiate(plain, values));
                   return AnyLayout(std::move(made));
                 }},
      layout);
}

}  // namespace heddle::map
