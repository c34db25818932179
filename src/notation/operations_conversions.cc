// Layouts of any systems, written in another one's notation.

#include <optional>
#include <string>
#include <vector>

#include "heddle/map/convert.h"
#include "heddle/notation/hub.h"
#include "notation/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kConversions = "conversions";

Result<Value> in_system(const CallContext& context, const map::AnyLayout& layout,
                        const std::string& to, const std::optional<std::string>& as,
                        const std::optional<AxeShape>& shape) {
  HEDDLE_TRY(const map::System system, system_named(to));
  map::ConvertOptions options;
  if (as) {
    HEDDLE_TRY(options.reading, reading_named(*as));
  }
  options.limits = context.decide.limits;
  if (shape) options.shape = shape->extents;
  HEDDLE_TRY(const map::Converted result, map::convert(layout, system, options));
  return notation::to_value(result.layout);
}

}  // namespace

void add_conversion_operations(std::vector<Operation>& table) {
  table.push_back(operation(
      "convert", kConversions, {"layout", "to", "as", "shape"},
      "The layout with the same map in the notation of 'cute', 'cute_tv', 'linear', 'axe', 'lego', "
      "'relation' or 'table'; read as 'literal', 'memory' or 'ownership' where several are "
      "possible; `shape` says on which box an Axe layout is.",
      "convert(GroupBy([4,8]).OrderBy(Col(4,8)), 'cute')", "(4,8):(1,4)",
      [](const CallContext& context, const map::AnyLayout& layout, const std::string& to,
         const std::optional<std::string>& as, const std::optional<AxeShape>& shape) {
        return in_system(context, layout, to, as, shape);
      }));
}

}  // namespace heddle::notation
