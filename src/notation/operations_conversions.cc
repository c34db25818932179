// Layouts of any systems, written in another one's notation.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "heddle/map/convert.h"
#include "heddle/notation/hub.h"
#include "notation/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kConversions = "conversions";

std::vector<std::string> names_of_systems() {
  std::vector<std::string> names;
  for (const map::System system : map::systems()) names.emplace_back(map::name(system));
  return names;
}

Result<map::System> system_named(const std::string& name) {
  if (const auto system = map::find_system(name)) return *system;
  return refuse(
      Diagnostic("convert.system", fmt::format("no system is called '{}'", name))
          .with_hint(fmt::format("the systems are {}", fmt::join(names_of_systems(), ", "))));
}

Result<std::optional<map::Reading>> reading_named(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  if (const auto reading = map::find_reading(*name)) return *reading;
  return refuse(Diagnostic("convert.reading", fmt::format("a layout is not read as '{}'", *name))
                    .with_hint("it is read as literal, memory or ownership"));
}

Result<Value> in_system(const CallContext& context, const map::AnyLayout& layout,
                        const std::string& to, const std::optional<std::string>& as,
                        const std::optional<AxeShape>& shape) {
  HEDDLE_TRY(const map::System system, system_named(to));
  HEDDLE_TRY(const auto reading, reading_named(as));
  map::ConvertOptions options;
  options.reading = reading;
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
