#pragma once

// Layouts of any system as commands read them, and an operation of the table called with what a
// command line says.
//
//   Arguments arguments;
//   arguments.add(layout);
//   arguments.add_text("to", said.text("--to"));        nothing where the option is not given
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

/// What an argument says: the contents of a file of that name, standard input for `-`, else itself.
/// Refuses `file.unreadable`, for a name in .npy or .json that is no file too.
[[nodiscard]] Result<std::string> argument_text(const std::string& argument);

/// What a text denotes: a table, or an expression's value. Refuses what
/// reading and evaluating it do.
[[nodiscard]] Result<notation::Value> value_of(const std::string& text,
                                               const notation::Environment& environment);

/// What an argument denotes, which may name a file. Refuses what argument_text() and value_of() do.
[[nodiscard]] Result<notation::Value> value_in(const std::string& argument,
                                               const notation::Environment& environment);

/// The reading of `--as`, the shape of `--shape`, nothing where they are not given. Refuse
/// `convert.reading`, `usage.option`.
[[nodiscard]] Result<std::optional<map::Reading>> reading_of(const Said& said);
[[nodiscard]] Result<std::optional<std::vector<Int>>> box_of(const Said& said);

class Arguments {
 public:
  Arguments& add(notation::Value value);
  Arguments& add(std::string name, notation::Value value);
  /// The text of an option; nothing where it is empty.
  Arguments& add_text(std::string name, const std::string& text);
  /// The number of an option; nothing where it is not given.
  Arguments& add_number(std::string name, std::optional<std::int64_t> number);
  /// A truth that a flag makes; nothing where it is not given.
  Arguments& add_flag(std::string name, bool is_given);
  /// The colours and the width of a terminal.
  Arguments& add_terminal(const draw::TerminalStyle& style);
  /// The sizes of `--shape 8,16`; nothing where it is not given. Refuses `usage.option`.
  [[nodiscard]] Result<void> add_shape(const Said& said);
  /// The names of `lane,reg`; nothing where the text is empty.
  Arguments& add_names(std::string name, const std::string& text);
  Arguments& add_names(std::string name, const std::vector<std::string>& names);

  [[nodiscard]] std::vector<notation::Argument> list() && { return std::move(arguments_); }
  [[nodiscard]] Result<notation::Value> call(std::string_view operation,
                                             const notation::Environment& environment) &&;

 private:
  std::vector<notation::Argument> arguments_;
};

/// Prints what came of a call, and ends as `heddle eval` does.
[[nodiscard]] Outcome answer(const Console& console, Result<notation::Value> result,
                             const Source& source = {});

}  // namespace heddle::app
