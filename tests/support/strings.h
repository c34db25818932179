#pragma once

// Questions about texts.

#include <string_view>

namespace heddle::test {

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace heddle::test
