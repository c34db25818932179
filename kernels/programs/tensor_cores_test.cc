// Products on tensor cores under the checker: random tiles, stages, warps, layouts and types beside
// what they mean; and the machine code of the kernels of the file, where there is an nvcc.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "heddle/checker/check_kernel.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using checker::CheckedKernel;
using checker::KernelRun;

// A product of a random tile. The sums of f16 and the like are exact: numbers are small.
Program random_product(Random& random) {
  struct Types {
    std::string a, b, c;
  };
  const Types types = random.one_of<Types>({{"f16", "f16", "f32"},
                                            {"bf16", "bf16", "f32"},
                                            {"tf32", "tf32", "f32"},
                                            {"i8", "i8", "i32"},
                                            {"u8", "i8", "i32"},
                                            {"i4", "i4", "i32"},
                                            {"u4", "i4", "i32"},
                                            {"f64", "f64", "f64"}});
  const std::int64_t warps = random.one_of<std::int64_t>({1, 2, 4, 8});
  const std::int64_t m = 16 * random.one_of<std::int64_t>({1, 2, 4});
  const std::int64_t n = 16 * warps * random.one_of<std::int64_t>({1, 2});
  const std::int64_t k = types.c == "i32" ? 64 : 16 * random.one_of<std::int64_t>({1, 2, 4});
  const std::int64_t stages = random.from(1, 4);
  // Rows or columns may lie side by side; what is outside becomes zeros.
  const bool a_by_rows = random.coin();
  const bool b_by_columns = random.coin();
  const bool is_ragged = random.coin();
  const auto tile = [](const std::string& name, const std::string& type, std::int64_t steps,
                       std::int64_t rows, std::int64_t columns) {
    return fmt::format("  shared {}: {}[{},{},{}]\n", name, type, steps, rows, columns);
  };
  const std::string along = fmt::format("{}*k : +{}", k, k);
  const std::string rows = fmt::format("{}*bx : +{}", m, m);
  const std::string columns = fmt::format("{}*by : +{}", n, n);
  std::string text =
      fmt::format("kernel product(A: {}[{}], B: {}[{}], C: {}[M,N])\n", types.a,
                  a_by_rows ? "M,K" : "K,M", types.b, b_by_columns ? "N,K" : "K,N", types.c);
  text += is_ragged ? "  assume M % 16 == 0, N % 16 == 0, K % 16 == 0\n"
                    : fmt::format("  assume M % {} == 0, N % {} == 0, K % {} == 0\n", m, n, k);
  text += fmt::format("  launch cta ((M + {}) // {}, (N + {}) // {}), threads {}\n{{\n", m - 1, m,
                      n - 1, n, 32 * warps);
  text += a_by_rows ? tile("As", types.a, stages, m, k) : tile("As", types.a, stages, k, m);
  text += b_by_columns ? tile("Bs", types.b, stages, n, k) : tile("Bs", types.b, stages, k, n);
  text += fmt::format("  reg acc: {}[{},{}]\n  fill(acc, 0)\n", types.c, m, n);
  text +=
      fmt::format("  pipeline k in (K + {}) // {}, stages {} {{\n    load {{\n", k - 1, k, stages);
  text += fmt::format("      copy(As[stage], A[{}])\n",
                      a_by_rows ? rows + ", " + along : along + ", " + rows);
  text += fmt::format("      copy(Bs[stage], B[{}])\n",
                      b_by_columns ? columns + ", " + along : along + ", " + columns);
  text += fmt::format("    }}\n    compute {{ gemm(acc, As[stage]{}, Bs[stage]{}) }}\n  }}\n",
                      a_by_rows ? "" : ".T", b_by_columns ? ".T" : "");
  text += fmt::format("  copy(C[{}, {}], acc)\n}}\n", rows, columns);
  const std::int64_t more = is_ragged ? 16 : 0;
  return {text, {{"M", m + more}, {"N", n + more}, {"K", k * random.from(1, 4) + more}}};
}

// A product of a random tile whose A is sparse. Elements and codes of 4 bits lie alone or in bytes.
Program sparse_product(Random& random) {
  struct Types {
    std::string a, c;
    std::int64_t k = 32;
    std::int64_t group = 4;
    bool is_packed = false;
  };
  const Types types = random.one_of<Types>({{"f16", "f32"},
                                            {"bf16", "f32"},
                                            {"tf32", "f32", 16, 2},
                                            {"i8", "i32", 64},
                                            {"u8", "i32", 64},
                                            {"i4", "i32", 64, 8},
                                            {"i4", "i32", 128, 8, true},
                                            {"u4", "i32", 128, 8, true}});
  const std::int64_t warps = random.one_of<std::int64_t>({1, 2, 4});
  const std::int64_t m = 16 * random.one_of<std::int64_t>({1, 2});
  const std::int64_t n = 8 * warps * random.one_of<std::int64_t>({1, 2});
  const std::int64_t k = types.k * random.from(1, 2);
  const std::int64_t stages = random.from(1, 3);
  const bool has_bytes = random.coin();
  // The elements that lie in one of memory, and how they are declared and seen.
  const std::int64_t together = types.is_packed ? 2 : 1;
  const std::string held = types.is_packed ? "u8" : types.a;
  const std::string seen = types.is_packed ? ".bits(" + types.a + ")" : "";
  const std::int64_t codes = types.group * (has_bytes ? 2 : 1);
  const std::string index = has_bytes ? "u8" : "u4";
  std::string text = fmt::format(
      "kernel product(A: {0}[M,K//{1}], E: {2}[M,K//{3}], B: {0}[N,K//{4}], C: {5}[M,N])\n", held,
      2 * together, index, codes, together, types.c);
  text += fmt::format("  assume M % {} == 0, N % {} == 0, K % {} == 0\n", m, n, k);
  text += fmt::format("  launch cta (M // {}, N // {}), threads {}\n{{\n", m, n, 32 * warps);
  text += fmt::format("  shared As: {}[{},{},{}]\n  shared Es: {}[{},{},{}]\n", held, stages, m,
                      k / 2 / together, index, stages, m, k / codes);
  text += fmt::format("  shared Bs: {}[{},{},{}]\n  reg acc: {}[{},{}]\n  fill(acc, 0)\n", held,
                      stages, n, k / together, types.c, m, n);
  text += fmt::format("  pipeline k in K // {}, stages {} {{\n    load {{\n", k, stages);
  const auto copy = [&](char name, char axis, std::int64_t rows, std::int64_t columns) {
    text += fmt::format("      copy({0}s[stage], {0}[{1}*b{2} : +{1}, {3}*k : +{3}])\n", name, rows,
                        axis, columns);
  };
  copy('A', 'x', m, k / 2 / together);
  copy('E', 'x', m, k / codes);
  copy('B', 'y', n, k / together);
  text += fmt::format(
      "    }}\n    compute {{ gemm_sparse(acc, As{0}[stage], Bs{0}[stage].T, "
      "Es{1}[stage]) }}\n  }}\n",
      seen, has_bytes ? ".bits(u4)" : "");
  text += fmt::format("  copy(C[{0}*bx : +{0}, {1}*by : +{1}], acc)\n}}\n", m, n);
  return {text, {{"M", m}, {"N", n}, {"K", k * random.from(1, 3)}}};
}

TEST(CheckedProducts, OfSparseOperandsAreWhatTheyMean) {
  Random random(seed());
  const kernel::TargetMachine target = kernel::parse_target("cuda:sm_80").value();
  for (int i = 0; i != 8; ++i) {
    const Program program = sparse_product(random);
    const kernel::Kernel kernel = notation::parse_kernels(program.text).value().front();
    const auto lowered = lower(kernel, options_for(target));
    ASSERT_TRUE(lowered) << program.text << lowered.error();
    EXPECT_NE(explanation(*lowered).find("instruction  mma.sp."), std::string::npos)
        << program.text;
    const auto checked = CheckedKernel::compile(kernel, target);
    ASSERT_TRUE(checked) << program.text << checked.error();
    const auto arguments = kernel::made_arguments(kernel, program.sizes);
    ASSERT_TRUE(arguments) << program.text << arguments.error();
    const auto runs = checked->check(*arguments, program.sizes);
    ASSERT_TRUE(runs) << program.text << runs.error();
    for (const KernelRun& run : *runs) {
      EXPECT_EQ(to_string(run.report.findings), "") << program.text << name_of(run);
    }
    EXPECT_TRUE(is_right(kernel, *runs)) << program.text;
  }
}

TEST(CheckedProducts, OfRandomTilesAreWhatTheyMean) {
  Random random(seed());
  const kernel::TargetMachine target = kernel::parse_target("cuda:sm_80").value();
  int by_matrices = 0;
  // Some seconds each without optimisation.
  const int products = std::clamp(case_count() / 10, 4, 12);
  for (int i = 0; i != products; ++i) {
    const Program program = random_product(random);
    const kernel::Kernel kernel = notation::parse_kernels(program.text).value().front();
    const auto lowered = lower(kernel, options_for(target));
    ASSERT_TRUE(lowered) << program.text << lowered.error();
    by_matrices += explanation(*lowered).find("taken      mma") != std::string::npos ? 1 : 0;
    const auto checked = CheckedKernel::compile(kernel, target);
    ASSERT_TRUE(checked) << program.text << checked.error();
    const auto runs = checked->check(data_for(kernel, program.sizes, random), program.sizes);
    ASSERT_TRUE(runs) << program.text << runs.error();
    for (const KernelRun& run : *runs) {
      EXPECT_EQ(to_string(run.report.findings), "") << program.text << name_of(run);
    }
    EXPECT_TRUE(is_right(kernel, *runs)) << program.text;
  }
  EXPECT_EQ(by_matrices, products);
}

#ifdef HEDDLE_NVCC
// Of the kernels of a file for sm_80: ptxas puts no register into memory.
TEST(TensorCoresOfCuda, HaveNoSpillsAndNoLocalMemory) {
  const kernel::TargetMachine target = kernel::parse_target("cuda:sm_80").value();
  std::vector<kernel::ThreadProgram> programs;
  for (const kernel::Kernel& kernel : kernels_of_file("tensor_cores")) {
    auto lowered = lower(kernel, options_for(target));
    ASSERT_TRUE(lowered) << kernel.name << ": " << lowered.error();
    programs.push_back(*std::move(lowered));
  }
  const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/files";
  std::filesystem::create_directories(folder);
  const std::string stem = folder + "/tensor_cores_sm_80";
  std::ofstream(stem + ".cu") << to_source(programs, kernel::Target::kCuda).value();
  const std::string command = std::string(HEDDLE_NVCC) +
                              " -std=c++17 -arch=sm_80 -cubin -Xptxas -v -o " + stem + ".cubin " +
                              stem + ".cu 2> " + stem + ".log";
  std::ifstream log;
  const int status = std::system(command.c_str());
  log.open(stem + ".log");
  const std::string said((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  ASSERT_EQ(status, 0) << said;
  const std::regex spills(
      "([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes");
  std::size_t kernels = 0;
  for (std::sregex_iterator at(said.begin(), said.end(), spills), end; at != end; ++at, ++kernels) {
    EXPECT_EQ((*at)[1].str() + (*at)[2].str() + (*at)[3].str(), "000") << said;
  }
  EXPECT_EQ(kernels, programs.size()) << said;
}
#endif

}  // namespace
}  // namespace heddle::kernels
