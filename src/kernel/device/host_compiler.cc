#include "kernel/device/host_compiler.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "kernel/device/programs.h"

namespace heddle::kernel {

Refusal refuse_compiler(const HostCompilers& compilers, std::string what) {
  return refuse(
      Diagnostic("kernel.no_compiler", std::move(what))
          .with_hint(fmt::format("install gcc or clang, or set {} to the path of a {} compiler; "
                                 "--emit source needs none",
                                 compilers.variable, compilers.language)));
}

namespace {

/// Plain words; what a shell would do to others is not guessed.
Result<std::vector<std::string>> words_of(const HostCompilers& compilers,
                                          const std::string& command) {
  const std::size_t special = command.find_first_of("\"'`\\$*?[]{}()<>|&;#~!\n");
  if (special != std::string::npos) {
    return refuse_compiler(
        compilers,
        fmt::format("{} is {}; it is split into plain words, and no shell interprets the {}",
                    compilers.variable, command,
                    command[special] == '\n' ? "end of a line" : command.substr(special, 1)));
  }
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

}  // namespace

Result<std::vector<std::string>> find_compiler(const HostCompilers& compilers) {
  const char* named = std::getenv(compilers.variable);
  const auto is_path = [](std::string_view name) { return name.find('/') != name.npos; };
  if (named != nullptr && is_path(named) && is_program(named))
    return std::vector{std::string(named)};
  std::vector<std::string> words;
  if (named != nullptr) {
    HEDDLE_TRY(words, words_of(compilers, named));
  }
  if (!words.empty()) {
    if (is_path(words.front()) && is_program(words.front())) return words;
    auto path = is_path(words.front()) ? std::nullopt : in_search_path(words.front());
    if (!path) {
      return refuse_compiler(
          compilers, fmt::format("{} is {}, which is not a program", compilers.variable, named));
    }
    words.front() = *std::move(path);
    return words;
  }
  for (const std::string_view name : compilers.names) {
    if (auto path = in_search_path(name)) return std::vector{*std::move(path)};
  }
  const auto& [first, second, third] = compilers.names;
  return refuse_compiler(
      compilers,
      fmt::format("there is no {} compiler here: {} is not set, and no folder of PATH has "
                  "{}, {} or {}",
                  compilers.language, compilers.variable, first, second, third));
}

}  // namespace heddle::kernel
