#include "heddle/notation/datum.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/overloaded.h"
#include "notation/json/nlohmann.h"

namespace heddle::notation {

const Datum* Datum::field(std::string_view name) const {
  if (fields() == nullptr) return nullptr;
  const auto found = std::ranges::find(*fields(), name, &Field::first);
  return found == fields()->end() ? nullptr : &found->second;
}

namespace {

void write(const Datum& datum, std::string& text) {
  const auto write_items = [&](char open, const auto& items, char close, auto write_item) {
    text += open;
    for (const auto& item : items) {
      if (&item != &items.front()) text += ',';
      write_item(item);
    }
    text += close;
  };
  std::visit(
      Overloaded{
          [&](bool truth) { text += truth ? "true" : "false"; },
          [&](std::int64_t number) { fmt::format_to(std::back_inserter(text), "{}", number); },
          [&](const std::string& plain) { text += dump(plain); },
          [&](std::nullptr_t) { text += "null"; },
          [&](const Datum::List& list) {
            write_items('[', list, ']', [&](const Datum& item) { write(item, text); });
          },
          [&](const Datum::Fields& fields) {
            write_items('{', fields, '}', [&](const Datum::Field& field) {
              text += dump(field.first) + ":";
              write(field.second, text);
            });
          },
      },
      datum.data());
}

}  // namespace

std::string to_string(const Datum& datum) {
  std::string text;
  write(datum, text);
  return text;
}

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
