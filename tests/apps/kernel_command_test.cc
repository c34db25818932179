// heddle kernel as a user runs it: what is refused costs no compiler.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace heddle {
namespace {

/// Both streams of a command.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string output;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, count);
  }
  pclose(pipe);
  return output;
}

/// The first line of `heddle kernel check` of a kernel in which two blocks write one element, where
/// no compiler can be started.
std::string checked_without_compiler(const std::string& options) {
  const std::string kernel =
      "kernel race(X: i32[N]) launch cta N, threads 32 { elect { X[0] = bx } }";
  const std::string output = output_of(fmt::format(
      "echo '{}' | CC=/nonexistent CXX=/nonexistent '{}' kernel check /dev/stdin --size "
      "N=4 {} 2>&1",
      kernel, HEDDLE_BINARY, options));
  return output.substr(0, output.find('\n'));
}

TEST(KernelCommand, ChecksWhatIsMeantBeforeACompilerIsAsked) {
  constexpr const char* kRefusal =
      "/dev/stdin:1: error kernel.race: block 0 and block 1 both write X[0]";
  EXPECT_EQ(checked_without_compiler("--target cpu"), kRefusal);
  EXPECT_EQ(checked_without_compiler("--checker"), kRefusal);
}

TEST(KernelCommand, SaysWhereResultsAreTheSameUpToRounding) {
  const std::string kernel =
      "kernel softmax(X: f32[M,N], Y: f32[M,N]) launch cta M, threads 128 { reg m: f32[]; "
      "reg s: f32[]; reduce(m, X[bx], op=\"max\"); reduce(s, exp(X[bx] - m)); "
      "Y[bx] = exp(X[bx] - m) / s }";
  const std::string output = output_of(
      fmt::format("echo '{}' | '{}' kernel check /dev/stdin --target cpu --sizes M=7,N=33 2>&1",
                  kernel, HEDDLE_BINARY));
  EXPECT_NE(output.find("Y: all 231 elements are the same up to rounding (by up to "),
            std::string::npos)
      << output;
  EXPECT_EQ(output.find("differ"), std::string::npos) << output;
}

}  // namespace
}  // namespace heddle
