// heddle emit: a layout as functions of a program.

#include <utility>

#include "heddle/commands.h"
#include "heddle/layout_arguments.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

Result<Value> emitted(const std::vector<std::string>& expressions, const EmitOptions& options,
                      const Environment& environment) {
  Arguments arguments;
  HEDDLE_TRY(const Value layout, value_in(expressions.front(), environment));
  arguments.add(layout).add("target", options.target).add("name", options.name);
  HEDDLE_CHECK(arguments.add_shape(options.shape));
  arguments.add_names("coordinates", std::vector(expressions.begin() + 1, expressions.end()))
      .add_flag("inverse", options.inverse)
      .add_flag("openmp", options.openmp)
      .add_flag("integers", options.integers)
      .add_text("gpu_module", options.gpu_module);
  return notation::call_in(environment, "emit_report", std::move(arguments).list());
}

}  // namespace

ExitCode print_functions(const Console& console, const std::vector<std::string>& expressions,
                         const EmitOptions& options, const Environment& environment) {
  if (expressions.empty()) {
    return console.fail(Diagnostic("usage.expression", "emit needs a layout")
                            .with_hint("heddle emit '(4,8):(8,1)' --target cuda"));
  }
  return answer(console, emitted(expressions, options, environment), {expressions.front(), ""});
}

}  // namespace heddle::app
