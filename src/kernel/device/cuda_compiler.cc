// Runs nvcc on a source.

#include "heddle/kernel/cuda_compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/text.h"

namespace heddle::kernel {

namespace {

constexpr std::string_view kUsualPlace = "/usr/local/cuda/bin/nvcc";

/// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code error;
    const std::filesystem::path place = std::filesystem::temp_directory_path(error);
    std::string path = (place / "heddle-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      return refuse("file.unwritable", fmt::format("no folder for temporary files can be made as "
                                                   "{}",
                                                   path));
    }
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(std::string_view name) const {
    return fmt::format("{}/{}", path_, name);
  }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

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

Refusal refuse_compiler(std::string what) {
  return refuse(Diagnostic("kernel.no_compiler", std::move(what))
                    .with_hint("install CUDA's toolkit, or set NVCC to the path of its nvcc; "
                               "--emit source needs none"));
}

Result<std::string> find_nvcc() {
  const char* named = std::getenv("NVCC");
  if (named != nullptr && *named != '\0') {
    if (is_program(named)) return std::string(named);
    return refuse_compiler(fmt::format("NVCC is {}, where no program is", named));
  }
  if (auto path = in_search_path("nvcc")) return *std::move(path);
  if (is_program(std::string(kUsualPlace))) return std::string(kUsualPlace);
  return refuse_compiler(fmt::format(
      "there is no nvcc here: NVCC is not set, no folder of PATH has one, and {} is none",
      kUsualPlace));
}

Result<void> check_architectures(std::span<const std::string> architectures) {
  const auto is_valid = [](std::string_view name) {
    if (!name.starts_with("sm_")) return false;
    name.remove_prefix(3);
    if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) name.remove_suffix(1);
    return !name.empty() && name.size() <= 3 &&
           std::ranges::all_of(name, [](char c) { return '0' <= c && c <= '9'; });
  };
  if (architectures.empty()) {
    return refuse("kernel.architecture", "a binary is for one architecture or more");
  }
  for (const std::string& name : architectures) {
    if (is_valid(name)) continue;
    return refuse(Diagnostic("kernel.architecture",
                             fmt::format("'{}' is no architecture of a GPU", shortened(name, 40)))
                      .with_hint("sm_80, sm_90 or sm_90a"));
  }
  return {};
}

/// The options for one architecture, or for several in one file.
std::vector<std::string> options_of(std::span<const std::string> architectures) {
  if (architectures.size() == 1) return {"-cubin", "-arch=" + architectures.front()};
  std::vector<std::string> options = {"-fatbin"};
  for (const std::string& name : architectures) {
    options.push_back(fmt::format("-gencode=arch=compute_{0},code=sm_{0}", name.substr(3)));
  }
  return options;
}

/// Where a process reads nothing and writes all it says to a file.
class OutputTo {
 public:
  explicit OutputTo(const std::string& path) {
    constexpr mode_t kOwner = 0600;
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, path.c_str(), O_WRONLY | O_CREAT,
                                     kOwner);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  OutputTo(const OutputTo&) = delete;
  OutputTo& operator=(const OutputTo&) = delete;
  ~OutputTo() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Runs a program to its end; whether it succeeded.
Result<bool> run_program(std::vector<std::string> words, const std::string& output) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const OutputTo actions(output);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words.front().c_str(), actions.get(), nullptr, pointers.data(), environ);
  if (error != 0) {
    return refuse_compiler(
        fmt::format("{} cannot be run: {}", words.front(), std::generic_category().message(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    return refuse_compiler(fmt::format("what {} does is not known: {}", words.front(),
                                       std::generic_category().message(errno)));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Result<std::string> compile_cuda(std::string_view source,
                                 std::span<const std::string> architectures) {
  HEDDLE_CHECK(check_architectures(architectures));
  HEDDLE_TRY(const std::string nvcc, find_nvcc());
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string input = folder.file("source");
  std::ofstream file(input, std::ios::binary);
  file << source;
  file.close();
  if (!file) return refuse("file.unwritable", fmt::format("{} cannot be written", input));
  std::vector<std::string> words = {nvcc};
  std::ranges::copy(options_of(architectures), std::back_inserter(words));
  const std::string output = folder.file("binary");
  words.insert(words.end(), {"-std=c++17", "-o", output, "-x", "cu", input});
  const std::string log = folder.file("log");
  HEDDLE_TRY(const bool has_succeeded, run_program(std::move(words), log));
  std::string binary = has_succeeded ? contents(output) : std::string();
  if (!binary.empty()) return binary;
  return refuse(Diagnostic("kernel.compile", "nvcc does not take the source of the kernel")
                    .with_note(fmt::format("{} says: {}", nvcc, shortened(contents(log), 2000))));
}

}  // namespace heddle::kernel
