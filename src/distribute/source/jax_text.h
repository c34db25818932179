#pragma once

// Plans in Python for JAX.

#include <string>

#include "heddle/core/result.h"
#include "heddle/distribute/source.h"

namespace heddle::distribute {

/// Refuses as to_source().
[[nodiscard]] Result<std::string> jax_text(const Plan& plan, const SourceOptions& options);

}  // namespace heddle::distribute
