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

/// How a JSON string is read for this parameter.
enum class TextIs : std::uint8_t { kExpression, kName, kFunction };
/// How a JSON array is read: as a tuple; as a tuple, or as data if it holds names; as data; as a
/// table if it holds numbers.
enum class ArrayIs : std::uint8_t { kTuple, kTupleOrNames, kData, kTable };

struct CallContext;

/// A value converted to what a parameter takes; nullopt if it is something else.
using ConvertedArgument = Result<std::optional<Value>>;

/// What a parameter takes, derived from its C++ type. For a layout, an integer or a tuple is that
/// shape, column-major, and a tensor is the layout of its element indices; for a tiler, a tuple
/// tiles mode by mode and an integer is a size; a tuple of one integer is an integer.
struct ParameterType {
  /// "a layout", "an integer or a tuple of integers", ….
  std::string_view description;
  TextIs text;
  ArrayIs array;
  /// Takes layouts only; a JSON array is a layout only as a table.
  bool is_layout;
  ConvertedArgument (*convert)(const Value&, const CallContext&);
  /// What to write instead of a refused value; empty if there is no suggestion.
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
  /// The default of an optional parameter, as text; may be empty.
  std::string default_text;
  /// The default as a value, if it is passed to the operation; otherwise the operation itself
  /// applies it.
  std::optional<Value> default_value;
  /// Other names of the parameter, those of CuTe DSL.
  std::vector<std::string_view> aliases = {};

  [[nodiscard]] bool is_called(std::string_view keyword) const;
};

struct Argument;
class Environment;

/// The engine for operations that several engines can compute: the algebra itself, or isl with the
/// algorithms of seed 000.
enum class AlgebraEngine : std::uint8_t { kAlgebra, kIsl };

/// The search limits and methods of a call.
struct CallContext {
  map::DecideOptions decide;
  AlgebraEngine engine = AlgebraEngine::kAlgebra;
  /// What is known of sizes, by name: the parameters of relations are these sizes.
  Bindings sizes;
  /// The assumptions as conditions over plain variables, for comments in emitted programs.
  std::vector<Condition> assumed;
  /// The bindings of names in texts, during a call from an expression or from call_in().
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
  /// A call and its result.
  std::string example;
  std::string example_result;
  Function function;
};

/// All operations, family by family.
[[nodiscard]] const std::vector<Operation>& operations();

/// The operation of that name, or nullptr; if several systems have one of the name, CuTe's. Also
/// finds swizzle_portion and nonswizzle_portion with CuTe's prefix get_, make_tuple as make_shape,
/// make_stride, make_coord, make_tile and make_step, and group as group_modes.
[[nodiscard]] const Operation* find_operation(std::string_view name);
/// The operation of that name for the system of the arguments: size(S[8:1]) is Axe's.
[[nodiscard]] const Operation* find_operation(std::string_view name,
                                              std::span<const Argument> arguments);
/// The operation of that name whose first parameter has this type; nullptr if there is none.
[[nodiscard]] const Operation* find_operation(std::string_view name, const ParameterType& first);
/// All operations of that name, CuTe's first.
[[nodiscard]] std::span<const Operation* const> operations_named(std::string_view name);

/// The parameter of the operation with this name or alias; nullptr if there is none.
[[nodiscard]] const Parameter* find_parameter(const Operation& operation, std::string_view name);
/// Whether a parameter of the operation has this name or alias.
[[nodiscard]] bool has_parameter(const Operation& operation, std::string_view name);

/// `logical_divide(layout, tiler)`; optional parameters as `[, name=default]`, repeated ones as
/// `name…`.
[[nodiscard]] std::string signature(const Operation& operation);

/// Refuses (`call.keyword`) an argument name that is no parameter of any operation called
/// `operation`, suggesting the nearest. Callers check this before they evaluate the argument.
[[nodiscard]] Result<void> check_keyword(std::string_view operation, std::string_view keyword);

/// An argument of a call: by position if `name` is empty.
struct Argument {
  Value value;
  std::string name;
  /// Its place in the text, for messages.
  std::optional<Span> span;
  /// For a text in quotes, the place of each of its bytes.
  TextPlaces places = {};
};

/// The maximum number of leaves of all arguments of one call (`call.too_large`): a few lines that
/// double a layout repeatedly must not fill the memory.
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

}  // namespace heddle::notation
#pragma GCC visibility pop
