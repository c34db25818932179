#pragma once

// Functions of Python by CPython's fastest convention: arguments come as an array of objects,
// without a tuple or a dict, and a function is a pointer in a table.
//
//   constexpr auto kBody = [](PyObject* self, PyObject* const* arguments) -> nb::object {…};
//   function<"crd2idx", "crd, shape, stride=None", kBody>("The index of a coordinate.")
//
// The signature names the parameters and says which may be left out: these are nullptr for the
// body. The drop-ins are called so often, for so little work each, that this matters.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

namespace heddle::python {

namespace nb = nanobind;

/// A text as a template argument.
template <std::size_t kLength>
struct Text {
  consteval Text(const char (&text)[kLength]) {  // NOLINT: a literal is a Text
    for (std::size_t i = 0; i < kLength; ++i) characters[i] = text[i];
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters, kLength - 1}; }

  char characters[kLength] = {};
};

/// The parameters of a function.
struct Signature {
  static constexpr std::size_t kMost = 4;

  std::array<std::string_view, kMost> names = {};
  std::size_t count = 0;
  std::size_t required = 0;
};

/// Reads `crd, shape, stride=None`.
constexpr Signature signature_of(std::string_view text) {
  Signature signature;
  while (!text.empty()) {
    const std::string_view parameter = text.substr(0, text.find(", "));
    text.remove_prefix(parameter.size() + (parameter.size() < text.size() ? 2 : 0));
    if (parameter.find('=') == parameter.npos) ++signature.required;
    signature.names[signature.count++] = parameter.substr(0, parameter.find('='));
  }
  return signature;
}

/// Places the arguments of a call by the names of the parameters. Raises TypeError.
void place_arguments(std::string_view function, const Signature& signature, PyObject* const* given,
                     std::size_t count, PyObject* names, PyObject** arguments);

/// Raises an exception of Python.
[[noreturn]] void throw_error(PyObject* type, const std::string& text);

/// The object that a function of CPython has returned; throws the error that it has set.
inline nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

/// Reads an int of Python, which is no object of a subclass; false past 64 bits and for all else.
inline bool read_number(PyObject* object, std::int64_t& number) {
  if (!PyLong_CheckExact(object)) return false;
#if PY_VERSION_HEX >= 0x030C0000
  const auto* const digits = reinterpret_cast<PyLongObject*>(object);
  if (PyUnstable_Long_IsCompact(digits) != 0) [[likely]] {
    number = PyUnstable_Long_CompactValue(digits);
    return true;
  }
#elif PY_VERSION_HEX >= 0x030B0000
  if (const Py_ssize_t size = Py_SIZE(object); size >= -1 && size <= 1) [[likely]] {
    number = size * static_cast<Py_ssize_t>(reinterpret_cast<PyLongObject*>(object)->ob_digit[0]);
    return true;
  }
#endif
  int overflow = 0;
  number = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

/// The ints that Python makes once, from the least one on.
inline constexpr std::int64_t kLeastSmallInt = -5;
using SmallInts = std::array<PyObject*, 262>;
extern const SmallInts small_ints;

/// The int of this value.
inline nb::object make_number(std::int64_t value) {
  const std::uint64_t place = static_cast<std::uint64_t>(value) + -kLeastSmallInt;
  if (place < std::tuple_size_v<SmallInts>) return nb::borrow(small_ints[place]);
  return checked(PyLong_FromLongLong(value));
}

/// What the work returns; nullptr, with Python's error set, if it throws.
template <class Work>
PyObject* guarded(Work work) noexcept {
  try {
    return work().release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

template <Text kName, Text kSignature, auto kBody>
PyObject* fast_call(PyObject* self, PyObject* const* given, Py_ssize_t count,
                    PyObject* names) noexcept {
  static constexpr Signature kParameters = signature_of(kSignature.view());
  return guarded([&]() -> nb::object {
    const auto size = static_cast<std::size_t>(count);
    if (names == nullptr && size == kParameters.count) return kBody(self, given);
    std::array<PyObject*, Signature::kMost> arguments = {};
    if (names == nullptr && size >= kParameters.required && size < kParameters.count) {
      std::copy_n(given, size, arguments.data());
      return kBody(self, arguments.data());
    }
    place_arguments(kName.view(), kParameters, given, size, names, arguments.data());
    return kBody(self, arguments.data());
  });
}

/// A call without arguments.
template <auto kBody>
PyObject* bare_call(PyObject* self, PyObject*) noexcept {
  return guarded([&]() -> nb::object { return kBody(self, nullptr); });
}

/// A call with any number of arguments, none of them named.
template <Text kName, auto kBody>
PyObject* variadic_call(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept {
  return guarded(
      [&]() -> nb::object { return kBody(self, given, static_cast<std::size_t>(count)); });
}

namespace detail {
/// The documentation from which inspect.signature() reads the parameters.
template <Text kName, Text kSelf, Text kSignature>
const char* documented(const char* documentation) {
  static const std::string kText = std::string(kName.view()) + "(" + std::string(kSelf.view()) +
                                   (kSelf.view().empty() || kSignature.view().empty() ? "" : ", ") +
                                   std::string(kSignature.view()) + ")\n--\n\n" + documentation;
  return kText.c_str();
}
}  // namespace detail

/// The row of a function in a table; kSelf is `$self` for a method.
template <Text kName, Text kSignature, auto kBody, Text kSelf = "">
PyMethodDef function(const char* documentation, int flags = 0) {
  if constexpr (kSignature.view().empty()) {
    return {kName.characters, &bare_call<kBody>, METH_NOARGS | flags,
            detail::documented<kName, kSelf, kSignature>(documentation)};
  }
  return {kName.characters,
          reinterpret_cast<PyCFunction>(
              reinterpret_cast<void (*)()>(&fast_call<kName, kSignature, kBody>)),
          METH_FASTCALL | METH_KEYWORDS | flags,
          detail::documented<kName, kSelf, kSignature>(documentation)};
}
template <Text kName, Text kSignature, auto kBody>
PyMethodDef method(const char* documentation) {
  return function<kName, kSignature, kBody, "$self">(documentation);
}
template <Text kName, Text kSignature, auto kBody>
PyMethodDef variadic(const char* documentation) {
  return {kName.characters,
          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&variadic_call<kName, kBody>)),
          METH_FASTCALL, detail::documented<kName, "", kSignature>(documentation)};
}

/// Adds a type that has been made from a specification to the module, under its name and that of
/// the module of Python in which its users find it.
PyTypeObject* add_type(nb::module_& m, PyType_Spec& specification, PyTypeObject* base = nullptr);
/// Adds the functions, a table that ends with an empty row and lives on, as those of `module`.
void add_functions(nb::module_& m, PyMethodDef* functions, const char* module);

}  // namespace heddle::python
