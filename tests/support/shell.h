#pragma once

// What tests do as users: commands of a shell, and files in a folder of their own.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace heddle::test {

/// A command that has ended.
struct Ran {
  int code = -1;
  std::string output;  // both streams
};

inline Ran shell(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
    ran.output.append(buffer, count);
  }
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

/// `heddle ARGUMENTS`, as the shell reads them.
inline Ran heddle(const std::string& arguments) {
  return shell(fmt::format("'{}' {}", HEDDLE_BINARY, arguments));
}

inline std::string quoted_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// What is in the file; nothing where it cannot be read.
inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A new folder for temporary files, which is removed at the end.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent = std::filesystem::temp_directory_path(),
                  const std::string& name = "heddle-XXXXXX")
      : path_(parent / name) {
    std::string made = path_.string();
    EXPECT_NE(mkdtemp(made.data()), nullptr);
    path_ = made;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string path(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file of the folder, whose path it gives.
  std::string write(std::string_view name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::test
