#include "machine/tma/memory_layout.h"

#include <variant>

#include "core/format.h"
#include "heddle/map/convert.h"

namespace heddle::machine {
namespace {

/// Refuses replicas, and steps on other axes than that of memory.
Result<void> check_memory(std::string_view name, const axe::Layout& layout) {
  if (!layout.replica().empty()) {
    return refuse(
        diagnose("machine.memory", "the {} layout {} has replicas", name, axe::to_string(layout))
            .with_hint("one place for each element is needed"));
  }
  for (const Axis& axis : axe::axes(layout)) {
    if (axis == Axis::memory()) continue;
    return refuse(diagnose("machine.memory", "the {} layout {} has the axis {}", name,
                           axe::to_string(layout), axis.name())
                      .with_hint("addresses of memory are on axis m"));
  }
  return {};
}

}  // namespace

Result<MemoryLayout> memory_layout(std::string_view name, const map::AnyLayout& layout,
                                   const std::optional<std::vector<Int>>& shape) {
  MemoryLayout result;
  if (const auto* axe_layout = std::get_if<axe::Layout>(&layout)) {
    result = {*axe_layout, shape.value_or(axe::extents_of(axe_layout->shard()))};
  } else {
    map::ConvertOptions options;
    options.shape = shape;
    HEDDLE_TRY(const map::Converted converted, map::convert(layout, map::System::kAxe, options));
    result = {std::get<axe::Layout>(converted.layout), converted.shape};
  }
  HEDDLE_CHECK(check_memory(name, result.layout));
  return result;
}

Int memory_offset(const axe::Layout& layout) { return layout.offset()[Axis::memory()]; }

}  // namespace heddle::machine
