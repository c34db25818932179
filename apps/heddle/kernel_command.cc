// heddle kernel: programs for GPUs, checked, run by their meaning, explained and compiled.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/core/nearest_names.h"
#include "heddle/kernel/device.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel_arrays.h"
#include "heddle/notation/kernel.h"

namespace heddle::app {
namespace {

/// The kernel of that name in the file; the only one if no name is given.
Result<kernel::Kernel> kernel_of(const std::vector<kernel::Kernel>& kernels,
                                 const std::string& path, const std::string& name) {
  if (name.empty() && kernels.size() == 1) return kernels.front();
  const auto found = std::ranges::find(kernels, name, &kernel::Kernel::name);
  if (found != kernels.end()) return *found;
  std::vector<std::string> names;
  for (const kernel::Kernel& each : kernels) names.push_back(each.name);
  const std::string what =
      names.empty()  ? fmt::format("{} has no kernels", path)
      : name.empty() ? fmt::format("{} has {} kernels, and none is named", path, kernels.size())
                     : fmt::format("{} has no kernel '{}'", path, name);
  std::string hint = name.empty() ? std::string() : did_you_mean(name, names);
  if (names.empty()) hint = "a kernel begins as kernel NAME(X: f32[N]) launch cta 1, threads 128 {";
  if (hint.empty()) hint = fmt::format("its kernels are {}", fmt::join(names, ", "));
  return refuse(Diagnostic("kernel.unknown", what).with_hint(std::move(hint)));
}

Result<kernel::Target> target_of(const Call& call) {
  const std::string& name = call.said.text("--target");
  if (const auto target = kernel::find_target(name)) return *target;
  return refuse(Diagnostic("usage.option", fmt::format("--target {} is no target", name))
                    .with_hint("--target cuda or --target opencl"));
}

Outcome compile(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  HEDDLE_TRY(const kernel::Target target, target_of(call));
  HEDDLE_TRY(const kernel::ThreadProgram program,
             in(source, lower(kernel, kernel::options_for(target))));
  HEDDLE_TRY(const std::string text, in(source, to_source(program, target)));
  const std::vector<std::string>& output = call.said.list("--output");
  if (output.empty()) {
    call.console.print_text(text);
    return ExitCode::kDone;
  }
  HEDDLE_CHECK(write_file(output.front(), text));
  return ExitCode::kDone;
}

Outcome explain(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  HEDDLE_TRY(const kernel::Target target, target_of(call));
  HEDDLE_TRY(const kernel::ThreadProgram program,
             in(source, lower(kernel, kernel::options_for(target))));
  call.console.print_text(explanation(program));
  return ExitCode::kDone;
}

Outcome run(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  const Said& said = call.said;
  HEDDLE_TRY(const KernelArguments arguments,
             arguments_of(kernel, said.list("arguments"), said.list("--output").size(),
                          said.list("--size")));
  HEDDLE_TRY(const std::vector<kernel::Array> results,
             in(source, kernel::run(kernel, arguments.arrays, {arguments.sizes})));
  HEDDLE_CHECK(write_results(kernel, arguments, results, said.list("--output")));
  return ExitCode::kDone;
}

/// How far floats of a type may be from what the kernel means, relative to the largest.
double usual_tolerance(kernel::DType type) {
  switch (type) {
    case kernel::DType::kF64:
      return 1e-12;
    case kernel::DType::kF32:
      return 1e-5;
    case kernel::DType::kF16:
    case kernel::DType::kTf32:
      return 2e-3;
    case kernel::DType::kBf16:
      return 1e-2;
    default:
      return is_float(type) ? 0.1 : 0;
  }
}

/// Runs the kernel on the device beside its meaning.
Outcome check(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  const Said& said = call.said;
  const std::vector<std::string>& given = said.list("arguments");
  HEDDLE_TRY(const KernelArguments arguments,
             given.empty() ? made_arguments(kernel, said.list("--size"))
                           : arguments_of(kernel, given, 0, said.list("--size")));
  HEDDLE_TRY(const kernel::DeviceKernel device, in(source, kernel::DeviceKernel::compile(kernel)));
  HEDDLE_TRY(const std::vector<kernel::Deviation> deviations,
             in(source, compare(kernel, device, arguments.arrays, arguments.sizes)));
  std::string text = fmt::format("{} on {}, beside what it means\n", kernel.name, device.device());
  ExitCode code = ExitCode::kDone;
  for (const kernel::Deviation& each : deviations) {
    const auto* parameter =
        &*std::ranges::find(kernel.parameters, each.parameter, &kernel::Tensor::name);
    const bool is_close = each.relative <= usual_tolerance(parameter->type);
    text += each.different == 0
                ? fmt::format("  {}: all {} elements are the same\n", each.parameter, each.elements)
                : fmt::format(
                      "  {}: {} of {} elements differ, by up to {:.3g}, {:.3g} of the "
                      "largest{}\n",
                      each.parameter, each.different, each.elements, each.greatest, each.relative,
                      is_close ? "" : ", which is too much");
    if (!is_close) code = ExitCode::kRefuted;
  }
  call.console.print_text(text);
  return code;
}

}  // namespace

Outcome kernel_command(const Call& call) {
  const std::string& path = call.said.text("file");
  HEDDLE_TRY(const std::string text, read_file(path));
  const Source source{text, path};
  HEDDLE_TRY(const std::vector<kernel::Kernel> kernels,
             in(source, notation::parse_kernels(text, call.environment)));
  HEDDLE_TRY(const kernel::Kernel chosen, kernel_of(kernels, path, call.said.text("name")));
  const std::string& action = call.said.text("action");
  if (action == "compile") return compile(call, chosen, source);
  if (action == "explain") return explain(call, chosen, source);
  if (action == "run") return run(call, chosen, source);
  if (action == "check") return check(call, chosen, source);
  return refuse(
      Diagnostic("usage.option", fmt::format("'{}' is nothing that is done with kernels", action))
          .with_hint("compile, explain, run or check"));
}

}  // namespace heddle::app
