#pragma once

// Tuning by measurement: what the author of a kernel left open is tried on this CPU, and what was
// the fastest is written down in the kernel.
//
//   tune(kernel, Target::kCpu, arguments, {{"M", 1024}, …})->kernel
//     gemm(C, A, B) using tiles(columns=32, kc=128, mc=504, nc=1024, rows=14)
//
// Open are the sizes of tiles and blocks of `gemm`, the schedule of every operator that has no
// `using`, and the layouts of shared tensors that have none. They are tried one after the other,
// each with what was the best of those before, until nothing is better or the time is over. Those
// that are compared run in turns, on the same memory, and the least time of each counts, so that
// what else the machine does disturbs all alike. Each must give the results of the kernel as it was
// before it may be the best one.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/device.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// How far tuning is, for another thread to read while it runs.
struct TuneProgress {
  std::atomic<int> tried = 0;
  /// The seconds of a run, 0 before the first, and of the best.
  std::atomic<double> first = 0;
  std::atomic<double> best = 0;
};

struct TuneOptions {
  /// For how long, in seconds; what runs or is compiled then comes to its end.
  double seconds = 30;
  /// For how long those run that are compared, at least, and ten times if there is time.
  double turn_seconds = 1;
  Workers workers = {};
  /// Ends soon after a stop is requested, with the best so far.
  std::stop_token stop = {};
  TuneProgress* progress = nullptr;
  /// The seconds that a run of this kernel takes, which the function does once; by the steady clock
  /// by default.
  std::function<Result<double>(const Kernel& kernel, const std::function<Result<void>()>& run)>
      stopwatch = {};
};

/// Something that was tried.
struct Trial {
  /// The statement that it is written at, and what is: `using tiles(rows=6, …)`. Without a
  /// statement the kernel as it was.
  std::string statement;
  std::string change;
  /// The least time of a run.
  std::optional<double> seconds = {};
  /// Why it has none.
  std::string reason = {};
};

struct Tuning {
  /// The kernel with what was the fastest written down.
  Kernel kernel;
  /// In the order in which they were tried; the first is the kernel as it was.
  std::vector<Trial> trials;
  /// Seconds of the kernel as it was, and of `kernel`, measured in turns in the end.
  double before = 0;
  double after = 0;
  /// Twice the multiply-adds of gemm, where they are known, and the bytes of all tensors.
  std::optional<double> operations;
  double bytes = 0;
  /// Whether it was stopped.
  bool is_stopped = false;
};

/// Tunes for arguments of these shapes. Refuses what DeviceKernel::compile() and its run refuse of
/// the kernel as it is, and `kernel.no_device` for targets whose kernels are not measured here: all
/// but cpu. Cost: the time that the options give, at least two runs and a compilation.
[[nodiscard]] Result<Tuning> tune(const Kernel& kernel, TargetMachine target,
                                  const std::vector<Array>& arguments, const Sizes& sizes = {},
                                  const TuneOptions& options = {});

/// What was tried, a line each with its time and its speed, and what came of it.
[[nodiscard]] std::string to_string(const Tuning& tuning);

}  // namespace heddle::kernel
#pragma GCC visibility pop
