// The kernels of the files as CUDA under the checker: nothing is found, and where a barrier, a wait
// or a copy is dropped, something is. Prints a line for each of these mutants.

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "heddle/checker/check_kernel.h"
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

TEST(CheckedFiles, HaveNoMistakesAndMutantsThatAreNoticed) {
  Random random(seed());
  // The second sizes of each, for the first are the least.
  std::map<std::string, Case> chosen;
  std::map<std::string, int> seen;
  for (Case& each : cases_of_files(random)) {
    const std::string name = each.kernel.name;
    if (++seen[name] <= 2) chosen.insert_or_assign(name, std::move(each));
  }
  int noticed = 0;
  int missed = 0;
  for (const auto& [name, each] : chosen) {
    const bool is_of_tensor_cores = each.text == "tensor_cores" || each.text == "tile_order";
    const auto checked = CheckedKernel::compile(
        each.kernel, is_of_tensor_cores ? kernel::parse_target("cuda:sm_80").value()
                                        : kernel::TargetMachine(kernel::Target::kCuda));
    ASSERT_TRUE(checked) << each.kernel.name << ": " << checked.error();
    const auto runs = checked->check(each.arguments, each.sizes);
    ASSERT_TRUE(runs) << each.kernel.name << ": " << runs.error();
    for (const KernelRun& run : *runs) {
      EXPECT_EQ(to_string(run.report.findings), "") << each.kernel.name << ", " << name_of(run);
    }
    const auto mutants = checked->mutants(each.arguments, each.sizes);
    ASSERT_TRUE(mutants) << mutants.error();
    for (const Mutant& mutant : *mutants) {
      std::cout << line_of(name, mutant);
      ++(mutant.noticed.empty() ? missed : noticed);
      // Some barriers are needed at other sizes only, and what is copied past the end of a row is
      // multiplied into columns that nobody stores.
      const bool may_be_missed = mutant.site.kind == checker::SiteKind::kBarrier ||
                                 mutant.change == checker::Change::kWhole;
      EXPECT_TRUE(may_be_missed || !mutant.noticed.empty()) << line_of(name, mutant);
    }
  }
  EXPECT_GT(noticed, 10 * missed);
}

}  // namespace
}  // namespace heddle::kernels
