#pragma once

// What becomes of the first kernel of a text, for tests.

#include <string_view>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"

namespace heddle::kernel {

inline Result<ThreadProgram> lowered(std::string_view text, Target target = Target::kCuda) {
  HEDDLE_TRY(const std::vector<Kernel> kernels, notation::parse_kernels(text));
  return lower(kernels.front(), options_for(target));
}

}  // namespace heddle::kernel
