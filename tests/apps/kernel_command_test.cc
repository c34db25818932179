// heddle kernel as a user runs it: what is refused costs no compiler.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "support/shell.h"

namespace heddle {
namespace {

/// The first line of `heddle kernel check` of a kernel in which two blocks write one element, where
/// no compiler can be started.
std::string checked_without_compiler(const std::string& options) {
  const std::string kernel =
      "kernel race(X: i32[N]) launch cta N, threads 32 { elect { X[0] = bx } }";
  const std::string output =
      test::shell(
          fmt::format(
              "echo '{}' | CC=/nonexistent CXX=/nonexistent '{}' kernel check /dev/stdin --size "
              "N=4 {} 2>&1",
              kernel, HEDDLE_BINARY, options))
          .output;
  return output.substr(0, output.find('\n'));
}

TEST(KernelCommand, ChecksWhatIsMeantBeforeACompilerIsAsked) {
  constexpr const char* kRefusal =
      "/dev/stdin:1: error kernel.race: block 0 and block 1 both write X[0]";
  EXPECT_EQ(checked_without_compiler("--target cpu"), kRefusal);
  EXPECT_EQ(checked_without_compiler("--checker"), kRefusal);
}

TEST(KernelCommand, RefusesOptionsThatMeanNothingForTheAction) {
  const std::string kernel = "kernel one(X: f32[N]) launch cta 1, threads 32 { X = 1 }";
  const auto said = [&](const std::string& options) {
    return test::shell(
               fmt::format("echo '{}' | '{}' kernel {} 2>&1", kernel, HEDDLE_BINARY, options))
        .output;
  };
  EXPECT_EQ(said("run /dev/stdin one --size N=5 --target cpu"),
            "error usage.option: --target is for compile, explain, check and tune, not for run\n"
            "  hint: run is by the kernel's meaning; check runs it on the target and compares\n");
  EXPECT_EQ(said("run /dev/stdin one --size N=5 --lines"),
            "error usage.option: --lines is for compile, not for run\n");
  for (const char* options :
       {"run /dev/stdin one --checker", "compile /dev/stdin --checker", "check /dev/stdin -o a",
        "explain /dev/stdin --emit header", "check /dev/stdin --seconds 3",
        "compile /dev/stdin one x.npy", "explain /dev/stdin one x.npy"}) {
    EXPECT_TRUE(said(options).starts_with("error usage.option: ")) << options;
  }
  EXPECT_EQ(said("check /dev/stdin one --size N=5 --size N=6"),
            "error usage.option: --size N=6: N is 5 already\n");
}

TEST(KernelCommand, SaysWhereResultsAreTheSameUpToRounding) {
  const std::string kernel =
      "kernel softmax(X: f32[M,N], Y: f32[M,N]) launch cta M, threads 128 { reg m: f32[]; "
      "reg s: f32[]; reduce(m, X[bx], op=\"max\"); reduce(s, exp(X[bx] - m)); "
      "Y[bx] = exp(X[bx] - m) / s }";
  const std::string output =
      test::shell(
          fmt::format("echo '{}' | '{}' kernel check /dev/stdin --target cpu --sizes M=7,N=33 2>&1",
                      kernel, HEDDLE_BINARY))
          .output;
  EXPECT_NE(output.find("Y: all 231 elements are the same up to rounding (by up to "),
            std::string::npos)
      << output;
  EXPECT_EQ(output.find("differ"), std::string::npos) << output;
}

}  // namespace
}  // namespace heddle
