#pragma once

// Makes rows of the table of operations from plain functions: the C++ type of a parameter
// determines what it takes.
//
//   void add_folds(const Rows& add) {
//     add({.call = "gcd(values)",
//          .summary = "The greatest common divisor of all leaves.",
//          .example = {"gcd(12, 18)", "6"}},
//         [](const std::vector<IntTuple>& values) { … });
//   }

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/map/recover.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/layout_report.h"
#include "heddle/notation/triton.h"
#include "notation/operations/readers.h"

namespace heddle::notation {

template <class T>
concept Readable = requires { Reader<T>::kDescription; };

/// How many arguments a parameter takes: exactly one, at most one, or all that remain.
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
/// Takes all remaining arguments, none only if the row gives the parameter the default `()`; names,
/// sizes and similar vectors have a Reader and are one argument.
template <class T>
  requires(!Readable<std::vector<T>>)
struct Slot<std::vector<T>> {
  using Type = T;
  static constexpr Need kNeed = Need::kRepeated;
  static std::vector<T> read(CallValues arguments) {
    std::vector<T> values;
    for (const auto& argument : arguments) {
      if (argument) values.push_back(Reader<T>::read(*argument));
    }
    return values;
  }
};
template <class T>
using SlotOf = Slot<std::remove_cvref_t<T>>;

// Parameters that come from the call and not from an argument: search methods and limits.
inline const CallContext& from_call(const CallContext& context, const CallContext*) {
  return context;  // NOLINT: the call outlives what it is given to
}
inline const map::DecideOptions& from_call(const CallContext& context, const map::DecideOptions*) {
  return context.decide;
}
inline const map::Limits& from_call(const CallContext& context, const map::Limits*) {
  return context.decide.limits;
}
inline map::RecoverOptions from_call(const CallContext& context, const map::RecoverOptions*) {
  map::RecoverOptions options;
  options.limits = context.decide.limits;
  return options;
}
template <class T>
concept FromCall = requires(const CallContext& context, const std::remove_cvref_t<T>* type) {
  from_call(context, type);
};

/// How many of the first `count` parameters are arguments.
template <class... Types>
constexpr std::size_t argument_count(std::size_t count) {
  const bool are_arguments[] = {!FromCall<Types>..., false};
  return static_cast<std::size_t>(std::count(are_arguments, are_arguments + count, true));
}
template <class T>
decltype(auto) read_parameter(CallValues arguments, const CallContext& context) {
  if constexpr (FromCall<T>) {
    return from_call(context, static_cast<const std::remove_cvref_t<T>*>(nullptr));
  } else {
    return SlotOf<T>::read(arguments);
  }
}

/// The result of an operation as a value: numbers as integers, encodings of each kind as encodings,
/// analysis results as reports, types with to_datum() as data, lists of numbers as lists.
template <class T>
Result<Value> to_result(T result) {
  if constexpr (std::is_constructible_v<Value, T>) {
    return Value(std::move(result));
  } else if constexpr (std::is_same_v<T, map::AnyLayout>) {
    return to_value(result);
  } else if constexpr (std::is_same_v<T, std::vector<Int>>) {
    return Value(TupleList(result.begin(), result.end()));
  } else if constexpr (std::is_integral_v<T>) {
    return Value(Int(static_cast<std::int64_t>(result)));
  } else if constexpr (std::is_constructible_v<linear::Encoding, T>) {
    return Value(linear::Encoding(std::move(result)));
  } else if constexpr (requires { report_of(result); }) {
    return Value(report_of(result));
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

// Reading an argument may be refused; then the function is not called.
template <class T>
T&& held(T&& reading) {
  return std::forward<T>(reading);
}
template <class T>
T&& held(Result<T>&& reading) {
  return *std::move(reading);
}
inline const Diagnostic* refusal_of(const auto&) { return nullptr; }
template <class T>
const Diagnostic* refusal_of(const Result<T>& reading) {
  return reading ? nullptr : &reading.error();
}
template <class Body, class... Readings>
Result<Value> call_with(const Body& body, Readings&&... readings) {
  for (const Diagnostic* refusal : {refusal_of(nullptr), refusal_of(readings)...}) {
    if (refusal != nullptr) return refuse(*refusal);
  }
  return to_result(body(held(std::forward<Readings>(readings))...));
}

/// The description of an operation without its function.
struct Row {
  struct Example {
    std::string call;
    std::string result;
  };

  /// Its name with its parameter names, some with defaults: "append(layout, mode=1:0, rank)".
  std::string call;
  std::string summary;
  Example example;

  [[nodiscard]] std::vector<std::string> parameter_names() const;
};

/// Adds rows of one family to the table.
struct Rows {
  std::vector<Operation>& table;
  std::string_view family;

  /// The parameters are those of the function, except those that come from the call. A parameter
  /// that is no std::optional gets its default from the row.
  template <class Body>
  void operator()(Row row, Body body) const {
    add(std::move(row), body, std::function(body));
  }

  template <class Return, class Object, class... Types>
  void operator()(Row row, Return (Object::*body)(Types...) const) const {
    add(std::move(row), std::mem_fn(body), std::function<Return(const Object&, Types...)>());
  }

 private:
  using Parameters = std::vector<std::pair<const ParameterType*, Need>>;

  template <class Body, class Return, class... Types>
  void add(Row row, Body body, const std::function<Return(Types...)>&) const {
    Parameters parameters;
    (add_parameter<Types>(parameters), ...);
    begin(std::move(row), parameters).function =
        bound<Types...>(std::move(body), std::index_sequence_for<Types...>());
  }
  template <class T>
  static void add_parameter(Parameters& parameters) {
    if constexpr (!FromCall<T>) {
      parameters.emplace_back(&kParameterType<typename SlotOf<T>::Type>, SlotOf<T>::kNeed);
    }
  }
  template <class... Types, class Body, std::size_t... Indices>
  static Operation::Function bound(Body body, std::index_sequence<Indices...>) {
    return [body]([[maybe_unused]] CallValues arguments,
                  [[maybe_unused]] const CallContext& context) {
      return call_with(body, read_parameter<Types>(
                                 arguments.subspan(argument_count<Types...>(Indices)), context)...);
    };
  }

  /// Adds the row without its function. Throws std::logic_error if the number of parameter names
  /// differs from that of types: the row is then wrong.
  Operation& begin(Row row, const Parameters& types) const;
};

template <class T>
Result<cute::AnyLayout> to_any(Result<T> result) {
  if (!result) return refuse(std::move(result).error());
  return cute::AnyLayout(*std::move(result));
}

/// An operation with an overload for each alternative of its first parameter.
template <class Variant, class... More, class Function>
auto on_each(Function function) {
  return [function](const Variant& any, const More&... more) {
    return std::visit([&](const auto& one) { return to_result(function(one, more...)); }, any);
  };
}

/// Extends an operation on plain layouts to composed ones: it acts on the inner layout.
template <class Function>
Result<cute::AnyLayout> on_inner(const cute::AnyLayout& layout, Function function) {
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout)) {
    return to_any(cute::map_layout(*composed, function));
  }
  return to_any(Result<cute::Layout>(function(std::get<cute::Layout>(layout))));
}

/// on_inner() for a function of a plain layout and further parameters.
template <class... More, class Return>
auto of_inner(Return (*function)(const cute::Layout&, More...)) {
  return [function](const cute::AnyLayout& layout, const std::remove_cvref_t<More>&... more) {
    return on_inner(layout, [&](const cute::Layout& inner) -> Result<cute::Layout> {
      return function(inner, more...);
    });
  };
}

}  // namespace heddle::notation
