// heddle convert and show: a layout in another system's notation, or in all of them.

#include <utility>

#include "heddle/commands.h"
#include "heddle/layout_arguments.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

Result<Value> in_systems(std::string_view operation, const std::string& expression,
                         const ConvertCommandOptions& options, const Environment& environment) {
  Arguments arguments;
  HEDDLE_TRY(const Value layout, value_in(expression, environment));
  arguments.add(layout).add_text("to", options.to).add_text("as", options.as);
  HEDDLE_CHECK(arguments.add_shape(options.shape));
  return notation::call_in(environment, operation, std::move(arguments).list());
}

}  // namespace

ExitCode print_converted(const Console& console, const std::string& expression,
                         const ConvertCommandOptions& options, const Environment& environment) {
  if (options.to.empty()) {
    return console.fail(
        Diagnostic("usage.option", "convert needs the system to write: --to")
            .with_hint("cute, cute_tv, linear, axe, lego, relation or table; heddle show "
                       "writes a layout in all of them"));
  }
  return answer(console, in_systems("convert_report", expression, options, environment),
                {expression, ""});
}

ExitCode show_everywhere(const Console& console, const std::string& expression,
                         const ConvertCommandOptions& options, const Environment& environment) {
  return answer(console, in_systems("show", expression, options, environment), {expression, ""});
}

}  // namespace heddle::app
