#pragma once

// The table of the subcommands: what each is called, takes and does.

#include <span>

#include "heddle/commands.h"

namespace heddle::app {

/// What a command takes besides options: expressions, a file of statements, which are evaluated
/// too, or something else.
enum class Takes { kExpressions, kStatements, kOther };

/// A command: `heddle NAME USAGE`. The help and the documents list commands by these words.
struct Command {
  const char* name;
  const char* summary;
  const char* usage;
  Takes takes;
  std::span<const Option> options;
  ExitCode (*run)(const Call& call);
};

/// All commands, in the order in which the help lists them.
[[nodiscard]] std::span<const Command> commands();

}  // namespace heddle::app
