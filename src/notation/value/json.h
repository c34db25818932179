#pragma once

// Values and refusals as JSON, by way of data.

#include "notation/json/nlohmann.h"
#include "notation/value/as_datum.h"

namespace heddle::notation {

template <class T>
  requires(!std::is_same_v<T, Datum> && requires(const T& item) { to_datum(item); })
[[nodiscard]] Json json_of(const T& item) {
  return json_of(to_datum(item));
}

}  // namespace heddle::notation
