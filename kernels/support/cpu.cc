#include "support/cpu.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>

namespace heddle::kernels {

Call::Call(const std::string& kernel, void* function, std::span<const Argument> arguments)
    : function_(reinterpret_cast<Function>(function)) {
  if (function == nullptr) throw std::runtime_error("no kernel is called " + kernel);
  auto word = words_.begin();
  auto number = numbers_.begin();
  for (const Argument& argument : arguments) {
    if (argument.is_floating() ? number == numbers_.end() : word == words_.end()) {
      throw std::runtime_error(kernel + ": too many arguments");
    }
    void* const to = argument.is_floating() ? static_cast<void*>(&*number++) : &*word++;
    std::memcpy(to, argument.data(), argument.size());
  }
}

void Call::operator()() const {
  const auto& w = words_;
  const auto& n = numbers_;
  function_(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], n[0], n[1],
            n[2], n[3]);
}

Memory CpuDevice::allocate(std::size_t bytes) {
  return reinterpret_cast<Memory>(new std::byte[bytes]);
}

void CpuDevice::release(Memory memory) { delete[] reinterpret_cast<std::byte*>(memory); }

void CpuDevice::write(Memory memory, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(memory), from, bytes);
}

void CpuDevice::read(Memory memory, void* to, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(memory), bytes);
}

void* CpuDevice::open_library(const std::string& path) {
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

}  // namespace heddle::kernels
