// heddle recover: what layout is this? A table, or a layout read as a mere function, in the
// notation of every system that can write it.

#include <utility>

#include "heddle/commands.h"
#include "heddle/layout_arguments.h"
#include "heddle/notation/cute.h"
#include "heddle/operation_call.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

/// Adds the tuple that an option says; nothing where it is not given.
Result<void> add_tuple(Arguments& arguments, std::string name, const std::string& text,
                       const Environment& environment) {
  if (text.empty()) return {};
  HEDDLE_TRY(Value value, notation::evaluate(text, environment));
  arguments.add(std::move(name), std::move(value));
  return {};
}

/// Where more is known than the function the operation is recover, which gives the one layout.
Result<Value> recovered(const Value& subject, const RecoverCommandOptions& options,
                        const Environment& environment) {
  Arguments arguments;
  arguments.add(subject).add_names("on", options.axes);
  const bool asks_more =
      !options.shape.empty() || !options.compatible.empty() || !options.strides.empty();
  if (!asks_more) {
    return notation::call_in(environment, "recover_report", std::move(arguments).list());
  }
  HEDDLE_CHECK(add_tuple(arguments, "shape", options.shape, environment));
  HEDDLE_CHECK(add_tuple(arguments, "compatible", options.compatible, environment));
  HEDDLE_CHECK(add_tuple(arguments, "strides", options.strides, environment));
  return notation::call_in(environment, "recover", std::move(arguments).list());
}

}  // namespace

ExitCode recover_layout(const Console& console, const std::string& argument,
                        const RecoverCommandOptions& options, const Environment& environment) {
  const auto text = argument_text(argument);
  if (!text) return console.fail(text.error());
  const auto subject = value_of(*text, environment);
  if (!subject) return console.fail(subject.error(), {*text, argument == *text ? "" : argument});
  const Search search(console, "looking at points");
  return answer(console, recovered(*subject, options, search.within(environment)));
}

}  // namespace heddle::app
