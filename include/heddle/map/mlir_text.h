#pragma once

// Layouts as MLIR writes them: a strided memref, or an affine_map.
//
//   mlir_text((4,8):(8,1))                memref<4x8xf32>
//   mlir_text((4,8):(1,4))                memref<4x8xf32, strided<[1, 4]>>
//   mlir_text((4,(2,4)):(2,(1,8)))        affine_map<(d0, d1) -> (d0 * 2 + d1 mod 2 + …)>
//   mlir_text(S[(2,4):(1@gpuid,1@m)])     affine_map<(d0, d1) -> (d0, d1)>: gpuid, m
//
//   mlir_text(Sw<1,0,2> o 0 o (3,4):(4,1))  affine_map<(d0, d1) -> (…)>
//
// A bit of a swizzled address is the sum of some bits of the coordinate mod 2, which is affine too;
// that bit is written so. Only choices, products of indices and quotients by them are not affine.

#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/convert.h"

#pragma GCC visibility push(default)
namespace heddle::map {

struct MlirText {
  std::string text;
  /// The box of the coordinates, which an affine_map does not have.
  std::vector<Int> shape;
  /// The axes of the results, if they are several.
  std::string remark;
};

/// The layout as a memref if it has one stride for each coordinate, of elements of f32 for want of
/// a type; otherwise its affine_map, taken literally (reading.h): of its digits, of its bits, or of
/// the expressions of its indices. Refuses `convert.undecided` if these are not affine as they are
/// found, `convert.copies`, `convert.symbolic`, and what view() refuses.
[[nodiscard]] Result<MlirText> mlir_text(const AnyLayout& layout,
                                         const ConvertOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
