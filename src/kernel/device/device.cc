// Compiles a kernel's OpenCL source on the first device, and runs it on arrays.

#include "heddle/kernel/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/source.h"
#include "heddle/map/instantiate.h"
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

std::size_t bytes_of(DType type) { return static_cast<std::size_t>(bits(type) / 8); }

}  // namespace

Result<Places> places_of(const Tensor& parameter, const Array& array, const Sizes& sizes) {
  Places places;
  places.elements = static_cast<std::int64_t>(array.elements.size());
  if (!parameter.layout) {
    for (std::int64_t i = 0; i != places.elements; ++i) places.of_element.push_back(i);
    return places;
  }
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  std::vector<Int> shape(array.shape.begin(), array.shape.end());
  HEDDLE_TRY(const map::AnyLayout layout, map::instantiate(*parameter.layout, values));
  HEDDLE_TRY(map::View view, map::view(layout));
  HEDDLE_TRY(view, map::reshaped(view, shape));
  const std::int64_t count = places.elements;
  for (std::int64_t i = 0; i != count; ++i) {
    const std::vector<Int> place = view.evaluate(form::unflatten(shape, i), 0);
    if (place.size() != 1 || !place.front().is_constant() || place.front().value() < 0) {
      return refuse("kernel.layout", fmt::format("the layout of {} puts element {} at no place in "
                                                 "memory",
                                                 to_string(parameter), i));
    }
    places.of_element.push_back(place.front().value());
    places.elements = std::max(places.elements, place.front().value() + 1);
  }
  return places;
}

struct DeviceKernel::State {
  OpenCl opencl;
  Kernel kernel;
  std::string name;
  OwnedHandle context;
  OwnedHandle queue;
  OwnedHandle program;
  OwnedHandle function;
};

const std::string& DeviceKernel::device() const { return state_->name; }

Result<DeviceKernel> DeviceKernel::compile(const Kernel& kernel) {
  HEDDLE_TRY(const ThreadProgram lowered, lower(kernel, options_for(Target::kOpenCl)));
  HEDDLE_TRY(const std::string source, to_source(lowered, Target::kOpenCl));
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

Result<std::vector<Array>> DeviceKernel::run(std::vector<Array> arguments,
                                             const Sizes& given) const {
  const Kernel& kernel = state_->kernel;
  const OpenCl& opencl = state_->opencl;
  HEDDLE_TRY(const Sizes sizes, sizes_of(kernel, arguments, given));
  std::vector<OwnedHandle> buffers(arguments.size());
  std::vector<Places> places(arguments.size());
  cl::UInt position = 0;
  const auto set = [&](std::size_t size, const void* value) -> Result<void> {
    const cl::Int error = opencl.clSetKernelArg(state_->function.get(), position++, size, value);
    if (error != 0) return refuse_device("clSetKernelArg", error);
    return {};
  };
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const Tensor& parameter = kernel.parameters[i];
    if (parameter.space == Space::kValue) continue;
    HEDDLE_TRY(places[i], places_of(parameter, arguments[i], sizes));
    if (places[i].elements > kMaxElements) {
      return refuse("kernel.launch", fmt::format("{} has {} elements, and a kernel counts up to {}",
                                                 parameter.name, places[i].elements, kMaxElements));
    }
    const std::size_t width = bytes_of(parameter.type);
    std::vector<std::byte> memory(static_cast<std::size_t>(places[i].elements) * width);
    for (std::size_t e = 0; e != arguments[i].elements.size(); ++e) {
      const auto at = static_cast<std::size_t>(places[i].of_element[e]) * width;
      std::memcpy(memory.data() + at, &arguments[i].elements[e], width);
    }
    cl::Int error = 0;
    buffers[i] = {opencl.clCreateBuffer(state_->context.get(), cl::kReadWrite | cl::kCopyHostMemory,
                                        memory.size(), memory.data(), &error),
                  opencl.clReleaseMemObject};
    if (error != 0) return refuse_device("clCreateBuffer", error);
    const cl::Handle buffer = buffers[i].get();
    HEDDLE_CHECK(set(sizeof buffer, static_cast<const void*>(&buffer)));
  }
  for (const std::string& name : size_names(kernel)) {
    const auto size = static_cast<std::int32_t>(sizes.at(name));
    HEDDLE_CHECK(set(sizeof size, &size));
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space != Space::kValue) continue;
    HEDDLE_CHECK(set(bytes_of(kernel.parameters[i].type), arguments[i].elements.data()));
  }
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  std::array<std::size_t, 3> block = {static_cast<std::size_t>(kernel.launch.threads), 1, 1};
  std::array<std::size_t, 3> grid = block;
  for (std::size_t d = 0; d != kernel.launch.grid.size(); ++d) {
    HEDDLE_TRY(const Int extent, instantiate(kernel.launch.grid[d], values));
    grid[d] *= static_cast<std::size_t>(extent.value());
  }
  cl::Int error =
      opencl.clEnqueueNDRangeKernel(state_->queue.get(), state_->function.get(), 3, nullptr,
                                    grid.data(), block.data(), 0, nullptr, nullptr);
  if (error != 0) return refuse_device("clEnqueueNDRangeKernel", error);
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (buffers[i].get() == nullptr) continue;
    const std::size_t width = bytes_of(arguments[i].type);
    std::vector<std::byte> memory(static_cast<std::size_t>(places[i].elements) * width);
    error = opencl.clEnqueueReadBuffer(state_->queue.get(), buffers[i].get(), cl::kTrue, 0,
                                       memory.size(), memory.data(), 0, nullptr, nullptr);
    if (error != 0) return refuse_device("clEnqueueReadBuffer", error);
    for (std::size_t e = 0; e != arguments[i].elements.size(); ++e) {
      const auto at = static_cast<std::size_t>(places[i].of_element[e]) * width;
      arguments[i].elements[e] = 0;
      std::memcpy(&arguments[i].elements[e], memory.data() + at, width);
    }
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
