#pragma once

// Values of the language as Python objects.
//
//   to_python(Value(IntTuple(Int(4))), {})        4
//   to_python(a cute::Layout, {})                 heddle.cute.Layout('(4,8):(8,1)')
//
// Numbers, tuples, texts, truth values, lists and data are Python's own; every other kind of value
// is an Object, of one class a kind (kinds.cc). An Object with symbolic sizes keeps the assumptions
// under which it was made, because its numbers were simplified by them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/given.h"
#include "heddle/notation/value.h"

namespace heddle::python {

namespace nb = nanobind;
using notation::Environment;
using notation::Given;
using notation::GivenArguments;
using notation::Value;

/// An assumption as text, and the variables in it.
struct Fact {
  std::string text;
  std::vector<std::string> names;

  friend bool operator==(const Fact&, const Fact&) = default;
};
using Facts = std::vector<Fact>;

/// What holds for calls: assumptions, declared axes, limits. Immutable: a context variable holds
/// the one in force, so that threads and tasks do not see those of others.
struct Settings {
  Environment environment;
  Facts facts;
};

/// The settings in force.
[[nodiscard]] std::shared_ptr<const Settings> settings();

/// A value that is no Python type of its own.
struct Object {
  Value value;
  /// The assumptions about the variables in it.
  std::shared_ptr<const Facts> facts = nullptr;
};

/// The class of one kind of values.
template <class T>
struct Of : Object {};

/// The facts of the settings in force that say something about these variables, directly or through
/// others; nullptr if there are none.
[[nodiscard]] std::shared_ptr<const Facts> facts_about(std::vector<std::string> names);

/// The value as a Python object; one with variables takes the facts about them that are in force.
[[nodiscard]] nb::object to_python(const Value& value);
[[nodiscard]] nb::object to_python(const notation::Datum& datum);
[[nodiscard]] nb::object to_python(const Int& integer);

/// The object of the kind of the value, which must have a class.
[[nodiscard]] nb::object make_object(Object object);

/// The value of an object under the settings in force: read anew if more is assumed now. Raises
/// Refused: `assume.needed` if something that it was made under is not assumed.
[[nodiscard]] Value value_in_force(const Object& object);

/// How arrays are taken: as layouts, as tables, or as tuples if they are one-dimensional and of
/// integers.
enum class ArraysAre { kLayouts, kTables, kTuples };

/// A Python object as an argument: numbers, texts, lists, objects of heddle, and what
/// heddle._foreign reads of other libraries' objects. Raises Refused (`call.type`) for anything
/// else.
[[nodiscard]] Given given_of(nb::handle object, ArraysAre arrays = ArraysAre::kLayouts);
/// The arguments of a call of one of the operations, whose parameters say how arrays are taken.
using Operations = std::span<const notation::Operation* const>;
[[nodiscard]] GivenArguments given_of(const nb::args& args, const nb::kwargs& kwargs,
                                      Operations operations);
/// The first argument of such a call.
[[nodiscard]] Given given_of(nb::handle object, Operations operations);
/// A coordinate: None, `:` and ... are `_`.
[[nodiscard]] Given coordinate_of(nb::handle object);
/// What must be a text. Raises Refused (`call.type`) for anything else.
[[nodiscard]] std::string given_text(nb::handle object);
/// What must be an integer of 64 bits, and what it is, for the message. Raises the same.
[[nodiscard]] std::int64_t given_integer(nb::handle object, const std::string& what);
/// Whether it is an integer of Python or a scalar of NumPy's that is one.
[[nodiscard]] bool is_python_integer(nb::handle object);

/// Evaluates an expression in which a0, a1, … are these values.
[[nodiscard]] Result<Value> evaluate_with(std::string_view expression,
                                          const std::vector<Value>& arguments,
                                          Environment environment);

/// How deep lists, tuples and dicts may nest: Python's may contain themselves.
inline constexpr int kMaxDepth = 64;

/// The text as a literal of Python.
[[nodiscard]] std::string quoted(const std::string& text);
/// The name that Python has for a parameter: `as` is `as_`.
[[nodiscard]] std::string python_name(const std::string& parameter);

void bind_kinds(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_operations(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_relayout(nb::module_& m);
void bind_reshard(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_command(nb::module_& m);
void bind_pycute(nb::module_& m);
void bind_linear_layout(nb::module_& m);
void bind_tvm_layout(nb::module_& m);

}  // namespace heddle::python
