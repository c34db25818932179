#pragma once

// The words of a program within a placeholder.
//
//   tile[{{ L[threadIdx.x] }}]   `threadIdx.x` is a name like another: threadIdx_x until it is
//                                printed

#include <functional>
#include <string>

#include "heddle/emit/inline_text.h"

namespace heddle::notation {

/// `threadIdx.x` and its like become names of the expression language, a `_` for every dot; the
/// spelling leads back. What begins with a known name, or is called, means something else.
[[nodiscard]] emit::Spelling take_members(
    std::string& text, const std::function<bool(const std::string& name)>& is_known);

}  // namespace heddle::notation
