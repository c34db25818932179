// Compiles a kernel's source for the first device of a target, or for this CPU, and runs it on
// arrays.

#include "heddle/kernel/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/text.h"
#include "heddle/core/exact.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/source.h"
#include "kernel/device/cpu_program.h"
#include "kernel/device/cuda_program.h"
#include "kernel/device/device_program.h"
#include "kernel/device/opencl_program.h"
#include "kernel/wide_offsets.h"

namespace heddle::kernel {

struct DeviceKernel::State {
  Kernel kernel;
  /// Of this CPU; else the device's own.
  std::optional<CpuProgram> cpu;
  std::shared_ptr<const DeviceProgram> program;
  std::string name = "this CPU";
};

const std::string& DeviceKernel::device() const { return state_->name; }

InPlace DeviceKernel::in_place() const {
  if (state_->cpu) return InPlace::kInProcess;
  return state_->program->runs_in_place() ? InPlace::kOnGpu : InPlace::kNowhere;
}

DeviceKernel DeviceKernel::of_cpu(const Kernel& kernel, CpuProgram program) {
  auto state = std::make_shared<State>();
  state->kernel = kernel;
  state->cpu = std::move(program);
  return DeviceKernel(std::move(state));
}

Result<DeviceKernel> DeviceKernel::load(const Kernel& kernel, const std::string& path) {
  HEDDLE_TRY(CpuProgram program, CpuProgram::load(path, kernel.name));
  HEDDLE_TRY(const std::string text, text_in_object(path, kernel.name));
  if (text != to_string(kernel)) {
    return refuse("kernel.unknown", fmt::format("{} has another kernel '{}'", path, kernel.name));
  }
  return of_cpu(kernel, std::move(program));
}

Result<std::string> DeviceKernel::text_in(const std::string& path, const std::string& name) {
  return text_in_object(path, name);
}

Result<DeviceKernel> DeviceKernel::compile(const Kernel& kernel, TargetMachine destination) {
  const Target target = destination.target;
  if (target == Target::kCpu) {
    HEDDLE_TRY(CpuProgram program, CpuProgram::compile(kernel, destination));
    return of_cpu(kernel, std::move(program));
  }
  HEDDLE_TRY(const ThreadProgram lowered, lower(kernel, options_for(destination)));
  HEDDLE_TRY(const std::string source, to_source(lowered, target));
  auto state = std::make_shared<State>();
  state->kernel = kernel;
  HEDDLE_TRY(state->program,
             target == Target::kCuda
                 ? load_cuda_program(source, kernel.name, launched_shared_bytes(lowered))
                 : load_opencl_program(source, kernel.name));
  state->name = state->program->device();
  return DeviceKernel(std::move(state));
}

Result<std::string> DeviceKernel::binary() const {
  if (state_->cpu) return state_->cpu->binary();
  return state_->program->binary();
}

namespace {

/// Refuses what 32-bit integers do not count.
Result<void> check_count(std::string_view what, std::int64_t count, const std::string& hint = {},
                         std::int64_t most = kGreatestInt) {
  if (count <= most) return {};
  Diagnostic refusal("kernel.launch", fmt::format("{} is {}, and integers of a kernel go up to {}",
                                                  what, count, most));
  if (!hint.empty()) refusal = std::move(refusal).with_hint(hint);
  return refuse(std::move(refusal));
}

/// The same of the elements of a tensor, whose offsets may be wide.
Result<void> check_elements(const Tensor& parameter, const Array& argument, std::int64_t count) {
  if (has_wide_offsets(parameter)) return {};
  return check_count("the number of elements of " + parameter.name, count,
                     bounds_for_wide_offsets(parameter, argument.shape));
}

/// A run that copies arrays has room for fewer elements than wide offsets count.
Result<void> check_copied(const Tensor& parameter, std::int64_t count) {
  return check_count(fmt::format("the number of elements that {} reaches over", parameter.name),
                     count);
}

/// The same of the places in the memory of a tensor.
Result<void> check_places(const Tensor& parameter, const Array& argument, const Sizes& sizes) {
  if (parameter.space == Space::kValue) return {};
  exact::Value elements = 1;
  for (const std::int64_t extent : argument.shape) {
    elements = elements ? exact::multiply(*elements, extent) : std::nullopt;
  }
  std::int64_t count = elements.value_or(std::numeric_limits<std::int64_t>::max());
  if (count <= kGreatestInt && parameter.layout) {
    HEDDLE_TRY(const Places places, places_of(parameter, argument, sizes));
    count = places.elements;
  }
  return check_elements(parameter, argument, count);
}

Result<LaunchShape> shape_at(const Kernel& kernel, const Sizes& sizes) {
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  LaunchShape shape;
  shape.threads = static_cast<std::size_t>(kernel.launch.threads);
  for (std::size_t d = 0; d != kernel.launch.grid.size(); ++d) {
    HEDDLE_TRY(const Int extent, instantiate(kernel.launch.grid[d], values));
    HEDDLE_CHECK(
        check_count("the grid's extent " + to_string(kernel.launch.grid[d]), extent.value()));
    shape.grid[d] = static_cast<std::size_t>(extent.value());
  }
  return shape;
}

/// Why a kernel has done nothing.
Result<void> refuse_of_cpu(int code, const Kernel& kernel, const Workers& workers) {
  if (code == 0) return {};
  if (code == 1) {
    return refuse("kernel.no_device",
                  fmt::format("there is not enough memory for the threads of {}", kernel.name));
  }
  const std::string cores =
      workers.first_core < 0 ? "" : fmt::format(" on the cores from {} on", workers.first_core);
  return refuse(Diagnostic("kernel.no_device", fmt::format("{} cannot run with threads={}{}",
                                                           kernel.name, workers.threads, cores))
                    .with_hint("there may be fewer cores; a C compiler without OpenMP, such as "
                               "clang without libomp, makes single-threaded kernels"));
}

}  // namespace

Result<void> DeviceKernel::run_in(const std::vector<Array>& arguments,
                                  std::span<void* const> memory, const Sizes& given,
                                  const Workers& workers) const {
  HEDDLE_TRY(const auto run, bound_to(arguments, memory, given, workers));
  return run();
}

Result<std::function<Result<void>()>> DeviceKernel::bound_to(const std::vector<Array>& arguments,
                                                             std::span<void* const> memory,
                                                             const Sizes& given,
                                                             const Workers& workers) const {
  const Kernel& kernel = state_->kernel;
  if (memory.size() != arguments.size()) {
    return refuse("kernel.arguments", fmt::format("{} pointers are given for {}", memory.size(),
                                                  counted(arguments.size(), "argument")));
  }
  HEDDLE_TRY(const Sizes sizes, sizes_of_shapes(kernel, arguments, given));
  HEDDLE_TRY(const LaunchShape shape, shape_at(kernel, sizes));
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    HEDDLE_CHECK(check_places(kernel.parameters[i], arguments[i], sizes));
  }
  std::vector<std::int32_t> numbers;
  for (const std::string& name : size_names(kernel)) {
    HEDDLE_CHECK(check_count("the size " + name, sizes.at(name), {}, kGreatestSize));
    numbers.push_back(static_cast<std::int32_t>(sizes.at(name)));
  }
  std::vector<void*> tensors;
  std::vector<void*> values;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const bool is_value = kernel.parameters[i].space == Space::kValue;
    (is_value ? values : tensors).push_back(memory[i]);
  }
  return [state = state_, shape, numbers, tensors, values, workers]() mutable -> Result<void> {
    std::vector<void*> rest;
    for (std::int32_t& number : numbers) rest.push_back(&number);
    rest.insert(rest.end(), values.begin(), values.end());
    if (!state->cpu) {
      return shape.is_empty() ? Result<void>() : state->program->run_in(shape, tensors, rest);
    }
    std::vector<void*> list = tensors;
    list.insert(list.end(), rest.begin(), rest.end());
    return refuse_of_cpu(state->cpu->run(list, workers.threads, workers.first_core), state->kernel,
                         workers);
  };
}

Result<std::vector<Array>> DeviceKernel::run_on_cpu(std::vector<Array> arguments,
                                                    const Sizes& given,
                                                    const Workers& workers) const {
  const Kernel& kernel = state_->kernel;
  HEDDLE_TRY(const Sizes sizes, sizes_of(kernel, arguments, given));
  std::vector<Places> places(arguments.size());
  std::vector<std::vector<std::byte>> memory;
  std::vector<void*> pointers;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const Tensor& parameter = kernel.parameters[i];
    if (parameter.space == Space::kValue) {
      memory.push_back(bytes_of(arguments[i]));
    } else {
      HEDDLE_TRY(places[i], places_of(parameter, arguments[i], sizes));
      HEDDLE_CHECK(check_copied(parameter, places[i].elements));
      memory.push_back(bytes_of(spread_out(arguments[i], places[i])));
    }
    pointers.push_back(memory.back().data());
  }
  HEDDLE_CHECK(run_in(arguments, pointers, sizes, workers));
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == Space::kValue) continue;
    const Array held = array_of(arguments[i].type, {places[i].elements}, memory[i]);
    arguments[i] = gathered(std::move(arguments[i]), places[i], held);
  }
  return arguments;
}

Result<std::vector<Array>> run_launch(const Kernel& kernel, std::vector<Array> arguments,
                                      const Sizes& given, const RunLaunch& run) {
  HEDDLE_TRY(const Sizes sizes, sizes_of(kernel, arguments, given));
  HEDDLE_TRY(const LaunchShape shape, shape_at(kernel, sizes));
  if (shape.is_empty()) return arguments;
  std::vector<LaunchArgument> launched;
  std::vector<Places> places(arguments.size());
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const Tensor& parameter = kernel.parameters[i];
    if (parameter.space == Space::kValue) continue;
    HEDDLE_TRY(places[i], places_of(parameter, arguments[i], sizes));
    HEDDLE_CHECK(check_copied(parameter, places[i].elements));
    launched.push_back({bytes_of(spread_out(arguments[i], places[i])), true});
  }
  for (const std::string& name : size_names(kernel)) {
    HEDDLE_CHECK(check_count("the size " + name, sizes.at(name), {}, kGreatestSize));
    const auto number = static_cast<std::int32_t>(sizes.at(name));
    const auto bytes = std::as_bytes(std::span(&number, 1));
    launched.push_back({{bytes.begin(), bytes.end()}, false});
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == Space::kValue) {
      launched.push_back({bytes_of(arguments[i]), false});
    }
  }
  HEDDLE_CHECK(run(shape, launched));
  std::size_t next = 0;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == Space::kValue) continue;
    const Array held = array_of(arguments[i].type, {places[i].elements}, launched[next++].bytes);
    arguments[i] = gathered(std::move(arguments[i]), places[i], held);
  }
  return arguments;
}

Result<std::vector<Array>> DeviceKernel::run(std::vector<Array> arguments, const Sizes& given,
                                             const Workers& workers) const {
  if (state_->cpu) return run_on_cpu(std::move(arguments), given, workers);
  return run_launch(state_->kernel, std::move(arguments), given,
                    [&](const LaunchShape& shape, std::span<LaunchArgument> launched) {
                      return state_->program->run(shape, launched);
                    });
}

std::vector<Deviation> deviations(const Kernel& kernel, const std::vector<Array>& wanted,
                                  const std::vector<Array>& found) {
  std::vector<Deviation> all;
  const auto real = [](const Array& array, std::size_t element) {
    const Number number = decode(array.type, array.elements[element]);
    return number.is_real ? number.real : static_cast<double>(number.integer);
  };
  for (const std::size_t i : written_parameters(kernel)) {
    Deviation deviation{kernel.parameters[i].name, 0, size(wanted[i]), 0, 0};
    double largest = 0;
    for (std::size_t e = 0; e != wanted[i].elements.size(); ++e) {
      const double value = real(wanted[i], e);
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
      if (wanted[i].elements[e] == found[i].elements[e]) continue;
      const double other = real(found[i], e);
      if (std::isnan(value) && std::isnan(other)) continue;
      const double difference = std::abs(other - value);
      ++deviation.different;
      deviation.greatest =
          std::isnan(difference) ? difference : std::max(deviation.greatest, difference);
    }
    deviation.relative = largest > 0 ? deviation.greatest / largest : deviation.greatest;
    all.push_back(std::move(deviation));
  }
  return all;
}

double usual_tolerance(DType type) {
  switch (type) {
    case DType::kF64:
      return 1e-12;
    case DType::kF32:
      return 1e-5;
    case DType::kF16:
    case DType::kTf32:
      return 2e-3;
    case DType::kBf16:
      return 1e-2;
    default:
      return is_float(type) ? 0.1 : 0;
  }
}

bool are_close(const Kernel& kernel, const std::vector<Deviation>& deviations) {
  return std::ranges::all_of(deviations, [&](const Deviation& each) {
    const auto parameter = std::ranges::find(kernel.parameters, each.parameter, &Tensor::name);
    return each.relative <= usual_tolerance(parameter->type);
  });
}

Result<std::vector<Deviation>> compare(const Kernel& kernel, const DeviceKernel& device,
                                       const std::vector<Array>& arguments, const Sizes& given) {
  HEDDLE_TRY(const std::vector<Array> wanted, run(kernel, arguments, {given}));
  HEDDLE_TRY(const std::vector<Array> found, device.run(arguments, given));
  return deviations(kernel, wanted, found);
}

}  // namespace heddle::kernel
