#pragma once

#include <optional>

#include "heddle/cute/composed_layout.h"
#include "heddle/form/bit_matrix.h"

namespace heddle::cute {

/// The layout as a matrix over GF(2), from the bits of the flat coordinate to the bits of the
/// index; nothing unless all extents and strides are powers of two (or 0) whose bits meet nowhere,
/// and no offset is added.
[[nodiscard]] std::optional<form::BitMatrix> bit_form(const AnyLayout& layout);

}  // namespace heddle::cute
