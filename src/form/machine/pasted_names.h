#pragma once

// Names of instructions as compilers and programs write them, turned into those of the catalogue.
//
//   llvm.amdgcn.mfma.f32.32x32x8f16, rocdl.…, __builtin_amdgcn_…    v_mfma_f32_32x32x8f16
//   cute::MMA_Atom<cute::SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>
//                                                                    SM90_64x64x16_F32F16F16_SS
//   _tile_dpbf16ps                                                   tdpbf16ps

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::form {

/// The name in the catalogue; another name as it is.
[[nodiscard]] std::string catalogued_name(std::string_view name);
/// The lanes that clang's name of a builtin ends with, `_w32` or `_w64`; 0 for other names.
[[nodiscard]] std::int64_t lanes_in_name(std::string_view name);

}  // namespace heddle::form
