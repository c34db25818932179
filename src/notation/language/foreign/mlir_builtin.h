#pragma once

// Maps and types of MLIR itself, within an expression: affine_map<…>, affine_set<…>,
// memref<4x8xf32, …>, vector<4x8xf16>. They are calls of `mlir` (heddle/notation/mlir.h).

#include <cstddef>
#include <string_view>

#include "heddle/core/result.h"
#include "notation/language/foreign/foreign_texts.h"

namespace heddle::notation {

/// The length of such a text at the beginning of the text; 0 if there is none. A memref or vector
/// begins with its sizes: those of CuTe and C++ begin with an element type.
[[nodiscard]] std::size_t builtin_length(std::string_view text);

[[nodiscard]] Result<Expression> read_builtin(std::string_view text, std::size_t& position,
                                              const ParsePiece& parse);

}  // namespace heddle::notation
