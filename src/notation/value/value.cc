#include "heddle/notation/value.h"

#include "notation/value/as_datum.h"
#include "notation/value/axe_traits.h"
#include "notation/value/cute_traits.h"
#include "notation/value/lego_traits.h"
#include "notation/value/linear_traits.h"
#include "notation/value/plain_traits.h"

namespace heddle::notation {
namespace {

/// What `ask` says of the traits of the value's type and of what it holds.
template <class Ask>
auto asked(const Value& value, Ask ask) {
  return std::visit([&]<class T>(const T& data) { return ask(ValueTraits<T>(), data); },
                    value.data());
}

Integers integers_of(const Value& value) {
  Integers all;
  asked(value, [&](auto traits, const auto& data) { traits.integers(data, all); });
  return all;
}

}  // namespace

Value::Value(const cute::AnyLayout& layout)
    : data_(std::visit([](const auto& plain) { return std::make_shared<const Data>(plain); },
                       layout)) {}

std::string to_string(const Value& value) {
  return asked(value, [](auto traits, const auto& data) { return traits.text(data); });
}

Datum to_datum(const Value& value) {
  return asked(value, [](auto traits, const auto& data) { return traits.datum(data); });
}

std::string to_json(const Value& value) { return to_string(to_datum(value)); }
std::string to_json(const Diagnostic& diagnostic) { return to_string(to_datum(diagnostic)); }

std::string_view kind_name(const Value& value) {
  return asked(value,
               [](auto traits, const auto& data) -> std::string_view { return traits.name(data); });
}

bool is_defined(const Value& value) { return integers_of(value).are_defined(); }

std::vector<std::string> variables(const Value& value) {
  const Integers all = integers_of(value);
  return {all.names().begin(), all.names().end()};
}

std::size_t leaf_count(const Value& value) {
  return asked(value, [](auto traits, const auto& data) { return traits.leaf_count(data); });
}

std::size_t depth(const Value& value) {
  return asked(value, [](auto traits, const auto& data) { return traits.depth(data); });
}

}  // namespace heddle::notation
