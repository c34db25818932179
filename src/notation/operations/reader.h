#pragma once

// The C++ type of a parameter determines what it takes: Reader<T> has its description for messages,
// its conversion from values, and its form in JSON. A new type of parameter needs one such struct.
//
//   template <>
//   struct Reader<bool> : PlainReader<bool> {
//     static constexpr std::string_view kDescription = "true or false";
//   };
//
// A value becomes an argument in two steps: convert() makes the value to read, or nullopt if it is
// something else; read() gets the T from that.

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
#include "notation/value/axe_traits.h"
#include "notation/value/cute_traits.h"
#include "notation/value/data.h"
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

/// `given` converted to the value from which a T is read; nullopt if it is something else. Refuses
/// what the conversion refuses.
template <class T>
[[nodiscard]] ConvertedArgument convert(const Value& given, const CallContext& context = {}) {
  return Reader<T>::convert(given, context);
}

enum class Origin : std::uint8_t { kZero, kAnywhere };
/// The value reduced to its map: a thread-value layout without its tile, a tensor without its
/// engine, as the layout of its element indices. Refuses `tensor.origin` for a tensor that does not
/// count from 0, as a plain layout does, unless `origin` allows it.
[[nodiscard]] Result<Value> index_layout(const Value& value, Origin origin = Origin::kZero);

/// The common part of most readers. Reader<T>::make(value), or make(value, context), gives the
/// value to read, or nullopt.
template <class T>
struct SharedReader {
  static constexpr TextIs kText = TextIs::kExpression;
  static constexpr ArrayIs kArray = ArrayIs::kTuple;
  static constexpr bool kIsLayout = false;
  static std::string hint(const Value&) { return ""; }

  static ConvertedArgument convert(const Value& given, const CallContext& context) {
    HEDDLE_TRY(const Value value, index_layout(given));
    if constexpr (requires { Reader<T>::make(value, context); }) {
      return Reader<T>::make(value, context);
    } else {
      return Reader<T>::make(value);
    }
  }
};

/// Takes one alternative of Value, and other values only if Reader<T>::make() converts them.
template <class T>
struct PlainReader : SharedReader<T> {
  static constexpr std::string_view kDescription = ValueTraits<T>::kName;
  static std::optional<Value> make(const Value& value) {
    return value.is<T>() ? std::optional(value) : std::nullopt;
  }
  static const T& read(const Value& value) { return value.get<T>(); }
};

/// Takes each of the alternatives unchanged, and converts every other value to the first one.
template <class Variant>
struct OneOf;
template <class First, class... Rest>
struct OneOf<std::variant<First, Rest...>> : SharedReader<std::variant<First, Rest...>> {
  using Variant = std::variant<First, Rest...>;

  static bool holds(const Value& value) { return (value.is<First>() || ... || value.is<Rest>()); }
  static ConvertedArgument convert(const Value& given, const CallContext& context) {
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

/// Takes data that Reader<T>::parsed() can parse.
template <class T>
struct DataReader : SharedReader<T> {
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static std::optional<Value> make(const Value& value) {
    std::optional<Datum> datum = datum_if_data(value);
    if (!datum || !Reader<T>::parsed(*datum)) return std::nullopt;
    return Value(*std::move(datum));
  }
  static T read(const Value& value) { return *Reader<T>::parsed(value.get<Datum>()); }
};

}  // namespace heddle::notation
