#include "cute/layout/steps.h"

#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"

namespace heddle::cute {

Result<Steps> steps_by_stride(std::string_view operation, const Layout& layout) {
  if (!layout.is_integral()) {
    return refuse("inverse.two_axes", "{}: {} has strides in several axes", operation, layout);
  }
  Steps steps;
  Int coordinate = 1;
  for (const Mode& mode : leaves(layout)) {
    if (!known_equal(mode.extent, 1))
      steps.push_back({mode.extent, mode.stride.scale(), coordinate});
    coordinate *= mode.extent;
  }
  HEDDLE_CHECK(sort_by(
      steps, [](const ModeStep& step) -> const Int& { return step.stride; },
      [&] { return fmt::format("{}({})", operation, layout); }));
  return steps;
}

}  // namespace heddle::cute
