#pragma once

// Every operation of the expression language, of `heddle batch` and of `heddle help`, in one table.
// An operation has the name and the meaning of its C++ function.
//
//   const Operation* divide = find_operation("logical_divide");
//   divide->parameters              {layout: a layout or composed layout} {tiler: a tiler}
//   call(*divide, arguments)        the Value, or why not

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/map/decide.h"
#include "heddle/notation/quoted.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// What a JSON text is where this is wanted.
enum class TextIs : std::uint8_t { kExpression, kName, kFunction };
/// What a JSON array is: a tuple, which of names is data; data; a table, where it holds numbers.
enum class ArrayIs : std::uint8_t { kTuple, kTupleOrNames, kData, kTable };

struct CallContext;

/// A value as what a parameter takes; nothing where it is something else.
using Converted = Result<std::optional<Value>>;

/// What a parameter takes, as its C++ type says. Where a layout is wanted an integer or a tuple is
/// that shape, column-major, and a tensor the layout of its element indices; where a tiler is
/// wanted a tuple is by mode and an integer is a size; a tuple of one integer is an integer.
struct ParameterType {
  /// "a layout", "an integer or a tuple of integers", ….
  std::string_view description;
  TextIs text;
  ArrayIs array;
  /// Layouts alone are taken, of which a JSON array is one only as a table.
  bool is_layout;
  Converted (*convert)(const Value&, const CallContext&);
  /// What to write in place of a value that is refused; empty where nothing is known of it.
  std::string (*hint)(const Value&);

  [[nodiscard]] bool takes_any_layout() const { return array == ArrayIs::kTable; }
  friend bool operator==(const ParameterType& a, const ParameterType& b) {
    return a.description == b.description;
  }
};

enum class Need { kRequired, kOptional, kRepeated };

struct Parameter {
  std::string name;
  const ParameterType* type = nullptr;
  Need need = Need::kRequired;
  /// What an optional parameter is when it is not given, as text; may be empty.
  std::string default_text;
  /// The same as a value, where the operation is given it; else the operation knows it.
  std::optional<Value> default_value;
};

struct Argument;
class Environment;

/// Who computes what several engines can: the algebra itself, or isl by the algorithms of seed 000.
enum class AlgebraEngine : std::uint8_t { kAlgebra, kIsl };

/// What a call may spend on a search, and how it searches.
struct CallContext {
  map::DecideOptions decide;
  AlgebraEngine engine = AlgebraEngine::kAlgebra;
  /// What is assumed of sizes by name: the parameters of relations are these sizes.
  Bindings sizes;
  /// The same as conditions over plain variables, for comments in emitted programs.
  std::vector<Condition> assumed;
  /// What the names in texts stand for, during a call of an expression or of call_in().
  const Environment* environment = nullptr;
};

struct Operation {
  /// Arguments in the order of the parameters, converted to their types; repeated ones last.
  using Function =
      std::function<Result<Value>(std::span<const std::optional<Value>>, const CallContext&)>;

  std::string name;
  std::string family;
  std::vector<Parameter> parameters;
  std::string summary;
  /// A call and what it gives.
  std::string example;
  std::string example_result;
  Function function;
};

/// All operations, family by family.
[[nodiscard]] const std::vector<Operation>& operations();

/// The operation of that name, or nothing; where several systems have one of the name, the one in
/// CuTe's words. swizzle_portion and nonswizzle_portion also with CuTe's
/// get_ in front, make_tuple also as make_shape, make_stride, make_coord, make_tile, make_step.
[[nodiscard]] const Operation* find_operation(std::string_view name);
/// The one of that name whose system the arguments are of: size(S[8:1]) is Axe's.
[[nodiscard]] const Operation* find_operation(std::string_view name,
                                              std::span<const Argument> arguments);
/// The one of that name whose first parameter takes this; nothing where there is none.
[[nodiscard]] const Operation* find_operation(std::string_view name, const ParameterType& first);
/// All of that name, those in CuTe's words first.
[[nodiscard]] std::span<const Operation* const> operations_named(std::string_view name);

/// Whether a parameter of the operation has this name.
[[nodiscard]] bool has_parameter(const Operation& operation, std::string_view name);

/// `logical_divide(layout, tiler)`; optional parameters as `[, name=default]`, repeated ones as
/// `name…`.
[[nodiscard]] std::string signature(const Operation& operation);

/// Refuses (`call.keyword`) the name of an argument that no operation called `operation` has as a
/// parameter, with the nearest that there is. A caller asks before it evaluates the argument.
[[nodiscard]] Result<void> check_keyword(std::string_view operation, std::string_view keyword);

/// An argument of a call: by position where `name` is empty.
struct Argument {
  Value value;
  std::string name;
  /// Where it stands in the text, for messages.
  std::optional<Span> span;
  /// Of a text in quotes the place of each of its bytes.
  TextPlaces places = {};
};

/// The arguments of one call have at most so many leaves together (`call.too_large`): a few lines
/// that double a layout again and again must not fill the memory.
inline constexpr std::size_t kMaxLeaves = std::size_t{1} << 17;

/// Calls the operation. Refuses `call.arity`, `call.keyword` (no such parameter, or given twice),
/// `call.type` (the message names the parameter, what was given and what is needed),
/// `call.too_large`, `overflow`, and what the operation refuses.
[[nodiscard]] Result<Value> call(const Operation& operation, std::span<const Argument> arguments,
                                 const CallContext& context = {});

/// The arguments in the order of the parameters, converted to their types, as Operation::function
/// takes them. Refuses what call() refuses before it calls.
[[nodiscard]] Result<std::vector<std::optional<Value>>> arranged(
    const Operation& operation, std::span<const Argument> arguments,
    const CallContext& context = {});

/// Up to three of `names` that a mistyped `name` may have meant, nearest first.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     std::span<const std::string> names);
/// These names as a hint, `did you mean rank or tank?`; empty if there are none.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace heddle::notation
#pragma GCC visibility pop
