#pragma once

// The compiler of this machine for a language: that which a variable of the environment names, else
// the first of some in PATH.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"

namespace heddle::kernel {

struct HostCompilers {
  const char* variable;
  std::string_view language;
  std::array<std::string_view, 3> names;
};
inline constexpr HostCompilers kCCompilers = {"CC", "C", {"cc", "gcc", "clang"}};
inline constexpr HostCompilers kCxxCompilers = {"CXX", "C++", {"c++", "g++", "clang++"}};

/// Says that there is none, or why it cannot be run: `kernel.no_compiler`.
[[nodiscard]] Refusal refuse_compiler(const HostCompilers& compilers, std::string what);
/// The compiler's path, and options that the variable has behind it. Refuses `kernel.no_compiler`.
[[nodiscard]] Result<std::vector<std::string>> find_compiler(const HostCompilers& compilers);

}  // namespace heddle::kernel
