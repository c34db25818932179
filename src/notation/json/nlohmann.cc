#include "notation/json/nlohmann.h"

#include <fmt/format.h>

#include <utility>

namespace heddle::notation {

Result<Datum> read_datum(const Json& json) {
  if (json.is_boolean()) return Datum(json.get<bool>());
  if (json.is_number_integer()) return Datum(json.get<std::int64_t>());
  if (json.is_string()) return Datum(json.get<std::string>());
  if (json.is_array()) {
    Datum::List list;
    for (const Json& item : json) {
      HEDDLE_TRY(Datum datum, read_datum(item));
      list.push_back(std::move(datum));
    }
    return Datum(std::move(list));
  }
  if (json.is_object()) {
    Datum::Fields fields;
    for (const auto& [name, item] : json.items()) {
      HEDDLE_TRY(Datum datum, read_datum(item));
      fields.emplace_back(name, std::move(datum));
    }
    return Datum(std::move(fields));
  }
  return refuse("call.type", fmt::format("{} is no integer", json.dump()));
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle::notation
