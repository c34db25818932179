#pragma once

// JSON as data; data are written as JSON by to_string() (heddle/notation/datum.h).

#include <nlohmann/json.hpp>
#include <string>

#include "heddle/core/result.h"
#include "heddle/notation/datum.h"

namespace heddle::notation {

/// Keeps its keys in the order they were written in.
using Json = nlohmann::ordered_json;

/// Refuses `call.type` for null and for numbers that are no integers.
[[nodiscard]] Result<Datum> datum_of(const Json& json);

/// One line of text; what is no UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace heddle::notation
