// A class for every kind of values, made from the list of kinds (heddle/notation/value.h): a kind
// that is added there gets one, named after its C++ type.

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "answers.h"
#include "arrays.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/operations.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python {
namespace {

using namespace std::literals;

// ---- Names ----

struct Name {
  std::string_view module;
  std::string_view name;
};

/// `heddle::cute::Layout`, as the compiler writes the type.
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__;
  const std::size_t begin = kFunction.find("T = ") + 4;
  return kFunction.substr(begin, kFunction.find_first_of(";]", begin) - begin);
}

/// The name of a type in a namespace of the house: that of its system, otherwise of the package.
template <class T>
constexpr Name kName = [] {
  constexpr std::string_view kType = type_name<T>();
  const std::size_t colons = kType.rfind("::");
  const std::string_view name = kType.substr(colons + 2);
  for (const std::string_view system : {"cute"sv, "linear"sv, "axe"sv, "lego"sv}) {
    if (kType.substr(0, colons).ends_with(system)) return Name{system, name};
  }
  return Name{"", name};
}();

// Types whose C++ names say something else, or nothing.
template <>
constexpr Name kName<IntTuple> = {"", "Int"};
template <>
constexpr Name kName<cute::StrideTuple> = {"cute", "Stride"};
template <>
constexpr Name kName<cute::Coordinate> = {"cute", "Coordinate"};
template <>
constexpr Name kName<cute::Tiler> = {"cute", "Tiler"};
template <>
constexpr Name kName<cute::Engine> = {"cute", "Engine"};
template <>
constexpr Name kName<map::IntegerRelation> = {"", "Relation"};
template <>
constexpr Name kName<notation::AxisStep> = {"axe", "AxisStep"};
template <>
constexpr Name kName<notation::AxePart> = {"axe", "Part"};
template <>
constexpr Name kName<notation::LegoPermutation> = {"lego", "Permutation"};
template <>
constexpr Name kName<notation::LegoOrders> = {"lego", "Orders"};
template <>
constexpr Name kName<notation::LegoFunction> = {"lego", "Function"};

/// What Python has a type for.
template <class T>
constexpr bool kIsNative =
    std::is_same_v<T, bool> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, notation::Datum> || std::is_same_v<T, notation::TupleList> ||
    std::is_same_v<T, notation::LayoutList> || std::is_same_v<T, notation::IterList> ||
    std::is_same_v<T, notation::Places>;

template <class T>
constexpr bool kIsFunction =
    std::is_same_v<T, cute::Layout> || std::is_same_v<T, cute::ComposedLayout> ||
    std::is_same_v<T, cute::OffsetLayout> || std::is_same_v<T, cute::TvLayout> ||
    std::is_same_v<T, cute::Tensor> || std::is_same_v<T, cute::Swizzle> ||
    std::is_same_v<T, linear::LinearLayout> || std::is_same_v<T, axe::Layout> ||
    std::is_same_v<T, axe::Sharded> || std::is_same_v<T, axe::Swizzle> ||
    std::is_same_v<T, lego::Layout> || std::is_same_v<T, notation::LegoFunction> ||
    std::is_same_v<T, map::IntegerRelation> || std::is_same_v<T, form::Table>;

template <class T>
constexpr bool kHasModes =
    std::is_same_v<T, cute::Layout> || std::is_same_v<T, cute::ComposedLayout> ||
    std::is_same_v<T, cute::Tensor>;

// ---- What all kinds have ----

template <class T>
bool are_equal(const T& a, const T& b) {
  // The text and the data of a verdict leave out who would need another value.
  if constexpr (!std::is_same_v<T, Verdict> && requires { bool(a == b); }) return a == b;
  return notation::to_string(Value(a)) == notation::to_string(Value(b));
}

template <class T>
constexpr bool kIsTuple = false;
template <class Leaf>
constexpr bool kIsTuple<Tuple<Leaf>> = true;

/// Equal values print alike. A tuple has a hash only if its leaves have one.
template <class T>
std::size_t hash_of(const T& value) {
  if constexpr (!kIsTuple<T> && requires { std::hash<T>()(value); }) {
    return std::hash<T>()(value);
  } else {
    return std::hash<std::string>()(notation::to_string(Value(value)));
  }
}

std::vector<std::string> texts_of(const Object& object) {
  std::vector<std::string> texts;
  for (const Fact& fact : object.facts ? *object.facts : Facts()) texts.push_back(fact.text);
  return texts;
}

std::string full_name(nb::handle type) {
  return nb::cast<std::string>(type.attr("__module__")) + "." +
         nb::cast<std::string>(type.attr("__qualname__"));
}

/// Kinds whose text does not say all of them, and that nothing else makes anew.
bool is_made_by_operations_only(const Value& value) {
  return value.is<cute::Divisibility>() || value.is<axe::Sharded>() || value.is<lego::Slice>();
}

/// What the class makes the value of: its text, or its data.
nb::object source_of(const Value& value) {
  if (const auto* report = value.get_if<notation::Report>()) return data_of_report(*report);
  if (value.is<Verdict>() || value.is<cute::OffsetLayout>()) {
    return to_python(notation::data_of(value));
  }
  const std::string text = notation::to_string(value);
  return nb::str(text.data(), text.size());
}

/// heddle.cute.Layout('(4,8):(8,1)')
std::string repr_of(nb::handle self) {
  const auto& object = nb::cast<const Object&>(self);
  if (is_made_by_operations_only(object.value)) {
    return "<" + full_name(self.type()) + " " + notation::to_string(object.value) + ">";
  }
  std::string assumed;
  for (const std::string& text : texts_of(object)) assumed += (assumed.empty() ? "" : ", ") + text;
  const std::string more = assumed.empty() ? "" : ", assume=" + python::quoted(assumed);
  const auto source = nb::cast<std::string>(nb::repr(source_of(object.value)));
  return full_name(self.type()) + "(" + source + more + ")";
}

/// What the value is to the operations: those whose first parameter takes it are its methods.
std::vector<const notation::Operation*> methods_of(const Value& value, std::string_view name) {
  std::vector<const notation::Operation*> methods;
  for (const notation::Operation* operation : notation::operations_named(name)) {
    if (operation->parameters.empty()) continue;
    const auto converted = operation->parameters.front().type->convert(value, {});
    if (converted && *converted) methods.push_back(operation);
  }
  return methods;
}

nb::object method_of(nb::handle self, const std::string& name) {
  const auto& object = nb::cast<const Object&>(self);
  if (name.starts_with('_') || methods_of(object.value, name).empty()) {
    const std::string text = full_name(self.type()) + " has no attribute '" + name + "'";
    throw nb::attribute_error(text.c_str());
  }
  return nb::module_::import_("functools")
      .attr("partial")(nb::module_::import_("heddle").attr(name.c_str()), self);
}

std::vector<std::string> attributes_of(nb::handle self) {
  const auto& object = nb::cast<const Object&>(self);
  auto names = nb::cast<std::vector<std::string>>(
      nb::module_::import_("builtins").attr("object").attr("__dir__")(self));
  for (const notation::Operation& operation : notation::operations()) {
    if (!methods_of(object.value, operation.name).empty()) names.push_back(operation.name);
  }
  return names;
}

nb::object operated(std::string_view expression, const nb::args& operands) {
  std::vector<Value> values;
  for (const nb::handle operand : operands) {
    const Given given = given_of(operand);
    values.push_back(given.value() != nullptr
                         ? *given.value()
                         : unwrapped(notation::value_of(given, settings()->environment)));
  }
  return to_python(run(Length::kShort, [&](const Environment& environment) {
    return evaluate_with(expression, values, environment);
  }));
}

/// Defines an operator as that of the language.
template <class Class>
void def_operator(Class& c, const char* name, const char* reflected, const char* sign) {
  const std::string expression = "a0 "s + sign + " a1";
  c.def(
      name,
      [expression](nb::handle a, nb::handle b) {
        return operated(expression, nb::borrow<nb::args>(nb::make_tuple(a, b)));
      },
      nb::is_operator(), nb::arg("other").none());
  c.def(
      reflected,
      [expression](nb::handle b, nb::handle a) {
        return operated(expression, nb::borrow<nb::args>(nb::make_tuple(a, b)));
      },
      nb::is_operator(), nb::arg("other").none());
}

// ---- Applying ----

/// f(a0, a1, …, name=an): the function is a0 of the expression.
nb::object applied(const Object& function, const nb::args& args, const nb::kwargs& kwargs) {
  const auto in_force = settings();
  std::vector<Value> values = {value_in_force(function)};
  std::string expression = "a0(";
  const auto add = [&](const std::string& name, nb::handle argument) {
    if (values.size() > 1) expression += ", ";
    expression += name + "a" + std::to_string(values.size());
    values.push_back(unwrapped(notation::value_of(coordinate_of(argument), in_force->environment)));
  };
  for (const nb::handle argument : args) add("", argument);
  for (const auto& [name, argument] : kwargs) {
    const auto called = nb::cast<std::string>(name);
    const bool is_name =
        !called.empty() &&
        called.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
    if (!is_name) raise(Diagnostic("call.keyword", "a coordinate has no name " + called));
    add(called + "=", argument);
  }
  expression += ")";
  return to_python(run(Length::kShort, [&](const Environment& environment) {
    return evaluate_with(expression, values, environment);
  }));
}

/// The index of machine integers in a plain layout; nullopt if something is not plain.
std::optional<std::int64_t> index_at(const Object& function, const nb::args& args) {
  const auto* layout = function.value.get_if<cute::Layout>();
  if (layout == nullptr || args.size() == 0 || args.size() > 4) return std::nullopt;
  std::int64_t at[4] = {};
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!PyLong_CheckExact(args[i].ptr())) return std::nullopt;
    int overflow = 0;
    at[i] = PyLong_AsLongLongAndOverflow(args[i].ptr(), &overflow);
    if (overflow != 0 || at[i] < 0) return std::nullopt;
  }
  if (args.size() > 1 && args.size() != layout->rank()) return std::nullopt;
  const Int index = args.size() == 1   ? (*layout)(Int(at[0]))
                    : args.size() == 2 ? (*layout)(at[0], at[1])
                    : args.size() == 3 ? (*layout)(at[0], at[1], at[2])
                                       : (*layout)(at[0], at[1], at[2], at[3]);
  if (!index.is_constant()) return std::nullopt;
  return index.value();
}

nb::object called(nb::handle self, const nb::args& args, const nb::kwargs& kwargs) {
  const auto& function = nb::cast<const Object&>(self);
  if (kwargs.size() == 0) {
    if (const auto index = index_at(function, args)) return nb::int_(*index);
  }
  if (has_arrays(args, kwargs)) return evaluate_arrays(function, args, kwargs);
  return applied(function, args, kwargs);
}

/// L[1]: a mode; L[0:2]: modes; L[1, :]: a slice.
nb::object subscripted(nb::handle self, nb::handle index) {
  const auto& object = nb::cast<const Object&>(self);
  const nb::module_ heddle = nb::module_::import_("heddle");
  if (object.value.is<lego::Layout>()) {
    std::vector<Value> values = {value_in_force(object)};
    std::string expression = "a0[";
    const nb::tuple parts =
        PyTuple_Check(index.ptr()) ? nb::borrow<nb::tuple>(index) : nb::make_tuple(index);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      expression += i > 0 ? ", " : "";
      const Given part = coordinate_of(parts[i]);
      if (part.text() != nullptr) {
        expression += *part.text() == "_" ? ":" : *part.text();
        continue;
      }
      expression += "a" + std::to_string(values.size());
      values.push_back(unwrapped(notation::value_of(part, settings()->environment)));
    }
    return to_python(
        run(Length::kLong, [&, text = expression + "]"](const Environment& environment) {
          return evaluate_with(text, values, environment);
        }));
  }
  const nb::object rank = heddle.attr("rank")(self);
  if (PySlice_Check(index.ptr())) {
    const nb::tuple range = nb::borrow<nb::tuple>(index.attr("indices")(rank));
    if (nb::cast<std::int64_t>(range[2]) != 1) {
      raise(Diagnostic("call.type", "modes are taken in their order: the step of a slice is 1"));
    }
    return heddle.attr("take")(self, range[0], range[1]);
  }
  if (is_python_integer(index)) {
    const auto count = nb::cast<std::int64_t>(rank);
    std::int64_t mode = 0;
    const bool is_there =
        nb::try_cast(nb::int_(index), mode, false) && mode >= -count && mode < count;
    if (!is_there) throw nb::index_error("the layout has no such mode");
    return heddle.attr("get")(self, mode < 0 ? mode + count : mode);
  }
  bool is_path = PyTuple_Check(index.ptr());
  for (const nb::handle part : is_path ? nb::borrow<nb::tuple>(index) : nb::tuple()) {
    is_path = is_path && is_python_integer(part);
  }
  if (is_path) return heddle.attr("get")(self, *nb::borrow<nb::tuple>(index));
  return applied(object, nb::borrow<nb::args>(nb::make_tuple(index)), nb::kwargs());
}

// ---- Making ----

/// A layout with an offset, of its data: {"layout": …, "offset": …}.
Value placed_layout_of(const Given& given, const Environment& environment) {
  std::optional<Value> layout;
  std::optional<Value> offset;
  for (const auto& [name, part] : *given.fields()) {
    if (name == "layout") layout = unwrapped(notation::value_of(part, environment));
    if (name == "offset") offset = unwrapped(notation::value_of(part, environment));
  }
  const bool is_whole = layout && layout->is<cute::Layout>() && offset && offset->is<IntTuple>();
  if (!is_whole) raise(Diagnostic("call.type", "a layout with an offset has both"));
  return Value(cute::OffsetLayout(layout->get<cute::Layout>(), offset->get<IntTuple>()));
}

/// The value that a class is called with: a text in its notation, an object of the kind, a foreign
/// object, or the arguments of the operation of its name.
template <class T>
Value made(std::string_view name, const nb::args& args, const nb::kwargs& kwargs) {
  const auto in_force = settings();
  const bool is_alone = args.size() == 1 && kwargs.size() == 0;
  if constexpr (std::is_same_v<T, Verdict> || std::is_same_v<T, notation::Report>) {
    if (is_alone && PyDict_Check(args[0].ptr())) {
      if constexpr (std::is_same_v<T, Verdict>) return verdict_of_data(args[0]);
      if constexpr (std::is_same_v<T, notation::Report>) return report_of_data(args[0]);
    }
  }
  const Operations makers = notation::operations_named(name);
  std::optional<Given> given;
  if (is_alone) {
    given = std::is_same_v<T, form::Table> ? given_of(args[0], ArraysAre::kTables)
                                           : given_of(args[0], makers);
  }
  std::optional<Value> value;
  const bool is_text = given && given->text() != nullptr;
  if (given) {
    if constexpr (std::is_same_v<T, form::Table>) {
      const notation::Operation* recover = notation::find_operation("recover");
      value = unwrapped(
          notation::value_of(*given, *recover->parameters.front().type, in_force->environment));
      Result<map::AnyLayout> layout = notation::to_any_layout(*value);
      if (layout && std::holds_alternative<form::Table>(*layout))
        value = notation::to_value(*layout);
    } else if (std::is_same_v<T, cute::OffsetLayout> && given->fields() != nullptr) {
      value = placed_layout_of(*given, in_force->environment);
    } else if (is_text || given->value() != nullptr) {
      value = unwrapped(notation::value_of(*given, in_force->environment));
    }
  }
  if (value && std::is_same_v<T, IntTuple> && value->is_integer()) return *value;
  if (value && value->is<T>()) return *value;
  if (is_text) {
    raise(Diagnostic("call.type", notation::to_string(*value) + " is " +
                                      std::string(notation::kind_name(*value)) + ", no " +
                                      std::string(name)));
  }
  Value result =
      unwrapped(notation::call_given(name, given_of(args, kwargs, makers), in_force->environment));
  if (result.is<T>()) return result;
  raise(Diagnostic("call.type", "this makes " + std::string(notation::kind_name(result)) + ", no " +
                                    std::string(name)));
}

/// An object of the class of the kind with this index.
template <std::size_t kIndex>
nb::object object_of(const Object& object) {
  using T = std::variant_alternative_t<kIndex, Value::Data>;
  if constexpr (kIsNative<T>) {
    return to_python(object.value);
  } else {
    return nb::cast(Of<T>{object});
  }
}

using Make = nb::object (*)(const Object&);
/// How an object of each kind is made, in the order of the kinds.
constexpr auto kMakers = []<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
  return std::array<Make, sizeof...(kIndices)>{object_of<kIndices>...};
}(std::make_index_sequence<std::variant_size_v<Value::Data>>());

nb::module_ module_named(nb::module_& m, std::string_view name) {
  if (name.empty()) return m;
  const std::string text(name);
  if (nb::hasattr(m, text.c_str())) return nb::borrow<nb::module_>(m.attr(text.c_str()));
  nb::module_ made = m.def_submodule(text.c_str());
  made.attr("__name__") = "heddle." + text;
  return made;
}

template <class T>
void add_members(nb::class_<Of<T>, Object>& c) {
  c.def(
      "__eq__",
      [](const Of<T>& self, nb::handle other) -> nb::object {
        const Of<T>* same = nullptr;
        if (!nb::isinstance<Of<T>>(other)) return nb::borrow(nb::handle(Py_NotImplemented));
        same = nb::inst_ptr<Of<T>>(other);
        return nb::bool_(are_equal(self.value.template get<T>(), same->value.template get<T>()));
      },
      nb::arg("other").none());
  c.def("__hash__", [](const Of<T>& self) {
    return static_cast<Py_hash_t>(hash_of(self.value.template get<T>()) >> 1);
  });
  if constexpr (kIsFunction<T>) c.def("__call__", called);
  if constexpr (kHasModes<T>) {
    c.def("__len__", [](nb::handle self) {
      return nb::cast<Py_ssize_t>(nb::module_::import_("heddle").attr("rank")(self));
    });
    c.def_prop_ro("shape", [](nb::handle self) {
      return nb::module_::import_("heddle").attr("shape")(self);
    });
  }
  if constexpr (kHasModes<T> || std::is_same_v<T, lego::Layout>) {
    c.def("__getitem__", subscripted, nb::arg("index").none());
  }
  if constexpr (std::is_same_v<T, cute::Layout>) {
    c.def_prop_ro("stride", [](nb::handle self) {
      return nb::module_::import_("heddle").attr("stride")(self);
    });
  }
  if constexpr (std::is_same_v<T, Verdict>) {
    c.def("__bool__", [](nb::handle self) {
      const Verdict& verdict = nb::cast<const Object&>(self).value.template get<Verdict>();
      if (!verdict.is_unknown()) return verdict.is_yes();
      const nb::object error = nb::module_::import_("heddle._errors").attr("Undecided")(self);
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
      throw nb::python_error();
    });
    c.def_prop_ro("answer", [](nb::handle self) {
      const Verdict& verdict = nb::cast<const Object&>(self).value.template get<Verdict>();
      return verdict.is_yes() ? "yes" : verdict.is_no() ? "no" : "unknown";
    });
  }
  if constexpr (std::is_same_v<T, notation::Report>) {
    c.def_prop_ro(
        "text", [](const Of<T>& self) { return self.value.template get<notation::Report>().text; });
    c.def_prop_ro("data", [](const Of<T>& self) {
      return to_python(self.value.template get<notation::Report>().data);
    });
    c.def_prop_ro("outcome", [](const Of<T>& self) -> nb::object {
      return data_of_report(self.value.template get<notation::Report>())["outcome"];
    });
  }
}

/// Int has the operators of the language.
void add_arithmetic(nb::class_<Of<IntTuple>, Object>& c) {
  def_operator(c, "__add__", "__radd__", "+");
  def_operator(c, "__sub__", "__rsub__", "-");
  def_operator(c, "__mul__", "__rmul__", "*");
  def_operator(c, "__floordiv__", "__rfloordiv__", "//");
  def_operator(c, "__mod__", "__rmod__", "%");
  c.def("__neg__", [](nb::handle self) {
    return operated("-a0", nb::borrow<nb::args>(nb::make_tuple(self)));
  });
  for (const auto& [name, sign] : std::map<const char*, const char*>{
           {"__lt__", "<"}, {"__le__", "<="}, {"__gt__", ">"}, {"__ge__", ">="}}) {
    const std::string expression = "a0 "s + sign + " a1";
    c.def(
        name,
        [expression](nb::handle a, nb::handle b) {
          return operated(expression, nb::borrow<nb::args>(nb::make_tuple(a, b)));
        },
        nb::is_operator(), nb::arg("other").none());
  }
}

/// While it lives, the assumptions of the argument `assume` hold; the other arguments are rest().
class Assuming {
 public:
  explicit Assuming(const nb::kwargs& kwargs) : rest_(nb::borrow<nb::kwargs>(kwargs)) {
    if (!kwargs.contains("assume")) return;
    within_ = nb::module_::import_("heddle").attr("assume")(kwargs["assume"]);
    rest_ = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (PyDict_DelItemString(rest_.ptr(), "assume") != 0) throw nb::python_error();
    within_.attr("__enter__")();
  }
  Assuming(const Assuming&) = delete;
  Assuming& operator=(const Assuming&) = delete;
  ~Assuming() {
    if (!within_.is_valid()) return;
    const nb::error_scope kept;
    try {
      within_.attr("__exit__")(nb::none(), nb::none(), nb::none());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(within_);
    }
  }
  [[nodiscard]] const nb::kwargs& rest() const { return rest_; }

 private:
  nb::kwargs rest_;
  nb::object within_;
};

template <std::size_t kIndex>
void bind_kind(nb::module_& m) {
  using T = std::variant_alternative_t<kIndex, Value::Data>;
  if constexpr (!kIsNative<T>) {
    nb::module_ module = module_named(m, kName<T>.module);
    const std::string name(kName<T>.name);
    nb::class_<Of<T>, Object> c(module, name.c_str());
    c.def(nb::new_([name](const nb::args& args, const nb::kwargs& kwargs) {
      const Assuming assuming(kwargs);
      Value value = made<T>(name, args, assuming.rest());
      auto facts = facts_about(notation::variables(value));
      return Of<T>{{std::move(value), std::move(facts)}};
    }));
    add_members<T>(c);
    if constexpr (std::is_same_v<T, IntTuple>) add_arithmetic(c);
    constexpr bool kIsPart = std::is_same_v<T, axe::Layout> ||
                             std::is_same_v<T, notation::AxePart> ||
                             std::is_same_v<T, notation::AxisStep>;
    if constexpr (kIsPart) def_operator(c, "__add__", "__radd__", "+");
  }
}

template <std::size_t... kIndices>
void bind_all_kinds(nb::module_& m, std::index_sequence<kIndices...>) {
  (bind_kind<kIndices>(m), ...);
}

/// The iters [extent, stride, axis] of the shard and of the replica, the offset by axes, and the
/// swizzle, (M, B, S, whether it is inner, axis) or None.
nb::object parts_of(const Of<axe::Layout>& self) {
  const auto& layout = self.value.get<axe::Layout>();
  const auto iters = [](std::span<const axe::Iter> all) {
    return to_python(notation::data_of(Value(notation::IterList(all.begin(), all.end()))));
  };
  nb::object swizzle = nb::none();
  if (const auto& of = layout.swizzle()) {
    swizzle =
        nb::make_tuple(of->per_element, of->swizzle_len, of->atom_len, of->inner, of->axis.name());
  }
  const nb::object places = to_python(Value(notation::Places{layout.offset()}));
  return nb::make_tuple(iters(layout.shard()), iters(layout.replica()), places[0], swizzle);
}

nb::object reduced(nb::handle self) {
  const auto& object = nb::cast<const Object&>(self);
  if (is_made_by_operations_only(object.value)) {
    const std::string text =
        full_name(self.type()) + " cannot be pickled: it is made by operations";
    throw nb::type_error(text.c_str());
  }
  const nb::object rebuilt = nb::module_::import_("heddle._methods").attr("rebuilt");
  return nb::make_tuple(
      rebuilt, nb::make_tuple(self.type(), source_of(object.value), nb::cast(texts_of(object))));
}

}  // namespace

nb::object make_object(Object object) { return kMakers.at(object.value.data().index())(object); }

void bind_kinds(nb::module_& m) {
  nb::class_<Object> c(m, "Value", "A value of the layout algebra, immutable.");
  c.def("__repr__", repr_of);
  c.def("__str__", [](const Object& self) { return notation::to_string(self.value); });
  c.def("__reduce__", reduced);
  c.def("__getattr__", method_of);
  c.def("__dir__", attributes_of);
  c.def_prop_ro(
      "variables", [](const Object& self) { return notation::variables(self.value); },
      "The names of the symbolic sizes in it.");
  c.def_prop_ro("assumptions", texts_of,
                "The assumptions about its sizes under which it was made.");
  c.def_prop_ro(
      "data", [](const Object& self) { return to_python(notation::data_of(self.value)); },
      "The value as lists, dicts, texts and numbers.");
  def_operator(c, "__matmul__", "__rmatmul__", "o");
  m.def("_axe_parts", parts_of);
  bind_all_kinds(m, std::make_index_sequence<std::variant_size_v<Value::Data>>());
}

}  // namespace heddle::python
