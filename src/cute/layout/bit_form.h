#pragma once

// Layouts of powers of two as matrices over GF(2), in which swizzles are linear too.
//
//   bit_form((2,4):(4,1))      bit 0 of the coordinate is bit 2 of the index, bits 1 and 2 are
//                              bits 0 and 1: a permutation matrix
//   bit_form((2,3):(3,1))      nothing

#include <optional>

#include "heddle/cute/composed_layout.h"
#include "heddle/form/bit_matrix.h"

namespace heddle::cute {

/// The layout as a matrix over GF(2), from the bits of the flat coordinate to the bits of the
/// index; nothing unless all extents and strides are powers of two (or 0) whose bits meet nowhere,
/// and no offset is added.
[[nodiscard]] std::optional<form::BitMatrix> bit_form(const AnyLayout& layout);

}  // namespace heddle::cute
