#pragma once

// Plans in C++ for NCCL.

#include <string>

#include "heddle/core/result.h"
#include "heddle/distribute/source.h"

namespace heddle::distribute {

/// Refuses as to_source().
[[nodiscard]] Result<std::string> nccl_text(const Plan& plan, const SourceOptions& options);

}  // namespace heddle::distribute
