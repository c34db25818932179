#pragma once

// The command line: a command of the table with its options.

#include "heddle/console.h"

namespace heddle::app {

/// Runs `heddle ARGUMENTS…`; argv[0] is ignored.
[[nodiscard]] ExitCode run_command_line(int argc, char** argv);

}  // namespace heddle::app
