#pragma once

// The requirements of CuTe's static assertions, in plain words.

#include <string_view>

namespace heddle::notation {

struct CuteAssertion {
  /// A part of its message that identifies it.
  std::string_view message;
  /// The condition, in a sentence.
  std::string_view meaning;
  /// How to fix it if it fails; may be empty.
  std::string_view advice;
};

/// The assertion with this message; nullptr if it is not a known assertion of CuTe.
[[nodiscard]] const CuteAssertion* find_cute_assertion(std::string_view message);

}  // namespace heddle::notation
