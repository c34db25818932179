#pragma once

// Types of CuTe DSL, as its MLIR and its Python side print them:
//
//   !cute.layout<"(8,64):(64,1)">                      (8,64):(64,1)
//   !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
//   !cute.tile<"[8:1;16:1]">                           <8:1,16:1>
//   !cute.memref<f16, smem, align<128>, S<3,4,3>, "(8,64):(64,1)">
//   !cute.coord_tensor<"(0,32)", "(8,64):(1@0,1@1)">
//   tensor<ptr<f16, gmem, align<16>> o (8,64):(64,1)>
//   tensor(raw_ptr(0x400: f32, rmem, align<32>) o (4,3):(1,4), data=[…])
//
// The swizzle of a pointer acts on bytes, as in C++ (cute/tensor.h).

#include <cstddef>
#include <string_view>

#include "heddle/core/result.h"
#include "notation/language/foreign/foreign_texts.h"

namespace heddle::notation {

/// Whether the text begins with such a type: `!cute.…`, `#cute.…`, or `ptr<`, `raw_ptr(`,
/// `memref<`, `tensor<`, `tensor(`.
[[nodiscard]] bool begins_mlir_type(std::string_view text);

/// The type that begins at `position`, which moves past it. Refuses `syntax.mlir_type` for types
/// that are not CuTe's, `syntax.unbalanced`, and what `parse` refuses.
[[nodiscard]] Result<Expression> read_mlir_type(std::string_view text, std::size_t& position,
                                                const ParsePiece& parse);

}  // namespace heddle::notation
