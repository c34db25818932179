// heddle kernel: programs for GPUs, checked, run by their meaning, explained and compiled.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/files/tensor_file.h"
#include "heddle/kernel/cpu_compiler.h"
#include "heddle/kernel/cuda_compiler.h"
#include "heddle/kernel/device.h"
#include "heddle/kernel/launcher.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel_arrays.h"
#include "heddle/notation/kernel.h"

namespace heddle::app {
namespace {

Result<kernel::Target> target_of(const Call& call) {
  const std::string& name = call.said.text("--target");
  if (const auto target = kernel::find_target(name)) return *target;
  return refuse(Diagnostic("usage.option", fmt::format("--target {} is no target", name))
                    .with_hint("--target cuda, --target opencl or --target cpu"));
}

/// What compile writes.
enum class Emitted { kSource, kHeader, kBinary };

/// What a file's name says.
Emitted emitted_into(const std::vector<std::string>& output) {
  if (output.empty()) return Emitted::kSource;
  if (output.front().ends_with(".h")) return Emitted::kHeader;
  const bool is_binary = output.front().ends_with(".so") || output.front().ends_with(".fatbin");
  return is_binary ? Emitted::kBinary : Emitted::kSource;
}

Result<Emitted> emitted(const Call& call) {
  const std::string& name = call.said.text("--emit");
  if (name.empty()) return emitted_into(call.said.list("--output"));
  if (name == "source") return Emitted::kSource;
  if (name == "header") return Emitted::kHeader;
  if (name == "binary") return Emitted::kBinary;
  return refuse(Diagnostic("usage.option", fmt::format("--emit {} is nothing to emit", name))
                    .with_hint("--emit source, --emit header or --emit binary"));
}

/// Refuses options that would mean nothing beside the others.
Result<void> check_compile(const Call& call, Emitted what, kernel::Target target) {
  const Said& said = call.said;
  const bool is_nvcc = what == Emitted::kBinary && target == kernel::Target::kCuda;
  if (said.flag("--lines") && what != Emitted::kSource) {
    return refuse("usage.option", "--lines is for --emit source");
  }
  if (!said.list("--arch").empty() && !is_nvcc) {
    return refuse("usage.option", "--arch is for --emit binary --target cuda");
  }
  if (said.list("--output").size() > 1) {
    return refuse("usage.option", "compile writes one file, so -o is given once");
  }
  if (what == Emitted::kBinary && said.list("--output").empty()) {
    return refuse("usage.option", "a binary is written to a file: -o names it");
  }
  return {};
}

Result<std::string> source_text(const Call& call,
                                const std::vector<kernel::ThreadProgram>& programs,
                                kernel::Target target, const Source& source) {
  kernel::SourceOptions options;
  if (call.said.flag("--lines")) {
    options.file = source.name;
    options.text = source.text;
  }
  return to_source(programs, target, options);
}

/// For this CPU; says where its compiler makes kernels for one thread only.
Result<std::string> cpu_binary(const Call& call, const std::vector<kernel::Kernel>& kernels) {
  HEDDLE_TRY(kernel::CpuObject object, kernel::compile_for_cpu(kernels));
  if (!object.has_openmp) {
    call.console.note(
        fmt::format("{} has no OpenMP here: the kernels work with one thread", object.compiler));
  }
  return std::move(object.bytes);
}

/// For the device that is here, or for NVIDIA's GPUs by nvcc.
Result<std::string> binary_of(const Call& call, const std::vector<kernel::Kernel>& kernels,
                              const std::vector<kernel::ThreadProgram>& programs,
                              kernel::Target target) {
  if (target == kernel::Target::kCpu) return cpu_binary(call, kernels);
  if (target == kernel::Target::kOpenCl) {
    if (kernels.size() != 1) {
      return refuse(Diagnostic("usage.option", "a binary for OpenCL has one kernel")
                        .with_hint("name the kernel behind the file"));
    }
    HEDDLE_TRY(const kernel::DeviceKernel device, kernel::DeviceKernel::compile(kernels.front()));
    return device.binary();
  }
  HEDDLE_TRY(const std::string text, to_source(programs, target));
  std::vector<std::string> architectures = call.said.list("--arch");
  if (architectures.empty()) architectures = {"sm_80"};
  return kernel::compile_cuda(text, architectures);
}

/// One header for each kernel, one behind the other.
Result<std::string> headers_text(const std::vector<kernel::ThreadProgram>& programs,
                                 kernel::Target target) {
  std::string text;
  for (const kernel::ThreadProgram& program : programs) {
    HEDDLE_TRY(const std::string header, to_header(program, target));
    text += (text.empty() ? "" : "\n") + header;
  }
  return text;
}

/// The kernel that is named, or all of the file.
Outcome compile(const Call& call, const Source& source) {
  const std::string& name = call.said.text("name");
  HEDDLE_TRY(std::vector<kernel::Kernel> kernels,
             in(source, notation::parse_kernels(source.text, call.environment)));
  if (!name.empty() || kernels.empty()) {
    HEDDLE_TRY(kernel::Kernel chosen,
               in(source, notation::parse_kernel(source.text, name, call.environment)));
    kernels = {std::move(chosen)};
  }
  HEDDLE_TRY(const kernel::Target target, target_of(call));
  HEDDLE_TRY(const Emitted what, emitted(call));
  HEDDLE_CHECK(check_compile(call, what, target));
  std::vector<kernel::ThreadProgram> programs;
  for (const kernel::Kernel& kernel : kernels) {
    HEDDLE_TRY(programs.emplace_back(), in(source, lower(kernel, kernel::options_for(target))));
  }
  const std::vector<std::string>& output = call.said.list("--output");
  if (what == Emitted::kBinary) {
    HEDDLE_TRY(const std::string bytes, in(source, binary_of(call, kernels, programs, target)));
    HEDDLE_CHECK(files::write_bytes(output.front(), bytes));
    return ExitCode::kDone;
  }
  HEDDLE_TRY(const std::string text,
             in(source, what == Emitted::kHeader ? headers_text(programs, target)
                                                 : source_text(call, programs, target, source)));
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
  HEDDLE_TRY(kernel::Target target, target_of(call));
  // Kernels for CUDA are compared on what is here.
  if (target == kernel::Target::kCuda) target = kernel::Target::kOpenCl;
  HEDDLE_TRY(const kernel::DeviceKernel device,
             in(source, kernel::DeviceKernel::compile(kernel, target)));
  HEDDLE_TRY(const std::vector<kernel::Deviation> deviations,
             in(source, compare(kernel, device, arguments.arrays, arguments.sizes)));
  std::string text = fmt::format("{} on {}, beside what it means\n", kernel.name, device.device());
  ExitCode code = ExitCode::kDone;
  for (const kernel::Deviation& each : deviations) {
    const auto* parameter =
        &*std::ranges::find(kernel.parameters, each.parameter, &kernel::Tensor::name);
    const bool is_close = each.relative <= usual_tolerance(parameter->type);
    text +=
        each.different == 0
            ? fmt::format("  {}: {} the same\n", each.parameter,
                          each.elements == 1 ? "its element is"
                                             : fmt::format("all {} elements are", each.elements))
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
  const std::string& action = call.said.text("action");
  if (action == "compile") return compile(call, source);
  HEDDLE_TRY(const kernel::Kernel chosen,
             in(source, notation::parse_kernel(text, call.said.text("name"), call.environment)));
  if (action == "explain") return explain(call, chosen, source);
  if (action == "run") return run(call, chosen, source);
  if (action == "check") return check(call, chosen, source);
  return refuse(
      Diagnostic("usage.option", fmt::format("'{}' is nothing that is done with kernels", action))
          .with_hint("compile, explain, run or check"));
}

}  // namespace heddle::app
