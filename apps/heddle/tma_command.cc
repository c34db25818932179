// heddle tma: how the tensor memory accelerator copies a part of one tensor to another.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/notation/analyses.h"

namespace heddle::app {
namespace {

using notation::Value;

/// Adds the sizes of `8,16` or the intervals of `[[0,8],[0,16]]`, unless the text is empty. Nested
/// brackets on their own would be a table, so they are read as parentheses.
Result<void> add_tuple(Arguments& arguments, std::string name, std::string text, const Call& call) {
  if (text.empty()) return {};
  std::ranges::replace(text, '[', '(');
  std::ranges::replace(text, ']', ')');
  if (text.front() != '(') text = "(" + text + ")";
  HEDDLE_TRY(Value value, value_of(text, call.environment));
  arguments.add(std::move(name), std::move(value));
  return {};
}

/// The type or the width of an element, from the options or from a type among the layouts.
Result<Value> element_of(const Call& call) {
  const std::string& type = call.said.text("--type");
  const auto bits = call.said.number("--bits");
  if (!type.empty() && bits) {
    return refuse(Diagnostic("usage.option", "--type and --bits both say what an element is")
                      .with_hint("--type " + type));
  }
  if (!type.empty()) return Value(type);
  if (bits) return Value(Int(*bits));
  HEDDLE_TRY(const notation::StatedElements stated, notation::stated_elements(call.expressions));
  if (stated.bits) return Value(Int(*stated.bits));
  return refuse(Diagnostic("usage.option", "--bits is needed: how many bits an element has")
                    .with_hint("--bits 16, or --type f16"));
}

}  // namespace

Outcome tma_command(const Call& call) {
  if (call.expressions.size() != 2) {
    return refuse(Diagnostic("usage.expression",
                             fmt::format("tma needs a global and a shared layout; there are {}",
                                         call.expressions.size()))
                      .with_hint("heddle tma '(256,64):(64,1)' '(64,64):(64,1)' --bits 16 "
                                 "--region '[[64,128],[0,64]]'"));
  }
  Arguments arguments;
  for (const std::string& expression : call.expressions) {
    HEDDLE_TRY(Value layout, in({expression, ""}, value_in(expression, call.environment)));
    arguments.add(std::move(layout));
  }
  HEDDLE_TRY(Value element, element_of(call));
  arguments.add("element", std::move(element));
  const auto text = [&](const char* option) { return call.said.text(option); };
  HEDDLE_CHECK(add_tuple(arguments, "global_shape", text("--shape"), call));
  HEDDLE_CHECK(add_tuple(arguments, "global_region", text("--region"), call));
  HEDDLE_CHECK(add_tuple(arguments, "shared_shape", text("--shared-shape"), call));
  HEDDLE_CHECK(add_tuple(arguments, "shared_region", text("--shared-region"), call));
  return answer(call.console, std::move(arguments).call("tma_steps", call.environment));
}

}  // namespace heddle::app
