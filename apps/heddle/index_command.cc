// heddle index: a layout at symbolic coordinates, as the expression that computes its index.

#include <utility>

#include "heddle/commands.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

Result<Value> indexed(const std::vector<std::string>& expressions, const IndexOptions& options,
                      const Environment& environment) {
  Arguments arguments;
  arguments.add(expressions.front())
      .add_names("coordinates", std::vector(expressions.begin() + 1, expressions.end()))
      .add_text("target", options.target)
      .add_text("cost", options.cost);
  HEDDLE_CHECK(arguments.add_shape(options.shape));
  arguments.add_flag("inverse", options.inverse)
      .add_flag("explain", options.explain)
      .add_flag("count", options.count)
      .add_flag("check", options.check)
      .add_flag("narrow", options.narrow);
  return notation::call_in(environment, "index", std::move(arguments).list());
}

}  // namespace

ExitCode print_index(const Console& console, const std::vector<std::string>& expressions,
                     const IndexOptions& options, const Environment& environment) {
  if (expressions.empty()) {
    return console.fail(Diagnostic("usage.expression", "index needs a layout")
                            .with_hint("heddle index '(4,8):(8,1)' i j"));
  }
  // A place is one in an expression; of several nobody knows in which.
  return answer(console, indexed(expressions, options, environment),
                {expressions.size() == 1 ? expressions.front() : "", ""});
}

}  // namespace heddle::app
