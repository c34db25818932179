// What emitted kernels call: each file is taken by its compiler as it is, and each function comes
// with what it needs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/words.h"
#include "emit/program.h"
#include "kernel/targets/support.h"

namespace heddle::kernel {
namespace {

/// The files whose names begin so.
std::vector<std::string> files_of(std::string_view prefix) {
  std::vector<std::string> paths;
  for (const SupportFile& file : support_files()) {
    if (file.name.starts_with(prefix)) {
      paths.push_back(fmt::format("{}/src/kernel/targets/{}", HEDDLE_SOURCE_DIR, file.name));
    }
  }
  EXPECT_FALSE(paths.empty()) << prefix;
  return paths;
}

void expect_compiled(std::string_view prefix, const std::string& command) {
  const test::ProgramFolder folder("support");
  for (const std::string& path : files_of(prefix)) {
    folder.expect_silent(fmt::format("{} '{}'", command, path));
  }
}

const std::string kC =
    "cc -x c -std=gnu17 -fopenmp -fsyntax-only -Wall -Wextra -Wno-unused-function";

TEST(SupportCode, IsTakenByCompilersOfC) {
  for (const std::string_view folder : {"common/", "cpu/", "launcher/types", "launcher/checks"}) {
    expect_compiled(folder, kC);
  }
#if defined(__x86_64__)
  for (const std::string_view file : {"cpu/math", "cpu/tiles"}) {
    expect_compiled(file, kC + " -mavx2 -mfma");
    expect_compiled(file, kC + " -mavx512f -mavx512bw -mavx512vnni");
  }
#endif
  expect_compiled("launcher/types", "c++ -x c++ -std=c++17 -fsyntax-only -Wall -Wextra");
}

TEST(SupportCode, IsTakenByCompilersOfLibraries) {
  const test::ProgramFolder folder("support-libraries");
  folder.write("cl.c", "#include <CL/cl.h>\n");
  folder.write("mpi.c", "#include <mpi.h>\n");
  if (folder.run("cc -DCL_TARGET_OPENCL_VERSION=120 -fsyntax-only cl.c").first == 0) {
    expect_compiled("launcher/", kC);
  }
  if (folder.run("mpicc -fsyntax-only mpi.c").first == 0) {
    expect_compiled("mpi/", "mpi" + kC);
  }
  for (const std::string clang : {"clang", "clang-19"}) {
    if (!test::has_tool(clang)) continue;
    expect_compiled("opencl/", clang + " -x cl -cl-std=CL1.2 -fsyntax-only -Wno-unused-function");
    break;
  }
}

TEST(SupportCode, IsTakenByCompilersOfCuda) {
  const std::string model = fmt::format("{}/src/checker/models/cuda_on_cpu.h", HEDDLE_SOURCE_DIR);
  expect_compiled("cuda/",
                  fmt::format("c++ -x c++ -std=c++17 -fsyntax-only -w -include '{}'", model));
  if (!test::has_tool("nvcc")) GTEST_SKIP() << "CUDA is not compiled: there is no nvcc";
  expect_compiled("cuda/",
                  "nvcc -x cu -std=c++17 -arch=sm_90 -diag-suppress 177 -ptx -o support.ptx");
}

/// All pieces of a target, as they are in the files.
Support support_of(const std::vector<std::string_view>& folders) {
  Support all;
  for (const SupportFile& file : support_files()) {
    const std::string_view folder = file.name.substr(0, file.name.find('/'));
    if (std::ranges::find(folders, folder) != folders.end()) all += Support::of(file.name);
  }
  return all;
}

/// The words that others may use of a piece.
std::vector<std::string> words_of(const SupportPiece& piece) {
  static const std::regex defined(R"((?:^|\n)(?:#define (\w+)|typedef [\w ]+ (heddle_\w+)))");
  std::vector<std::string> words = {piece.name};
  if (piece.is_function) return words;
  const std::sregex_iterator end;
  for (std::sregex_iterator at(piece.text.begin(), piece.text.end(), defined); at != end; ++at) {
    words.push_back((*at)[1].str() + (*at)[2].str());
  }
  return words;
}

void expect_complete(const Support& all) {
  std::string needed;
  for (const SupportPiece& piece : all.pieces()) needed += piece.needs + ' ';
  std::istringstream needs(needed);
  for (std::string need; needs >> need;) {
    EXPECT_NE(std::ranges::find(all.pieces(), need, &SupportPiece::name), all.pieces().end())
        << need;
  }
  for (const SupportPiece& piece : all.pieces()) {
    if (!piece.is_function) continue;
    const std::string text = all.called_by(piece.name, false);
    for (const SupportPiece& other : all.pieces()) {
      // Others are for all of a source.
      if (!other.is_function && !has_word(needed, other.name)) continue;
      const bool is_used = std::ranges::any_of(
          words_of(other), [&](const std::string& word) { return has_word(piece.text, word); });
      if (is_used) EXPECT_NE(text.find(other.text), text.npos) << piece.name << ": " << other.name;
    }
  }
}

TEST(SupportCode, ComesWithWhatItNeeds) {
  expect_complete(support_of({"common", "cpu", "launcher", "mpi"}));
  expect_complete(support_of({"common", "cuda"}));
  expect_complete(support_of({"opencl"}));
}

TEST(SupportCode, HasTheFunctionsThatAreCalledOnce) {
  const Support math = Support::of("cpu/math.h");
  EXPECT_EQ(math.called_by("y = heddle_sine_f32(x);", true), "");
  const std::string exp2 = math.called_by("y = heddle_exp2_f32(x);", true);
  for (const std::string_view name : {"fma", "bits", "of_bits", "scaled_exp", "exp2"}) {
    EXPECT_NE(exp2.find(fmt::format("#ifndef HEDDLE_HAS_heddle_{0}_f32\n"
                                    "#define HEDDLE_HAS_heddle_{0}_f32\n",
                                    name)),
              exp2.npos)
        << exp2;
  }
  EXPECT_EQ(exp2.find("heddle_exp_f32"), exp2.npos) << exp2;
  EXPECT_EQ(exp2.find("//@"), exp2.npos) << exp2;
}

TEST(SupportCode, HasWordsReplacedAndLinesChosen) {
  const Support read(
      "#define TYPE int\n\n//@ one\n#define ONE 1\n//@ add_TYPE(): one\n/// Adds.\n"
      "TYPE add_TYPE(TYPE x) {\n//? CHECKED\n  check(x);\n//?\n\n  return x + ONE;\n}\n"
      "\n//@ rest\n;\n");
  const Support made = read.with({{"CHECKED", ""}, {"TYPE", "long"}});
  const std::string expected = "\n#define ONE 1\nlong add_long(long x) {\n\n  return x + ONE;\n}\n";
  EXPECT_EQ(made.called_by("add_long(2)", false), expected);
  EXPECT_EQ(made.group("add_long").text(), expected);
  EXPECT_EQ(made.text(), expected + "\n;\n");
  EXPECT_EQ(made.group("rest").text(), "\n;\n");
  EXPECT_NE(read.with({{"CHECKED", "yes"}}).text().find("{\n  check(x);\n\n"), std::string::npos);
}

}  // namespace
}  // namespace heddle::kernel
