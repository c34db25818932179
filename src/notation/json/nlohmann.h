#pragma once

// Converts JSON to data; to_string() (heddle/notation/datum.h) writes data as JSON.

#include <nlohmann/json.hpp>
#include <string>

#include "heddle/core/result.h"
#include "heddle/notation/datum.h"

namespace heddle::notation {

/// JSON that keeps the order of keys.
using Json = nlohmann::ordered_json;

/// Converts JSON to a datum. Refuses `call.type` for null and for numbers that are no integers.
[[nodiscard]] Result<Datum> read_datum(const Json& json);

/// JSON as one line of text; invalid UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace heddle::notation
