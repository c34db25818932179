// heddle compare: where two layouts of any systems differ, as a verdict, a table and a picture.

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/draw/hub.h"
#include "heddle/draw/text.h"
#include "heddle/drawing.h"
#include "heddle/hub_text.h"
#include "heddle/map/compare.h"
#include "heddle/notation/hub_report.h"

namespace heddle::app {
namespace {

using map::AnyLayout;
using map::Comparison;
using notation::Environment;

/// On a terminal what is small and differs in some places only: the table says the rest.
bool is_worth_drawing(const Comparison& comparison) {
  constexpr std::int64_t kMaxColumns = 16;
  constexpr std::int64_t kMaxPoints = 512;
  const std::vector<Int>& extents = comparison.views->a.extents;
  const auto count = static_cast<std::int64_t>(comparison.differences.size());
  if (count == 0 || count == comparison.points || comparison.points > kMaxPoints) return false;
  return extents.size() <= 2 && extents.back().value() <= kMaxColumns;
}

/// The picture of both, on the terminal or as a file.
Result<void> draw(const Console& console, const Comparison& comparison,
                  const DrawOptions& options) {
  HEDDLE_TRY(const PictureFormat format, format_of(options.output));
  if (!comparison.views) return {};
  const bool on_terminal = format == PictureFormat::kTerminal;
  if (on_terminal && (console.json() || !is_worth_drawing(comparison))) return {};
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
                         const DrawOptions& options, const Environment& environment) {
  if (expressions.size() != 2) {
    return console.fail(
        Diagnostic("usage.expression",
                   fmt::format("compare needs two layouts, not {}", expressions.size()))
            .with_hint("heddle compare '(4,8):(8,1)' '(4,8):(1,4)'"));
  }
  std::vector<AnyLayout> layouts;
  for (const std::string& expression : expressions) {
    auto layout = any_layout_of(expression, environment);
    if (!layout) return console.fail(layout.error(), {expression, ""});
    layouts.push_back(*std::move(layout));
  }
  const auto comparison = map::compare(layouts[0], layouts[1], environment.context().decide);
  if (!comparison) return console.fail(comparison.error());
  console.print(notation::report_of(*comparison));
  const auto drawn = draw(console, *comparison, options);
  if (!drawn) return console.fail(drawn.error());
  return exit_code(comparison->verdict);
}

}  // namespace heddle::app
