// What devices have in common that are this CPU: programs are shared libraries, kernels their
// functions, and buffers its memory.

#pragma once

#include "support/device.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace heddle::kernels {

// A function of any type with its arguments. Integers and pointers are handed over in registers of
// their own, and so are floating-point numbers, on the machines that this is for: one type of
// function serves all kernels.
class Call {
 public:
  Call(const std::string& kernel, void* function, std::span<const Argument> arguments);
  void operator()() const;

 private:
  using Word = std::uint64_t;
  using Function = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                            float, float, float, float);

  Function function_;
  std::array<Word, 12> words_{};
  std::array<float, 4> numbers_{};
};

class CpuDevice : public Device {
 public:
  bool is_gpu() const final { return false; }
  void finish() final {}

  Memory allocate(std::size_t bytes) final;
  void release(Memory memory) final;
  void write(Memory memory, const void* from, std::size_t bytes) final;
  void read(Memory memory, void* to, std::size_t bytes) final;

 protected:
  static void* open_library(const std::string& path);
};

}  // namespace heddle::kernels
