#include "notation/json/nlohmann.h"

namespace heddle::notation {

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle::notation
