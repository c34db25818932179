// nvcc, played by scripts: how it is found and called, and what is said where it fails.

#include "heddle/kernel/cuda_compiler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/refusal.h"
#include "support/shell.h"

namespace heddle::kernel {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::refusal;

/// A folder whose name a shell would take apart, in which temporary files are made too.
class CudaCompiler : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "temporary");
    setenv("TMPDIR", (folder_ / "temporary").c_str(), 1);
  }
  void TearDown() override {
    EXPECT_TRUE(fs::is_empty(folder_ / "temporary"));
    unsetenv("TMPDIR");
    unsetenv("NVCC");
  }

  /// A program with these lines, and NVCC as its path.
  void play(const std::string& lines) {
    const fs::path path = folder_ / "nvcc";
    std::ofstream(path) << "#!/bin/sh\n" << lines;
    chmod(path.c_str(), S_IRWXU);
    setenv("NVCC", path.c_str(), 1);
  }

  const test::Folder files_{fs::temp_directory_path(), "heddle $(x); 'XXXXXX"};
  const fs::path& folder_ = files_.path();
};

const std::vector<std::string> kOne = {"sm_80"};

TEST_F(CudaCompiler, IsGivenTheSourceAndTheArchitectures) {
  // The last three words are -o, the output and the source.
  play(
      "echo \"$@\" > \"$(dirname \"$0\")/words\"\n"
      "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=\"$2\"; shift; done\n"
      "cat \"$1\" > \"$out\"\n");
  EXPECT_EQ(compile_cuda("// a source", kOne).value(), "// a source");
  EXPECT_TRUE(contents(folder_ / "words").starts_with("-cubin -arch=sm_80 -std=c++17 -o "));
  const std::vector<std::string> both = {"sm_80", "sm_90a"};
  EXPECT_EQ(compile_cuda("// a source", both).value(), "// a source");
  EXPECT_TRUE(contents(folder_ / "words")
                  .starts_with("-fatbin -gencode=arch=compute_80,code=sm_80 "
                               "-gencode=arch=compute_90a,code=sm_90a -std=c++17 -o "));
}

TEST_F(CudaCompiler, SaysWhatItSaysWhereItFails) {
  play("echo 'line 3: no such type' >&2; exit 2\n");
  EXPECT_EQ(refusal(compile_cuda("", kOne)),
            "error kernel.compile: nvcc rejects the source of the kernel\n  " +
                (folder_ / "nvcc").string() + " says: line 3: no such type\n");
  // One that writes nothing has not compiled anything.
  play("exit 0\n");
  EXPECT_EQ(test::code(compile_cuda("", kOne)), "kernel.compile");
  play("kill -9 $$\n");
  EXPECT_EQ(test::code(compile_cuda("", kOne)), "kernel.compile");
}

TEST_F(CudaCompiler, IsMissedByName) {
  const std::string hint =
      "\n  hint: install CUDA's toolkit, or set NVCC to the path of its nvcc; --emit source needs "
      "none";
  setenv("NVCC", "/nowhere/nvcc", 1);
  EXPECT_EQ(refusal(compile_cuda("", kOne)),
            "error kernel.no_compiler: NVCC is /nowhere/nvcc, which is not a program" + hint);
  // No program at all, though it may be run.
  const fs::path path = folder_ / "nvcc";
  std::ofstream(path) << "\x7f"
                         "ELF";
  chmod(path.c_str(), S_IRWXU);
  setenv("NVCC", path.c_str(), 1);
  EXPECT_EQ(refusal(compile_cuda("", kOne)), "error kernel.no_compiler: " + path.string() +
                                                 " cannot be run: Exec format error" + hint);
}

TEST_F(CudaCompiler, RefusesWhatIsNoArchitecture) {
  const auto refused = [](const std::vector<std::string>& names) {
    return refusal(compile_cuda("", names));
  };
  EXPECT_EQ(refused({}), "error kernel.architecture: a binary needs at least one architecture");
  for (const std::string name : {"80", "sm_", "sm_a", "sm_80 -run", "sm_8000", "compute_80"}) {
    EXPECT_EQ(refused({"sm_80", name}),
              "error kernel.architecture: '" + name +
                  "' is not an architecture of a GPU\n  hint: sm_80, sm_90 "
                  "or sm_90a");
  }
}

}  // namespace
}  // namespace heddle::kernel
