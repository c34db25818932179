// Kernels of thousands of statements.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "kernel/lowered.h"

namespace heddle::kernel {
namespace {

std::size_t barriers_of(int statements) {
  std::string text = "kernel f(X: f32[N], Y: f32[N]) launch cta 1, threads 32 {\n";
  for (int i = 0; i != statements; ++i)
    text += fmt::format("  Y[{0} : +32] = X[{0} : +32]\n", 32 * i);
  const std::string source = to_source(*lowered(text + "}\n"), Target::kCuda).value();
  std::size_t count = 0;
  for (std::size_t at = source.find("__sync"); at != std::string::npos;
       at = source.find("__sync", at + 1)) {
    ++count;
  }
  return count;
}

// Each access is compared with those since the last barrier, so that long kernels have some.
TEST(LongKernels, HaveBarriersAfterAThousandAccesses) {
  EXPECT_EQ(barriers_of(500), 0U);
  EXPECT_EQ(barriers_of(1100), 2U);
}

// Accesses that are far from each other are told apart by their ranges: enumerating the runs of the
// loops of each pair would take minutes.
TEST(LongKernels, OfHundredsOfLoopsAreLoweredInSeconds) {
  constexpr int kLoops = 400;
  std::string text = "kernel f(X: f32[N], Y: f32[N]) launch cta 1, threads 32 {\n";
  for (int i = 0; i != kLoops; ++i)
    text += fmt::format("  for k{0} in 4 {{ Y[{1} + 32*k{0} : +32] = X[{1} : +32] }}\n", i, 32 * i);
  // Processor time, so that other work on the machine does not count.
  const std::clock_t begin = std::clock();
  const std::string source = to_source(*lowered(text + "}\n"), Target::kCuda).value();
  EXPECT_LT(std::clock() - begin, 60 * CLOCKS_PER_SEC);
  EXPECT_EQ(source.find("__sync"), std::string::npos);
}

}  // namespace
}  // namespace heddle::kernel
