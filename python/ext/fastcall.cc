#include "fastcall.h"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace heddle::python {

namespace {

SmallInts made_small_ints() {
  SmallInts ints = {};
  for (std::size_t i = 0; i < ints.size(); ++i) {
    ints[i] = PyLong_FromLongLong(kLeastSmallInt + static_cast<std::int64_t>(i));
  }
  return ints;
}

}  // namespace

const SmallInts small_ints = made_small_ints();

void throw_error(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

void place_arguments(std::string_view function, const Signature& signature, PyObject* const* given,
                     std::size_t count, PyObject* names, PyObject** arguments) {
  const auto refuse = [&](const std::string& what) {
    throw_error(PyExc_TypeError, std::string(function) + "() " + what);
  };
  if (count > signature.count) {
    refuse("takes at most " + std::to_string(signature.count) + " arguments, and " +
           std::to_string(count) + " are given");
  }
  std::copy_n(given, count, arguments);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    const std::string name = nb::cast<std::string>(nb::str(nb::handle(PyTuple_GET_ITEM(names, i))));
    const auto begin = signature.names.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(signature.count);
    const auto place = std::find(begin, end, name);
    if (place == end) refuse("has no parameter '" + name + "'");
    PyObject*& argument = arguments[place - begin];
    if (argument != nullptr) refuse("is given '" + name + "' twice");
    argument = given[count + static_cast<std::size_t>(i)];
  }
  for (std::size_t i = 0; i < signature.required; ++i) {
    if (arguments[i] == nullptr) refuse("needs '" + std::string(signature.names[i]) + "'");
  }
}

PyTypeObject* add_type(nb::module_& m, PyType_Spec& specification, PyTypeObject* base) {
  const nb::object bases = base == nullptr
                               ? nb::object()
                               : nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(base)));
  const nb::object type = checked(PyType_FromSpecWithBases(&specification, bases.ptr()));
  m.attr(type.attr("__name__")) = type;
  return reinterpret_cast<PyTypeObject*>(type.ptr());  // the module keeps it alive
}

void add_functions(nb::module_& m, PyMethodDef* functions, const char* module) {
  const nb::str name(module);
  for (; functions->ml_name != nullptr; ++functions) {
    m.attr(functions->ml_name) = checked(PyCFunction_NewEx(functions, nullptr, name.ptr()));
  }
}

}  // namespace heddle::python
