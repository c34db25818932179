#pragma once

// Programs that tests write, build and run.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "support/shell.h"

namespace heddle::test {

/// A folder of its own for the files of a program; removed unless the test has failed.
class ProgramFolder {
 public:
  explicit ProgramFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("heddle-" + std::to_string(getpid()) + "-" + name)) {
    std::filesystem::create_directories(path_);
  }
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;
  ~ProgramFolder() {
    std::error_code ignored;
    if (!testing::Test::HasFailure()) std::filesystem::remove_all(path_, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The exit status of a command in the folder, and what it printed.
  [[nodiscard]] std::pair<int, std::string> run(const std::string& command) const {
    const std::string line = "cd '" + path_.string() + "' && (" + command + ") > out 2>&1";
    const int status = std::system(line.c_str());
    return {status, contents(path_ / "out")};
  }
  /// Expects that the command does well and has nothing to say.
  void expect_silent(const std::string& command) const {
    const auto [status, printed] = run(command);
    EXPECT_EQ(printed.substr(0, 4000), "");
    EXPECT_EQ(status, 0) << command;
  }

 private:
  std::filesystem::path path_;
};

/// Writes a program, runs the command on it, and expects that it prints nothing.
inline void expect_silent(const std::string& name, const std::string& program,
                          const std::string& command) {
  const ProgramFolder folder(name);
  folder.write(name, program);
  folder.expect_silent(command);
}

/// The tool is there.
[[nodiscard]] inline bool has_tool(const std::string& name) {
  return std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace heddle::test
