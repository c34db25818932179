#include "kernel/device/programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace heddle::kernel {

namespace {

/// Where a process reads nothing and writes all it says to a file.
class OutputTo {
 public:
  explicit OutputTo(const std::string& path) {
    constexpr mode_t kOwner = 0600;
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, kOwner);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  OutputTo(const OutputTo&) = delete;
  OutputTo& operator=(const OutputTo&) = delete;
  ~OutputTo() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::temp_directory_path(error);
  std::string path = (place / "heddle-XXXXXX").string();
  if (error || mkdtemp(path.data()) == nullptr) {
    return refuse("file.unwritable",
                  fmt::format("a temporary folder cannot be created as {}", path));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

bool is_program(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> in_search_path(std::string_view name) {
  const char* folders = std::getenv("PATH");
  std::istringstream list(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (is_program(path)) return path;
  }
  return std::nullopt;
}

tl::expected<bool, std::string> run_program(std::vector<std::string> words,
                                            const std::string& output) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const OutputTo actions(output);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words.front().c_str(), actions.get(), nullptr, pointers.data(), environ);
  if (error != 0) {
    return tl::unexpected(
        fmt::format("{} cannot be run: {}", words.front(), std::generic_category().message(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    return tl::unexpected(fmt::format("the status of {} is not known: {}", words.front(),
                                      std::generic_category().message(errno)));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Result<void> write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return refuse("file.unwritable", fmt::format("{} cannot be written", path));
  return {};
}

}  // namespace heddle::kernel
