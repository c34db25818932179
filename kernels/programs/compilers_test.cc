// Sources for CPUs as several compilers take them: without warnings, and with the same results with
// and without optimization, with sanitizers and on another machine; and shared objects of kernels,
// called from C and C++.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "back_end.h"
#include "heddle/kernel/cpu_compiler.h"
#include "heddle/kernel/launcher.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::Array;
using kernel::Target;

using Bytes = std::vector<std::byte>;

// Runs kernels with what a file has for each, in memory of exactly that size, and writes what they
// leave: the number of the kernel, how many arguments, and of each its size and its bytes.
constexpr std::string_view kMain = R"(
#include <stdio.h>

int main(int count, char** words) {
  if (count != 4) return 2;
  FILE* in = fopen(words[1], "rb");
  FILE* out = fopen(words[2], "wb");
  if (in == NULL || out == NULL) return 2;
  long long head[2];
  while (fread(head, sizeof *head, 2, in) == 2) {
    void* list[32];
    long long bytes[32];
    for (int i = 0; i < head[1]; ++i) {
      if (fread(&bytes[i], sizeof *bytes, 1, in) != 1) return 2;
      list[i] = malloc((size_t)bytes[i]);
      if (fread(list[i], 1, (size_t)bytes[i], in) != (size_t)bytes[i]) return 2;
    }
    if (kernels[head[0]](list, atoi(words[3]), -1) != 0) return 3;
    for (int i = 0; i < head[1]; ++i) {
      fwrite(list[i], 1, (size_t)bytes[i], out);
      free(list[i]);
    }
  }
  fclose(in);
  return fclose(out);
}
)";

struct Compiler {
  std::string name;
  // With all its options but -o and the source.
  std::string command;
  int threads = 1;
  // What runs its programs, if it is for another machine.
  std::string emulator = {};
};

// As sources are compiled for use, but for the level of optimization.
const std::string kUsualFlags =
    " -std=gnu17 -Wall -Wextra -Werror -ffp-contract=off -fno-math-errno -fno-trapping-math";

const std::vector<Compiler>& compilers() {
  static const std::vector<Compiler> kCompilers = {
      {"gcc_O0", "gcc -O0 -march=native -fopenmp" + kUsualFlags, 2},
      {"gcc_O3", "gcc -O3 -march=native -fopenmp" + kUsualFlags, 2},
      {"clang_O0", "clang-19 -O0 -march=native -fopenmp-simd" + kUsualFlags},
      {"clang_O3", "clang-19 -O3 -march=native -fopenmp-simd -fno-vectorize" + kUsualFlags},
      {"sanitized",
       "gcc -O0 -march=native -fopenmp -fsanitize=undefined,address "
       "-fno-sanitize-recover" +
           kUsualFlags,
       2},
      {"neon", "aarch64-linux-gnu-gcc -O2 -static -fopenmp-simd -Wno-unknown-pragmas" + kUsualFlags,
       1, "qemu-aarch64"},
  };
  return kCompilers;
}

std::string words_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(text.empty() ? "" : " ").append(part);
  return text;
}

// `folder/name.c`.
std::string file_in(std::string folder, std::string_view name, std::string_view ending) {
  return folder.append("/").append(name).append(ending);
}

bool is_here(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

bool is_here(const Compiler& compiler) {
  return is_here(compiler.command.substr(0, compiler.command.find(' '))) &&
         (compiler.emulator.empty() || is_here(compiler.emulator));
}

// Cases, and one C program that runs their kernels.
class Batch {
 public:
  // Nothing is added where no schedule does the kernel.
  void add(Case made) {
    if (!numbers_.contains(made.kernel.name)) {
      const auto program = lower(made.kernel, options_for(Target::kCpu));
      if (!program) return;
      const std::string text = to_source(*program, Target::kCpu).value();
      if (text.find("reduction(") != std::string::npos) reordered_.insert(made.kernel.name);
      numbers_[made.kernel.name] = std::ssize(programs_);
      programs_.push_back(*program);
    }
    cases_.push_back(std::move(made));
  }

  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  // Whether sums are in an order that the compiler chooses.
  [[nodiscard]] bool is_reordered(const Case& made) const {
    return made.tolerance > 0 && reordered_.contains(made.kernel.name);
  }

  void write(const std::string& folder) const {
    std::string text = to_source(programs_, Target::kCpu).value();
    text += "\nstatic int (*const kernels[])(void* const*, int, int) = {\n";
    for (const auto& program : programs_) text += "    heddle_run_" + program.name + ",\n";
    std::ofstream(folder + "/programs.c") << text << "};\n" << kMain;
    std::ofstream data(folder + "/arguments", std::ios::binary);
    const auto put = [&](std::int64_t number) {
      data.write(reinterpret_cast<const char*>(&number), sizeof number);  // NOLINT
    };
    for (const Case& each : cases_) {
      const auto memory = memory_of_arguments(each.kernel, each.arguments, each.sizes);
      put(numbers_.at(each.kernel.name));
      put(std::ssize(memory));
      for (const Bytes& bytes : memory) {
        put(std::ssize(bytes));
        data.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));  // NOLINT
      }
    }
  }

  // What each case leaves.
  [[nodiscard]] std::vector<std::vector<Array>> read(const std::string& path) const {
    std::ifstream data(path, std::ios::binary);
    std::vector<std::vector<Array>> results;
    for (const Case& each : cases_) {
      auto memory = memory_of_arguments(each.kernel, each.arguments, each.sizes);
      for (Bytes& bytes : memory) {
        data.read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes));  // NOLINT
      }
      results.push_back(arguments_in_memory(each.kernel, each.arguments, each.sizes, memory));
    }
    EXPECT_TRUE(data.good() && data.peek() == EOF) << path;
    return results;
  }

 private:
  std::vector<Case> cases_;
  std::vector<kernel::ThreadProgram> programs_;
  std::map<std::string, std::int64_t> numbers_;
  std::set<std::string> reordered_;
};

Batch batch_of_all_kinds() {
  Batch batch;
  Random random(seed());
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed()));
  for (Case& each : cases_of_files(random)) batch.add(std::move(each));
  int number = 0;
  for (const Program& program : random_programs(random, case_count() / 20)) {
    Case made;
    made.kernel = notation::parse_kernels(program.text).value().front();
    made.kernel.name = "k" + std::to_string(number++);
    made.arguments = data_for(made.kernel, program.sizes, random);
    made.wanted = run(made.kernel, made.arguments, {program.sizes}).value();
    made.text = program.text;
    made.sizes = program.sizes;
    made.tolerance = program.tolerance;
    batch.add(std::move(made));
  }
  std::map<std::string, int> refused;
  for (int i = 0; i != case_count() / 10; ++i) {
    std::optional<Case> made = random_case(random, refused);
    if (!made) continue;
    made->kernel.name = "s" + std::to_string(i);
    batch.add(*std::move(made));
  }
  return batch;
}

// Random programs write what they never read, and compare what is the same.
constexpr std::string_view kOfRandomPrograms =
    " -Wno-unused-but-set-variable -Wno-tautological-compare -Wno-type-limits -o ";

// The results of a compiler's program; nothing if it does not compile, or run.
std::vector<std::vector<Array>> results_of(const Compiler& compiler, const Batch& batch,
                                           const std::string& folder) {
  const std::string program = folder + "/" + compiler.name;
  const std::string compile = compiler.command + std::string(kOfRandomPrograms) + program + " " +
                              folder + "/programs.c -lm";
  EXPECT_EQ(std::system(compile.c_str()), 0) << compile;
  const std::string run = compiler.emulator + " " + program + " " + folder + "/arguments " +
                          program + "_results " + std::to_string(compiler.threads);
  const bool has_run = std::system(run.c_str()) == 0;
  EXPECT_TRUE(has_run) << run;
  return has_run ? batch.read(program + "_results") : std::vector<std::vector<Array>>();
}

std::string folder_for_compilers(const std::string& name) {
  std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/compilers/" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

// Copies and integers are those meant, and floats are as near to them as the kernel's sums allow;
// what has no sums in an order that the compiler chooses is the same, bit by bit, by all compilers
// for this machine.
TEST(Compilers, LeaveTheSameResultsAtEveryLevelOfOptimization) {
  const std::string folder = folder_for_compilers("all");
  const Batch batch = batch_of_all_kinds();
  batch.write(folder);
  std::vector<std::vector<Array>> first;
  for (const Compiler& compiler : compilers()) {
    if (!is_here(compiler)) {
      std::printf("skipped: %s is not here\n", compiler.name.c_str());
      continue;
    }
    const auto results = results_of(compiler, batch, folder);
    const bool is_native = compiler.emulator.empty();
    if (first.empty() && is_native) first = results;
    for (std::size_t c = 0; c != results.size(); ++c) {
      const Case& made = batch.cases()[c];
      for (std::size_t i = 0; i != made.wanted.size(); ++i) {
        const std::string name = made.kernel.name + "." + made.kernel.parameters[i].name;
        EXPECT_EQ(difference(results[c][i], made.wanted[i], made.tolerance), "")
            << name << " by " << compiler.name << "\n"
            << made.text;
        if (!is_native || batch.is_reordered(made)) continue;
        EXPECT_EQ(difference(results[c][i], first[c][i], 0), "")
            << name << " by " << compiler.name << " beside the first compiler\n"
            << made.text;
      }
    }
  }
  // Most kernels have no sums that compilers may reorder.
  const auto exact = std::ranges::count_if(
      batch.cases(), [&](const Case& made) { return !batch.is_reordered(made); });
  std::printf("%zu cases, %td of them exact\n", batch.cases().size(), exact);
  EXPECT_GT(2 * exact, std::ssize(batch.cases()));
  EXPECT_FALSE(first.empty());
}

// --- shared objects ------------------------------------------------------------------------------

// Sources and headers of several kernels stand in one file, and give no warnings.
TEST(Libraries, OfAllFilesStandInOneSourceFile) {
  const std::string folder = folder_for_compilers("sources");
  std::string all;
  Random random(seed());
  std::set<std::string> known;
  for (const Case& each : cases_of_files(random, false)) {
    const std::string& name = each.kernel.name;
    if (!known.insert(name).second) continue;
    const auto program = lower(each.kernel, options_for(Target::kCpu)).value();
    std::ofstream(file_in(folder, name, ".h")) << to_header(program, Target::kCpu).value();
    std::ofstream(file_in(folder, name, ".c")) << to_source(program, Target::kCpu).value();
    all.append("#include \"").append(name).append(".h\"\n");
    all.append("#include \"").append(name).append(".c\"\n");
  }
  EXPECT_GT(known.size(), 30U);
  std::ofstream(folder + "/all.c") << all;
  for (const Compiler& compiler : compilers()) {
    if (!is_here(compiler) || compiler.name.ends_with("3")) continue;
    const std::string compile = words_of({compiler.command, "-fsyntax-only", folder + "/all.c"});
    EXPECT_EQ(std::system(compile.c_str()), 0) << compile;
  }
}

constexpr std::string_view kCaller = R"(
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "count_of_all.h"
#include "sum_of_rows.h"

#include <sched.h>
#include <stdio.h>

int main(void) {
  const float a[6] = {1, 2, 3, 4, 5, 6};
  float sums[2] = {0, 0};
  const int b[4] = {3, 4, 6, 9};
  int count = 0;
  if (sum_of_rows(a, sums, 2, 3, 0, -1) != 0) return 1;
  if (count_of_all(b, &count, 2, 2, 1, sched_getcpu()) != 0) return 1;
  printf("%g %g %d\n", sums[0], sums[1], count);
  /* No machine has so many cores; nothing is done then. */
  printf("%d %d\n", count_of_all(b, &count, 2, 2, 1, 100000), count);
  return 0;
}
)";

// The output of a command.
std::string said_by(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

TEST(Libraries, AreCalledFromCAndCpp) {
  const std::string folder = folder_for_compilers("library");
  const std::vector<kernel::Kernel> kernels = kernels_of_file("reductions");
  const auto object = kernel::compile_for_cpu(kernels);
  ASSERT_TRUE(object.has_value()) << object.error();
  std::ofstream(folder + "/libkernels.so", std::ios::binary) << object->bytes;
  for (const kernel::Kernel& kernel : kernels) {
    const auto program = lower(kernel, options_for(Target::kCpu)).value();
    std::ofstream(file_in(folder, kernel.name, ".h")) << to_header(program, Target::kCpu).value();
  }
  std::ofstream(folder + "/caller.c") << kCaller;
  for (const std::string compiler : {"gcc -std=c11", "g++ -std=c++17 -x c++"}) {
    const std::string program = file_in(folder, "caller_by_", compiler.substr(0, 3));
    const std::string compile =
        words_of({compiler, "-Wall -Wextra -Werror -pedantic -o", program, folder + "/caller.c",
                  "-x none", folder + "/libkernels.so"});
    ASSERT_EQ(std::system(compile.c_str()), 0) << compile;
    EXPECT_EQ(said_by(program), "6 15 3\n2 3\n") << compiler;
  }
}

}  // namespace
}  // namespace heddle::kernels
