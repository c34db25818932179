#include "heddle/notation/value.h"

#include "kinds_of_values.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

/// Calls `ask` with the traits of the value's type and its contents.
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

/// Reads the object as a T if it has the field that marks objects of T.
template <class T>
void read_object(const Datum& datum, std::optional<Result<Value>>& read) {
  if constexpr (requires { ValueTraits<T>::kField; }) {
    if (read || datum.field(ValueTraits<T>::kField) == nullptr) return;
    read =
        ValueTraits<T>::from_object(datum).map([](T&& value) { return Value(std::move(value)); });
  }
}

template <class... Kinds>
std::optional<Result<Value>> object_of(const Datum& datum,
                                       std::type_identity<std::variant<Kinds...>>) {
  std::optional<Result<Value>> read;
  (read_object<Kinds>(datum, read), ...);
  return read;
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

bool is_written_as_object(const Value& value) {
  return asked(value,
               [](auto traits, const auto&) { return requires { decltype(traits)::kField; }; });
}

Result<Value> value_of(Datum datum) {
  std::optional<Result<Value>> object = object_of(datum, std::type_identity<Value::Data>());
  return object ? *std::move(object) : Value(std::move(datum));
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
