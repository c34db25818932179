#pragma once

// Rows of the table of operations, made from plain functions: what a parameter takes is read off
// its type.
//
//   void add_folds(const Rows& add) {
//     add({.call = "gcd(values)",
//          .summary = "The greatest common divisor of all leaves.",
//          .example = {"gcd(12, 18)", "6"}},
//         [](const std::vector<IntTuple>& values) { … });
//   }

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/notation/any_layout.h"
#include "heddle/notation/triton.h"
#include "notation/operations/readers.h"

namespace heddle::notation {

template <class T>
concept Readable = requires { Reader<T>::kDescription; };

/// A parameter among the arguments: exactly one, at most one, or all that are left.
template <class T>
struct Slot {
  using Type = T;
  static constexpr Need kNeed = Need::kRequired;
  static decltype(auto) read(CallValues arguments) { return Reader<T>::read(*arguments.front()); }
};
template <class T>
struct Slot<std::optional<T>> {
  using Type = T;
  static constexpr Need kNeed = Need::kOptional;
  static auto read(CallValues arguments) {
    using Reading = std::remove_cvref_t<decltype(Reader<T>::read(*arguments.front()))>;
    using Optional = std::conditional_t<std::is_same_v<Reading, Result<T>>,
                                        Result<std::optional<T>>, std::optional<T>>;
    if (arguments.empty() || !arguments.front()) return Optional(std::nullopt);
    return Optional(Reader<T>::read(*arguments.front()));
  }
};
/// Names, sizes and their like are vectors too, and one argument each.
template <class T>
  requires(!Readable<std::vector<T>>)
struct Slot<std::vector<T>> {
  using Type = T;
  static constexpr Need kNeed = Need::kRepeated;
  static std::vector<T> read(CallValues arguments) {
    std::vector<T> values;
    for (const auto& argument : arguments) values.push_back(Reader<T>::read(*argument));
    return values;
  }
};
template <class T>
using SlotOf = Slot<std::remove_cvref_t<T>>;

/// What an operation gives, as a value: numbers as integers, the encodings of each kind as
/// encodings, what has a form as data in that form, lists of numbers as lists.
template <class T>
Result<Value> to_result(T result) {
  if constexpr (std::is_constructible_v<Value, T>) {
    return Value(std::move(result));
  } else if constexpr (std::is_same_v<T, map::AnyLayout>) {
    return to_value(result);
  } else if constexpr (std::is_integral_v<T>) {
    return Value(Int(static_cast<std::int64_t>(result)));
  } else if constexpr (std::is_constructible_v<linear::Encoding, T>) {
    return Value(linear::Encoding(std::move(result)));
  } else if constexpr (requires { to_datum(result); }) {
    return Value(to_datum(result));
  } else {
    return Value(list_of(result));
  }
}
template <class T>
Result<Value> to_result(Result<T> result) {
  if (!result) return refuse(std::move(result).error());
  return to_result(*std::move(result));
}

// A reading may be refused; then the function is not called.
template <class T>
T&& held(T&& reading) {
  return std::forward<T>(reading);
}
template <class T>
T&& held(Result<T>&& reading) {
  return *std::move(reading);
}
inline Result<void> check_reading(const auto&) { return {}; }
template <class T>
Result<void> check_reading(const Result<T>& reading) {
  if (!reading) return refuse(reading.error());
  return {};
}
template <class Run, class... Readings>
Result<Value> with_readings(Run run, Readings&&... readings) {
  Result<void> all;
  ((all = all ? check_reading(readings) : all), ...);
  if (!all) return refuse(std::move(all).error());
  return run(held(std::forward<Readings>(readings))...);
}

/// What is written of an operation besides its function.
struct Row {
  struct Example {
    std::string call;
    std::string result;
  };

  /// Its name with those of its parameters, of which some say what they are where they are not
  /// given: "append(layout, mode=1:0, rank)".
  std::string call;
  std::string summary;
  Example example;

  [[nodiscard]] std::vector<std::string> parameter_names() const;
};

/// Adds rows of one family to the table.
struct Rows {
  std::vector<Operation>& table;
  std::string_view family;

  /// The parameters are those of the function, which may begin with the context of the call.
  template <class Body>
  void operator()(Row row, Body body) const {
    add(std::move(row), body, std::function(body));
  }

  template <class Return, class Object, class... Types>
  void operator()(Row row, Return (Object::*body)(Types...) const) const {
    add(std::move(row), std::mem_fn(body), std::function<Return(const Object&, Types...)>());
  }

 private:
  template <class Body, class Return, class... Types>
  void add(Row row, Body body, const std::function<Return(Types...)>&) const {
    bind<Types...>(
        std::move(row),
        [body](const CallContext&, auto&&... arguments) {
          return body(std::forward<decltype(arguments)>(arguments)...);
        },
        std::index_sequence_for<Types...>());
  }
  template <class Body, class Return, class... Types>
  void add(Row row, Body body, const std::function<Return(const CallContext&, Types...)>&) const {
    bind<Types...>(std::move(row), body, std::index_sequence_for<Types...>());
  }

  template <class... Types, class Run, std::size_t... Indices>
  void bind(Row row, Run run, std::index_sequence<Indices...>) const {
    Operation& operation = begin(
        std::move(row), {{&kParameterType<typename SlotOf<Types>::Type>, SlotOf<Types>::kNeed}...});
    operation.function = [run](CallValues arguments, const CallContext& context) {
      return with_readings(
          [&](auto&&... values) {
            return to_result(run(context, std::forward<decltype(values)>(values)...));
          },
          SlotOf<Types>::read(arguments.subspan(Indices))...);
    };
  }

  /// The row without its function. Throws std::logic_error unless there are as many names of
  /// parameters as types: then the row is wrong.
  Operation& begin(Row row, const std::vector<std::pair<const ParameterType*, Need>>& types) const;
};

template <class T>
Result<cute::AnyLayout> to_any(Result<T> result) {
  if (!result) return refuse(std::move(result).error());
  return cute::AnyLayout(*std::move(result));
}

/// An operation on plain layouts, carried to composed ones: it acts on the inner layout.
template <class Function>
Result<cute::AnyLayout> on_inner(const cute::AnyLayout& layout, Function function) {
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout)) {
    return to_any(cute::map_layout(*composed, function));
  }
  return to_any(Result<cute::Layout>(function(std::get<cute::Layout>(layout))));
}

/// The same of a function of a plain layout and more.
template <class... More, class Return>
auto of_inner(Return (*function)(const cute::Layout&, More...)) {
  return [function](const cute::AnyLayout& layout, const std::remove_cvref_t<More>&... more) {
    return on_inner(layout, [&](const cute::Layout& inner) -> Result<cute::Layout> {
      return function(inner, more...);
    });
  };
}

/// A function that is given the limits of the call behind its arguments.
template <class Return, class First>
auto within_limits(Return (*function)(const First&, const map::Limits&)) {
  return [function](const CallContext& context, const First& first) {
    return function(first, context.decide.limits);
  };
}
template <class Return, class First, class Second>
auto within_limits(Return (*function)(const First&, const Second&, const map::Limits&)) {
  return [function](const CallContext& context, const First& first, const Second& second) {
    return function(first, second, context.decide.limits);
  };
}

}  // namespace heddle::notation
