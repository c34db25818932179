// heddle show: one layout in every notation that can write it, each converted back and compared.

#include <algorithm>
#include <vector>

#include "heddle/commands.h"
#include "heddle/hub_text.h"
#include "heddle/map/show.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/hub_report.h"

namespace heddle::app {

ExitCode show_everywhere(const Console& console, const std::string& expression,
                         const ConvertCommandOptions& options,
                         const notation::Environment& environment) {
  const map::DecideOptions& decide = environment.context().decide;
  map::ConvertOptions how;
  const auto reading = reading_of(options.as);
  if (!reading) return console.fail(reading.error());
  how.reading = *reading;
  const auto shape = box_of(options.shape);
  if (!shape) return console.fail(shape.error());
  how.shape = *shape;
  how.limits = decide.limits;
  const auto value = value_in(expression, environment);
  if (!value) return console.fail(value.error(), {expression, ""});
  const auto layout = notation::hub_layout(*value, environment.context());
  if (!layout) return console.fail(layout.error(), {expression, ""});
  if (!how.shape) how.shape = notation::hub_shape(*value);
  const std::vector<map::Shown> all = map::show(*layout, how, decide);
  console.print(notation::report_of(all));
  const bool differs = std::ranges::any_of(
      all, [](const map::Shown& shown) { return shown.same && shown.same->is_no(); });
  return differs ? ExitCode::kRefuted : ExitCode::kDone;
}

}  // namespace heddle::app
