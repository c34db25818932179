// Runs kernels of heddle/kernel on a back end, beside what they mean.
//
//   BackEnd opencl(kernel::Target::kOpenCl);
//   opencl.add("kernel copy(A: f32[N], B: f32[N]) launch … { … }");      many, compiled together
//   opencl.compile();
//   opencl.run("copy", arguments)
//
// Kernels for CUDA run on the CPU, thread by thread; on a GPU where HEDDLE_PROGRAMS_NVCC in the
// environment says what compiles them: "nvcc -arch=sm_90".

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/kernel/meaning.h"
#include "heddle/kernel/source.h"
#include "support/device.h"

namespace heddle::kernels {

class BackEnd {
 public:
  explicit BackEnd(kernel::Target target) : target_(target) {}

  // Refuses what lower() and to_source() refuse.
  Result<void> add(const kernel::Kernel& kernel);
  // The program under its own name.
  Result<void> add(kernel::ThreadProgram program);
  // Throws DeviceMissing where nothing runs the target.
  void compile(const std::string& folder);
  std::vector<kernel::Array> run(const kernel::Kernel& kernel, std::vector<kernel::Array> arguments,
                                 const kernel::Sizes& sizes,
                                 ThreadOrder order = ThreadOrder::kFirstFirst);
  [[nodiscard]] const std::vector<kernel::ThreadProgram>& programs() const { return programs_; }
  [[nodiscard]] kernel::Target target() const { return target_; }
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  kernel::Target target_;
  std::vector<kernel::ThreadProgram> programs_;
  std::string source_;
  std::vector<kernel::Array> run_on_cpu(const kernel::Kernel& kernel,
                                        std::vector<kernel::Array> arguments,
                                        const kernel::Sizes& sizes);

  std::unique_ptr<Device> device_;
  // Of sources for CPUs.
  void* library_ = nullptr;
};

// What a kernel for CPUs is given, in order: the memory of tensors, sizes, values.
std::vector<std::vector<std::byte>> memory_of_arguments(const kernel::Kernel& kernel,
                                                        const std::vector<kernel::Array>& arguments,
                                                        const kernel::Sizes& sizes);
// The arguments as that memory has them when the kernel has run.
std::vector<kernel::Array> arguments_in_memory(const kernel::Kernel& kernel,
                                               std::vector<kernel::Array> arguments,
                                               const kernel::Sizes& sizes,
                                               const std::vector<std::vector<std::byte>>& memory);

// Runs the kernel, where threads run one after the other in both orders. Empty if the results are
// those wanted; else which one is not, and where.
std::string wrong_result(BackEnd& back_end, const kernel::Kernel& kernel,
                         const std::vector<kernel::Array>& arguments, const kernel::Sizes& sizes,
                         const std::vector<kernel::Array>& wanted, double tolerance);

}  // namespace heddle::kernels
