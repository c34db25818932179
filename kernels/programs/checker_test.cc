// The kernels of the files as CUDA under the checker: nothing is found, and where a barrier, a wait
// or a copy is dropped, something is. Prints a line for each of these mutants.

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "heddle/checker/check_kernel.h"
#include "heddle/kernel/made_arguments.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using checker::CheckedKernel;
using checker::KernelRun;
using checker::Mutant;

// `softmax: barrier at kernel.cu:15, dropped: not noticed`
std::string line_of(const std::string& kernel, const Mutant& mutant) {
  return kernel + ": " + std::string(name_of(mutant.site.kind)) + " at " + mutant.site.line + ", " +
         std::string(name_of(mutant.change)) + ": " +
         (mutant.noticed.empty() ? "not noticed" : mutant.noticed) + "\n";
}

// Whether there is time for all mutants: there is in scripts/test, and not in .ci/run.
bool is_long() {
  constexpr int kLong = 200;
  return case_count() >= kLong;
}

// How many mutants of a kernel were noticed and not, if it has no mistakes itself.
struct Count {
  int kernels = 0;
  int noticed = 0;
  int missed = 0;
  /// Wavefronts of shared memory beyond those that its accesses need.
  std::int64_t conflicts = 0;
};
void expect_no_mistakes(const kernel::Kernel& kernel, const std::vector<kernel::Array>& arguments,
                        const kernel::Sizes& sizes, Count& count) {
  const auto target = kernel::parse_target("cuda:sm_80").value();
  const auto checked = CheckedKernel::compile(kernel, target);
  ASSERT_TRUE(checked) << kernel.name << ": " << checked.error();
  const auto runs = checked->check(arguments, sizes);
  ASSERT_TRUE(runs) << kernel.name << ": " << runs.error();
  for (const KernelRun& run : *runs) {
    EXPECT_EQ(to_string(run.report.findings), "") << kernel.name << ", " << name_of(run);
    count.conflicts += run.report.traffic.wavefronts - run.report.traffic.ideal;
  }
  // Mutants of every twelfth kernel, of all in long runs.
  if (++count.kernels % 12 != 1 && !is_long()) return;
  const auto mutants = checked->mutants(arguments, sizes);
  ASSERT_TRUE(mutants) << mutants.error();
  for (const Mutant& mutant : *mutants) {
    std::cout << line_of(kernel.name, mutant);
    // What is copied past the end of a row is multiplied into elements that nobody stores.
    if (mutant.noticed.empty() && mutant.change == checker::Change::kWhole) continue;
    ++(mutant.noticed.empty() ? count.missed : count.noticed);
    // Some barriers are needed at other sizes only.
    const bool is_barrier = mutant.site.kind == checker::SiteKind::kBarrier;
    EXPECT_TRUE(is_barrier || !mutant.noticed.empty()) << line_of(kernel.name, mutant);
  }
}

TEST(CheckedFiles, HaveNoMistakesAndMutantsThatAreNoticed) {
  Random random(seed());
  // The second sizes of each, for the first are the least.
  std::map<std::string, Case> chosen;
  std::map<std::string, int> seen;
  for (Case& each : cases_of_files(random, false)) {
    const std::string name = each.kernel.name;
    if (++seen[name] <= 2) chosen.insert_or_assign(name, std::move(each));
  }
  Count count;
  for (const auto& [name, each] : chosen) {
    if (each.text == "tensor_cores") continue;
    expect_no_mistakes(each.kernel, each.arguments, each.sizes, count);
  }
  EXPECT_GT(count.noticed, 10 * count.missed);
}

// Of every kind of copy, wait, commit and matrix load that there is: all mutants are noticed. No
// access of shared memory has a bank conflict.
TEST(CheckedTensorCores, HaveNoMistakesAndMutantsThatAreNoticed) {
  Count count;
  for (const kernel::Kernel& each : kernels_of_file("tensor_cores")) {
    const bool is_wide = each.name.find("wide") != std::string::npos;
    const bool is_split = each.name.find("split") != std::string::npos;
    const kernel::Sizes all = {
        {"M", 128}, {"N", is_wide ? 256 : 128}, {"K", is_split ? 512 : 192}, {"H", 1}, {"G", 2}};
    kernel::Sizes sizes;
    for (const std::string& name : size_names(each)) sizes[name] = all.at(name);
    const auto arguments = kernel::made_arguments(each, sizes);
    ASSERT_TRUE(arguments) << arguments.error();
    expect_no_mistakes(each, *arguments, sizes, count);
    EXPECT_EQ(count.conflicts, 0) << each.name;
  }
  EXPECT_GT(count.noticed, 30);
  EXPECT_EQ(count.missed, 0);
}

}  // namespace
}  // namespace heddle::kernels
