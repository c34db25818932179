#pragma once

// Maps and types of MLIR.
//
//   affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 mod 8 + s0)>    [s0] -> { [d0, d1] -> [4d0 + … ] }
//   affine_set<(d0) : (d0 - 10 >= 0)>                       { [d0] -> [] : d0 >= 10 }
//   memref<4x8xf32>, vector<4x8xf16>                        (4,8):(8,1)
//   memref<4x8xf32, strided<[1, 4], offset: 3>>             3 + (4,8):(1,4)
//   memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>>       a relation on the box of the type
//
// An affine_map is a function on all integers; on a box it is what a memref of its shape has. The
// symbols of a map are the parameters of the relation.

#include <string>
#include <string_view>
#include <variant>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Refuses `syntax.mlir_type` with the place for other texts, and for sizes and strides that are
/// known only at run time; `relation.not_affine` for a semi-affine expression (products of indices,
/// division by a symbol); `relation.gave_up`, `layout.extent`.
[[nodiscard]] Result<map::AnyLayout> parse_mlir(std::string_view text,
                                                const map::Limits& limits = {});

}  // namespace heddle::notation
#pragma GCC visibility pop
