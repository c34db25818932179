#pragma once

// The table of the subcommands: what each is called, takes and does.

#include <span>

#include "heddle/options.h"

namespace heddle::app {

/// A command that was called: the program and the command as they were parsed, what the options
/// said, and what to work with.
struct Call {
  const CLI::App& program;
  const CLI::App& command;
  const Request& request;
  const Console& console;
  const notation::Environment& environment;
};

/// What a command takes besides options.
enum class Takes { kExpressions, kOther };

/// A command: `heddle NAME USAGE`. The help and the documents list commands by these words.
struct Command {
  const char* name;
  const char* summary;
  const char* usage;
  Takes takes;
  void (*add_options)(CLI::App& command, Request& request);
  ExitCode (*run)(const Call& call);
};

/// All commands, in the order in which the help lists them.
[[nodiscard]] std::span<const Command> commands();

}  // namespace heddle::app
