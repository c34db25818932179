#pragma once

// Values and refusals as JSON.

#include <nlohmann/json.hpp>
#include <string>

#include "heddle/core/diagnostic.h"
#include "heddle/core/explanation.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Keeps its keys in the order they were written in.
using Json = nlohmann::ordered_json;

[[nodiscard]] Json json_of(const Value& value);
[[nodiscard]] Json json_of(const Diagnostic& diagnostic);
[[nodiscard]] Json json_of(const Explanation& explanation);

/// One line of text; what is no UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace heddle::notation
