#pragma once

// What a parameter takes is read off its C++ type: Reader<T> says how messages call it, which
// values become one, and what JSON writes for it. A new type of parameter is one such struct.
//
//   template <>
//   struct Reader<bool> : PlainReader<bool> {
//     static constexpr std::string_view kDescription = "true or false";
//   };
//
// A value becomes an argument in two steps: convert() makes of it the value that is read, or says
// that it is something else; read() takes the T out of that.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"
#include "notation/value/as_datum.h"
#include "notation/value/axe_traits.h"
#include "notation/value/cute_traits.h"
#include "notation/value/lego_traits.h"
#include "notation/value/linear_traits.h"

namespace heddle::notation {

using CallValues = std::span<const std::optional<Value>>;

template <class T>
struct Reader;

template <class T>
inline constexpr ParameterType kParameterType = {Reader<T>::kDescription, Reader<T>::kText,
                                                 Reader<T>::kArray,       Reader<T>::kIsLayout,
                                                 Reader<T>::convert,      Reader<T>::hint};

/// `given` as the value that is read where a T is wanted; nothing where it is something else.
/// Refuses what making it refuses.
template <class T>
[[nodiscard]] Converted convert(const Value& given, const CallContext& context = {}) {
  return Reader<T>::convert(given, context);
}

enum class Origin : std::uint8_t { kZero, kAnywhere };
/// A value without what a layout comes with, where only its map is wanted: a thread-value layout
/// has a tile, a tensor an engine, and its map is the layout of its element indices. Refuses
/// `tensor.origin` for a tensor that does not count from 0, as a layout alone does, unless it may
/// count from anywhere.
[[nodiscard]] Result<Value> index_layout(const Value& value, Origin origin = Origin::kZero);

/// What most readers have alike. Reader<T>::make(value), or make(value, context), gives the value
/// that is read, or nothing.
template <class T>
struct SharedReader {
  static constexpr TextIs kText = TextIs::kExpression;
  static constexpr ArrayIs kArray = ArrayIs::kTuple;
  static constexpr bool kIsLayout = false;
  static std::string hint(const Value&) { return ""; }

  static Converted convert(const Value& given, const CallContext& context) {
    HEDDLE_TRY(const Value value, index_layout(given));
    if constexpr (requires { Reader<T>::make(value, context); }) {
      return Reader<T>::make(value, context);
    } else {
      return Reader<T>::make(value);
    }
  }
};

/// Takes an alternative of Value, and nothing else unless Reader<T>::make() says what.
template <class T>
struct PlainReader : SharedReader<T> {
  static constexpr std::string_view kDescription = ValueTraits<T>::kName;
  static std::optional<Value> make(const Value& value) {
    return value.is<T>() ? std::optional(value) : std::nullopt;
  }
  static const T& read(const Value& value) { return value.get<T>(); }
};

/// Takes each of the alternatives as it is, and makes the first one of every other value.
template <class Variant>
struct OneOf;
template <class First, class... Rest>
struct OneOf<std::variant<First, Rest...>> : SharedReader<std::variant<First, Rest...>> {
  using Variant = std::variant<First, Rest...>;

  static bool holds(const Value& value) { return (value.is<First>() || ... || value.is<Rest>()); }
  static Converted convert(const Value& given, const CallContext& context) {
    if (holds(given)) return given;
    HEDDLE_TRY(Value value, index_layout(given));
    if (holds(value)) return value;
    return Reader<First>::convert(value, context);
  }
  static Variant read(const Value& value) {
    std::optional<Variant> result;
    const auto take = [&](const auto* held) {
      if (held != nullptr) result.emplace(*held);
    };
    take(value.get_if<First>());
    (take(value.get_if<Rest>()), ...);
    return *std::move(result);
  }
};

/// Takes data that Reader<T>::parsed() makes a T of.
template <class T>
struct DataReader : SharedReader<T> {
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static std::optional<Value> make(const Value& value) {
    std::optional<Datum> datum = as_datum(value);
    if (!datum || !Reader<T>::parsed(*datum)) return std::nullopt;
    return Value(*std::move(datum));
  }
  static T read(const Value& value) { return *Reader<T>::parsed(value.get<Datum>()); }
};

}  // namespace heddle::notation
