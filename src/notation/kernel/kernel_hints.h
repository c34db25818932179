#pragma once

// Hints for what CUDA, OpenCL, Triton, TileLang, CuTe DSL, C and Python write in another way.
//
//   x = c ? a : b          hint: a if c else b
//   Y[threadIdx.x] = 0     hint: bx, by and bz are indices of blocks; tx, … within thread { … }
//
// A text is read by its own rules alone. Only when it is refused, and something foreign is at the
// place of the refusal, the hint says what is written instead.

#include <string>
#include <string_view>

#include "heddle/core/diagnostic.h"

namespace heddle::notation {

/// The refusal of a part of the text, with the hint if something foreign is at its place.
[[nodiscard]] Diagnostic with_foreign_hint(Diagnostic refused, std::string_view text);

}  // namespace heddle::notation
