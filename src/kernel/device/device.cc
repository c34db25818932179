// Compiles a kernel's source on the first OpenCL device, or for this CPU, and runs it on arrays.

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
#include "kernel/device/opencl.h"

namespace heddle::kernel {

namespace {

/// The most elements that the integers of a kernel count.
constexpr std::int64_t kMaxElements = (std::int64_t{1} << 31) - 1;

Refusal refuse_device(std::string_view what, cl::Int error) {
  return refuse("kernel.no_device", fmt::format("OpenCL's {} fails with error {}", what, error));
}

Result<cl::Handle> find_device(const OpenCl& opencl) {
  constexpr std::size_t kMostPlatforms = 16;
  std::array<cl::Handle, kMostPlatforms> platforms{};
  cl::UInt count = 0;
  const cl::Int error = opencl.clGetPlatformIDs(kMostPlatforms, platforms.data(), &count);
  for (const cl::Bits kind : {cl::kGpu, cl::kAnyDevice}) {
    for (std::size_t i = 0; error == 0 && i != std::min<std::size_t>(count, kMostPlatforms); ++i) {
      cl::Handle device = nullptr;
      if (opencl.clGetDeviceIDs(platforms[i], kind, 1, &device, nullptr) == 0) return device;
    }
  }
  return refuse_no_device();
}

}  // namespace

struct DeviceKernel::State {
  Kernel kernel;
  std::string name;
  /// Of this CPU; without it, OpenCL's are set.
  std::optional<CpuProgram> cpu;
  OpenCl opencl;
  OwnedHandle context;
  OwnedHandle queue;
  OwnedHandle program;
  OwnedHandle function;
};

const std::string& DeviceKernel::device() const { return state_->name; }

bool DeviceKernel::runs_in_place() const { return state_->cpu.has_value(); }

DeviceKernel DeviceKernel::of_cpu(const Kernel& kernel, CpuProgram program) {
  auto state = std::make_shared<State>();
  state->kernel = kernel;
  state->name = "this CPU";
  state->cpu = std::move(program);
  return DeviceKernel(std::move(state));
}

Result<DeviceKernel> DeviceKernel::load(const Kernel& kernel, const std::string& path) {
  HEDDLE_TRY(CpuProgram program, CpuProgram::load(path, kernel.name));
  return of_cpu(kernel, std::move(program));
}

Result<std::string> DeviceKernel::text_in(const std::string& path, const std::string& name) {
  return text_in_object(path, name);
}

Result<DeviceKernel> DeviceKernel::compile(const Kernel& kernel, Target target) {
  if (target == Target::kCuda) {
    return refuse(Diagnostic("kernel.no_device", "kernels for CUDA are launched by other programs")
                      .with_hint("the source, or a header with a launcher, is written for them"));
  }
  if (target == Target::kCpu) {
    HEDDLE_TRY(CpuProgram program, CpuProgram::compile(kernel));
    return of_cpu(kernel, std::move(program));
  }
  HEDDLE_TRY(const ThreadProgram lowered, lower(kernel, options_for(target)));
  HEDDLE_TRY(const std::string source, to_source(lowered, target));
  auto state = std::make_shared<State>();
  state->kernel = kernel;
  HEDDLE_TRY(state->opencl, load_opencl());
  const OpenCl& opencl = state->opencl;
  HEDDLE_TRY(const cl::Handle device, find_device(opencl));
  std::array<char, 256> name{};
  opencl.clGetDeviceInfo(device, cl::kDeviceName, name.size() - 1, name.data(), nullptr);
  state->name = name.data();
  cl::Int error = 0;
  state->context = {opencl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error),
                    opencl.clReleaseContext};
  if (error != 0) return refuse_device("clCreateContext", error);
  state->queue = {opencl.clCreateCommandQueue(state->context.get(), device, 0, &error),
                  opencl.clReleaseCommandQueue};
  if (error != 0) return refuse_device("clCreateCommandQueue", error);
  const char* text = source.c_str();
  state->program = {
      opencl.clCreateProgramWithSource(state->context.get(), 1, &text, nullptr, &error),
      opencl.clReleaseProgram};
  if (error != 0) return refuse_device("clCreateProgramWithSource", error);
  error =
      opencl.clBuildProgram(state->program.get(), 1, &device, "-cl-std=CL1.2", nullptr, nullptr);
  if (error != 0) {
    std::string log(std::size_t{1} << 14, '\0');
    std::size_t length = 0;
    opencl.clGetProgramBuildInfo(state->program.get(), device, cl::kBuildLog, log.size(),
                                 log.data(), &length);
    log.resize(std::min(log.size(), length));
    log.erase(log.find_last_not_of(std::string_view("\0\n", 2)) + 1);
    return refuse(
        Diagnostic("kernel.compile",
                   fmt::format("the OpenCL device does not take the source of {}", kernel.name))
            .with_note(fmt::format("{} says: {}", state->name, shortened(log, 2000))));
  }
  state->function = {opencl.clCreateKernel(state->program.get(), kernel.name.c_str(), &error),
                     opencl.clReleaseKernel};
  if (error != 0) return refuse_device("clCreateKernel", error);
  return DeviceKernel(std::move(state));
}

Result<std::string> DeviceKernel::binary() const {
  if (state_->cpu) return state_->cpu->binary();
  const OpenCl& opencl = state_->opencl;
  const cl::Handle program = state_->program.get();
  // The program is for one device, so there is one size and one binary.
  std::size_t size = 0;
  cl::Int error = opencl.clGetProgramInfo(program, cl::kBinarySizes, sizeof size, &size, nullptr);
  std::string bytes(error == 0 ? size : 0, '\0');
  char* begin = bytes.data();
  if (error == 0) {
    error = opencl.clGetProgramInfo(program, cl::kBinaries, sizeof begin,
                                    static_cast<void*>(&begin), nullptr);
  }
  if (error != 0 || bytes.empty()) return refuse_device("clGetProgramInfo", error);
  return bytes;
}

namespace {

/// One launch of a kernel: its arguments, set one after the other, and the memory of its tensors.
class DeviceCall {
 public:
  DeviceCall(const OpenCl& opencl, cl::Handle context, cl::Handle queue, cl::Handle function)
      : opencl_(opencl), context_(context), queue_(queue), function_(function) {}

  Result<void> set(std::size_t bytes, const void* value) {
    const cl::Int error = opencl_.clSetKernelArg(function_, position_++, bytes, value);
    if (error != 0) return refuse_device("clSetKernelArg", error);
    return {};
  }

  /// A tensor in memory of its own, which read() gives back.
  Result<void> set_memory(const Array& memory) {
    std::vector<std::byte> bytes = bytes_of(memory);
    cl::Int error = 0;
    buffers_.emplace_back(opencl_.clCreateBuffer(context_, cl::kReadWrite | cl::kCopyHostMemory,
                                                 bytes.size(), bytes.data(), &error),
                          opencl_.clReleaseMemObject);
    if (error != 0) return refuse_device("clCreateBuffer", error);
    const cl::Handle buffer = buffers_.back().get();
    return set(sizeof buffer, static_cast<const void*>(&buffer));
  }

  Result<void> start(std::array<std::size_t, 3> grid, std::size_t threads) {
    const std::array<std::size_t, 3> block = {threads, 1, 1};
    grid[0] *= threads;
    const cl::Int error = opencl_.clEnqueueNDRangeKernel(queue_, function_, 3, nullptr, grid.data(),
                                                         block.data(), 0, nullptr, nullptr);
    if (error != 0) return refuse_device("clEnqueueNDRangeKernel", error);
    return {};
  }

  /// The memory of the tensor that was set as number `index`, when the kernel has run.
  Result<Array> read(std::size_t index, const Array& before) {
    std::vector<std::byte> bytes = bytes_of(before);
    const cl::Int error =
        opencl_.clEnqueueReadBuffer(queue_, buffers_[index].get(), cl::kTrue, 0, bytes.size(),
                                    bytes.data(), 0, nullptr, nullptr);
    if (error != 0) return refuse_device("clEnqueueReadBuffer", error);
    return array_of(before.type, before.shape, bytes);
  }

 private:
  const OpenCl& opencl_;
  cl::Handle context_;
  cl::Handle queue_;
  cl::Handle function_;
  cl::UInt position_ = 0;
  std::vector<OwnedHandle> buffers_;
};

/// Refuses what 32-bit integers do not count.
Result<void> check_count(std::string_view what, std::int64_t count) {
  if (count <= kMaxElements) return {};
  return refuse("kernel.launch",
                fmt::format("{} is {}, and the integers of a kernel count up to {}", what, count,
                            kMaxElements));
}

/// The same of the places in the memory of a tensor.
Result<void> check_places(const Tensor& parameter, const Array& argument, const Sizes& sizes) {
  if (parameter.space == Space::kValue) return {};
  exact::Value elements = 1;
  for (const std::int64_t extent : argument.shape) {
    elements = elements ? exact::multiply(*elements, extent) : std::nullopt;
  }
  std::int64_t count = elements.value_or(std::numeric_limits<std::int64_t>::max());
  if (count <= kMaxElements && parameter.layout) {
    HEDDLE_TRY(const Places places, places_of(parameter, argument, sizes));
    count = places.elements;
  }
  return check_count("the number of elements of " + parameter.name, count);
}

Result<std::array<std::size_t, 3>> grid_at(const Kernel& kernel, const Sizes& sizes) {
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  std::array<std::size_t, 3> grid = {1, 1, 1};
  for (std::size_t d = 0; d != kernel.launch.grid.size(); ++d) {
    HEDDLE_TRY(const Int extent, instantiate(kernel.launch.grid[d], values));
    HEDDLE_CHECK(
        check_count("the grid's extent " + to_string(kernel.launch.grid[d]), extent.value()));
    grid[d] = static_cast<std::size_t>(extent.value());
  }
  return grid;
}

/// Why a kernel has done nothing.
Result<void> refuse_of_cpu(int code, const Kernel& kernel, const Workers& workers) {
  if (code == 0) return {};
  if (code == 1) {
    return refuse("kernel.no_device",
                  fmt::format("there is not enough memory for the workers of {}", kernel.name));
  }
  const std::string cores =
      workers.first_core < 0 ? "" : fmt::format(" on the cores from {} on", workers.first_core);
  return refuse(
      Diagnostic("kernel.no_device", fmt::format("{} cannot run with threads={}{}", kernel.name,
                                                 workers.threads, cores))
          .with_hint("there may be fewer cores; and a C compiler without OpenMP, as clang "
                     "without libomp, makes kernels for one thread"));
}

}  // namespace

Result<void> DeviceKernel::run_in(const std::vector<Array>& arguments,
                                  std::span<void* const> memory, const Sizes& given,
                                  const Workers& workers) const {
  const Kernel& kernel = state_->kernel;
  if (!state_->cpu) {
    return refuse("kernel.no_device", fmt::format("{} runs on memory of its own", state_->name));
  }
  if (memory.size() != arguments.size()) {
    return refuse("kernel.arguments", fmt::format("{} pointers are given for {} arguments",
                                                  memory.size(), arguments.size()));
  }
  HEDDLE_TRY(const Sizes sizes, sizes_of_shapes(kernel, arguments, given));
  HEDDLE_CHECK(grid_at(kernel, sizes));
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    HEDDLE_CHECK(check_places(kernel.parameters[i], arguments[i], sizes));
  }
  std::vector<void*> list;
  const auto add_all = [&](bool are_values) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      if ((kernel.parameters[i].space == Space::kValue) == are_values) list.push_back(memory[i]);
    }
  };
  add_all(false);
  std::vector<std::int32_t> numbers;
  for (const std::string& name : size_names(kernel)) {
    HEDDLE_CHECK(check_count("the size " + name, sizes.at(name)));
    numbers.push_back(static_cast<std::int32_t>(sizes.at(name)));
  }
  for (std::int32_t& number : numbers) list.push_back(&number);
  add_all(true);
  return refuse_of_cpu(state_->cpu->run(list, workers.threads, workers.first_core), kernel,
                       workers);
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
      HEDDLE_CHECK(check_count("the number of elements of " + parameter.name, places[i].elements));
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

Result<std::vector<Array>> DeviceKernel::run(std::vector<Array> arguments, const Sizes& given,
                                             const Workers& workers) const {
  if (state_->cpu) return run_on_cpu(std::move(arguments), given, workers);
  const Kernel& kernel = state_->kernel;
  HEDDLE_TRY(const Sizes sizes, sizes_of(kernel, arguments, given));
  HEDDLE_TRY(const auto grid, grid_at(kernel, sizes));
  DeviceCall launch(state_->opencl, state_->context.get(), state_->queue.get(),
                    state_->function.get());
  struct Held {
    std::size_t argument;
    Places places;
    Array memory;
  };
  std::vector<Held> held;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const Tensor& parameter = kernel.parameters[i];
    if (parameter.space == Space::kValue) continue;
    HEDDLE_TRY(Places places, places_of(parameter, arguments[i], sizes));
    HEDDLE_CHECK(check_count("the number of elements of " + parameter.name, places.elements));
    held.push_back({i, std::move(places), {}});
    held.back().memory = spread_out(arguments[i], held.back().places);
    HEDDLE_CHECK(launch.set_memory(held.back().memory));
  }
  for (const std::string& name : size_names(kernel)) {
    HEDDLE_CHECK(check_count("the size " + name, sizes.at(name)));
    const auto size = static_cast<std::int32_t>(sizes.at(name));
    HEDDLE_CHECK(launch.set(sizeof size, &size));
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space != Space::kValue) continue;
    const std::vector<std::byte> value = bytes_of(arguments[i]);
    HEDDLE_CHECK(launch.set(value.size(), value.data()));
  }
  HEDDLE_CHECK(launch.start(grid, static_cast<std::size_t>(kernel.launch.threads)));
  for (std::size_t h = 0; h != held.size(); ++h) {
    HEDDLE_TRY(const Array memory, launch.read(h, held[h].memory));
    Array& argument = arguments[held[h].argument];
    argument = gathered(std::move(argument), held[h].places, memory);
  }
  return arguments;
}

Result<std::vector<Deviation>> compare(const Kernel& kernel, const DeviceKernel& device,
                                       const std::vector<Array>& arguments, const Sizes& given) {
  HEDDLE_TRY(const std::vector<Array> wanted, run(kernel, arguments, {given}));
  HEDDLE_TRY(const std::vector<Array> found, device.run(arguments, given));
  std::vector<Deviation> deviations;
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
      const double difference = std::abs(real(found[i], e) - value);
      ++deviation.different;
      deviation.greatest =
          std::isnan(difference) ? difference : std::max(deviation.greatest, difference);
    }
    deviation.relative = largest > 0 ? deviation.greatest / largest : deviation.greatest;
    deviations.push_back(std::move(deviation));
  }
  return deviations;
}

}  // namespace heddle::kernel
