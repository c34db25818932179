#pragma once

// JSON as programs write it; to_string() (heddle/notation/datum.h) writes data as JSON.

#include <nlohmann/json.hpp>
#include <string>

namespace heddle::notation {

/// JSON that keeps the order of keys.
using Json = nlohmann::ordered_json;

/// JSON as one line of text; invalid UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace heddle::notation
