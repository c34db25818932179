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

TEST(KernelCommand, RefusesNumbersOutOfRange) {
  const std::string kernel =
      "kernel v(X: f32[N], a: f32, n: i32, m: u8, u: u64) launch cta 1, threads 32 "
      "{ X = a*f32(n) + f32(m) + f32(u) }";
  const auto refused = [&](std::string_view arguments) {
    return test::shell(fmt::format("echo '{}' | '{}' kernel run /dev/stdin v {} --size N=1 -o "
                                   "/tmp/heddle-number.npy 2>&1",
                                   kernel, HEDDLE_BINARY, arguments))
        .output;
  };
  EXPECT_EQ(refused("1 1099511627776 0 0"),
            "error kernel.argument: 1099511627776 is not a number of type i32, from -2147483648 to "
            "2147483647, which is needed for n\n");
  for (const char* arguments : {"1 0 300 0", "1 0 -1 0", "1 0 0 -1", "1 0 0 18446744073709551616",
                                "1e39 0 0 0", "1 -2147483649 0 0"}) {
    EXPECT_TRUE(refused(arguments).starts_with("error kernel.argument: ")) << arguments;
  }
  EXPECT_EQ(refused("inf -2147483648 255 18446744073709551615"), "");
}

/// Also where a size is only one of the kernel that is refused, and where that comes first.
TEST(KernelCommand, GoesOnWhereAKernelIsRefused) {
  const std::string wrong =
      "kernel wrong(X: f32[K]) launch cta 1, threads 32 { copy(X, Missing) }\n";
  const std::string first = "kernel first(X: f32[4]) launch cta 1, threads 32 { fill(X, 0) }\n";
  const std::string last = "kernel last(X: f32[4]) launch cta 1, threads 32 { fill(X, 1) }\n";
  const auto ran = [](std::string_view action, const std::string& text) {
    return test::shell(
        fmt::format("printf '{}' | '{}' kernel {} /dev/stdin --target cpu --size K=4 2>&1", text,
                    HEDDLE_BINARY, action));
  };
  for (const std::string& text : {first + wrong + last, wrong + first + last}) {
    for (const char* action : {"check", "explain"}) {
      const auto [code, output] = ran(action, text);
      EXPECT_EQ(code, 4) << output;
      EXPECT_NE(output.find("error kernel.name: "), std::string::npos) << output;
      EXPECT_NE(output.find("in kernel wrong"), std::string::npos) << output;
      for (const char* name : {"first", "last"}) {
        EXPECT_NE(output.find(name), std::string::npos) << output;
      }
    }
  }
  EXPECT_EQ(ran("explain", wrong).output.find("in kernel"), std::string::npos);
  const auto [code, output] = ran("compile", first + wrong);
  EXPECT_EQ(code, 4);
  EXPECT_NE(output.find("error kernel.name: "), std::string::npos) << output;
  EXPECT_EQ(output.find("first"), std::string::npos) << output;
}

}  // namespace
}  // namespace heddle
