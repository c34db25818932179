#pragma once

// fmt formatters for Int and the types built on it.

#include "core/format.h"
#include "core/text.h"
#include "heddle/expr/int.h"

template <>
struct fmt::formatter<heddle::Int> : fmt::ostream_formatter {};

namespace heddle {

/// `1 mode`, `M modes`
[[nodiscard]] inline std::string counted(const Int& count, std::string_view noun) {
  return counted(std::string_view(to_string(count)), noun);
}

}  // namespace heddle
