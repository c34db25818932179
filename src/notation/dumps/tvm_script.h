#pragma once

// The Axe layouts in the source of a program in Python, with the names and the shapes of their
// buffers.
//
//   read_script("A = T.alloc_buffer((8, 64), \"float16\", layout=T.S[8:64, 64:1])")
//     A = S[8:64, 64:1], of shape (8,64)

#include <string_view>

#include "heddle/notation/recognize.h"

namespace heddle::notation {

/// The text is searched, not parsed. A layout is called as the buffer that has it, or as what it is
/// bound to. A buffer's shape is taken if it has as many elements as the layout, and a remark says
/// so if not.
[[nodiscard]] Recognized read_script(std::string_view text);

}  // namespace heddle::notation
