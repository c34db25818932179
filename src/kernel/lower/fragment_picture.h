#pragma once

// Which lane and register of a warp holds each element of the operands of a matrix instruction, as
// text: the pictures of linear layouts (draw/linear.h), with a cell for each register of 32 bits.
//
//   A, 16 x 16 of f16: T1:2 is register 2 of lane 1, with 2 elements
//         0,1   2,3   4,5   6,7   8,9 …
//    0   T0:0  T1:0  T2:0  T3:0  T0:2 …
//    1   T4:0  T5:0  T6:0  T7:0  T4:2 …
//    …

#include <string>
#include <string_view>

#include "heddle/core/result.h"

namespace heddle::kernel {

/// Those of A, B, C and, for a sparse A, its index E. D is held as C. Refuses what the catalogue
/// refuses for an instruction that the machine does not have.
[[nodiscard]] Result<std::string> fragment_pictures(std::string_view instruction,
                                                    std::string_view machine);

}  // namespace heddle::kernel
