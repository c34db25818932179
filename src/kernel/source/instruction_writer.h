#pragma once

// The function that an instruction is on a target: its text there and, where a host compiles CUDA
// C++ for the CPU, what it means.
//
//   static __device__ __forceinline__ void apply_load_streaming(float* D, const float* S) {
//   #ifdef __CUDACC__
//     *(float4*)D = __ldcs((const float4*)S);
//   #else
//     D[0] = S[0];
//     …
//   #endif
//   }

#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/instruction.h"
#include "heddle/kernel/source.h"

namespace heddle::kernel {

/// Of an instruction that must outlive it, which a kernel applies.
class InstructionWriter {
 public:
  InstructionWriter(const Instruction& instruction, Target target, std::string_view kernel);

  /// The next operand is given elements of this type.
  void add_operand(DType type);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string head() const;
  [[nodiscard]] Result<std::string> body(std::string_view text) const;

 private:
  [[nodiscard]] std::string meaning() const;

  const Instruction& instruction_;
  Target target_;
  std::string name_;
  std::vector<std::string> parameters_;
};

}  // namespace heddle::kernel
