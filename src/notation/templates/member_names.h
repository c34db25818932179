#pragma once

// Member names of the program within a placeholder.
//
//   tile[{{ L[threadIdx.x] }}]   `threadIdx.x` is a name like another: threadIdx_x until it is
//                                printed

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/plain_text.h"
#include "heddle/emit/inline_text.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// Whether a name is bound, so that its members are its own.
using IsKnown = std::function<bool(const std::string& name)>;

/// Replaces `threadIdx.x` and similar by names of the expression language, with a `_` for every
/// dot; the result maps them back, and the expression refers to it. Members of known names, and
/// members that are called, are left alone.
[[nodiscard]] emit::Spelling take_members(Expression& expression, const IsKnown& is_known);

/// The conditions on thread indices of the program's language: CUDA's threadIdx.x and similar are
/// not negative. As they are unsigned, they are spelled `(int)threadIdx.x`.
[[nodiscard]] std::vector<std::string> take_indices_of_threads(emit::Spelling& spelling,
                                                               emit::Dialect dialect);

/// The text with every run of blanks replaced by one blank.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace heddle::notation
