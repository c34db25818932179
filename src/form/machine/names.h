#pragma once

// Names of instructions and machines: the same in upper and in lower case, made of parts, and often
// many of one pattern.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::form {

/// Whether both are the same but for upper and lower case.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);
[[nodiscard]] std::string lower_case(std::string_view name);

/// The parts between the separators: `a_b` at `_` is `a` and `b`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at);
/// The number with which the text begins, 0 if it begins with none.
[[nodiscard]] std::int64_t number(std::string_view text);

/// `8x8_{F16,F32}_TN`: a name for each choice within the braces.
[[nodiscard]] std::vector<std::string> expand(std::string_view pattern);

}  // namespace heddle::form
