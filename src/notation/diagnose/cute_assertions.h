#pragma once

// What CuTe's static assertions ask for, in plain words.

#include <string_view>

namespace heddle::notation {

struct CuteAssertion {
  /// What its message contains.
  std::string_view message;
  /// The condition, in a sentence.
  std::string_view meaning;
  /// What helps where it fails; may be empty.
  std::string_view advice;
};

/// The assertion with this message; nullptr where it is none of CuTe's that is known here.
[[nodiscard]] const CuteAssertion* find_cute_assertion(std::string_view message);

}  // namespace heddle::notation
