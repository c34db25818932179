// Runs nvcc on a source.

#include "heddle/kernel/cuda_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "core/text.h"
#include "kernel/device/programs.h"

namespace heddle::kernel {

namespace {

constexpr std::string_view kUsualPlace = "/usr/local/cuda/bin/nvcc";

Refusal refuse_compiler(std::string what) {
  return refuse(Diagnostic("kernel.no_compiler", std::move(what))
                    .with_hint("install CUDA's toolkit, or set NVCC to the path of its nvcc; "
                               "--emit source needs none"));
}

Result<std::string> find_nvcc() {
  const char* named = std::getenv("NVCC");
  if (named != nullptr && *named != '\0') {
    if (is_program(named)) return std::string(named);
    return refuse_compiler(fmt::format("NVCC is {}, which is not a program", named));
  }
  if (auto path = in_search_path("nvcc")) return *std::move(path);
  if (is_program(std::string(kUsualPlace))) return std::string(kUsualPlace);
  return refuse_compiler(fmt::format(
      "nvcc is not found: NVCC is not set, no folder of PATH has it, and {} does not exist",
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
    return refuse("kernel.architecture", "a binary needs at least one architecture");
  }
  for (const std::string& name : architectures) {
    if (is_valid(name)) continue;
    return refuse(
        Diagnostic("kernel.architecture",
                   fmt::format("'{}' is not an architecture of a GPU", shortened(name, 40)))
            .with_hint("sm_80, sm_90 or sm_90a"));
  }
  return {};
}

/// 80 of sm_80, of a valid name.
int number_of(std::string_view architecture) {
  int number = 0;
  for (const char c : architecture) {
    if ('0' <= c && c <= '9') number = 10 * number + (c - '0');
  }
  return number;
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

}  // namespace

Result<std::vector<std::string>> architectures_for(const Launch& launch,
                                                   std::vector<std::string> named) {
  constexpr int kFirstWithClusters = 90;
  const bool has_clusters = !launch.cluster.empty();
  if (named.empty()) named = {has_clusters ? "sm_90" : "sm_80"};
  HEDDLE_CHECK(check_architectures(named));
  for (const std::string& name : named) {
    if (!has_clusters || number_of(name) >= kFirstWithClusters) continue;
    return refuse(
        Diagnostic(
            "kernel.architecture",
            fmt::format("the kernel is launched in clusters of blocks, which {} does not have",
                        name))
            .with_hint("sm_90 or later"));
  }
  return named;
}

Result<std::string> compile_cuda(std::string_view source,
                                 std::span<const std::string> architectures) {
  HEDDLE_CHECK(check_architectures(architectures));
  HEDDLE_TRY(const std::string nvcc, find_nvcc());
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string input = folder.file("source");
  HEDDLE_CHECK(write_text(input, source));
  std::vector<std::string> words = {nvcc};
  std::ranges::copy(options_of(architectures), std::back_inserter(words));
  const std::string output = folder.file("binary");
  words.insert(words.end(), {"-std=c++17", "-o", output, "-x", "cu", input});
  const std::string log = folder.file("log");
  auto has_succeeded = run_program(std::move(words), log);
  if (!has_succeeded) return refuse_compiler(std::move(has_succeeded).error());
  std::string binary = *has_succeeded ? contents(output) : std::string();
  if (!binary.empty()) return binary;
  return refuse(Diagnostic("kernel.compile", "nvcc rejects the source of the kernel")
                    .with_note(fmt::format("{} says: {}", nvcc, shortened(contents(log), 2000))));
}

}  // namespace heddle::kernel
