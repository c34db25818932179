#include "back_end.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "heddle/expr/proof.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

void run_command(const std::string& command, const std::string& path) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error(path + ": does not compile");
}

Argument value_argument(const kernel::Array& array) {
  if (array.type == kernel::DType::kF32) {
    float value = 0;
    std::memcpy(&value, array.elements.data(), sizeof value);
    return Argument(value);
  }
  return Argument(static_cast<std::int32_t>(array.elements.front()));
}

}  // namespace

Result<void> BackEnd::add(const kernel::Kernel& kernel) {
  HEDDLE_TRY(kernel::ThreadProgram program, lower(kernel, options_for(target_)));
  return add(std::move(program));
}

Result<void> BackEnd::add(kernel::ThreadProgram program) {
  // A refusal of the source is one of the kernel.
  HEDDLE_CHECK(to_source(program, target_));
  programs_.push_back(std::move(program));
  return {};
}

void BackEnd::compile(const std::string& folder) {
  source_ = to_source(programs_, target_).value();
  if (target_ == kernel::Target::kOpenCl) {
    const std::string path = folder + "/programs.cl";
    write_file(path, source_);
    device_ = open_device(path);
    return;
  }
  if (target_ == kernel::Target::kCpu) {
    const std::string path = folder + "/programs.c";
    write_file(path, source_);
    const std::string command = std::string(HEDDLE_CXX) +
                                " -x c -std=gnu17 -O1 -w -march=native -fopenmp -ffp-contract=off"
                                " -fno-math-errno -fno-trapping-math -fPIC -shared -o " +
                                path + ".so " + path + " -lm";
    run_command(command, path);
    library_ = dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    return;
  }
  const std::string path = folder + "/programs.cu";
  write_file(path, source_);
  if (const char* nvcc = std::getenv("HEDDLE_PROGRAMS_NVCC")) {
    run_command(
        std::string(nvcc) + " -fatbin -std=c++17 -fmad=false -w -o " + path + ".fatbin " + path,
        path);
    device_ = open_device(path + ".fatbin");
    return;
  }
  const std::string command =
      std::string(HEDDLE_CXX) +
      " -x c++ -std=c++17 -O1 -w -ffp-contract=off -fPIC -shared -include " +
      HEDDLE_KERNELS_FOLDER + "/../src/checker/models/cuda_on_cpu.h -o " + path + ".so " + path;
  run_command(command, path);
  device_ = open_device(path + ".so");
}

std::vector<kernel::Array> BackEnd::run(const kernel::Kernel& kernel,
                                        std::vector<kernel::Array> arguments,
                                        const kernel::Sizes& sizes, ThreadOrder order) {
  if (target_ == kernel::Target::kCpu) return run_on_cpu(kernel, std::move(arguments), sizes);
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  std::vector<Buffer<std::byte>> buffers;
  std::vector<kernel::Places> places;
  std::vector<Argument> list;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == kernel::Space::kValue) continue;
    places.push_back(places_of(kernel.parameters[i], arguments[i], sizes).value());
    buffers.emplace_back(*device_, bytes_of(spread_out(arguments[i], places.back())));
    list.emplace_back(buffers.back().memory());
  }
  for (const std::string& name : size_names(kernel)) {
    list.emplace_back(static_cast<std::int32_t>(sizes.at(name)));
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == kernel::Space::kValue) {
      list.push_back(value_argument(arguments[i]));
    }
  }
  std::vector<std::int64_t> grid = {1, 1, 1};
  for (std::size_t d = 0; d != kernel.launch.grid.size(); ++d) {
    grid[d] = instantiate(kernel.launch.grid[d], values).value().value();
  }
  device_->set_order(order);
  device_->launch(kernel.name, {grid[0], grid[1], grid[2]}, {kernel.launch.threads},
                  std::span<Argument>(list));
  device_->finish();
  std::size_t next = 0;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == kernel::Space::kValue) continue;
    const std::vector<std::byte> bytes = buffers[next].read();
    const kernel::Array memory = array_of(arguments[i].type, {}, bytes);
    arguments[i] = gathered(std::move(arguments[i]), places[next], memory);
    ++next;
  }
  return arguments;
}

std::vector<std::vector<std::byte>> memory_of_arguments(const kernel::Kernel& kernel,
                                                        const std::vector<kernel::Array>& arguments,
                                                        const kernel::Sizes& sizes) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::vector<std::byte>> values;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == kernel::Space::kValue) {
      values.push_back(bytes_of(arguments[i]));
      continue;
    }
    const kernel::Places places = places_of(kernel.parameters[i], arguments[i], sizes).value();
    memory.push_back(bytes_of(spread_out(arguments[i], places)));
  }
  for (const std::string& name : size_names(kernel)) {
    const auto number = static_cast<std::int32_t>(sizes.at(name));
    const auto bytes = std::as_bytes(std::span(&number, 1));
    memory.emplace_back(bytes.begin(), bytes.end());
  }
  std::ranges::move(values, std::back_inserter(memory));
  return memory;
}

std::vector<kernel::Array> arguments_in_memory(const kernel::Kernel& kernel,
                                               std::vector<kernel::Array> arguments,
                                               const kernel::Sizes& sizes,
                                               const std::vector<std::vector<std::byte>>& memory) {
  std::size_t next = 0;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (kernel.parameters[i].space == kernel::Space::kValue) continue;
    const kernel::Places places = places_of(kernel.parameters[i], arguments[i], sizes).value();
    const kernel::Array found = array_of(arguments[i].type, {}, memory[next++]);
    arguments[i] = gathered(std::move(arguments[i]), places, found);
  }
  return arguments;
}

std::vector<kernel::Array> BackEnd::run_on_cpu(const kernel::Kernel& kernel,
                                               std::vector<kernel::Array> arguments,
                                               const kernel::Sizes& sizes) {
  std::vector<std::vector<std::byte>> memory = memory_of_arguments(kernel, arguments, sizes);
  std::vector<void*> list;
  for (auto& each : memory) list.push_back(each.data());
  using Run = int (*)(void* const*, int, int);
  const auto run =
      reinterpret_cast<Run>(dlsym(library_, ("heddle_run_" + kernel.name).c_str()));  // NOLINT
  if (run == nullptr || run(list.data(), 2, -1) != 0) throw std::runtime_error(kernel.name);
  return arguments_in_memory(kernel, std::move(arguments), sizes, memory);
}

std::string wrong_result(BackEnd& back_end, const kernel::Kernel& kernel,
                         const std::vector<kernel::Array>& arguments, const kernel::Sizes& sizes,
                         const std::vector<kernel::Array>& wanted, double tolerance) {
  std::vector<ThreadOrder> orders = {ThreadOrder::kFirstFirst};
  if (back_end.target() == kernel::Target::kCuda) orders.push_back(ThreadOrder::kLastFirst);
  for (const ThreadOrder order : orders) {
    const std::vector<kernel::Array> found = back_end.run(kernel, arguments, sizes, order);
    for (std::size_t i = 0; i != found.size(); ++i) {
      const std::string text = difference(found[i], wanted[i], tolerance);
      if (text.empty()) continue;
      return kernel.parameters[i].name + ": " + text +
             (order == ThreadOrder::kLastFirst ? ", where the last thread runs first" : "");
    }
  }
  return {};
}

}  // namespace heddle::kernels
