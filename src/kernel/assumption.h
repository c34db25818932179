#pragma once

// What a kernel would have to assume.

#include <fmt/format.h>

#include <string>

#include "heddle/expr/condition.h"
#include "heddle/expr/proof.h"

namespace heddle::kernel {

/// A hint for a condition that is not known: `assume N%4==0 before the launch`.
[[nodiscard]] inline std::string assumption(const Condition& condition) {
  const std::string sufficient = assumption_for(condition);
  return sufficient.empty() ? fmt::format("it needs {}", to_string(condition))
                            : fmt::format("assume {} before the launch", sufficient);
}

}  // namespace heddle::kernel
