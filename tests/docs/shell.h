#pragma once

// Runs a command as a reader of the documents would: by bash, from the root of the project, with
// the command `heddle` of this build.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::test {

struct Printed {
  /// Standard output and standard error, as they came.
  std::string text;
  int status = 0;
};

inline std::string quoted_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

inline Printed run_in_shell(std::string_view command) {
  const std::string folder = std::filesystem::path(HEDDLE_BINARY).parent_path().string();
  const std::string line = "cd " + quoted_for_shell(HEDDLE_SOURCE_DIR) +
                           " && env -u COLUMNS PATH=" + quoted_for_shell(folder) +
                           ":\"$PATH\" NO_COLOR=1 LC_ALL=C.UTF-8 bash -c " +
                           quoted_for_shell(command) + " 2>&1 </dev/null";
  Printed printed;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return {"cannot run bash", -1};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    printed.text.append(buffer.data(), count);
  }
  printed.status = WEXITSTATUS(pclose(pipe));
  return printed;
}

}  // namespace heddle::test
