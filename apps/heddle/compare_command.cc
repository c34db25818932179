// heddle compare: where two layouts of any systems differ, as a verdict, a table and a picture.

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/draw/formats.h"
#include "heddle/draw/view.h"
#include "heddle/drawing.h"
#include "heddle/map/compare.h"
#include "heddle/notation/any_layout.h"

namespace heddle::app {
namespace {

using map::Comparison;
using notation::Value;

/// The maximum number of points drawn on a terminal, and only if some of them agree: otherwise the
/// table suffices.
constexpr std::int64_t kMaxDrawn = 512;

bool is_worth_drawing(const Comparison& comparison) {
  constexpr std::int64_t kMaxColumns = 16;
  const std::vector<Int>& extents = comparison.views->a.extents;
  const auto count = comparison.different;
  if (count == 0 || count == comparison.points || comparison.points > kMaxDrawn) return false;
  return extents.size() <= 2 && extents.back().value() <= kMaxColumns;
}

/// Whether the report has few enough points for a picture on the terminal.
bool may_be_drawn(const notation::Report& report) {
  const notation::Datum* points = report.data.field("points");
  return points != nullptr && points->number() != nullptr && *points->number() <= kMaxDrawn;
}

Result<Value> reported(const Call& call, const std::vector<Value>& layouts) {
  Arguments arguments;
  for (const Value& layout : layouts) arguments.add(layout);
  arguments.add_options(call.said, "compare");
  HEDDLE_CHECK(arguments.add_shape(call.said));
  return std::move(arguments).call("compare", call.environment);
}

/// The data for the picture, which the report does not hold.
Result<Comparison> comparison_of(const Call& call, const std::vector<Value>& layouts) {
  const notation::CallContext& context = call.environment.context();
  map::DecideOptions decide = context.decide;
  HEDDLE_TRY(decide.reading, reading_of(call.said));
  HEDDLE_TRY(decide.shape, box_of(call.said));
  HEDDLE_TRY(const map::AnyLayout a, notation::to_any_layout(layouts[0], context));
  HEDDLE_TRY(const map::AnyLayout b, notation::to_any_layout(layouts[1], context));
  return map::compare(a, b, decide);
}

/// Draws both layouts, on the terminal or as a file.
Result<void> draw(const Call& call, const notation::Report& report,
                  const std::vector<Value>& layouts, ColorChoice color) {
  const std::string& output = call.said.text("--output");
  HEDDLE_TRY(const notation::PictureFormat format, format_of(output));
  const bool on_terminal = output.empty();
  if (report.outcome == notation::Report::Outcome::kDone) return {};
  if (on_terminal && (call.console.json() || !may_be_drawn(report))) return {};
  HEDDLE_TRY(const Comparison comparison, comparison_of(call, layouts));
  if (!comparison.views || (on_terminal && !is_worth_drawing(comparison))) return {};
  HEDDLE_TRY(const draw::Picture picture,
             draw::difference_picture(comparison.views->a, comparison.views->b,
                                      options_for(format, draw::PictureOptions())));
  if (!on_terminal) return write_picture(output, picture);
  call.console.print_text("\n" + draw::to_terminal(picture, terminal_style(color)));
  return {};
}

}  // namespace

Outcome compare_command(const Call& call) {
  HEDDLE_TRY(const ColorChoice color, color_of(call.said));
  if (call.expressions.size() != 2) {
    return refuse(Diagnostic("usage.expression", fmt::format("compare needs two layouts, not {}",
                                                             call.expressions.size()))
                      .with_hint("heddle compare '(4,8):(8,1)' '(4,8):(1,4)'"));
  }
  std::vector<Value> layouts;
  for (const std::string& expression : call.expressions) {
    HEDDLE_TRY(Value given, in({expression, ""}, value_in(expression, call.environment)));
    HEDDLE_TRY(Value layout, on_shape(std::move(given), call.said, call.environment));
    layouts.push_back(std::move(layout));
  }
  HEDDLE_TRY(const Value report, reported(call, layouts));
  HEDDLE_TRY(const ExitCode code, answer(call.console, report));
  HEDDLE_CHECK(draw(call, report.get<notation::Report>(), layouts, color));
  return code;
}

}  // namespace heddle::app
