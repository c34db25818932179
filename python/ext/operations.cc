// The table of operations as Python sees it: a caller for each row, with what documents it.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/notation/any_layout.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python {
namespace {

using notation::Operation;

struct Family {
  std::string_view name;
  /// The module of its operations; empty for those of the package itself.
  std::string_view system;
  /// kShort if its operations only count and compare; others may search or prove.
  Length length;
};

/// Every family of the table; a test holds the names against it.
constexpr Family kFamilies[] = {
    {"tuples", "cute", Length::kShort},
    {"nesting", "cute", Length::kShort},
    {"coordinates", "cute", Length::kShort},
    {"orders", "cute", Length::kShort},
    {"compact strides", "cute", Length::kShort},
    {"making layouts", "cute", Length::kShort},
    {"measuring", "cute", Length::kShort},
    {"modes", "cute", Length::kShort},
    {"simplifying", "cute", Length::kShort},
    {"evaluating and slicing", "cute", Length::kShort},
    {"composition", "cute", Length::kShort},
    {"complement", "cute", Length::kShort},
    {"inverses", "cute", Length::kShort},
    {"divides", "cute", Length::kShort},
    {"products", "cute", Length::kShort},
    {"questions", "cute", Length::kLong},
    {"swizzles", "cute", Length::kShort},
    {"recasting", "cute", Length::kShort},
    {"permutations", "cute", Length::kLong},
    {"partitions", "cute", Length::kLong},
    {"thread-value layouts", "cute", Length::kShort},
    {"tiled copies", "cute", Length::kLong},
    {"tiled MMAs", "cute", Length::kLong},
    {"tensors", "cute", Length::kShort},
    {"making linear layouts", "linear", Length::kShort},
    {"linear algebra", "linear", Length::kShort},
    {"named dimensions", "linear", Length::kShort},
    {"linear questions", "linear", Length::kShort},
    {"column actions", "linear", Length::kShort},
    {"encodings", "linear", Length::kShort},
    {"what encodings take", "linear", Length::kShort},
    {"chosen encodings", "linear", Length::kLong},
    {"encodings in Gluon", "linear", Length::kShort},
    {"making Axe layouts", "axe", Length::kShort},
    {"Axe questions", "axe", Length::kShort},
    {"grouping Axe layouts", "axe", Length::kShort},
    {"tiling Axe layouts", "axe", Length::kLong},
    {"threads of Axe layouts", "axe", Length::kLong},
    {"Axe layouts of hardware", "axe", Length::kLong},
    {"tensors over meshes", "axe", Length::kLong},
    {"who holds what", "axe", Length::kLong},
    {"LEGO views", "lego", Length::kShort},
    {"LEGO permutations", "lego", Length::kShort},
    {"LEGO questions", "lego", Length::kShort},
    {"LEGO algebra", "lego", Length::kLong},
    {"relations", "relations", Length::kLong},
    {"sets", "relations", Length::kLong},
    {"analyses", "", Length::kLong},
    {"conversions", "", Length::kLong},
    {"decisions", "", Length::kLong},
    {"dumps", "", Length::kLong},
    {"emit", "", Length::kLong},
    {"index expressions", "", Length::kLong},
    {"kernels", "", Length::kLong},
    {"language", "", Length::kLong},
    {"loops", "", Length::kLong},
    {"machines and their instructions", "", Length::kLong},
    {"moving data", "", Length::kLong},
    {"pictures", "", Length::kLong},
    {"recovery", "", Length::kLong},
    {"redistribution", "", Length::kLong},
    {"templates", "", Length::kLong},
    {"tensor maps and matrix descriptors", "", Length::kLong},
    {"texts", "", Length::kLong},
};

const Family* family_of(const Operation& operation) {
  const auto* found = std::ranges::find(kFamilies, operation.family, &Family::name);
  return found == std::end(kFamilies) ? nullptr : found;
}

std::string system_of(const Operation& operation) {
  const Family* family = family_of(operation);
  return family == nullptr ? "" : std::string(family->system);
}

Length length_of(const Operation& operation) {
  const Family* family = family_of(operation);
  return family == nullptr ? Length::kLong : family->length;
}

/// A row of the table, or all rows of one name, of which the arguments choose.
struct Caller {
  std::string name;
  /// nullptr to choose by the arguments.
  const Operation* operation = nullptr;
};

nb::object call_operation(const Caller& caller, const nb::args& args, const nb::kwargs& kwargs) {
  const Operation& first =
      caller.operation != nullptr ? *caller.operation : *notation::find_operation(caller.name);
  const Operations called = caller.operation != nullptr ? Operations(&caller.operation, 1)
                                                        : notation::operations_named(caller.name);
  const GivenArguments given = given_of(args, kwargs, called);
  const bool is_long =
      std::ranges::any_of(called, [](auto* one) { return length_of(*one) == Length::kLong; });
  const Length length = is_long ? Length::kLong : length_of(first);
  return to_python(run(length, [&](const Environment& environment) {
    return caller.operation != nullptr ? notation::call_given(*caller.operation, given, environment)
                                       : notation::call_given(caller.name, given, environment);
  }));
}

// ---- Documentation ----

/// The parameters with their defaults: `layout`, `mode='1:0'`, `rank=None`, `*tuples`.
nb::object parameters_of(const Operation& operation) {
  nb::list parameters;
  for (const notation::Parameter& parameter : operation.parameters) {
    static constexpr const char* kNeeds[] = {"required", "optional", "repeated"};
    parameters.append(nb::make_tuple(
        python_name(parameter.name), kNeeds[static_cast<std::size_t>(parameter.need)],
        parameter.default_text, std::string(parameter.type->description)));
  }
  return parameters;
}

bool is_plain(const notation::Expression& expression) {
  if (std::holds_alternative<notation::IntegerLiteral>(expression.node)) return true;
  const auto* parentheses = std::get_if<notation::Parentheses>(&expression.node);
  const bool is_list = std::holds_alternative<notation::ListLiteral>(expression.node);
  const bool is_tuple = parentheses != nullptr && parentheses->is_literal;
  return (is_list || is_tuple || std::holds_alternative<notation::Negation>(expression.node)) &&
         std::ranges::all_of(expression.parts, is_plain);
}

bool is_text_list(const notation::Expression& expression) {
  if (std::holds_alternative<notation::StringLiteral>(expression.node)) return true;
  return (std::holds_alternative<notation::ListLiteral>(expression.node) ||
          std::holds_alternative<notation::ObjectLiteral>(expression.node)) &&
         std::ranges::all_of(expression.parts,
                             [](const auto& part) { return is_plain(part) || is_text_list(part); });
}

/// How Python writes an argument that the language writes so: numbers and tuples as they are, and
/// every other expression as a text.
std::string written(std::string_view source, const notation::Expression& argument,
                    const notation::ParameterType& type) {
  const std::string text(
      source.substr(argument.span.begin, argument.span.end - argument.span.begin));
  const auto* name = std::get_if<notation::Reference>(&argument.node);
  if (name != nullptr && (name->name == "true" || name->name == "false")) {
    return name->name == "true" ? "True" : "False";
  }
  if (const auto* literal = std::get_if<notation::StringLiteral>(&argument.node)) {
    return type.text == notation::TextIs::kExpression ? python::quoted(text)
                                                      : python::quoted(literal->value);
  }
  return is_plain(argument) || is_text_list(argument) ? text : python::quoted(text);
}

/// The example as a call of Python: composition('(6,2):(8,2)', '(4,3):(3,1)'); empty if it is no
/// call of the operation.
std::string example_call(const Operation& operation) {
  const auto tree = notation::parse_expression(operation.example);
  if (!tree) return "";
  const auto* application = std::get_if<notation::Application>(&tree->node);
  if (application == nullptr) return "";
  const notation::Expression& front = tree->parts.front();
  const auto* name = std::get_if<notation::Reference>(&front.node);
  const auto* member = std::get_if<notation::Member>(&front.node);
  // In front of a member only a module or a class stands that is no argument: gl.BlockedLayout.
  const bool is_of_module =
      member != nullptr && std::holds_alternative<notation::Reference>(front.parts.front().node);
  const bool is_called = (name != nullptr && name->name == operation.name) ||
                         (is_of_module && member->name == operation.name);
  if (!is_called || operation.parameters.empty()) return "";
  std::string call;
  for (std::size_t i = 1; i < tree->parts.size(); ++i) {
    if (i > 1) call += ", ";
    const std::string_view keyword = application->names[i - 1];
    if (!keyword.empty()) call += python_name(std::string(keyword)) + "=";
    const auto& parameters = operation.parameters;
    const notation::Parameter* named = notation::find_parameter(operation, keyword);
    const notation::Parameter& parameter =
        named != nullptr ? *named : parameters[std::min(i - 1, parameters.size() - 1)];
    call += written(operation.example, tree->parts[i], *parameter.type);
  }
  return "(" + call + ")";
}

/// A text that calls nothing is read at once.
Length length_of(const std::string& text) {
  if (text.find("==") != std::string::npos) return Length::kLong;
  for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) return Length::kLong;
  }
  return text.find('{') == std::string::npos ? Length::kShort : Length::kLong;
}

nb::object evaluated(nb::handle object) {
  const std::string text = given_text(object);
  return to_python(run(length_of(text), [&](const Environment& environment) {
    return notation::evaluate(text, environment);
  }));
}

/// A layout of any system: what a text says, a foreign object, or a value as a layout.
nb::object read_layout(nb::handle object) {
  const Given given = given_of(object);
  const Length length = given.text() != nullptr ? length_of(*given.text()) : Length::kShort;
  return to_python(run(length, [&](const Environment& environment) -> Result<Value> {
    HEDDLE_TRY(Value value, notation::value_of(given, environment));
    if (value.is<cute::Tensor>()) {
      return notation::call_given("layout", {{Given(value)}, {}}, environment);
    }
    if (value.has_map() || value.is<cute::Swizzle>() || value.is<linear::Encoding>()) return value;
    HEDDLE_TRY(const map::AnyLayout layout, notation::to_any_layout(value, environment.context()));
    return notation::to_value(layout);
  }));
}

}  // namespace

void bind_operations(nb::module_& m) {
  nb::class_<Caller>(m, "Caller", "A row of the table of operations, to be called.")
      .def("__call__", call_operation)
      .def_ro("name", &Caller::name);
  nb::list rows;
  for (const Operation& operation : notation::operations()) {
    rows.append(nb::make_tuple(operation.name, system_of(operation)));
  }
  m.attr("_rows") = nb::tuple(rows);
  nb::list families;
  for (const Family& family : kFamilies) families.append(family.name);
  m.attr("_families") = nb::tuple(families);
  m.def("_operation", [](std::size_t row) {
    const Operation& operation = notation::operations().at(row);
    return Caller{operation.name, &operation};
  });
  m.def("_operation_named", [](const std::string& name) { return Caller{name, nullptr}; });
  // The name in the table of an operation that has others too: make_tuple for make_shape.
  m.def("_name_in_table", [](const std::string& name) -> std::optional<std::string> {
    const Operation* operation = notation::find_operation(name);
    if (operation == nullptr) return std::nullopt;
    return operation->name;
  });
  // The systems of the operations that a name calls.
  m.def("_systems_of", [](const std::string& name) {
    std::vector<std::string> systems;
    for (const Operation* one : notation::operations_named(name)) {
      systems.push_back(system_of(*one));
    }
    return systems;
  });
  m.def("_described", [](std::size_t row) {
    const Operation& operation = notation::operations().at(row);
    nb::dict described;
    described["name"] = operation.name;
    described["family"] = operation.family;
    described["summary"] = operation.summary;
    described["signature"] = notation::signature(operation);
    described["parameters"] = parameters_of(operation);
    described["example"] = operation.example;
    described["call"] = example_call(operation);
    described["result"] = operation.example_result;
    return described;
  });
  m.def("evaluate", evaluated, nb::arg("text").none(), nb::sig("def evaluate(text: str) -> object"),
        "The value of an expression of the language: a layout, a number, a verdict, ….");
  m.def(
      "layout", read_layout, nb::arg("layout").none(),
      nb::sig("def layout(layout: object) -> object"),
      "A layout of any system: what a text says in any notation, another library's layout, or the "
      "shape and the strides of an array.");
}

}  // namespace heddle::python
