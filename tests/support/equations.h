#pragma once

// Finds the equations in a sentence, `6/3 = 2`, `13 = 3*4 + 1`, `ceil(7/2) = 4`, and computes both
// sides: an explanation must not say a false one. Layouts and other texts around them are passed
// over. A division that is not exact is false without floor or ceil.

#include <string_view>

#include "heddle/core/explanation.h"
#include "support/law.h"

namespace heddle::test {

struct Equations {
  int count = 0;
  /// The first false one.
  Finding wrong;
};

[[nodiscard]] Equations equations_in(std::string_view text);
/// In all texts of an explanation and its steps.
[[nodiscard]] Equations equations_in(const Explanation& explanation);

}  // namespace heddle::test
