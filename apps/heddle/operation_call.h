#pragma once

// An operation of the table, called with what a command line says.
//
//   Arguments arguments;
//   arguments.add(layout);
//   arguments.add_text("to", options.to);               nothing where the option is not given
//   answer(console, call_in(environment, "convert_report", std::move(arguments).list()), source)

#include <string>
#include <string_view>
#include <vector>

#include "heddle/console.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

class Arguments {
 public:
  Arguments& add(notation::Value value);
  Arguments& add(std::string name, notation::Value value);
  /// The text of an option; nothing where it is empty.
  Arguments& add_text(std::string name, const std::string& text);
  /// A truth that a flag makes; nothing where it is not given.
  Arguments& add_flag(std::string name, bool is_given);
  /// The sizes of `8,16`; nothing where the text is empty. Refuses `usage.option`.
  [[nodiscard]] Result<void> add_shape(const std::string& text);
  /// The names of `lane,reg`; nothing where the text is empty.
  Arguments& add_names(std::string name, const std::string& text);
  Arguments& add_names(std::string name, const std::vector<std::string>& names);

  [[nodiscard]] std::vector<notation::Argument> list() && { return std::move(arguments_); }

 private:
  std::vector<notation::Argument> arguments_;
};

/// Prints what came of a call, and ends as `heddle eval` does.
[[nodiscard]] ExitCode answer(const Console& console, const Result<notation::Value>& value,
                              const Source& source = {});

}  // namespace heddle::app
