#pragma once

// Matrix instructions as pictures: the owner of each element of A, B and C.

#include "heddle/draw/picture.h"
#include "heddle/form/instruction.h"

namespace heddle::notation {

/// A, B and C as an MMA if they are matrices of the instruction's shape; otherwise every operand by
/// itself, its first dimension down, the others along. T is a lane, and V one of its elements; of
/// machines without lanes V is a place of the first kind, and T one of the others. Refuses as
/// tv_picture().
[[nodiscard]] Result<draw::Picture> instruction_picture(const form::Instruction& instruction,
                                                        draw::PictureOptions options);

}  // namespace heddle::notation
