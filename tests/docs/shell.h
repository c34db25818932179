#pragma once

// Runs a command as a reader of the documents would: by bash, from the root of the project, with
// the command `heddle` of this build.

#include <filesystem>
#include <string>
#include <string_view>

#include "support/shell.h"

namespace heddle::test {

inline Ran run_in_shell(std::string_view command) {
  const std::string folder = std::filesystem::path(HEDDLE_BINARY).parent_path().string();
  const std::string line = "cd " + quoted_for_shell(HEDDLE_SOURCE_DIR) +
                           " && env -u COLUMNS PATH=" + quoted_for_shell(folder) +
                           ":\"$PATH\" NO_COLOR=1 LC_ALL=C.UTF-8 bash -c " +
                           quoted_for_shell(command) + " </dev/null";
  return shell(line);
}

}  // namespace heddle::test
