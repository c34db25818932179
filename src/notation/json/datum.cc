#include "heddle/notation/datum.h"

#include <algorithm>
#include <numeric>

#include "notation/json/nlohmann.h"

namespace heddle::notation {

const Datum* Datum::field(std::string_view name) const {
  if (fields() == nullptr) return nullptr;
  const auto found = std::ranges::find(*fields(), name, &Field::first);
  return found == fields()->end() ? nullptr : &found->second;
}

std::string to_string(const Datum& datum) { return dump(json_of(datum)); }

std::size_t leaf_count(const Datum& datum) {
  constexpr std::size_t kTextOfOneLeaf = 64;
  std::size_t count = 1;
  if (const auto* text = datum.text()) count += text->size() / kTextOfOneLeaf;
  if (const auto* list = datum.list()) {
    for (const Datum& item : *list) count += leaf_count(item);
  }
  if (const auto* fields = datum.fields()) {
    for (const auto& [name, item] : *fields) count += leaf_count(item);
  }
  return count;
}

std::size_t depth(const Datum& datum) {
  std::size_t inner = 0;
  if (const auto* list = datum.list()) {
    for (const Datum& item : *list) inner = std::max(inner, depth(item));
  } else if (const auto* fields = datum.fields()) {
    for (const auto& [name, item] : *fields) inner = std::max(inner, depth(item));
  } else {
    return 0;
  }
  return inner + 1;
}

}  // namespace heddle::notation
