#pragma once

// The words of a program within a placeholder.
//
//   tile[{{ L[threadIdx.x] }}]   `threadIdx.x` is a name like another: threadIdx_x until it is
//                                printed

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/plain_text.h"
#include "heddle/emit/inline_text.h"

namespace heddle::notation {

/// `threadIdx.x` and its like become names of the expression language, a `_` for every dot; the
/// spelling leads back. What begins with a known name, or is called, means something else.
[[nodiscard]] emit::Spelling take_members(
    std::string& text, const std::function<bool(const std::string& name)>& is_known);

/// What the program's language knows of them: CUDA's threadIdx.x and its like are unsigned, are
/// written `(int)threadIdx.x`, and are not negative, which is what the conditions say.
[[nodiscard]] std::vector<std::string> take_indices_of_threads(emit::Spelling& spelling,
                                                               emit::Dialect dialect);

/// Every run of blanks is one.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace heddle::notation
