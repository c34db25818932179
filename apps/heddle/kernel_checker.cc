// heddle kernel check --checker: a kernel's CUDA on this machine, under watch.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/checker/check_kernel.h"
#include "heddle/core/plain_text.h"
#include "heddle/kernel_actions.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

/// What the kernel says by printf().
std::string printed_text(const checker::Report& report) {
  if (report.printed.empty()) return {};
  constexpr std::size_t kBlanks = 4;
  std::string text = indented(printable_lines(report.printed), kBlanks);
  if (!text.ends_with('\n')) text += '\n';
  return "  it prints:\n" + text;
}

/// What was wrong in a run: what was found, else the results.
std::string wrong_text(const kernel::Kernel& kernel, const checker::KernelRun& run) {
  std::string text = fmt::format("  {}:\n", name_of(run));
  for (const checker::Finding& each : run.report.findings) {
    text += fmt::format("    {}: {}\n", name_of(each.kind), each.message);
  }
  text += printed_text(run.report);
  if (!run.report.findings.empty()) return text;
  for (const kernel::Deviation& each : run.deviations) text += "  " + deviation_line(kernel, each);
  return text;
}

/// The first run that is not right, or what all of them gave.
std::string runs_text(const kernel::Kernel& kernel, std::span<const checker::KernelRun> runs) {
  for (const checker::KernelRun& run : runs) {
    if (!checker::is_right(kernel, {&run, 1})) return wrong_text(kernel, run);
  }
  std::vector<std::string> names;
  for (const checker::KernelRun& run : runs) names.push_back(name_of(run));
  std::string text = fmt::format("  {}: nothing is found\n", fmt::join(names, "; "));
  for (const kernel::Deviation& each : runs.front().deviations) {
    text += deviation_line(kernel, each);
  }
  return text + printed_text(runs.front().report);
}

/// `  wait at gemm.cu:41, dropped: race`
std::string mutants_text(std::span<const checker::Mutant> mutants) {
  std::string text;
  for (const checker::Mutant& each : mutants) {
    text += fmt::format("  {} at {}, {}: {}\n", name_of(each.site.kind), each.site.line,
                        name_of(each.change), each.noticed.empty() ? "not noticed" : each.noticed);
  }
  return text.empty() ? "  nothing that could be dropped\n" : text;
}

/// As CUDA that is emitted, or that a file has.
Result<checker::CheckedKernel> checked_kernel(const Call& call, const kernel::Kernel& kernel,
                                              const Source& source) {
  const std::string& path = call.said.text("--source");
  if (!path.empty()) {
    HEDDLE_TRY(const std::string text, read_file(path));
    return checker::CheckedKernel::of_source(kernel, text, path);
  }
  HEDDLE_TRY(const kernel::TargetMachine target, target_of(call, "cuda"));
  kernel::SourceOptions options;
  options.file = source.name;
  options.text = source.text;
  return checker::CheckedKernel::compile(kernel, target, options);
}

}  // namespace

Outcome check_under_checker(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  HEDDLE_TRY(const KernelArguments arguments, checked_arguments(call, kernel));
  // What is refused is refused before a compiler is asked, which takes longer than the rest.
  HEDDLE_CHECK(in(source, kernel::run(kernel, arguments.arrays, {arguments.sizes})));
  HEDDLE_TRY(const checker::CheckedKernel checked,
             in(source, checked_kernel(call, kernel, source)));
  HEDDLE_TRY(const std::vector<checker::KernelRun> runs,
             in(source, checked.check(arguments.arrays, arguments.sizes)));
  std::string text = fmt::format("{} under the checker, beside what it means\n", kernel.name);
  text += runs_text(kernel, runs);
  const bool is_right = checker::is_right(kernel, runs);
  const std::string traffic = traffic_text(runs.front().report);
  if (is_right && !traffic.empty()) text += "  " + traffic;
  if (is_right && call.said.flag("--mutants")) {
    checker::MutantProgress done;
    std::optional<Progress> progress(std::in_place, call.console, [&](std::chrono::seconds spent) {
      return fmt::format("mutants: {} of {}, {} s", done.done.load(), done.all.load(),
                         spent.count());
    });
    auto noticed = checked.mutants(arguments.arrays, arguments.sizes, &done);
    progress.reset();
    HEDDLE_TRY(const std::vector<checker::Mutant> mutants, in(source, std::move(noticed)));
    text += mutants_text(mutants);
  }
  call.console.print_text(text);
  return is_right ? ExitCode::kDone : ExitCode::kRefuted;
}

}  // namespace heddle::app
