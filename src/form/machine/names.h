#pragma once

// Names of instructions and machines are the same in upper and in lower case.

#include <string_view>

namespace heddle::form {

/// Whether both are the same but for upper and lower case.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);

}  // namespace heddle::form
