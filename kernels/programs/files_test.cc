// The kernels of the .heddle files beside this one, on every back end beside what they mean, at
// sizes with remainders; and compiled by nvcc, where there is one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "back_end.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::Array;
using kernel::Kernel;

struct File {
  std::string name;
  std::vector<kernel::Sizes> sizes;
  // Of floats, relative to the largest; 0 for copies.
  double tolerance = 0;
  // Whether its tiles need the shared memory of an sm_80.
  bool is_large = false;
};

const std::vector<File>& files() {
  static const std::vector<File> kFiles = {
      {"vector_add", {{{"N", 1}}, {{"N", 2052}}, {{"N", 3001}}}},
      {"transpose", {{{"M", 1}, {"N", 1}}, {{"M", 70}, {"N", 33}}, {{"M", 64}, {"N", 96}}}},
      {"softmax", {{{"M", 3}, {"N", 1}}, {{"M", 2}, {"N", 1000}}, {{"M", 3}, {"N", 2500}}}, 1e-5},
      {"reductions", {{{"M", 1}, {"N", 1}}, {{"M", 37}, {"N", 70}}, {{"M", 5}, {"N", 1111}}}, 1e-5},
      {"gemm",
       {{{"M", 1}, {"N", 1}, {"K", 1}},
        {{"M", 70}, {"N", 64}, {"K", 37}},
        {{"M", 64}, {"N", 130}, {"K", 32}}},
       1e-5},
      {"layernorm", {{{"M", 2}, {"N", 7}}, {{"M", 3}, {"N", 1000}}}, 1e-4},
      {"repack", {{{"K", 64}, {"N", 256}}, {{"K", 192}, {"N", 512}}, {{"K", 70}, {"N", 99}}}},
      {"int4", {{{"M", 1}, {"N", 32}}, {{"M", 5}, {"N", 96}}, {{"M", 3}, {"N", 1312}}}, 1e-3},
      {"attention", {{{"H", 1}, {"S", 32}}, {{"H", 2}, {"S", 96}}}, 1e-4},
      {"learning",
       {{{"M", 1}, {"N", 1}, {"L", 1}, {"K", 1}, {"C", 1}, {"H", 3}, {"W", 3}},
        {{"M", 3}, {"N", 1000}, {"L", 3}, {"K", 35}, {"C", 3}, {"H", 7}, {"W", 12}}},
       1e-4},
      {"needleman_wunsch",
       {{{"L", 1}, {"M", 1}, {"N", 1}},
        {{"L", 3}, {"M", 70}, {"N", 45}},
        {{"L", 2}, {"M", 64}, {"N", 31}}}},
      // Groups of 7 rows from row 1 on, the last one cut off, or empty at the end.
      {"grouped_gemm",
       {{{"M", 1}, {"N", 1}, {"K", 1}, {"G", 1}}, {{"M", 24}, {"N", 70}, {"K", 37}, {"G", 4}}},
       1e-5},
      // The second sizes are those of kernels whose tiles reach past the ends.
      {"tensor_cores",
       {{{"M", 128}, {"N", 256}, {"K", 128}, {"H", 1}, {"G", 2}},
        {{"M", 72}, {"N", 72}, {"K", 104}, {"H", 1}, {"G", 1}}},
       1e-3,
       true},
      {"tile_order", {{{"M", 256}, {"N", 128}, {"K", 96}}}, 1e-3},
      {"stencil", {{{"Z", 8}, {"Y", 16}, {"X", 24}}, {{"Z", 5}, {"Y", 9}, {"X", 17}}}, 1e-6},
  };
  return kFiles;
}

std::string folder_for(const std::string& name) {
  std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/files/" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

// Whether the kernel may be run at these sizes.
bool is_allowed(const Kernel& kernel, const kernel::Sizes& sizes) {
  const Bindings values(sizes.begin(), sizes.end());
  return std::ranges::all_of(kernel.launch.grid, [&](const Int& extent) {
    return instantiate(extent, values).has_value();
  });
}

// Random data; values are positive, and indices of sparse operands have codes that say something.
std::vector<Array> arguments_for(const Kernel& kernel, const kernel::Sizes& sizes, Random& random) {
  std::vector<Array> arguments = data_for(kernel, sizes, random);
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].name == "E") {
      arguments[i] = kernel::made_arguments(kernel, sizes).value()[i];
    }
    if (kernel.parameters[i].space != kernel::Space::kValue) continue;
    const kernel::DType type = arguments[i].type;
    const auto value = is_float(type) ? kernel::Number(0.125) : kernel::Number(std::int64_t{3});
    arguments[i].elements = {encode(type, value)};
  }
  return arguments;
}

}  // namespace

std::vector<Case> cases_of_files(Random& random, bool with_results) {
  std::vector<Case> cases;
  for (const File& file : files()) {
    for (const Kernel& kernel : kernels_of_file(file.name)) {
      for (const kernel::Sizes& sizes : file.sizes) {
        if (!is_allowed(kernel, sizes)) continue;
        std::vector<Array> arguments = arguments_for(kernel, sizes, random);
        auto wanted = with_results ? run(kernel, arguments, {sizes}) : Result<std::vector<Array>>{};
        if (!wanted) ADD_FAILURE() << kernel.name << ": " << wanted.error();
        if (!wanted) continue;
        cases.push_back(
            {kernel, std::move(arguments), *std::move(wanted), file.name, sizes, file.tolerance});
      }
    }
  }
  return cases;
}

namespace {

class Files : public testing::TestWithParam<kernel::Target> {
 protected:
  // Runs a kernel at every size that its assumptions allow.
  static void expect_the_meaning(BackEnd& back_end, const Kernel& kernel, const File& file) {
    Random random(seed());
    int runs = 0;
    for (const kernel::Sizes& sizes : file.sizes) {
      if (!is_allowed(kernel, sizes)) continue;
      const std::vector<Array> arguments = arguments_for(kernel, sizes, random);
      const auto wanted = run(kernel, arguments, {sizes});
      ASSERT_TRUE(wanted.has_value()) << kernel.name << ": " << wanted.error();
      EXPECT_EQ(wrong_result(back_end, kernel, arguments, sizes, *wanted, file.tolerance), "")
          << kernel.name << " at size number " << &sizes - file.sizes.data();
      ++runs;
    }
    EXPECT_GT(runs, 0) << kernel.name;
  }
};

TEST_P(Files, AreWhatTheyMean) {
  const std::string target(name_of(GetParam()));
  for (const File& file : files()) {
    if (file.is_large && GetParam() != kernel::Target::kCpu) continue;
    BackEnd back_end(GetParam());
    const std::vector<Kernel> kernels = kernels_of_file(file.name);
    for (const Kernel& kernel : kernels) {
      const auto added = back_end.add(kernel);
      ASSERT_TRUE(added.has_value()) << kernel.name << ": " << added.error();
    }
    try {
      back_end.compile(folder_for(file.name + "_" + target));
    } catch (const DeviceMissing& missing) {
      GTEST_SKIP() << missing.what();
    }
    for (const Kernel& kernel : kernels) expect_the_meaning(back_end, kernel, file);
  }
}

// The processor's time for a kernel from its text to its source, in milliseconds; that of the whole
// text, which is parsed at once.
double time_to_source(const std::string& text, const Kernel& kernel, kernel::Target target) {
  const std::clock_t begin = std::clock();
  const auto parsed = notation::parse_kernels(text);
  const auto program = lower(kernel, options_for(target));
  const auto source = to_source(program.value(), target);
  EXPECT_TRUE(parsed && source);
  return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Each is written within a page, and is source after an instant: within 100 ms where all is
// optimised. Elsewhere there is not a bound, and AreWhatTheyMean makes the same sources.
TEST_P(Files, BecomeSourceAtOnce) {
#if !defined(__OPTIMIZE__) || !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the bound is that of an optimised build";
#endif
  constexpr double kUsualMilliseconds = 100;
  for (const File& file : files()) {
    if (file.is_large && GetParam() != kernel::Target::kCpu) continue;
    const std::string text = text_of_file(file.name);
    for (const Kernel& kernel : kernels_of_file(file.name)) {
      double least = time_to_source(text, kernel, GetParam());
      for (int more = 0; more != 3 && least > kUsualMilliseconds / 2; ++more) {
        least = std::min(least, time_to_source(text, kernel, GetParam()));
      }
      std::printf("%-24s %6.1f ms\n", kernel.name.c_str(), least);
      EXPECT_LT(least, 5 * kUsualMilliseconds) << kernel.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Files,
                         testing::Values(kernel::Target::kCuda, kernel::Target::kOpenCl,
                                         kernel::Target::kCpu),
                         device_name);

#ifdef HEDDLE_NVCC
// All files at once: nvcc reads its headers for each.
TEST(FilesOfCuda, CompileForEveryArchitecture) {
  BackEnd back_end(kernel::Target::kCuda);
  for (const File& file : files()) {
    if (file.is_large) continue;
    for (const Kernel& kernel : kernels_of_file(file.name)) {
      ASSERT_TRUE(back_end.add(kernel).has_value()) << kernel.name;
    }
  }
  const std::string stem = folder_for("nvcc") + "/programs.cu";
  std::ofstream(stem) << to_source(back_end.programs(), kernel::Target::kCuda).value();
  const std::string command =
      std::string(HEDDLE_NVCC) +
      " -fatbin -std=c++17 -Werror all-warnings -gencode=arch=compute_80,code=sm_80"
      " -gencode=arch=compute_90,code=sm_90 -o " +
      stem + ".fatbin " + stem;
  EXPECT_EQ(std::system(command.c_str()), 0) << stem;
}
#endif

}  // namespace
}  // namespace heddle::kernels
