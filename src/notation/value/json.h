#pragma once

// Values and refusals as JSON.

#include "heddle/core/diagnostic.h"
#include "heddle/core/explanation.h"
#include "heddle/notation/value.h"
#include "notation/json/nlohmann.h"

namespace heddle::notation {

[[nodiscard]] Json json_of(const Value& value);
[[nodiscard]] Json json_of(const Diagnostic& diagnostic);
[[nodiscard]] Json json_of(const Explanation& explanation);

}  // namespace heddle::notation
