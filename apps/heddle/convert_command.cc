// heddle convert: one layout in another system's notation, or the proof that it has none there.

#include <utility>

#include "heddle/commands.h"
#include "heddle/hub_text.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/hub_report.h"

namespace heddle::app {
namespace {

using map::Converted;
using notation::Environment;

Result<Converted> converted(const std::string& expression, const ConvertCommandOptions& options,
                            const Environment& environment) {
  if (options.to.empty()) {
    return refuse(Diagnostic("usage.option", "convert needs the system to write: --to")
                      .with_hint("cute, cute_tv, linear, axe, lego, relation or table; heddle show "
                                 "writes a layout in all of them"));
  }
  HEDDLE_TRY(const map::System to, notation::system_named(options.to));
  map::ConvertOptions how;
  HEDDLE_TRY(how.reading, reading_of(options.as));
  HEDDLE_TRY(how.shape, box_of(options.shape));
  how.limits = environment.context().decide.limits;
  HEDDLE_TRY(const notation::Value value, value_in(expression, environment));
  HEDDLE_TRY(const map::AnyLayout layout, notation::hub_layout(value, environment.context()));
  if (!how.shape) how.shape = notation::hub_shape(value);
  return map::convert(layout, to, how);
}

}  // namespace

ExitCode print_converted(const Console& console, const std::string& expression,
                         const ConvertCommandOptions& options, const Environment& environment) {
  const auto result = converted(expression, options, environment);
  if (!result) return console.fail(result.error(), {expression, ""});
  std::string text = std::holds_alternative<form::Table>(result->layout)
                         ? to_string(result->layout)
                         : notation::layout_text(result->layout);
  if (const std::string remark = notation::remark_text(*result); !remark.empty()) {
    text += "\n  " + remark;
  }
  console.print(notation::Report{std::move(text), notation::to_datum(*result)});
  return ExitCode::kDone;
}

}  // namespace heddle::app
