#pragma once

// A described kernel under the checker, beside what it means: as CUDA emitted for it, or as CUDA
// that somebody wrote for it.
//
//   CheckedKernel gemm = CheckedKernel::compile(kernel).value();
//   KernelCheck check = gemm.check(arguments).value();
//   is_right(kernel, check)
//
// It runs several times: where copies are asynchronous their data arrive early, late, and at
// random; in the last run the last thread runs first.

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/checker/checker.h"
#include "heddle/kernel/device.h"

#pragma GCC visibility push(default)
namespace heddle::checker {

/// A run, and how far it is from what the kernel means.
struct KernelRun {
  Arrival arrival = Arrival::kLate;
  bool is_backwards = false;
  Report report;
  std::vector<kernel::Deviation> deviations;
};
/// A change that makes a difference to the kernel, and whether that was noticed.
struct Mutant {
  Site site;
  Change change = Change::kDrop;
  /// `race`, `on its way`, …, `result`; empty if nothing was.
  std::string noticed;
};

/// How many mutants were run, of how many.
struct MutantProgress {
  std::atomic<std::size_t> done = 0;
  std::atomic<std::size_t> all = 0;
};

class CheckedKernel {
 public:
  /// As CUDA for the target; if the options name the kernel's file, its lines are those of
  /// findings. Refuses what lower(), to_source() and Program::compile() refuse, and `emit.target`
  /// for another target.
  [[nodiscard]] static Result<CheckedKernel> compile(
      const kernel::Kernel& kernel, kernel::TargetMachine target = kernel::Target::kCuda,
      const kernel::SourceOptions& options = {});
  /// As a text of CUDA, in which the kernel has the same name and takes what emitted ones take.
  /// Refuses what Program::compile() refuses.
  [[nodiscard]] static Result<CheckedKernel> of_source(const kernel::Kernel& kernel,
                                                       std::string_view source,
                                                       std::string_view file = "kernel.cu");

  /// Refuses what kernel::run() and Program::run() refuse.
  [[nodiscard]] Result<std::vector<KernelRun>> check(const std::vector<kernel::Array>& arguments,
                                                     const kernel::Sizes& sizes = {}) const;

  /// Each mutant of a kernel that is right, run as check() runs it until it is noticed; another
  /// thread may read how far it is. Refuses the same.
  [[nodiscard]] Result<std::vector<Mutant>> mutants(const std::vector<kernel::Array>& arguments,
                                                    const kernel::Sizes& sizes = {},
                                                    MutantProgress* progress = nullptr) const;

 private:
  CheckedKernel(kernel::Kernel kernel, Program program)
      : kernel_(std::move(kernel)), program_(std::move(program)) {}
  [[nodiscard]] Result<KernelRun> run(const std::vector<kernel::Array>& arguments,
                                      const std::vector<kernel::Array>& wanted,
                                      const kernel::Sizes& sizes, const RunOptions& options) const;

  kernel::Kernel kernel_;
  Program program_;
};

/// Whether nothing was found, and all results are close to what the kernel means.
[[nodiscard]] bool is_right(const kernel::Kernel& kernel, std::span<const KernelRun> runs);
/// `copies arrive late`; without copies `the first thread runs first`.
[[nodiscard]] std::string name_of(const KernelRun& run);

}  // namespace heddle::checker
#pragma GCC visibility pop
