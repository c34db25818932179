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

/// A command: `heddle NAME USAGE`.
struct Command {
  const char* name;
  const char* summary;
  /// What expressions it takes; empty where it takes none.
  const char* usage;
  void (*add_options)(CLI::App& command, Request& request);
  ExitCode (*run)(const Call& call);
};

/// All commands, in the order in which the help lists them.
[[nodiscard]] std::span<const Command> commands();

}  // namespace heddle::app
