// heddle relation: a layout as an integer set relation, with what it is made of.

#include <utility>

#include "heddle/commands.h"
#include "heddle/layout_arguments.h"
#include "heddle/operation_call.h"
#include "heddle/search.h"

namespace heddle::app {

ExitCode print_relation(const Console& console, const std::string& expression, bool has_mappings,
                        const notation::Environment& environment) {
  const auto value = value_in(expression, environment);
  if (!value) return console.fail(value.error(), {expression, ""});
  const Search search(console, "asking isl");
  Arguments arguments;
  arguments.add(*value).add_flag("mappings", has_mappings);
  const auto result =
      notation::call_in(search.within(environment), "relation_report", std::move(arguments).list());
  return answer(console, result, {expression, ""});
}

}  // namespace heddle::app
