// heddle diagnose and layouts: what a compiler's output says of layouts.

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/search.h"

namespace heddle::app {

using notation::Value;

Outcome diagnose_command(const Call& call) {
  HEDDLE_TRY(std::string log, read_file(call.said.text("file")));
  Arguments arguments;
  arguments.add(Value(std::move(log)));
  return answer(call.console, std::move(arguments).call("diagnose", call.environment));
}

Outcome layouts_command(const Call& call) {
  const Console& console = call.console;
  const std::string& path = call.said.text("file");
  HEDDLE_TRY(const std::string text, read_file(path));
  Arguments arguments;
  arguments.add(Value(text))
      .add_options(call.said, "ttgir_layouts")
      .add_terminal(terminal_style(ColorChoice::kAuto));
  HEDDLE_TRY(const Value listed,
             in({text, path}, std::move(arguments).call("ttgir_layouts", call.environment)));
  if (console.json()) {
    console.print(listed);
  } else {
    // Printed unchanged: the colours of its pictures are terminal escapes.
    console.print_text(listed.get<notation::Report>().text + "\n");
  }
  return exit_code(listed);
}

}  // namespace heddle::app
