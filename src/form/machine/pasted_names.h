#pragma once

// Names of instructions as compilers and programs write them, turned into those of the catalogue.
//
//   llvm.amdgcn.mfma.f32.32x32x8f16, rocdl.…, __builtin_amdgcn_…    v_mfma_f32_32x32x8f16
//   __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
//                                          v_wmma_f32_16x16x16_f16 of RDNA4 with 32 lanes
//   llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16
//                                          … of which a lane has 256 bits of D and of A: of RDNA3
//   cute::MMA_Atom<cute::SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>
//                                                                    SM90_64x64x16_F32F16F16_SS
//   _tile_dpbf16ps                                                   tdpbf16ps

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::form {

struct PastedName {
  /// The name in the catalogue; of another name the name as it is.
  std::string name;
  /// What clang's name of a builtin ends with, `_w32` or `_w64`, and the machine that alone has the
  /// builtin; 0 and empty for other names.
  std::int64_t lanes = 0;
  std::string_view machine = {};
  /// The bits of D and of A that a lane has, by the types with which LLVM's intrinsics end; 0 where
  /// no types are written.
  std::int64_t bits_of_d = 0;
  std::int64_t bits_of_a = 0;
};
[[nodiscard]] PastedName pasted_name(std::string_view name);

}  // namespace heddle::form
