#include "object.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "heddle/core/diagnostic.h"
#include "heddle/notation/operations.h"
#include "refusal.h"

namespace heddle::python {

// ---- To Python ----

nb::object to_python(const Int& integer) {
  if (integer.is_constant()) return nb::int_(integer.value());
  return make_object({Value(integer), facts_about(variables(integer))});
}

namespace {

nb::object tuple_to_python(const IntTupleView& tuple) {
  if (tuple.is_leaf()) return to_python(tuple.leaf());
  nb::list parts;
  for (const IntTupleView mode : tuple.modes()) parts.append(tuple_to_python(mode));
  return nb::tuple(parts);
}

struct ToPython {
  const Value& value;

  nb::object operator()(bool truth) const { return nb::bool_(truth); }
  nb::object operator()(const std::string& text) const { return nb::str(text.data(), text.size()); }
  nb::object operator()(const IntTuple& tuple) const { return tuple_to_python(tuple.view()); }
  nb::object operator()(const notation::Datum& datum) const { return to_python(datum); }
  nb::object operator()(const notation::TupleList& list) const { return list_of(list); }
  nb::object operator()(const notation::LayoutList& list) const { return list_of(list); }
  nb::object operator()(const notation::IterList& list) const { return list_of(list); }
  /// Each place is an object of its axes.
  nb::object operator()(const notation::Places& places) const {
    nb::list list;
    for (const axe::Coordinate& place : places) {
      nb::dict axes;
      for (const auto& [axis, at] : place) axes[nb::str(axis.name().c_str())] = to_python(at);
      list.append(axes);
    }
    return list;
  }
  template <class T>
  nb::object operator()(const T&) const {
    return make_object({value, facts_about(notation::variables(value))});
  }

 private:
  template <class T>
  static nb::object list_of(const std::vector<T>& items) {
    nb::list list;
    for (const T& item : items) list.append(to_python(Value(item)));
    return list;
  }
};

}  // namespace

nb::object to_python(const Value& value) { return std::visit(ToPython{value}, value.data()); }

nb::object to_python(const notation::Datum& datum) {
  if (datum.is_null()) return nb::none();
  if (const bool* truth = datum.truth()) return nb::bool_(*truth);
  if (const std::int64_t* number = datum.number()) return nb::int_(*number);
  if (const std::string* text = datum.text()) return nb::str(text->data(), text->size());
  if (const auto* items = datum.list()) {
    nb::list list;
    for (const notation::Datum& item : *items) list.append(to_python(item));
    return list;
  }
  nb::dict fields;
  for (const auto& [name, item] : *datum.fields()) {
    fields[nb::str(name.data(), name.size())] = to_python(item);
  }
  return fields;
}

// ---- From Python ----

namespace {

[[noreturn]] void refuse_object(nb::handle object, const std::string& hint) {
  const std::string kind = nb::cast<std::string>(object.type().attr("__name__"));
  raise(Diagnostic("call.type", "an argument is of Python's type " + kind +
                                    "; a layout, a text, an integer, a tuple, a list or a dict is "
                                    "needed")
            .with_hint(hint));
}

std::string text_of(nb::handle object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw nb::python_error();  // a lone surrogate
  return {text, static_cast<std::size_t>(size)};
}

Value integer_of(nb::handle object) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow != 0) {
    raise(Diagnostic("syntax.number",
                     nb::cast<std::string>(nb::str(object)) + " does not fit into 64 bits"));
  }
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Value(Int(number));
}

/// Reads an argument. Code of Python runs meanwhile, `__index__` for instance, and may change lists
/// and dicts: what is read of them is held.
class Reading {
 public:
  /// How arrays are taken is asked for where there is one.
  explicit Reading(std::function<ArraysAre()> arrays, bool is_coordinate = false)
      : arrays_(std::move(arrays)), is_coordinate_(is_coordinate) {}

  Given operator()(nb::handle object) {
    if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) return list_of(object);
    if (PyDict_Check(object.ptr())) return fields_of(object);
    count_leaf();
    if (const Object* own = own_of(object)) return value_in_force(*own);
    if (PyBool_Check(object.ptr())) return Value(object.ptr() == Py_True);
    if (PyLong_Check(object.ptr())) return integer_of(object);
    if (PyUnicode_Check(object.ptr())) return Given(text_of(object));
    const bool is_left_free = depth_ > 0 && object.is_none();
    if (is_left_free || (is_coordinate_ && is_all(object))) return Given("_");
    if (is_python_integer(object)) return index_of(object);
    return foreign(object);
  }

 private:
  static const Object* own_of(nb::handle object) {
    const Object* own = nullptr;
    return nb::try_cast<const Object*>(object, own) ? own : nullptr;
  }
  static bool is_all(nb::handle object) {
    if (object.is_none() || object.ptr() == Py_Ellipsis) return true;
    if (!PySlice_Check(object.ptr())) return false;
    return object.attr("start").is_none() && object.attr("stop").is_none() &&
           object.attr("step").is_none();
  }
  void go_deeper() {
    if (++depth_ > kMaxDepth) {
      raise(Diagnostic("syntax.too_deep",
                       "an argument nests more than " + std::to_string(kMaxDepth) + " deep"));
    }
  }
  /// A tuple of few objects that has another one twice, and so on, may have no end within memory.
  void count_leaf() {
    if (++leaves_ <= notation::kMaxLeaves) return;
    raise(Diagnostic("call.too_large", "an argument has more than " +
                                           std::to_string(notation::kMaxLeaves) + " leaves"));
  }
  /// What torch.distributed says of a tensor is a list of its own objects.
  static bool are_placements(nb::handle object) {
    const nb::sequence items = nb::borrow<nb::sequence>(object);
    if (nb::len(items) == 0) return false;
    const nb::object first = items[0];
    if (PyLong_Check(first.ptr()) || PyUnicode_Check(first.ptr()) || PyTuple_Check(first.ptr()) ||
        PyList_Check(first.ptr())) {
      return false;
    }
    const nb::object module = nb::getattr(first.type(), "__module__", nb::none());
    return PyUnicode_Check(module.ptr()) &&
           nb::cast<std::string>(module).starts_with("torch.distributed");
  }
  Given list_of(nb::handle object) {
    if (are_placements(object)) return foreign(object);
    go_deeper();
    Given::List list;
    for (const nb::handle item : nb::borrow<nb::sequence>(object)) list.push_back((*this)(item));
    if (list.empty()) count_leaf();
    --depth_;
    return PyList_Check(object.ptr()) ? Given::no_tuple(std::move(list)) : Given(std::move(list));
  }
  Given fields_of(nb::handle object) {
    go_deeper();
    Given::Fields fields;
    const nb::object copy = nb::steal(PyDict_Copy(object.ptr()));
    if (!copy.is_valid()) throw nb::python_error();
    for (const auto& [key, item] : nb::borrow<nb::dict>(copy)) {
      if (!PyUnicode_Check(key.ptr())) refuse_object(key, "the keys of a dict are texts");
      fields.emplace_back(text_of(key), (*this)(item));
    }
    if (fields.empty()) count_leaf();
    --depth_;
    return fields;
  }
  static Given index_of(nb::handle object) {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    return integer_of(index);
  }
  Given foreign(nb::handle object) {
    go_deeper();
    const ArraysAre arrays = arrays_();
    const nb::object read =
        nb::module_::import_("heddle._foreign")
            .attr("read")(object, arrays == ArraysAre::kTables, arrays == ArraysAre::kTuples);
    if (read.is_none()) refuse_object(object, "heddle.layout('(4,8):(8,1)') reads any notation");
    const Given given = (*this)(read);
    --depth_;
    return given;
  }

  std::function<ArraysAre()> arrays_;
  bool is_coordinate_;
  std::size_t depth_ = 0;
  std::size_t leaves_ = 0;
};

}  // namespace

bool is_python_integer(nb::handle object) {
  if (PyLong_Check(object.ptr())) return true;
  if (!PyIndex_Check(object.ptr())) return false;
  if (!nb::hasattr(object, "__array__")) return true;
  // The scalars of NumPy have both; arrays, those without dimensions too, are not integers.
  return !nb::hasattr(object, "__dlpack__") &&
         nb::getattr(object, "ndim", nb::none()).equal(nb::int_(0));
}

Given given_of(nb::handle object, ArraysAre arrays) {
  return Reading([arrays] { return arrays; })(object);
}
std::string given_text(nb::handle object) {
  if (PyUnicode_Check(object.ptr())) return text_of(object);
  raise(Diagnostic("call.type", std::string("an argument is of Python's type ") +
                                    nb::type_name(object.type()).c_str() + "; a text is needed"));
}
std::int64_t given_integer(nb::handle object, const std::string& what) {
  std::int64_t number = 0;
  if (is_python_integer(object)) {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    if (nb::try_cast(index, number, false)) return number;
  }
  raise(Diagnostic("call.type", what + " must be an integer of 64 bits, not " +
                                    nb::cast<std::string>(nb::repr(object))));
}
Given coordinate_of(nb::handle object) {
  return Reading([] { return ArraysAre::kLayouts; }, true)(object);
}

namespace {

/// How an argument is taken that has this place or this name.
template <class Place>
ArraysAre arrays_at(Operations operations, Place place) {
  const auto is_recovery = [](const auto* one) { return one->family == "recovery"; };
  if (std::ranges::any_of(operations, is_recovery)) return ArraysAre::kTables;
  const auto takes = [&](const auto* one) { return notation::takes_tuple(*one, place); };
  return std::ranges::any_of(operations, takes) ? ArraysAre::kTuples : ArraysAre::kLayouts;
}

}  // namespace

Given given_of(nb::handle object, Operations operations) {
  return Reading([&] { return arrays_at(operations, std::size_t{0}); })(object);
}

GivenArguments given_of(const nb::args& args, const nb::kwargs& kwargs, Operations operations) {
  GivenArguments given;
  // None is an argument that is not given.
  std::size_t count = args.size();
  while (count > 0 && args[count - 1].is_none()) --count;
  for (std::size_t i = 0; i < count; ++i) {
    given.positional.push_back(Reading([&] { return arrays_at(operations, i); })(args[i]));
  }
  for (const auto& [name, argument] : kwargs) {
    if (argument.is_none()) continue;
    std::string called = nb::cast<std::string>(name);
    if (called.ends_with('_')) called.pop_back();
    Given read = Reading([&] { return arrays_at<std::string_view>(operations, called); })(argument);
    given.named.emplace_back(std::move(called), std::move(read));
  }
  return given;
}

std::string quoted(const std::string& text) {
  return nb::cast<std::string>(nb::repr(nb::str(text.data(), text.size())));
}

std::string python_name(const std::string& parameter) {
  const nb::object is_keyword =
      nb::module_::import_("keyword").attr("iskeyword")(nb::str(parameter.c_str()));
  return is_keyword.is(nb::handle(Py_True)) ? parameter + "_" : parameter;
}

Result<Value> evaluate_with(std::string_view expression, const std::vector<Value>& arguments,
                            Environment environment) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    environment.bind("a" + std::to_string(i), arguments[i]);
  }
  return notation::evaluate(expression, environment);
}

// ---- What was assumed ----

std::shared_ptr<const Facts> facts_about(std::vector<std::string> names) {
  if (names.empty()) return nullptr;
  const auto in_force = settings();
  std::set<std::string> about(names.begin(), names.end());
  std::vector<bool> is_taken(in_force->facts.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < is_taken.size(); ++i) {
      const std::vector<std::string>& mentioned = in_force->facts[i].names;
      const auto known = [&](const std::string& name) { return about.contains(name); };
      if (is_taken[i] || std::ranges::none_of(mentioned, known)) continue;
      is_taken[i] = goes_on = true;
      about.insert(mentioned.begin(), mentioned.end());
    }
  }
  auto facts = std::make_shared<Facts>();
  for (std::size_t i = 0; i < is_taken.size(); ++i) {
    if (is_taken[i]) facts->push_back(in_force->facts[i]);
  }
  if (facts->empty()) return nullptr;
  return facts;
}

namespace {

/// The settings' environment, in which unassumed names of the value mean sizes, as in a shape.
Environment with_sizes(const Settings& in_force, const std::vector<std::string>& names) {
  Environment environment = in_force.environment;
  const Assumptions assumptions = environment.assumptions();
  for (const std::string& name : names) {
    if (!assumptions.variables().contains(name)) {
      environment.bind(name, Value(assumptions.variable(name)));
    }
  }
  return environment;
}

}  // namespace

Value value_in_force(const Object& object) {
  const auto in_force = settings();
  if (object.facts == nullptr && in_force->facts.empty()) return object.value;
  const std::vector<std::string> names = notation::variables(object.value);
  if (names.empty()) return object.value;
  if (object.facts != nullptr) {
    for (const Fact& fact : *object.facts) {
      if (std::ranges::find(in_force->facts, fact) != in_force->facts.end()) continue;
      raise(Diagnostic("assume.needed", notation::to_string(object.value) + " was made where " +
                                            fact.text + " is assumed, and here it is not")
                .with_hint("with heddle.assume('" + fact.text + "'): …"));
    }
  }
  const auto needed = facts_about(names);
  const bool are_same = (needed == nullptr) == (object.facts == nullptr) &&
                        (needed == nullptr || *needed == *object.facts);
  if (are_same) return object.value;
  // More is assumed now: the text is read anew, so that its variables are those of the assumptions.
  const std::string text = notation::to_string(object.value);
  Result<Value> anew = notation::evaluate(text, with_sizes(*in_force, names));
  if (anew && notation::kind_name(*anew) == notation::kind_name(object.value)) return *anew;
  raise(
      Diagnostic("assume.too_late", text + " was made without what is assumed here about its sizes")
          .with_hint("make it where the assumptions hold"));
}

}  // namespace heddle::python
