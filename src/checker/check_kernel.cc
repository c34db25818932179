#include "heddle/checker/check_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/kernel/lower.h"
#include "kernel/device/device_program.h"

namespace heddle::checker {

namespace {

/// The most shared memory that a block has on any machine, for texts that do not say how much.
constexpr std::int64_t kMostSharedBytes = 227 * 1024;

constexpr RunOptions kRuns[] = {{.arrival = Arrival::kEarly},
                                {.arrival = Arrival::kLate},
                                {.arrival = Arrival::kRandom, .is_backwards = true}};

/// As the function takes them: tensors, sizes, values.
std::vector<Argument> named(const kernel::Kernel& kernel,
                            std::span<const kernel::LaunchArgument> launched) {
  std::vector<Argument> arguments;
  for (const kernel::Tensor& parameter : kernel.parameters) {
    if (parameter.space == kernel::Space::kValue) continue;
    const std::int64_t bytes = std::max<std::int64_t>(kernel::bits(parameter.type) / 8, 1);
    arguments.push_back({parameter.name, {}, true, bytes});
  }
  for (const std::string& size : kernel::size_names(kernel)) arguments.push_back({size, {}, false});
  for (const kernel::Tensor& parameter : kernel.parameters) {
    if (parameter.space == kernel::Space::kValue) arguments.push_back({parameter.name, {}, false});
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) arguments[i].bytes = launched[i].bytes;
  return arguments;
}

Launch launch_of(const kernel::LaunchShape& shape) {
  Launch launch;
  std::ranges::transform(shape.grid, launch.blocks.begin(),
                         [](std::size_t extent) { return static_cast<unsigned>(extent); });
  launch.threads[0] = static_cast<unsigned>(shape.threads);
  return launch;
}

}  // namespace

Result<CheckedKernel> CheckedKernel::compile(const kernel::Kernel& kernel,
                                             kernel::TargetMachine target,
                                             const kernel::SourceOptions& options) {
  if (target.target != kernel::Target::kCuda) {
    return refuse(
        Diagnostic("emit.target", "the checker runs kernels of CUDA").with_hint("--target cuda"));
  }
  HEDDLE_TRY(const kernel::ThreadProgram lowered, lower(kernel, kernel::options_for(target)));
  HEDDLE_TRY(const std::string source, to_source(lowered, target.target, options));
  HEDDLE_TRY(Program program, Program::compile(source, kernel.name, lowered.shared_bytes));
  return CheckedKernel(kernel, std::move(program));
}

Result<CheckedKernel> CheckedKernel::of_source(const kernel::Kernel& kernel,
                                               std::string_view source, std::string_view file) {
  HEDDLE_TRY(Program program, Program::compile(source, kernel.name, kMostSharedBytes, file));
  return CheckedKernel(kernel, std::move(program));
}

Result<KernelRun> CheckedKernel::run(const std::vector<kernel::Array>& arguments,
                                     const std::vector<kernel::Array>& wanted,
                                     const kernel::Sizes& sizes, const RunOptions& options) const {
  KernelRun result{options.arrival, options.is_backwards, {}, {}};
  const auto launched = [&](const kernel::LaunchShape& shape,
                            std::span<kernel::LaunchArgument> given) -> Result<void> {
    std::vector<Argument> list = named(kernel_, given);
    HEDDLE_TRY(result.report, program_.run(launch_of(shape), list, options));
    for (std::size_t i = 0; i != list.size(); ++i) given[i].bytes = std::move(list[i].bytes);
    return {};
  };
  HEDDLE_TRY(const std::vector<kernel::Array> found,
             kernel::run_launch(kernel_, arguments, sizes, launched));
  result.deviations = kernel::deviations(kernel_, wanted, found);
  return result;
}

Result<std::vector<KernelRun>> CheckedKernel::check(const std::vector<kernel::Array>& arguments,
                                                    const kernel::Sizes& sizes) const {
  HEDDLE_TRY(const std::vector<kernel::Array> wanted, kernel::run(kernel_, arguments, {sizes}));
  std::vector<KernelRun> runs;
  for (const RunOptions& options : kRuns) {
    // Without copies they arrive in one way, and two orders of threads are left.
    const bool is_another = runs.empty() || options.is_backwards || runs.front().report.copies != 0;
    if (!is_another) continue;
    HEDDLE_TRY(runs.emplace_back(), run(arguments, wanted, sizes, options));
  }
  return runs;
}

Result<std::vector<Mutant>> CheckedKernel::mutants(const std::vector<kernel::Array>& arguments,
                                                   const kernel::Sizes& sizes,
                                                   MutantProgress* progress) const {
  HEDDLE_TRY(const std::vector<kernel::Array> wanted, kernel::run(kernel_, arguments, {sizes}));
  HEDDLE_TRY(const KernelRun first, run(arguments, wanted, sizes, {}));
  std::vector<Mutant> all;
  const std::vector<Mutation> changes = mutations(first.report);
  if (progress != nullptr) progress->all = changes.size();
  for (const Mutation& mutation : changes) {
    Mutant mutant{*std::ranges::find(first.report.sites, mutation.offset, &Site::offset),
                  mutation.change,
                  {}};
    for (RunOptions options : kRuns) {
      options.mutation = mutation;
      HEDDLE_TRY(const KernelRun found, run(arguments, wanted, sizes, options));
      if (is_right(kernel_, {&found, 1})) continue;
      mutant.noticed =
          found.report.findings.empty() ? "result" : name_of(found.report.findings.front().kind);
      break;
    }
    all.push_back(std::move(mutant));
    if (progress != nullptr) ++progress->done;
  }
  return all;
}

bool is_right(const kernel::Kernel& kernel, std::span<const KernelRun> runs) {
  return std::ranges::all_of(runs, [&](const KernelRun& run) {
    return run.report.findings.empty() && kernel::are_close(kernel, run.deviations);
  });
}

std::string name_of(const KernelRun& run) {
  const std::string_view when =
      run.arrival == Arrival::kRandom ? "at random" : name_of(run.arrival);
  const std::string_view order = run.is_backwards ? "the last thread runs first" : "";
  if (run.report.copies == 0)
    return std::string(order.empty() ? "the first thread runs first" : order);
  return fmt::format("copies arrive {}{}{}", when, order.empty() ? "" : ", ", order);
}

}  // namespace heddle::checker
