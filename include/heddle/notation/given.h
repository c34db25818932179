#pragma once

// Arguments as a program gives them, in JSON or in Python, before it is known what they mean: a
// text is an expression or a name, a list is a tuple, a table or data, as the parameter takes it.
//
//   call_given("composition", {{Given("(6,2):(8,2)"), Given("(4,3):(3,1)")}, {}}, {})
//       ((2,2),3):((24,2),8)
//   call_given("size", {{Given(Value(4))}, {}}, {})                                       4

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

class Given {
 public:
  using List = std::vector<Given>;
  using Fields = std::vector<std::pair<std::string, Given>>;
  /// A value means itself.
  using Data = std::variant<Value, std::string, List, Fields>;

  Given(Value value) : data_(std::move(value)) {}        // NOLINT: every one of these may be given
  Given(std::string text) : data_(std::move(text)) {}    // NOLINT
  Given(const char* text) : data_(std::string(text)) {}  // NOLINT
  Given(List list) : data_(std::move(list)) {}           // NOLINT
  /// A list where a tuple would be written otherwise, as [0,1] beside (0,1): as in the language.
  [[nodiscard]] static Given no_tuple(List list) {
    Given given(std::move(list));
    given.is_no_tuple_ = true;
    return given;
  }
  Given(Fields fields) : data_(std::move(fields)) {}  // NOLINT

  [[nodiscard]] const Value* value() const { return std::get_if<Value>(&data_); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const List* list() const { return std::get_if<List>(&data_); }
  [[nodiscard]] const Fields* fields() const { return std::get_if<Fields>(&data_); }
  [[nodiscard]] bool is_no_tuple() const { return is_no_tuple_; }

 private:
  Data data_;
  bool is_no_tuple_ = false;
};

/// The arguments of one call.
struct GivenArguments {
  Given::List positional;
  Given::Fields named;
};

/// What is given, as a parameter of this type takes it. The parts of a tuple are integers, tuples,
/// and texts that are tuples, `_` or layouts. Refuses `call.type`, and what evaluating texts
/// refuses.
[[nodiscard]] Result<Value> value_of(const Given& given, const ParameterType& type,
                                     const Environment& environment);
/// What is given where any value may be.
[[nodiscard]] Result<Value> value_of(const Given& given, const Environment& environment);

/// Whether a tuple in that place of a call, or under that name, is a tuple, not the layout of that
/// shape.
[[nodiscard]] bool takes_tuple(const Operation& operation, std::size_t index);
[[nodiscard]] bool takes_tuple(const Operation& operation, std::string_view name);

/// The value of an object: a linear layout, an encoding, or the datum itself. Refuses what reading
/// that kind refuses.
[[nodiscard]] Result<Value> value_of_data(Datum datum);
/// A value, an answer or a refusal as data, in the form that to_json() writes.
[[nodiscard]] Datum data_of(const Value& value);
[[nodiscard]] Datum data_of(const Diagnostic& diagnostic);

/// Calls the operation. Refusals about an argument have a note that names it. Refuses what
/// call_in() and value_of() refuse.
[[nodiscard]] Result<Value> call_given(const Operation& operation, const GivenArguments& arguments,
                                       const Environment& environment);
/// Calls the operation of that name, of the system of the arguments if several have one. Refuses
/// also `name.unknown`, with the nearest names.
[[nodiscard]] Result<Value> call_given(std::string_view name, const GivenArguments& arguments,
                                       const Environment& environment);

}  // namespace heddle::notation
#pragma GCC visibility pop
