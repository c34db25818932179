#pragma once

// The subcommands of `heddle`, and the table of their names, arguments and functions. A command
// reads its options, calls the operation of the table that batch and the language call, and prints
// the result.

#include <span>
#include <string>
#include <vector>

#include "heddle/console.h"
#include "heddle/files/transport.h"
#include "heddle/notation/evaluator.h"
#include "heddle/options.h"

namespace heddle::app {

/// A call of a command: the program and the command as parsed, the values of the options, and the
/// environment, which has the assumptions of --assume.
struct Call {
  const CLI::App& program;
  const CLI::App& command;
  const Said& said;
  std::vector<std::string> expressions;
  const Console& console;
  const notation::Environment& environment;
  /// The processes that run the command together; usually it is one alone.
  files::Transport& transport;
};

/// What a command takes besides options: expressions, a file of statements (also evaluated), or
/// something else.
enum class Takes { kExpressions, kStatements, kOther };

/// A command: `heddle NAME USAGE`. The help and the documents list commands by these words.
struct Command {
  const char* name;
  const char* summary;
  const char* usage;
  Takes takes;
  std::span<const Option> options;
  Outcome (*run)(const Call& call);
};

/// All commands, in the order in which the help lists them.
[[nodiscard]] std::span<const Command> commands();

/// The one expression of a command; `-` is standard input. Refuses `usage.expression`.
[[nodiscard]] Result<std::string> expression_of(const Call& call);

// The functions of the commands; what each does is said in the table.
[[nodiscard]] Outcome eval_command(const Call& call);
[[nodiscard]] Outcome run_command(const Call& call);
[[nodiscard]] Outcome table_command(const Call& call);
[[nodiscard]] Outcome draw_command(const Call& call);
[[nodiscard]] Outcome explore_command(const Call& call);
[[nodiscard]] Outcome explain_command(const Call& call);
[[nodiscard]] Outcome index_command(const Call& call);
[[nodiscard]] Outcome instantiate_command(const Call& call);
[[nodiscard]] Outcome emit_command(const Call& call);
[[nodiscard]] Outcome loops_command(const Call& call);
[[nodiscard]] Outcome relation_command(const Call& call);
[[nodiscard]] Outcome prove_command(const Call& call);
[[nodiscard]] Outcome recover_command(const Call& call);
[[nodiscard]] Outcome banks_command(const Call& call);
[[nodiscard]] Outcome tma_command(const Call& call);
[[nodiscard]] Outcome swizzle_command(const Call& call);
[[nodiscard]] Outcome coalescing_command(const Call& call);
[[nodiscard]] Outcome convert_command(const Call& call);
[[nodiscard]] Outcome relayout_command(const Call& call);
[[nodiscard]] Outcome reshard_command(const Call& call);
[[nodiscard]] Outcome kernel_command(const Call& call);
[[nodiscard]] Outcome show_command(const Call& call);
[[nodiscard]] Outcome compare_command(const Call& call);
[[nodiscard]] Outcome batch_command(const Call& call);
[[nodiscard]] Outcome diagnose_command(const Call& call);
[[nodiscard]] Outcome layouts_command(const Call& call);
[[nodiscard]] Outcome help_command(const Call& call);

/// `heddle eval -`, or with expressions.
[[nodiscard]] Outcome evaluate_all(const Console& console,
                                   const std::vector<std::string>& expressions,
                                   const notation::Environment& environment);
/// Prints the help on a topic; otherwise `options`, those of the command of that name.
[[nodiscard]] Outcome print_help(const Console& console, const std::string& topic,
                                 const std::string& options = {});
/// Reads and runs statements from a terminal until the end of input.
[[nodiscard]] Outcome run_prompt(const Console& console, const notation::Environment& environment);

}  // namespace heddle::app
