#pragma once

// The types of elements, and what they are called: by PTX, CUTLASS, C++, NumPy, PyTorch, Triton,
// MLIR, safetensors and CuTe DSL. This is the one place where that is stated.
//
//   find_element_type("cutlass::half_t")->name      f16
//   find_element_type("float8_e4m3fn")->bits        8
//   same_element_type("bfloat16", "BF16")           true
//
// Formats that differ have names of their own: e4m3 is OCP's, e4m3fnuz that of AMD's CDNA3.

#include <cstdint>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::form {

struct ElementType {
  /// "f16", "bf16", "e4m3", "i32", "u8", "bool": the name in kernels.
  std::string_view name;
  std::int64_t bits = 0;
  /// "<f2" and "F16": its names in NumPy's and in safetensors files; empty if they have none.
  /// NumPy keeps what it has no type for as bytes.
  std::string_view numpy = {};
  std::string_view safetensors = {};
  /// "FLOAT16": its name in CUDA's tensor maps; empty if they have none.
  std::string_view tensor_map = {};
  /// "float16", "__half" and "ncclFloat16": its names in NumPy and PyTorch, in CUDA, and in NCCL,
  /// which has no name for some of them. Empty for types that programs for NCCL do not have.
  std::string_view framework = {};
  std::string_view cuda = {};
  std::string_view nccl = {};
  /// "s32" for i32: its name in PTX, if it is another one.
  std::string_view ptx = {};
};

/// The type of that name, in upper or lower case, with or without the namespace or the module in
/// front of it; nullptr if none is known.
[[nodiscard]] const ElementType* find_element_type(std::string_view name);

/// All of them.
[[nodiscard]] std::vector<const ElementType*> element_types();

/// Its name in PTX; the name itself if the type is not known.
[[nodiscard]] std::string_view ptx_name(std::string_view name);

/// The first type of this many bits with that name in NumPy's files, and the first with that name
/// in safetensors files; nullptr if there is none.
[[nodiscard]] const ElementType* element_type_of_numpy(std::string_view name, std::int64_t bits);
[[nodiscard]] const ElementType* element_type_of_safetensors(std::string_view name);

/// Whether both name one type. A name that is not known is the same as itself.
[[nodiscard]] bool same_element_type(std::string_view a, std::string_view b);

}  // namespace heddle::form
#pragma GCC visibility pop
