#pragma once

// The command line: a command of the table with its options.

#include "heddle/console.h"
#include "heddle/files/transport.h"

namespace heddle::app {

/// Runs `heddle ARGUMENTS…`; argv[0] is ignored.
[[nodiscard]] ExitCode run_command_line(int argc, char** argv);
/// The same in one of several processes that run the command together.
[[nodiscard]] ExitCode run_command_line(int argc, char** argv, files::Transport& transport);

}  // namespace heddle::app
