// heddle compare: where two layouts of any systems differ, as a verdict, a table and a picture.

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/draw/formats.h"
#include "heddle/draw/view.h"
#include "heddle/drawing.h"
#include "heddle/layout_arguments.h"
#include "heddle/map/compare.h"
#include "heddle/notation/any_layout.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using map::Comparison;
using notation::Environment;
using notation::Value;

/// On a terminal what is small and differs in some places only: the table says the rest.
constexpr std::int64_t kMaxDrawn = 512;

bool is_worth_drawing(const Comparison& comparison) {
  constexpr std::int64_t kMaxColumns = 16;
  const std::vector<Int>& extents = comparison.views->a.extents;
  const auto count = comparison.different;
  if (count == 0 || count == comparison.points || comparison.points > kMaxDrawn) return false;
  return extents.size() <= 2 && extents.back().value() <= kMaxColumns;
}

/// Whether the report is of so few points that a picture on the terminal may be worth it.
bool may_be_drawn(const notation::Report& report) {
  const notation::Datum* points = report.data.field("points");
  return points != nullptr && points->number() != nullptr && *points->number() <= kMaxDrawn;
}

/// The two layouts, what options say about them.
struct Question {
  std::vector<Value> layouts;
  std::string as;
  std::string shape;
};

Result<Value> reported(const Question& question, const Environment& environment) {
  Arguments arguments;
  for (const Value& layout : question.layouts) arguments.add(layout);
  arguments.add_text("as", question.as);
  HEDDLE_CHECK(arguments.add_shape(question.shape));
  return notation::call_in(environment, "compare", std::move(arguments).list());
}

/// What the picture is of, which the report does not hold.
Result<Comparison> comparison_of(const Question& question, const Environment& environment) {
  map::DecideOptions decide = environment.context().decide;
  HEDDLE_TRY(decide.reading, reading_of(question.as));
  HEDDLE_TRY(decide.shape, box_of(question.shape));
  HEDDLE_TRY(const map::AnyLayout a,
             notation::to_any_layout(question.layouts[0], environment.context()));
  HEDDLE_TRY(const map::AnyLayout b,
             notation::to_any_layout(question.layouts[1], environment.context()));
  return map::compare(a, b, decide);
}

/// The picture of both, on the terminal or as a file.
Result<void> draw(const Console& console, const notation::Report& report, const Question& question,
                  const DrawOptions& options, const Environment& environment) {
  HEDDLE_TRY(const notation::PictureFormat format, format_of(options.output));
  const bool on_terminal = options.output.empty();
  if (report.outcome == notation::Report::Outcome::kDone) return {};
  if (on_terminal && (console.json() || !may_be_drawn(report))) return {};
  HEDDLE_TRY(const Comparison comparison, comparison_of(question, environment));
  if (!comparison.views || (on_terminal && !is_worth_drawing(comparison))) return {};
  HEDDLE_TRY(const draw::Picture picture,
             draw::difference_picture(comparison.views->a, comparison.views->b,
                                      options_for(format, draw::PictureOptions())));
  if (on_terminal) {
    console.print_text("\n" + draw::to_terminal(picture, terminal_style(options.color)));
    return {};
  }
  return write_picture(options.output, picture);
}

}  // namespace

ExitCode compare_layouts(const Console& console, const std::vector<std::string>& expressions,
                         const ConvertCommandOptions& reading, const DrawOptions& options,
                         const Environment& environment) {
  if (expressions.size() != 2) {
    return console.fail(
        Diagnostic("usage.expression",
                   fmt::format("compare needs two layouts, not {}", expressions.size()))
            .with_hint("heddle compare '(4,8):(8,1)' '(4,8):(1,4)'"));
  }
  Question question{{}, reading.as, reading.shape};
  for (const std::string& expression : expressions) {
    auto layout = value_in(expression, environment);
    if (!layout) return console.fail(layout.error(), {expression, ""});
    question.layouts.push_back(*std::move(layout));
  }
  const auto report = reported(question, environment);
  const ExitCode code = answer(console, report);
  if (!report) return code;
  const auto drawn = draw(console, report->get<notation::Report>(), question, options, environment);
  return drawn ? code : console.fail(drawn.error());
}

}  // namespace heddle::app
