#pragma once

// The functions that emitted CUDA calls for instructions that C++ has no words for: asynchronous
// copies, ldmatrix, mma. The source has the definitions that it uses where nvcc compiles it; a host
// gets models of the same signatures (src/checker).
//
//   cp_async_16(to, from, bytes)      16 bytes to shared memory, of which `bytes` are read from
//                                     global memory and the others are zeros; also _4 and _8
//   cp_async_commit()                 what was issued before and is in no group makes a group
//   cp_async_wait<1>()                until all groups but the last one have arrived
//   ldmatrix_x4(to, row)              4 registers, and a row of 16 bytes for each lane; also _x1
//                                     and _x2, and ldmatrix_trans_x1, …
//   mma_m16n8k16_f32_f16_f16_f32(d, a, b, c)
//                                     D = A B + C, each a pointer to the registers of the thread: D
//                                     may be C; the types are those of D, A, B and C
//   mma_sp_m16n8k32_f32_f16_f16_f32<0>(d, a, b, c, index)
//                                     A is sparse; the selector, and the register of its index
//
// The matrix instructions are those of the catalogue (form/instruction.h) that a warp does with
// mma.sync from sm_75 to sm_90, where it also says how the registers of a warp hold the matrices.
//
// Source: PTX ISA 9.0.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/form/instruction.h"

namespace heddle::kernel {

/// What a call has behind the pointers to what it writes and reads.
enum class LastArguments : std::uint8_t {
  kNone,
  /// The bytes that are read: all of the copy, or none.
  kBytes,
  /// The sums that a product adds to, which are those that it leaves.
  kSums,
  /// These, and the register of the index of a sparse A.
  kSumsAndIndex
};

struct Intrinsic {
  std::string name;
  /// CUDA C++: a `static __device__ __forceinline__` function.
  std::string definition;
  /// 80 of sm_80.
  int least_sm = 80;
  LastArguments last = LastArguments::kNone;
  /// Of a matrix instruction what the catalogue says of it.
  const form::InstructionListing* instruction = nullptr;
};

/// All of them, those of memory first. Built when it is first asked for.
[[nodiscard]] const std::vector<Intrinsic>& intrinsics();
/// The one of this name; nullptr if there is none.
[[nodiscard]] const Intrinsic* find_intrinsic(std::string_view name);

}  // namespace heddle::kernel
