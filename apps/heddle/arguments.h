#pragma once

// Reads layouts of any system from command-line arguments, and calls operations of the table with
// them.
//
//   Arguments arguments;
//   arguments.add(layout);
//   arguments.add_text("to", said.text("--to"));        only if the option is given
//   answer(console, arguments.call("convert_report", environment), source)

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/console.h"
#include "heddle/core/result.h"
#include "heddle/draw/formats.h"
#include "heddle/map/convert.h"
#include "heddle/notation/evaluator.h"
#include "heddle/options.h"

namespace heddle::app {

/// The text of an argument: the contents of the file of that name, standard input for `-`,
/// otherwise the argument itself. Refuses `file.unreadable`, also for a name in .npy or .json that
/// is no file.
[[nodiscard]] Result<std::string> argument_text(const std::string& argument);

/// The value of a text: a table, or an expression's value. Refuses what reading and evaluating it
/// refuse.
[[nodiscard]] Result<notation::Value> value_of(const std::string& text,
                                               const notation::Environment& environment);

/// The value of an argument, which may name a file. Refuses what argument_text() and value_of() do.
[[nodiscard]] Result<notation::Value> value_in(const std::string& argument,
                                               const notation::Environment& environment);

/// The reading of `--as`, the shape of `--shape`; nullopt if not given. Refuse `convert.reading`,
/// `usage.option`.
[[nodiscard]] Result<std::optional<map::Reading>> reading_of(const Said& said);
[[nodiscard]] Result<std::optional<std::vector<Int>>> box_of(const Said& said);

/// An encoding as the layout of a tensor of `--shape`, if that is given; any other value as it is.
[[nodiscard]] Result<notation::Value> on_shape(notation::Value value, const Said& said,
                                               const notation::Environment& environment);

class Arguments {
 public:
  Arguments& add(notation::Value value);
  Arguments& add(std::string name, notation::Value value);
  Arguments& add(Arguments more);
  /// Adds the options that are called as parameters of the operation, --gpu-module as gpu_module:
  /// numbers and flags that are given, and texts that are not empty and not read as expressions.
  /// Parameters that have an argument of their name already keep it.
  Arguments& add_options(const Said& said, std::string_view operation);
  /// Adds the text of an option unless it is empty.
  Arguments& add_text(std::string name, const std::string& text);
  /// Adds the number of an option if it is given.
  Arguments& add_number(std::string name, std::optional<std::int64_t> number);
  /// Adds true for a flag if it is given.
  Arguments& add_flag(std::string name, bool is_given);
  /// Adds the colours and the width of a terminal.
  Arguments& add_terminal(const draw::TerminalStyle& style);
  /// Adds the sizes of `--shape 8,16` if given. Refuses `usage.option`.
  [[nodiscard]] Result<void> add_shape(const Said& said);
  /// Adds the names of `lane,reg` unless the text is empty.
  Arguments& add_names(std::string name, const std::string& text);
  Arguments& add_names(std::string name, const std::vector<std::string>& names);

  [[nodiscard]] std::vector<notation::Argument> list() && { return std::move(arguments_); }
  [[nodiscard]] Result<notation::Value> call(std::string_view operation,
                                             const notation::Environment& environment) &&;

 private:
  std::vector<notation::Argument> arguments_;
};

/// Prints the result of a call, with the exit code that `heddle eval` has.
[[nodiscard]] Outcome answer(const Console& console, Result<notation::Value> result,
                             const Source& source = {});

}  // namespace heddle::app
