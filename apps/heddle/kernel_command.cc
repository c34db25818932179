// heddle kernel: programs for GPUs, checked, run by their meaning, explained and compiled.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/files/tensor_file.h"
#include "heddle/kernel/cpu_compiler.h"
#include "heddle/kernel/cuda_compiler.h"
#include "heddle/kernel/device.h"
#include "heddle/kernel/devices.h"
#include "heddle/kernel/launcher.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel/tune.h"
#include "heddle/kernel_actions.h"
#include "heddle/kernel_arrays.h"
#include "heddle/notation/kernel.h"
#include "heddle/options.h"
#include "heddle/search.h"

namespace heddle::app {

/// The target that is said, or the usual one.
Result<kernel::TargetMachine> target_of(const Call& call, std::string_view usual) {
  const std::string& said = call.said.text("--target");
  return kernel::parse_target(said.empty() ? usual : said);
}

Result<kernel::Sizes> sizes_of(const Call& call) {
  HEDDLE_TRY(const Bindings stated, stated_sizes(call.said.list("--size")));
  kernel::Sizes sizes;
  for (const auto& [name, size] : stated) sizes[name] = size.value();
  return sizes;
}

/// The files or the sizes that are said, or small numbers.
Result<KernelArguments> checked_arguments(const Call& call, const kernel::Kernel& kernel) {
  const Said& said = call.said;
  const std::vector<std::string>& given = said.list("arguments");
  HEDDLE_TRY(const kernel::Sizes sizes, sizes_of(call));
  HEDDLE_TRY(const kernel::DataRules rules,
             data_rules(kernel, said.list("--value"), said.list("--range"), sizes));
  return given.empty() ? made_arguments(kernel, said.list("--size"), rules)
                       : arguments_of(kernel, given, 0, said.list("--size"));
}

/// `  C: all 1000 elements are the same`
std::string deviation_line(const kernel::Kernel& kernel, const kernel::Deviation& each) {
  const std::string all =
      each.elements == 1 ? "its element is" : fmt::format("all {} elements are", each.elements);
  if (each.different == 0) return fmt::format("  {}: {} the same\n", each.parameter, all);
  const std::string differ = fmt::format("{} of {} elements differ", each.different, each.elements);
  if (std::isnan(each.greatest)) {
    return fmt::format("  {}: {}, and some are NaN on one side only\n", each.parameter, differ);
  }
  const std::string amount =
      fmt::format("by up to {:.3g}, {:.3g} of the largest", each.greatest, each.relative);
  if (kernel::are_close(kernel, {each})) {
    return fmt::format("  {}: {} the same up to rounding ({})\n", each.parameter, all, amount);
  }
  return fmt::format("  {}: {}, {}, which is too much\n", each.parameter, differ, amount);
}

namespace {

/// What compile writes.
enum class Emitted { kSource, kHeader, kBinary };

/// What a file's name says.
Emitted emitted_into(const std::vector<std::string>& output) {
  if (output.empty()) return Emitted::kSource;
  if (output.front().ends_with(".h")) return Emitted::kHeader;
  const bool is_binary =
      std::ranges::any_of(std::array{".so", ".fatbin", ".cubin"},
                          [&](const char* suffix) { return output.front().ends_with(suffix); });
  return is_binary ? Emitted::kBinary : Emitted::kSource;
}

Result<Emitted> emitted(const Call& call) {
  const std::string& name = call.said.text("--emit");
  if (name.empty()) return emitted_into(call.said.list("--output"));
  if (name == "source") return Emitted::kSource;
  if (name == "header") return Emitted::kHeader;
  if (name == "binary") return Emitted::kBinary;
  return refuse(Diagnostic("usage.option", fmt::format("--emit {} is not supported", name))
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
  const std::vector<std::string> output = said.list("--output");
  if (what == Emitted::kBinary && (output.empty() || output.front() == "-")) {
    return refuse(Diagnostic("usage.option", "a binary is written to a file")
                      .with_hint(target == kernel::Target::kCuda  ? "-o kernel.fatbin"
                                 : target == kernel::Target::kCpu ? "-o kernel.so"
                                                                  : "-o kernel.bin"));
  }
  return {};
}

using Kernels = std::span<const kernel::Kernel>;
using Programs = std::span<const kernel::ThreadProgram>;

Result<std::string> source_text(const Call& call, Programs programs, kernel::Target target,
                                const Source& source) {
  kernel::SourceOptions options;
  if (call.said.flag("--lines")) {
    options.file = source.name;
    options.text = source.text;
  }
  return to_source(programs, target, options);
}

/// Refuses several kernels where one is needed.
Result<void> check_one(Kernels kernels) {
  if (kernels.size() == 1) return {};
  std::vector<std::string_view> names;
  for (const kernel::Kernel& each : kernels) names.push_back(each.name);
  return refuse(Diagnostic("kernel.unknown",
                           fmt::format("there are {} kernels, and none is named", kernels.size()))
                    .with_hint(fmt::format("its kernels are {}", fmt::join(names, ", "))));
}

/// For CPUs; says where this one's compiler makes kernels for one thread only.
Result<std::string> cpu_binary(const Call& call, Kernels kernels, kernel::TargetMachine target) {
  HEDDLE_TRY(kernel::CpuObject object, kernel::compile_for_cpu(kernels, target));
  if (!object.has_openmp) {
    call.console.note(
        fmt::format("{} has no OpenMP here: the kernels use one thread", object.compiler));
  }
  return std::move(object.bytes);
}

Result<std::vector<kernel::ThreadProgram>> lowered(Kernels kernels, kernel::TargetMachine target) {
  std::vector<kernel::ThreadProgram> programs;
  for (const kernel::Kernel& kernel : kernels) {
    HEDDLE_TRY(programs.emplace_back(), lower(kernel, kernel::options_for(target)));
  }
  return programs;
}

/// For the device that is here, or for NVIDIA's GPUs by nvcc.
Result<std::string> binary_of(const Call& call, Kernels kernels, kernel::TargetMachine target) {
  if (target.target == kernel::Target::kCpu) return cpu_binary(call, kernels, target);
  if (target.target == kernel::Target::kOpenCl) {
    HEDDLE_CHECK(check_one(kernels));
    HEDDLE_TRY(const kernel::DeviceKernel device, kernel::DeviceKernel::compile(kernels.front()));
    return device.binary();
  }
  HEDDLE_TRY(const std::vector<kernel::ThreadProgram> programs, lowered(kernels, target));
  HEDDLE_TRY(const std::string text, to_source(programs, target.target));
  std::vector<std::string> architectures = call.said.list("--arch");
  for (const kernel::Kernel& kernel : kernels) {
    if (kernel.launch.cluster.empty() && &kernel != &kernels.back()) continue;
    HEDDLE_TRY(architectures, kernel::architectures_for(kernel.launch, std::move(architectures)));
  }
  return kernel::compile_cuda(text, architectures);
}

/// One header for each kernel, one behind the other.
Result<std::string> headers_text(Programs programs, kernel::Target target) {
  std::string text;
  for (const kernel::ThreadProgram& program : programs) {
    HEDDLE_TRY(const std::string header, to_header(program, target));
    text += (text.empty() ? "" : "\n") + header;
  }
  return text;
}

/// The program of a kernel over devices, which are processes of MPI.
Result<kernel::DevicesProgram> over_devices(const kernel::Kernel& kernel,
                                            kernel::TargetMachine target,
                                            const kernel::Sizes& sizes) {
  if (target.target == kernel::Target::kCpu) {
    return lower_over_devices(kernel, sizes, kernel::options_for(target));
  }
  return refuse(
      Diagnostic("kernel.devices", fmt::format("{} is launched over devices, which {} does not do",
                                               kernel.name, name_of(target.target)))
          .with_hint("--target cpu is C that calls MPI"));
}

bool is_over_devices(const kernel::Kernel& kernel) { return kernel.launch.devices != 0; }

/// Sources or headers of kernels of which some are launched over devices, one behind the other.
Result<std::string> texts_over_devices(const Call& call, Kernels kernels,
                                       kernel::TargetMachine target, Emitted what) {
  if (what == Emitted::kBinary || call.said.flag("--lines")) {
    return refuse(Diagnostic("usage.option",
                             "--emit binary and --lines are for kernels that run on one device")
                      .with_hint("mpicc compiles the source of kernels over devices"));
  }
  HEDDLE_TRY(const kernel::Sizes sizes, sizes_of(call));
  std::string text;
  for (const kernel::Kernel& kernel : kernels) {
    if (!text.empty()) text += "\n";
    if (is_over_devices(kernel)) {
      HEDDLE_TRY(const kernel::DevicesProgram program, over_devices(kernel, target, sizes));
      HEDDLE_TRY(const std::string each, what == Emitted::kHeader
                                             ? Result<std::string>(to_header(program))
                                             : to_source(program));
      text += each;
      continue;
    }
    HEDDLE_TRY(const kernel::ThreadProgram program, lower(kernel, kernel::options_for(target)));
    HEDDLE_TRY(const std::string each, what == Emitted::kHeader
                                           ? to_header(program, target.target)
                                           : to_source(program, target.target));
    text += each;
  }
  return text;
}

/// To the file that is named, or the terminal.
Outcome write_emitted(const Call& call, const std::string& text) {
  const std::vector<std::string>& output = call.said.list("--output");
  if (output.empty()) {
    call.console.print_text(text);
    return ExitCode::kDone;
  }
  HEDDLE_CHECK(write_file(output.front(), text));
  return ExitCode::kDone;
}

/// Several kernels become one source, or one binary of it.
Outcome compile(const Call& call, Kernels kernels, const Source& source) {
  const std::vector<std::string>& output = call.said.list("--output");
  const bool is_on_several = std::ranges::any_of(kernels, is_over_devices);
  const bool is_for_cpus = !output.empty() && output.front().ends_with(".so");
  HEDDLE_TRY(const kernel::TargetMachine destination,
             target_of(call, is_for_cpus || is_on_several ? "cpu" : "cuda"));
  const kernel::Target target = destination.target;
  HEDDLE_TRY(const Emitted what, emitted(call));
  HEDDLE_CHECK(check_compile(call, what, target));
  if (is_on_several) {
    HEDDLE_TRY(const std::string text,
               in(source, texts_over_devices(call, kernels, destination, what)));
    return write_emitted(call, text);
  }
  if (what == Emitted::kBinary) {
    HEDDLE_TRY(const std::string bytes, in(source, binary_of(call, kernels, destination)));
    HEDDLE_CHECK(files::write_bytes(output.front(), bytes));
    return ExitCode::kDone;
  }
  HEDDLE_TRY(const std::vector<kernel::ThreadProgram> programs,
             in(source, lowered(kernels, destination)));
  HEDDLE_TRY(const std::string text,
             in(source, what == Emitted::kHeader ? headers_text(programs, target)
                                                 : source_text(call, programs, target, source)));
  return write_emitted(call, text);
}

Outcome explain(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  HEDDLE_TRY(const kernel::TargetMachine target,
             target_of(call, kernel.launch.devices != 0 ? "cpu" : "cuda"));
  if (kernel.launch.devices != 0) {
    HEDDLE_TRY(const kernel::Sizes sizes, sizes_of(call));
    HEDDLE_TRY(const kernel::DevicesProgram program,
               in(source, over_devices(kernel, target, sizes)));
    call.console.print_text(explanation(program));
    return ExitCode::kDone;
  }
  HEDDLE_TRY(const kernel::ThreadProgram program, in(source, lower_beside_family(kernel, target)));
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

/// What a back end left, beside what the kernel means.
Outcome compared(const Call& call, const kernel::Kernel& kernel, std::string_view where,
                 const std::vector<kernel::Deviation>& deviations) {
  std::string text =
      fmt::format("{} on {}, compared with the reference interpreter\n", kernel.name, where);
  for (const kernel::Deviation& each : deviations) text += deviation_line(kernel, each);
  call.console.print_text(text);
  return kernel::are_close(kernel, deviations) ? ExitCode::kDone : ExitCode::kRefuted;
}

/// Runs the kernel by MPI on this machine beside its meaning.
Outcome check_over_devices(const Call& call, const kernel::Kernel& kernel, const Source& source,
                           const KernelArguments& arguments) {
  HEDDLE_TRY(const kernel::TargetMachine target, target_of(call, "cpu"));
  HEDDLE_TRY(const kernel::Sizes sizes,
             in(source, kernel::sizes_of_shapes(kernel, arguments.arrays, arguments.sizes)));
  HEDDLE_TRY(const kernel::DevicesProgram program, in(source, over_devices(kernel, target, sizes)));
  HEDDLE_TRY(const std::vector<kernel::Array> wanted,
             in(source, kernel::run(kernel, arguments.arrays, {sizes})));
  HEDDLE_TRY(const std::vector<kernel::Array> found,
             in(source, run_on_mpi(program, arguments.arrays)));
  return compared(call, kernel, fmt::format("{} processes of MPI", kernel.launch.devices),
                  kernel::deviations(kernel, wanted, found));
}

/// Runs the kernel on the device beside its meaning.
Outcome check(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  const bool is_watched = call.said.flag("--checker");
  if (is_watched) return check_under_checker(call, kernel, source);
  if (call.said.flag("--mutants") || !call.said.text("--source").empty()) {
    return refuse("usage.option", "--mutants and --source are for check --checker");
  }
  HEDDLE_TRY(const KernelArguments arguments, checked_arguments(call, kernel));
  if (kernel.launch.devices != 0) return check_over_devices(call, kernel, source, arguments);
  HEDDLE_TRY(const kernel::TargetMachine target, target_of(call, "opencl"));
  // What is refused is refused before a compiler is asked, which takes longer than the rest.
  HEDDLE_CHECK(in(source, lower(kernel, kernel::options_for(target))));
  HEDDLE_TRY(const std::vector<kernel::Array> wanted,
             in(source, kernel::run(kernel, arguments.arrays, {arguments.sizes})));
  HEDDLE_TRY(const kernel::DeviceKernel device,
             in(source, kernel::DeviceKernel::compile(kernel, target)));
  HEDDLE_TRY(const std::vector<kernel::Array> found,
             in(source, device.run(arguments.arrays, arguments.sizes)));
  return compared(call, kernel, device.device(), kernel::deviations(kernel, wanted, found));
}

/// `tuning: 12 choices tried, 1.31 times as fast, 9 s`
std::string tuning_line(const kernel::TuneProgress& progress, std::chrono::seconds spent) {
  const double best = progress.best;
  const std::string speed =
      best == 0 ? "" : fmt::format(", {:.2f} times as fast", progress.first / best);
  return fmt::format("tuning: {} tried{}, {} s (Ctrl-C keeps the best so far)",
                     progress.tried.load(), speed, spent.count());
}

Result<double> seconds_of(const Call& call) {
  constexpr double kUsual = 30;
  const std::string& text = call.said.text("--seconds");
  if (text.empty()) return kUsual;
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && at == end && seconds > 0) return seconds;
  return refuse(Diagnostic("usage.option", fmt::format("--seconds {} is not a duration", text))
                    .with_hint("--seconds 30"));
}

/// `M=1024, N=512`
std::string sizes_text(const kernel::Sizes& sizes) {
  std::vector<std::string> texts;
  for (const auto& [name, size] : sizes) texts.push_back(fmt::format("{}={}", name, size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The kernel as it is best, with a line that says what it was tuned for.
std::string tuned_text(const kernel::Tuning& tuning, const kernel::Sizes& sizes) {
  const std::string what = sizes.empty() ? "" : fmt::format(" for {}", sizes_text(sizes));
  return fmt::format("# Tuned{}: {:.3f} ms, and {:.3f} ms before.\n\n{}\n", what,
                     1e3 * tuning.after, 1e3 * tuning.before, to_string(tuning.kernel));
}

/// Measures what the kernel leaves open, and writes the kernel with what was the fastest.
Outcome tune(const Call& call, const kernel::Kernel& kernel, const Source& source) {
  const Said& said = call.said;
  if (said.list("--output").size() > 1) {
    return refuse("usage.option", "tune writes one file, so -o is given once");
  }
  // A name that no file can have is known before anything is measured.
  for (const std::string& path : said.list("--output")) HEDDLE_CHECK(check_file_name(path));
  kernel::TuneOptions options;
  HEDDLE_TRY(options.seconds, seconds_of(call));
  HEDDLE_TRY(const kernel::TargetMachine target, target_of(call, "cpu"));
  HEDDLE_TRY(const KernelArguments arguments, checked_arguments(call, kernel));
  kernel::TuneProgress tried;
  const StopOnInterrupt interrupts;
  options.stop = interrupts.token();
  options.progress = &tried;
  std::optional<Progress> progress(std::in_place, call.console, [&](std::chrono::seconds spent) {
    return tuning_line(tried, spent);
  });
  auto tuned = kernel::tune(kernel, target, arguments.arrays, arguments.sizes, options);
  progress.reset();
  HEDDLE_TRY(const kernel::Tuning tuning, in(source, std::move(tuned)));
  const std::string text = tuned_text(tuning, arguments.sizes);
  call.console.print_text(said.list("--output").empty()
                              ? fmt::format("{}\n{}", to_string(tuning), text)
                              : to_string(tuning));
  if (said.list("--output").empty()) return ExitCode::kDone;
  HEDDLE_CHECK(write_file(said.list("--output").front(), text));
  return ExitCode::kDone;
}

/// The kernel that is named, or all kernels of the file; only what is done with each of them goes
/// on where one is refused.
Result<notation::ReadKernels> chosen_kernels(const Call& call, std::string_view text) {
  const std::string& name = call.said.text("name");
  const std::string& action = call.said.text("action");
  if (name.empty()) {
    HEDDLE_TRY(notation::ReadKernels all, notation::parse_each_kernel(text, call.environment));
    const bool goes_on = (action == "explain" || action == "check") && !all.kernels.empty();
    if (!all.refused.empty() && !goes_on) return refuse(std::move(all.refused.front().why));
    if (!all.kernels.empty()) return all;
  }
  auto chosen = notation::parse_kernel(text, name, call.environment);
  if (chosen) return notation::ReadKernels{{*std::move(chosen)}, {}};
  // A file or a number where a kernel's name is: an argument of the only one.
  const bool begins_number = !name.empty() && std::isdigit(name.front()) != 0;
  const bool is_argument = begins_number || name.find_first_of("./=") != std::string::npos;
  const auto all = is_argument ? notation::parse_kernels(text, call.environment)
                               : Result<std::vector<kernel::Kernel>>(std::vector<kernel::Kernel>());
  if (!all || all->empty()) return refuse(std::move(chosen).error());
  return refuse(std::move(chosen).error().with_hint(
      fmt::format("the kernel's name comes before its arguments: {} {}", all->front().name, name)));
}

/// Does it with one kernel after the other. What is refused is reported, and the others are done
/// all the same; the exit code is that of the worst.
Outcome with_each(const Call& call, const notation::ReadKernels& read, const Source& source,
                  Outcome (*act)(const Call&, const kernel::Kernel&, const Source&)) {
  const Kernels kernels = read.kernels;
  if (kernels.size() == 1 && read.refused.empty()) return act(call, kernels.front(), source);
  ExitCode code = ExitCode::kDone;
  const auto end = [&](const std::string& name, Outcome outcome) {
    if (!outcome) {
      Diagnostic& why = outcome.error().why;
      why = std::move(why).with_note("in kernel " + name);
    }
    code = worse(code, call.console.ended(outcome));
  };
  for (const kernel::Kernel& kernel : kernels) {
    if (&kernel != &kernels.front() && !call.console.json()) call.console.print_text("\n");
    end(kernel.name, act(call, kernel, source));
  }
  for (const auto& [name, why] : read.refused) {
    if (!call.console.json()) call.console.print_text("\n");
    end(name, refuse(Failure(why, source)));
  }
  return code;
}

/// Refuses names that none of the kernels has.
Result<void> check_known(Kernels kernels, std::string_view what, const std::set<std::string>& said,
                         const std::set<std::string>& known) {
  for (const std::string& name : said) {
    if (known.contains(name)) continue;
    const std::string whose = kernels.size() == 1 ? kernels.front().name : "the file's kernels";
    return refuse("kernel.arguments",
                  known.empty() ? fmt::format("no {0} {1}: {2} has no {0}s", what, name, whose)
                                : fmt::format("no {} {}: those of {} are {}", what, name, whose,
                                              fmt::join(known, ", ")));
  }
  return {};
}

/// The names in `NAME=TEXT`.
std::set<std::string> names_said(const std::vector<std::string>& said) {
  std::set<std::string> names;
  for (const std::string& each : said) names.insert(each.substr(0, each.find('=')));
  return names;
}

/// An option and the actions that it means something for.
struct Scope {
  const char* option;
  std::vector<std::string_view> actions;
};

bool is_said(const Said& said, std::string_view option) {
  const auto text = said.texts.find(option);
  if (text != said.texts.end()) return !text->second.empty();
  const auto list = said.lists.find(option);
  return list != said.lists.end() ? !list->second.empty() : said.flag(option);
}

/// `run`, `check and tune`, `compile, run and tune`
std::string listed_actions(std::span<const std::string_view> actions) {
  const std::string last(actions.back());
  if (actions.size() == 1) return last;
  return fmt::format("{} and {}", fmt::join(actions.first(actions.size() - 1), ", "), last);
}

/// Refuses options that mean nothing for the action.
Result<void> check_action(const Said& said) {
  const std::array scopes = {Scope{"--target", {"compile", "explain", "check", "tune"}},
                             Scope{"--emit", {"compile"}},
                             Scope{"--lines", {"compile"}},
                             Scope{"--arch", {"compile"}},
                             Scope{"--output", {"compile", "run", "tune"}},
                             Scope{"--seconds", {"tune"}},
                             Scope{"--checker", {"check"}},
                             Scope{"--source", {"check"}},
                             Scope{"--mutants", {"check"}},
                             Scope{"arguments", {"run", "check", "tune"}}};
  const std::string& action = said.text("action");
  for (const auto& [option, actions] : scopes) {
    if (!is_said(said, option) || std::ranges::find(actions, action) != actions.end()) continue;
    Diagnostic why("usage.option",
                   fmt::format("{} {} for {}, not for {}", option, option[0] == '-' ? "is" : "are",
                               listed_actions(actions), action));
    const bool is_target_of_run = action == "run" && option == std::string_view("--target");
    if (!is_target_of_run) return refuse(std::move(why));
    return refuse(std::move(why).with_hint(
        "run is by the kernel's meaning; check runs it on the target and compares"));
  }
  return {};
}

/// Refuses a size, or a parameter of which something is said, that none of the kernels has, and
/// what is said of data that are given.
Result<void> check_names(const Call& call, Kernels kernels) {
  const Said& said = call.said;
  std::set<std::string> sizes;
  std::set<std::string> parameters;
  for (const kernel::Kernel& kernel : kernels) {
    for (std::string& name : kernel::given_names(kernel)) sizes.insert(std::move(name));
    for (const kernel::Tensor& parameter : kernel.parameters) parameters.insert(parameter.name);
  }
  HEDDLE_TRY(const kernel::Sizes stated, sizes_of(call));
  std::set<std::string> names;
  for (const auto& [name, size] : stated) names.insert(name);
  HEDDLE_CHECK(check_known(kernels, "size", names, sizes));
  const std::string& action = said.text("action");
  for (const char* option : {"--value", "--range"}) {
    const std::vector<std::string>& texts = said.list(option);
    if (texts.empty()) continue;
    if (!said.list("arguments").empty() || (action != "check" && action != "tune")) {
      return refuse(Diagnostic("usage.option",
                               fmt::format("{} is for the data that check and tune make", option))
                        .with_hint("an argument may be named: eps=1e-5, X=x.npy"));
    }
    HEDDLE_CHECK(check_known(kernels, "parameter", names_said(texts), parameters));
  }
  return {};
}

}  // namespace

Outcome kernel_command(const Call& call) {
  const std::string& action = call.said.text("action");
  constexpr std::array kActions = {"compile", "explain", "run", "check", "tune"};
  if (std::ranges::find(kActions, action) == kActions.end()) {
    return refuse(Diagnostic("usage.option", fmt::format("unknown action '{}'", action))
                      .with_hint("compile, explain, run, check or tune"));
  }
  HEDDLE_CHECK(check_action(call.said));
  const std::string& path = call.said.text("file");
  HEDDLE_TRY(const std::string text, read_file(path));
  const Source source{text, path};
  HEDDLE_TRY(const notation::ReadKernels read, in(source, chosen_kernels(call, text)));
  const Kernels chosen = read.kernels;
  // The names of a kernel that is refused are not known.
  if (read.refused.empty()) HEDDLE_CHECK(check_names(call, chosen));
  if (action == "compile") return compile(call, chosen, source);
  if (action == "explain") return with_each(call, read, source, explain);
  if (action == "check") return with_each(call, read, source, check);
  HEDDLE_CHECK(check_one(chosen));
  return (action == "run" ? run : tune)(call, chosen.front(), source);
}

}  // namespace heddle::app
