#pragma once

// Other programs, as compilers: found in PATH, run without a shell, in a folder of their own.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"

namespace heddle::kernel {

/// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  /// Refuses `file.unwritable`.
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string file(std::string_view name) const;

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Whether a program stands there that may be run.
[[nodiscard]] bool is_program(const std::string& path);
/// The program of this name in the folders of PATH.
[[nodiscard]] std::optional<std::string> in_search_path(std::string_view name);

/// Runs a program (its path, then its arguments) to its end, which reads nothing and writes what it
/// says to the file `output`; whether it succeeded, or why it cannot be run.
[[nodiscard]] tl::expected<bool, std::string> run_program(std::vector<std::string> words,
                                                          const std::string& output);
/// The bytes of a file, none if it cannot be read.
[[nodiscard]] std::string contents(const std::string& path);
/// Refuses `file.unwritable`.
[[nodiscard]] Result<void> write_text(const std::string& path, std::string_view text);

}  // namespace heddle::kernel
