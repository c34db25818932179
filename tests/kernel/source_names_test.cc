// Names that mean something else on a target: what compilers and headers have is asked of them.

#include "kernel/source_names.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/kernel/launcher.h"
#include "heddle/kernel/source.h"
#include "kernel/device/programs.h"
#include "kernel/lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

constexpr std::string_view kText =
    "kernel f(X: f32[N], Y: f32[N]) launch cta 1, threads 32 { Y = exp(X) }";

/// The names of the macros that a compiler has in the end of a source, which is at `path`; none if
/// there is no such compiler.
std::set<std::string> macros(std::vector<std::string> words, std::string_view source,
                             const std::string& file) {
  std::set<std::string> names;
  const auto program = in_search_path(words.front());
  auto folder = TemporaryFolder::make();
  if (!program || !folder) return names;
  EXPECT_TRUE(write_text(folder->file(file), source));
  words.front() = *program;
  words.push_back(folder->file(file));
  const auto ran = run_program(words, folder->file("macros"));
  EXPECT_TRUE(ran && *ran) << contents(folder->file("macros"));
  std::istringstream lines(contents(folder->file("macros")));
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kDefine = "#define ";
    if (!line.starts_with(kDefine)) continue;
    names.insert(line.substr(kDefine.size(), line.find(' ', kDefine.size()) - kDefine.size()));
  }
  return names;
}

/// Which of them a tensor could have, or with parameters, a kernel.
void expect_covered(const std::set<std::string>& names, const std::string& compiler) {
  for (const std::string& name : names) {
    const std::size_t parenthesis = name.find('(');
    if (parenthesis == std::string::npos) {
      EXPECT_TRUE(is_used_in_sources(name)) << name << " is a macro of " << compiler;
    } else {
      const std::string called = name.substr(0, parenthesis);
      EXPECT_TRUE(is_used_in_sources(called) || is_function_of_targets(called))
          << called << " is a macro of " << compiler;
    }
  }
}

TEST(SourceNames, CoverTheMacrosOfCompilers) {
  const std::string c = to_source(*lowered(kText, Target::kCpu), Target::kCpu).value();
  const std::string cuda = to_source(*lowered(kText), Target::kCuda).value();
  std::size_t count = 0;
  const auto ask = [&](std::vector<std::string> words, const std::string& source,
                       const std::string& file) {
    const std::set<std::string> names = macros(words, source, file);
    count += names.size();
    expect_covered(names, words.front());
  };
  for (const char* compiler : {"cc", "gcc", "clang", "clang-19"}) {
    for (const char* option : {"-fopenmp", "-fno-openmp", "-march=native"}) {
      ask({compiler, "-std=gnu17", "-O3", option, "-dM", "-E"}, c, "f.c");
    }
  }
  for (const char* compiler : {"clang", "clang-19"}) {
    ask({compiler, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-dM", "-E"},
        "__kernel void f(void) {}\n", "f.cl");
  }
  ask({"nvcc", "-std=c++17", "-E", "-Xcompiler", "-dM"}, cuda, "f.cu");
  EXPECT_GT(count, 300U) << "no compiler answered";
}

TEST(SourceNames, AreOwnWhereTheNameMeansSomethingElse) {
  const auto source = [](Target target) {
    const auto program = lowered(
        "kernel f(HUGE_VAL: f32[M_PI], _Pragma: f32) launch cta 1, threads 32 {\n"
        "  for INT_MAX in M_PI // 2 { HUGE_VAL[INT_MAX] = _Pragma }\n}",
        target);
    return to_source(*program, target).value();
  };
  for (const Target target : {Target::kCuda, Target::kOpenCl, Target::kCpu}) {
    const std::string text = source(target);
    EXPECT_NE(text.find("heddle_own_HUGE_VAL[heddle_own_INT_MAX] = heddle_own__Pragma"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("heddle_own_INT_MAX < heddle_own_M_PI >> 1"), std::string::npos) << text;
  }
}

// Two names stay two, and names that mean nothing stay as they are.
TEST(SourceNames, KeepNamesApart) {
  std::set<std::string> names;
  for (const std::string name : {"M_PI", "heddle_own_M_PI", "own_M_PI", "A", "N", "x_1", "M", "E"})
    names.insert(source_name(name));
  EXPECT_EQ(names, (std::set<std::string>{"heddle_own_M_PI", "heddle_own_heddle_own_M_PI",
                                          "own_M_PI", "A", "N", "x_1", "M", "E"}));
}

// What others know is refused: the kernel, and what launchers call their parameters.
TEST(SourceNames, AreRefusedWhereCallersKnowThem) {
  const auto kernel = lowered("kernel M_PI(X: f32[4]) launch cta 1, threads 32 { X = 1 }");
  EXPECT_EQ(test::refusal(to_source(*kernel, Target::kCuda)),
            "error print.name: 'M_PI' means something else in CUDA\n  hint: choose another name");
  const auto parameter = lowered("kernel f(M_PI: f32[4]) launch cta 1, threads 32 { M_PI = 1 }");
  EXPECT_EQ(test::refusal(to_header(*parameter, Target::kCuda)),
            "error print.name: 'M_PI' means something else in C\n"
            "  hint: choose another name, or compile it with --emit source");
}

}  // namespace
}  // namespace heddle::kernel
