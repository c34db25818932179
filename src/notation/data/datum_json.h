#pragma once

// Values and refusals as JSON.

#include <nlohmann/json.hpp>
#include <string>

#include "heddle/core/diagnostic.h"
#include "heddle/core/explanation.h"
#include "heddle/core/result.h"
#include "heddle/notation/datum.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Keeps its keys in the order they were written in.
using Json = nlohmann::ordered_json;

[[nodiscard]] Json json_of(const Value& value);
[[nodiscard]] Json json_of(const Diagnostic& diagnostic);
[[nodiscard]] Json json_of(const Explanation& explanation);
[[nodiscard]] Json json_of(const Datum& datum);
/// The other way. Refuses `call.type` for null and for numbers that are no integers.
[[nodiscard]] Result<Datum> datum_of(const Json& json);

/// One line of text; what is no UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace heddle::notation
