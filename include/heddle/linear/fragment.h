#pragma once

// Fragments of machines (form/fragment.h) as linear layouts:
//
//   A of v_mfma_f32_32x32x8f16      - register=1 -> (0, 1)     (register, lane) -> (row, col)
//                                     register=2 -> (0, 2)
//                                   - lane=1 -> (1, 0) …

#include "heddle/core/result.h"
#include "heddle/form/fragment.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

/// (place, …) -> (dimension, …). Refuses `fragment.sizes` if an extent is no power of two,
/// `fragment.unused` if some places hold nothing, `fragment.descending` if some places hold the
/// elements from the last one on, which maps place 0 to an element that is not (0, …).
[[nodiscard]] Result<LinearLayout> linear_layout(const form::Fragment& fragment);

}  // namespace heddle::linear
#pragma GCC visibility pop
