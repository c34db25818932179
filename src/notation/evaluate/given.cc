#include "heddle/notation/given.h"
#include "heddle/core/nearest_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/notation/analyses.h"
#include "heddle/notation/lexer.h"
#include "notation/evaluate/calls.h"
#include "notation/operations/readers.h"
#include "notation/operations/tuples.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

/// Whether the value can be part of a tuple: an integer, `_`, a stride, a layout, or a tuple of
/// these.
bool is_part(const Value& value) {
  return value.is<IntTuple>() || value.is<cute::StrideTuple>() || value.is<cute::Coordinate>() ||
         value.is<cute::Layout>() || value.is<cute::TvLayout>() || value.is<cute::Tiler>();
}

/// A list as a tuple: of integers, and of texts that are `_`, strides, layouts or tuples.
Result<Value> tuple_of_list(const Given::List& list, const Environment& environment) {
  std::vector<Value> parts;
  for (const Given& part : list) {
    HEDDLE_TRY(Value value, value_of(part, environment));
    if (!is_part(value)) {
      return refuse("call.type", fmt::format("an array holds {}; it is a tuple, and integers, "
                                             "tuples, `_` and layouts are its parts",
                                             kind_name(value)));
    }
    parts.push_back(std::move(value));
  }
  return tuple_of(parts);
}

bool is_number(const Given& given) {
  return given.value() != nullptr && (given.value()->is_integer() || given.value()->is<bool>());
}

/// Whether the list is a table: nested lists of numbers or truth values.
bool is_table(const Given::List& list) {
  return !list.empty() && std::ranges::all_of(list, [](const Given& item) {
    return is_number(item) || (item.list() != nullptr && is_table(*item.list()));
  });
}

bool has_names(const Given::List& list) {
  return std::ranges::any_of(list, [](const Given& item) {
    if (item.fields() != nullptr) return true;
    const Given::List* inner = item.list();
    const std::string* first = inner == nullptr || inner->empty() ? nullptr : inner->front().text();
    return first != nullptr && *first != "_";
  });
}

/// Whether the list is data and not a tuple.
bool is_data(const Given::List& list, const ParameterType& type) {
  if (type == kParameterType<Value> && list.empty()) return true;
  switch (type.array) {
    case ArrayIs::kTuple:
      return false;
    case ArrayIs::kTupleOrNames:
      return has_names(list);
    case ArrayIs::kData:
      return true;
    case ArrayIs::kTable:
      return is_table(list);
  }
  return false;
}

Datum datum_of(const Given& given) {
  if (const Given::List* list = given.list()) {
    Datum::List items;
    for (const Given& item : *list) items.push_back(datum_of(item));
    return items;
  }
  if (const Given::Fields* fields = given.fields()) {
    Datum::Fields items;
    for (const auto& [name, item] : *fields) items.emplace_back(name, datum_of(item));
    return items;
  }
  return given.text() != nullptr ? Datum(*given.text()) : to_datum(*given.value());
}

/// Whether it consists of numbers, truth values and texts.
bool is_written(const Given& given) {
  if (given.list() != nullptr) return std::ranges::all_of(*given.list(), is_written);
  return given.text() != nullptr || is_number(given);
}

/// The result; a refusal gets a note with the name of its argument.
template <class T>
Result<T> in_argument(Result<T> result, std::string_view which) {
  if (result) return result;
  return refuse(std::move(result).error().with_note(fmt::format("in the argument {}", which)));
}

const ParameterType& type_of(const Operation& operation, std::size_t index) {
  const auto& parameters = operation.parameters;
  if (parameters.empty()) return kParameterType<Value>;
  // Before arguments that repeat, an optional one is given by its name only.
  const bool repeats = parameters.back().need == Need::kRepeated;
  for (const Parameter& parameter : parameters) {
    if (repeats && parameter.need == Need::kOptional) continue;
    if (index-- == 0) return *parameter.type;
  }
  return *parameters.back().type;
}

const ParameterType& type_of(const Operation& operation, std::string_view name) {
  const Parameter* found = find_parameter(operation, name);
  return found == nullptr ? kParameterType<Value> : *found->type;
}

Result<std::vector<Argument>> arguments_of(const Operation& operation, const GivenArguments& given,
                                           const Environment& environment) {
  std::vector<Argument> arguments;
  arguments.reserve(given.positional.size() + given.named.size());
  for (std::size_t i = 0; i < given.positional.size(); ++i) {
    HEDDLE_TRY(Value value,
               in_argument(value_of(given.positional[i], type_of(operation, i), environment),
                           std::to_string(i + 1)));
    arguments.push_back({std::move(value), {}, {}});
  }
  for (const auto& [name, argument] : given.named) {
    if (name.empty()) {  // it would be taken as a positional argument
      return refuse(
          Diagnostic("call.keyword", fmt::format("{} has no parameter ''", operation.name))
              .with_hint("it is called as " + signature(operation)));
    }
    HEDDLE_CHECK(check_keyword(operation.name, name));
    HEDDLE_TRY(Value value,
               in_argument(value_of(argument, type_of(operation, name), environment), quote(name)));
    arguments.push_back({std::move(value), name, {}});
  }
  return arguments;
}

bool takes_tuple(const ParameterType& type) {
  if (type.is_layout || type.text == TextIs::kName) return false;
  if (type.text == TextIs::kFunction || type.array == ArrayIs::kData) return true;
  const ConvertedArgument made = type.convert(Value(IntTuple{1}), {});
  return made && *made && is_part(**made) && !(*made)->has_map();
}

/// Whether a list after a layout is a table, as in the language: if one of the operations takes a
/// second layout, covers(4:1, [1,2,4]). Not after a thread-value layout, which covers its tile.
bool is_table_beside(std::span<const Argument> before, const Given::List& list,
                     std::span<const Operation* const> operations) {
  if (before.empty() || before.front().value.is<cute::TvLayout>() || !is_table(list)) return false;
  return std::ranges::any_of(operations, [&](const Operation* operation) {
    return type_of(*operation, before.size()).takes_any_layout();
  });
}

/// If several systems have an operation of the name, selects one by the arguments.
const Operation* in_its_system(const Operation* operation, const GivenArguments& given,
                               const Environment& environment) {
  const auto named = operations_named(operation->name);
  if (named.size() < 2) return operation;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < given.positional.size(); ++i) {
    const Given& argument = given.positional[i];
    const Given::List* list = argument.list();
    const bool says_it = list == nullptr || type_of(*operation, i).is_layout ||
                         is_table_beside(arguments, *list, named);
    Result<Value> value = Value(false);
    if (says_it) value = value_of(argument, kParameterType<map::AnyLayout>, environment);
    arguments.push_back({value ? *value : Value(false), {}, {}});
  }
  // Keyword arguments help to select, too.
  for (const auto& [name, argument] : given.named) arguments.push_back({Value(false), name, {}});
  return find_operation(operation->name, arguments);
}

/// The texts among the arguments.
std::vector<std::string> texts_in(const GivenArguments& given) {
  std::vector<std::string> texts;
  const auto add = [&](const Given& argument) {
    if (argument.text() != nullptr) texts.push_back(*argument.text());
  };
  std::ranges::for_each(given.positional, add);
  for (const auto& [name, argument] : given.named) add(argument);
  return texts;
}

}  // namespace

Result<Value> value_of(const Given& given, const ParameterType& type,
                       const Environment& environment) {
  if (given.value() != nullptr) return *given.value();
  if (const std::string* text = given.text()) {
    if (type.text == TextIs::kFunction) return evaluate_function(*text, environment);
    return type.text == TextIs::kName ? Value(*text) : evaluate(*text, environment);
  }
  const Given::List* list = given.list();
  if (list == nullptr || is_data(*list, type)) return value_of(datum_of(given));
  const bool is_literal = given.is_no_tuple() && type == kParameterType<Value> && is_written(given);
  return is_literal ? evaluate(to_string(datum_of(given)), environment)
                    : tuple_of_list(*list, environment);
}

Result<Value> value_of(const Given& given, const Environment& environment) {
  return value_of(given, kParameterType<Value>, environment);
}

bool takes_tuple(const Operation& operation, std::size_t index) {
  return takes_tuple(type_of(operation, index));
}
bool takes_tuple(const Operation& operation, std::string_view name) {
  return takes_tuple(type_of(operation, name));
}

Result<Value> value_of_data(Datum datum) { return value_of(std::move(datum)); }
Datum data_of(const Value& value) { return to_datum(value); }
Datum data_of(const Diagnostic& diagnostic) { return to_datum(diagnostic); }

Result<Value> call_given(const Operation& operation, const GivenArguments& arguments,
                         const Environment& environment) {
  HEDDLE_TRY(std::vector<Argument> values, arguments_of(operation, arguments, environment));
  HEDDLE_CHECK(add_stated_elements(operation, texts_in(arguments), values));
  return call_in(environment, operation, std::move(values));
}

Result<Value> call_given(std::string_view name, const GivenArguments& arguments,
                         const Environment& environment) {
  if (const Operation* operation = find_operation(name)) {
    return call_given(*in_its_system(operation, arguments, environment), arguments, environment);
  }
  std::vector<std::string> names;
  for (const Operation& operation : operations()) names.push_back(operation.name);
  const std::string foreign = hint_for_foreign_name(name);
  return refuse(Diagnostic("name.unknown", fmt::format("unknown operation {}", quote(name)))
                    .with_hint(foreign.empty() ? did_you_mean(name, names) : foreign));
}

}  // namespace heddle::notation
