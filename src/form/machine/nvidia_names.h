#pragma once

// What the names of NVIDIA's instructions say. CuTe's are those of the catalogue, and PTX's
// mnemonics are their aliases:
//
//   SM80_16x8x16_F32F16F16F32_TN         D, A, B and C; mma.sync.…m16n8k16.row.col.f32.f16.f16.f32
//   SM90_64x104x16_F32F16F16_RS          A in registers; wgmma.mma_async.…m64n104k16.f32.f16.f16
//   SM120_16x8x32_TN<e4m3,e5m2,float>    A, B and C as arguments
//
// Sources: CuTe's include/cute/arch, PTX ISA 9.0.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "form/machine/families.h"

namespace heddle::form {

/// `name` as PTX writes it: f16, e4m3, b1, ….
struct NvidiaType {
  std::string_view name;
  int bits = 32;
};

/// The type with which the text begins, as CuTe and PTX write them: `F16`, `half_t`,
/// `float_e4m3_t`, ….
[[nodiscard]] NvidiaType nvidia_type(std::string_view text);
/// The types of `F32F16F16F32`, in that order.
[[nodiscard]] std::vector<NvidiaType> nvidia_types(std::string_view run);

/// `sm_80` of a name that begins with `SM80`; what is older than all machines is in the first one.
[[nodiscard]] std::string nvidia_machine(std::string_view name);
/// M, N and K of `16x8x16` or `m16n8k16`, and the latter.
[[nodiscard]] std::array<std::int64_t, 3> nvidia_shape(std::string_view text);
[[nodiscard]] std::string ptx_shape(const std::array<std::int64_t, 3>& shape);

[[nodiscard]] InstructionOperand nvidia_operand(std::string name, const NvidiaType& type,
                                                Fragment fragment);

/// A name in lower case as it is looked up: PTX's without `.sync` and the like, which are always
/// there; CuTe's without namespaces, without `_t` and the majors of a template's arguments. For
/// tcgen05 all types that a descriptor chooses from are e4m3.
[[nodiscard]] std::string nvidia_key(std::string name);

/// Lists what is made from its name.
void list_by_name(InstructionListings& listings, const std::string& name, std::string machine,
                  std::int64_t lanes, std::vector<std::string> aliases,
                  Instruction (*make)(const std::string& name, const std::string& machine),
                  bool is_passed_on = true);

}  // namespace heddle::form
