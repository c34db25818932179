// heddle.linear_layout: the class LinearLayout with the methods of triton.tools.LinearLayout.
//
//   LinearLayout.identity_1d(4, "lane", "dim0").apply({"lane": 3})      {'dim0': 3}
//
// Here dicts and lists of Python become points and bases of the library and back; the library
// computes. Where Triton aborts the process, or drops bits without a word, these calls are refused.

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fastcall.h"
#include "heddle/core/diagnostic.h"
#include "heddle/linear/linear_layout.h"
#include "linear_views.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python {
// clang gives objects of lambdas, which templates take below, one name in all sources; here it has
// another one.
inline namespace linear_layout {
namespace {

using linear::Dimension;
using linear::LinearLayout;

struct PyLinearLayout {
  PyObject_HEAD
      /// The names of the dimensions as a tuple each, made when they are asked for.
      PyObject* ins;
  PyObject* outs;
  /// The outputs and their sizes, a tuple of pairs.
  PyObject* pairs;
  /// What str() has answered.
  PyObject* text;
  /// What is_surjective() and is_injective() have answered.
  std::array<PyObject*, 2> answers;
  LinearLayout layout;
};

/// PyType_FromSpec makes it when the module is imported, once in a process.
PyTypeObject*& layout_type() {
  static PyTypeObject* type = nullptr;
  return type;
}

PyLinearLayout& own(PyObject* object) { return *reinterpret_cast<PyLinearLayout*>(object); }

nb::object to_object(LinearLayout&& layout, PyTypeObject* type = layout_type()) {
  nb::object made = checked(type->tp_alloc(type, 0));
  std::construct_at(&own(made.ptr()).layout, std::move(layout));
  return made;
}

nb::object to_object(Result<LinearLayout>&& layout) {
  if (!layout) raise(layout.error());
  return to_object(*std::move(layout));
}

/// The layout of an argument, which is one of this class or of heddle.linear.
const LinearLayout& layout_of(PyObject* object) {
  if (PyObject_TypeCheck(object, layout_type())) [[likely]]
    return own(object).layout;
  const Object* other = nullptr;
  if (nb::try_cast<const Object*>(nb::handle(object), other) && other != nullptr) {  // not None
    if (const auto* layout = other->value.get_if<LinearLayout>()) return *layout;
  }
  throw_error(PyExc_TypeError,
              std::string("a LinearLayout is needed, not '") + Py_TYPE(object)->tp_name + "'");
}

// ---- From Python ----

std::string text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
  if (text != nullptr) return {text, static_cast<std::size_t>(size)};
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  throw_error(PyExc_TypeError, std::string("the name of a dimension is a str, not '") +
                                   Py_TYPE(object)->tp_name + "'");
}

std::int64_t number_of(PyObject* object) {
  std::int64_t plain = 0;
  if (read_number(object, plain)) [[likely]]
    return plain;
  const nb::object index = checked(PyNumber_Index(object));
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    raise(Diagnostic("overflow",
                     nb::cast<std::string>(nb::str(index)) + " does not fit into 64 bits"));
  }
  return number;
}

/// Whether these are numbers and texts of Python's own, or lists and tuples of such things: to read
/// them runs no code of Python. `levels` is how deep they may nest.
bool is_plain(PyObject* object, int levels) {
  if (PyLong_CheckExact(object) || PyUnicode_CheckExact(object)) return true;
  if (levels == 0 || (!PyList_CheckExact(object) && !PyTuple_CheckExact(object))) return false;
  PyObject* const* const items = PySequence_Fast_ITEMS(object);
  return std::all_of(items, items + PySequence_Fast_GET_SIZE(object),
                     [&](PyObject* item) { return is_plain(item, levels - 1); });
}

/// Calls `read` with every item of a list or a tuple, which it may change unless the list is plain.
template <class Read>
auto list_of(PyObject* object, Read read, bool is_known_plain = false) {
  const bool is_list = PyList_CheckExact(object) || PyTuple_CheckExact(object);
  if (!is_list && (!PySequence_Check(object) || PyUnicode_Check(object))) {
    throw_error(PyExc_TypeError,
                std::string("a list is needed, not '") + Py_TYPE(object)->tp_name + "'");
  }
  const bool stays = is_known_plain || (is_list && is_plain(object, 1));
  const nb::object items = stays ? nb::borrow(object) : checked(PySequence_Tuple(object));
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.ptr());
  std::vector<decltype(read(object))> list;
  list.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    list.push_back(read(PySequence_Fast_GET_ITEM(items.ptr(), i)));
  }
  return list;
}

linear::InBases bases_of(PyObject* pair, bool is_plain) {
  if (!PyTuple_Check(pair) && !PyList_Check(pair)) {
    throw_error(PyExc_TypeError, "the bases of a dimension are a pair: its name and a list");
  }
  const bool is_tuple = PyTuple_CheckExact(pair);
  const nb::object parts = is_tuple ? nb::borrow(pair) : checked(PySequence_Tuple(pair));
  if (PyTuple_GET_SIZE(parts.ptr()) != 2) {
    throw_error(PyExc_TypeError, "the bases of a dimension are a pair: its name and a list");
  }
  return {text_of(PyTuple_GET_ITEM(parts.ptr(), 0)),
          list_of(
              PyTuple_GET_ITEM(parts.ptr(), 1),
              [&](PyObject* basis) { return list_of(basis, number_of, is_plain); }, is_plain)};
}

// ---- To Python ----

nb::object text(const std::string& name) {
  return checked(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

nb::object number(std::int64_t value) { return make_number(value); }

/// A list of `size` objects, each `make(i)`.
template <class Make>
nb::object made_list(std::size_t size, Make make) {
  nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(size)));
  for (std::size_t i = 0; i < size; ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), make(i).release().ptr());
  }
  return list;
}

nb::object list_of_items(PyObject* tuple) {
  return made_list(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)), [&](std::size_t i) {
    return nb::borrow(PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)));
  });
}

PyObject* names_of(PyObject*& kept, std::span<const Dimension> dimensions) {
  if (kept == nullptr) {
    const nb::object names = checked(PyTuple_New(static_cast<Py_ssize_t>(dimensions.size())));
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      PyObject* name = text(dimensions[i].name).release().ptr();
      PyUnicode_InternInPlace(&name);
      PyTuple_SET_ITEM(names.ptr(), static_cast<Py_ssize_t>(i), name);
    }
    kept = Py_NewRef(names.ptr());
  }
  return kept;
}
PyObject* in_names(PyLinearLayout& self) { return names_of(self.ins, self.layout.in_dims()); }
PyObject* out_names(PyLinearLayout& self) { return names_of(self.outs, self.layout.out_dims()); }

/// The lowest bits of a word, which are taken away from it.
std::int64_t take_bits(std::uint64_t& word, int bits) {
  const auto taken = static_cast<std::int64_t>(word & ((std::uint64_t{1} << bits) - 1));
  word >>= bits;
  return taken;
}

// ---- Making ----

/// Triton's layout of no points is the one without dimensions.
template <auto kMake>
nb::object line(PyObject* size, PyObject* in_dim, PyObject* out_dim, std::int64_t number) {
  const std::int64_t points = number_of(size);
  if (points == 0) return to_object(linear::empty());
  return to_object(kMake(points, number, text_of(in_dim), text_of(out_dim)));
}

constexpr auto kIdentity = [](PyObject*, PyObject* const* a) {
  constexpr auto kMake = [](std::int64_t size, std::int64_t, std::string_view in,
                            std::string_view out) { return linear::identity_1d(size, in, out); };
  return line<kMake>(a[0], a[1], a[2], 0);
};
/// One point is at 0 of an output of the size of the stride.
constexpr auto kStrided = [](PyObject*, PyObject* const* a) {
  constexpr auto kMake = [](std::int64_t size, std::int64_t stride, std::string_view in,
                            std::string_view out) {
    return size == 1 ? linear::zeros_1d(size, in, out, stride)
                     : linear::strided_1d(size, stride, in, out);
  };
  return line<kMake>(a[0], a[2], a[3], number_of(a[1]));
};
constexpr auto kZeros = [](PyObject*, PyObject* const* a) {
  constexpr auto kMake = [](std::int64_t size, std::int64_t out_size, std::string_view in,
                            std::string_view out) {
    return linear::zeros_1d(size, in, out, out_size);
  };
  return line<kMake>(a[0], a[1], a[2], a[3] == nullptr ? 1 : number_of(a[3]));
};

constexpr auto kFromBases = [](PyObject*, PyObject* const* a) -> nb::object {
  const bool is_plain_list = PyList_CheckExact(a[0]) && is_plain(a[0], 4);
  const linear::Bases bases =
      list_of(a[0], [&](PyObject* pair) { return bases_of(pair, is_plain_list); }, is_plain_list);
  linear::Names names = list_of(a[1], text_of);
  const int is_required = a[3] == nullptr ? 1 : PyObject_IsTrue(a[3]);
  if (is_required < 0) throw nb::python_error();
  if (a[2] == nullptr || a[2] == Py_None) {
    if (is_required == 0) {
      throw_error(PyExc_ValueError, "a layout that need not be surjective needs out_dim_sizes");
    }
    return to_object(LinearLayout::make(bases, names));
  }
  const std::vector<std::int64_t> sizes = list_of(a[2], number_of);
  if (sizes.size() != names.size()) {
    throw_error(PyExc_ValueError, "out_dim_names and out_dim_sizes differ in length");
  }
  linear::NamedSizes outs;
  for (std::size_t i = 0; i < sizes.size(); ++i) outs.emplace_back(std::move(names[i]), sizes[i]);
  return to_object(LinearLayout::make(
      bases, outs,
      is_required == 1 ? linear::Surjectivity::kRequired : linear::Surjectivity::kNotRequired));
};

// ---- The algebra ----

using Unary = Result<LinearLayout> (*)(const LinearLayout&);
using Binary = Result<LinearLayout> (*)(const LinearLayout&, const LinearLayout&);

template <Unary kOperation>
constexpr auto kUnary =
    [](PyObject* self, PyObject* const*) { return to_object(kOperation(own(self).layout)); };
template <Binary kOperation>
constexpr auto kBinary = [](PyObject* self, PyObject* const* a) {
  return to_object(kOperation(own(self).layout, layout_of(a[0])));
};
/// Layouts do not change, so a question is asked once.
template <std::size_t kWhich>
bool answer(PyLinearLayout& self) {
  PyObject*& kept = self.answers[kWhich];
  if (kept == nullptr) {
    kept = (kWhich == 0 ? self.layout.is_surjective() : self.layout.is_injective()) ? Py_True
                                                                                    : Py_False;
  }
  return kept == Py_True;
}
nb::object truth(bool is_true) { return nb::borrow(is_true ? Py_True : Py_False); }
constexpr auto kIsSurjective = [](PyObject* self, PyObject* const*) {
  return truth(answer<0>(own(self)));
};
constexpr auto kIsInjective = [](PyObject* self, PyObject* const*) {
  return truth(answer<1>(own(self)));
};
constexpr auto kIsInvertible = [](PyObject* self, PyObject* const*) {
  return truth(answer<0>(own(self)) && answer<1>(own(self)));
};

/// `a *= b` binds a new layout to the name: layouts do not change.
PyObject* multiply(PyObject* a, PyObject* b) {
  if (!PyObject_TypeCheck(a, layout_type()) || !PyObject_TypeCheck(b, layout_type())) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return guarded([&] { return to_object(linear::multiply(own(a).layout, own(b).layout)); });
}

// ---- Evaluation ----

/// The point as a word of bits; nullopt if it is not a coordinate for each dimension.
std::optional<std::uint64_t> word_of(PyLinearLayout& self, PyObject* point) {
  const std::span<const Dimension> ins = self.layout.in_dims();
  if (PyDict_GET_SIZE(point) != static_cast<Py_ssize_t>(ins.size())) return std::nullopt;
  PyObject* names = in_names(self);
  std::uint64_t word = 0;
  int shift = 0;
  for (std::size_t i = 0; i < ins.size(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
    PyObject* at = PyDict_GetItemWithError(point, name);
    if (at == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (at == nullptr) return std::nullopt;
    std::int64_t coordinate = 0;
    if (!read_number(at, coordinate) || coordinate < 0 || coordinate >= ins[i].size()) {
      return std::nullopt;
    }
    if (ins[i].bits > 0) word |= static_cast<std::uint64_t>(coordinate) << shift;
    shift += ins[i].bits;
  }
  return word;
}

constexpr auto kApply = [](PyObject* self, PyObject* const* a) -> nb::object {
  PyLinearLayout& layout = own(self);
  if (!PyDict_Check(a[0])) throw_error(PyExc_TypeError, "apply() needs a dict of coordinates");
  const nb::object result = checked(PyDict_New());
  const auto put = [&](PyObject* name, std::int64_t value) {
    if (PyDict_SetItem(result.ptr(), name, number(value).ptr()) != 0) throw nb::python_error();
  };
  if (const auto word = word_of(layout, a[0])) {
    std::uint64_t image = layout.layout.matrix()(*word);
    PyObject* names = out_names(layout);
    Py_ssize_t i = 0;
    for (const Dimension& out : layout.layout.out_dims()) {
      put(PyTuple_GET_ITEM(names, i++), take_bits(image, out.bits));
    }
    return result;
  }
  linear::NamedSizes point;
  const nb::object copy = checked(PyDict_Copy(a[0]));  // __index__ may change the dict
  for (const auto& [name, at] : nb::borrow<nb::dict>(copy)) {
    point.emplace_back(text_of(name.ptr()), number_of(at.ptr()));
  }
  for (const auto& [name, at] : unwrapped(layout.layout.apply(point))) put(text(name).ptr(), at);
  return result;
};

// ---- What it consists of ----

PyObject* get_bases(PyObject* self, void*) {
  return guarded([&] {
    PyLinearLayout& layout = own(self);
    const std::span<const Dimension> outs = layout.layout.out_dims();
    const std::span<const std::uint64_t> columns = layout.layout.matrix().columns();
    const std::span<const Dimension> ins = layout.layout.in_dims();
    std::size_t column = 0;
    return made_list(ins.size(), [&](std::size_t i) {
      nb::object vectors = made_list(static_cast<std::size_t>(ins[i].bits), [&](std::size_t) {
        std::uint64_t image = columns[column++];
        return made_list(outs.size(),
                         [&](std::size_t out) { return number(take_bits(image, outs[out].bits)); });
      });
      PyObject* name = PyTuple_GET_ITEM(in_names(layout), static_cast<Py_ssize_t>(i));
      nb::object pair = checked(PyTuple_New(2));
      PyTuple_SET_ITEM(pair.ptr(), 0, Py_NewRef(name));
      PyTuple_SET_ITEM(pair.ptr(), 1, vectors.release().ptr());
      return pair;
    });
  });
}

PyObject* get_out_dims(PyObject* self, void*) {
  return guarded([&] {
    PyObject*& pairs = own(self).pairs;
    if (pairs == nullptr) {
      const std::span<const Dimension> outs = own(self).layout.out_dims();
      PyObject* names = out_names(own(self));
      const nb::object list = made_list(outs.size(), [&](std::size_t i) {
        PyObject* name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
        return checked(PyTuple_Pack(2, name, number(outs[i].size()).ptr()));
      });
      pairs = checked(PyList_AsTuple(list.ptr())).release().ptr();
    }
    return list_of_items(pairs);
  });
}

PyObject* get_in_count(PyObject* self, void*) {
  return PyLong_FromSize_t(own(self).layout.in_dims().size());
}
PyObject* get_out_count(PyObject* self, void*) {
  return PyLong_FromSize_t(own(self).layout.out_dims().size());
}

constexpr auto kInNames = [](PyObject* self, PyObject* const*) {
  return list_of_items(in_names(own(self)));
};
constexpr auto kOutNames = [](PyObject* self, PyObject* const*) {
  return list_of_items(out_names(own(self)));
};

/// A list for each output bit, with a number for each input bit.
constexpr auto kMatrixView = [](PyObject* self, PyObject* const*) {
  const form::BitMatrix& matrix = own(self).layout.matrix();
  const std::span<const std::uint64_t> columns = matrix.columns();
  const std::array bits = {number(0), number(1)};
  return made_list(matrix.rows(), [&](std::size_t row) {
    nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(columns.size())));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i),
                      Py_NewRef(bits[columns[i] >> row & 1].ptr()));
    }
    return list;
  });
};

template <auto kWrite>
constexpr auto kView = [](PyObject* self, PyObject* const* a) {
  const int is_hardware = PyObject_IsTrue(a[0]);
  if (is_hardware < 0) throw nb::python_error();
  return text(
      unwrapped(kWrite(own(self).layout, is_hardware == 1 ? View::kHardware : View::kTensor)));
};

PyObject* text_of_layout(PyObject* self) {
  return guarded([&] {
    PyObject*& kept = own(self).text;
    if (kept == nullptr) {
      kept = text("\n" + linear::to_string(own(self).layout)).release().ptr();
    }
    return nb::borrow(kept);
  });
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  const bool is_comparable = operation == Py_EQ || operation == Py_NE;
  if (!is_comparable || !PyObject_TypeCheck(other, layout_type())) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((own(self).layout == own(other).layout) == (operation == Py_EQ));
}

Py_hash_t hash(PyObject* self) {
  return static_cast<Py_hash_t>(std::hash<LinearLayout>()(own(self).layout) >> 1);
}

constexpr auto kReduce = [](PyObject* self, PyObject* const*) -> nb::object {
  const nb::object sizes = made_list(own(self).layout.out_dims().size(), [&](std::size_t i) {
    return number(own(self).layout.out_dims()[i].size());
  });
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(layout_type()));
  return nb::make_tuple(type.attr("from_bases"),
                        nb::make_tuple(nb::handle(self).attr("bases"),
                                       nb::handle(out_names(own(self))), sizes, false));
};

// ---- The type ----

PyObject* make_empty(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {nullptr};
  const bool has_arguments = kwargs != nullptr || PyTuple_GET_SIZE(args) > 0;
  if (type == layout_type() && has_arguments &&
      !PyArg_ParseTupleAndKeywords(args, kwargs, ":LinearLayout", const_cast<char**>(kNames))) {
    return nullptr;
  }
  return guarded([&] { return to_object(linear::empty(), type); });
}

void free_layout(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(own(self).ins);
  Py_XDECREF(own(self).outs);
  Py_XDECREF(own(self).pairs);
  Py_XDECREF(own(self).text);
  std::destroy_at(&own(self).layout);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace
}  // namespace linear_layout

void bind_linear_layout(nb::module_& m) {
  static PyMethodDef methods[] = {
      function<"identity_1d", "size, inDim, outDim", kIdentity, "">("L(x) = x.", METH_STATIC),
      function<"strided_1d", "size, stride, inDim, outDim", kStrided, "">("L(x) = stride * x.",
                                                                          METH_STATIC),
      function<"zeros_1d", "size, inDim, outDim, outDimSize=1", kZeros, "">("L(x) = 0.",
                                                                            METH_STATIC),
      function<"from_bases", "bases, out_dim_names, out_dim_sizes=None, require_surjective=True",
               kFromBases, "">("The layout with these images of the bits.", METH_STATIC),
      method<"compose", "arg", kBinary<linear::compose>>("The argument after this layout."),
      method<"invert_and_compose", "arg", kBinary<linear::invert_and_compose>>(
          "C with arg(C(x)) = self(x)."),
      method<"invert", "", kUnary<linear::invert>>("The inverse."),
      method<"pseudoinvert", "", kUnary<linear::pseudoinvert>>("B with self(B(x)) = x."),
      method<"is_surjective", "", kIsSurjective>("Whether every output is reached."),
      method<"is_injective", "", kIsInjective>("Whether no two inputs have one output."),
      method<"is_invertible", "", kIsInvertible>("Both."),
      method<"get_in_dim_names", "", kInNames>("The names of the inputs."),
      method<"get_out_dim_names", "", kOutNames>("The names of the outputs."),
      method<"get_matrix_view", "", kMatrixView>(
          "The matrix over GF(2), a list for each output bit."),
      method<"get_shared_view", "useHWPointOfView", kView<shared_view>>(
          "The element at each offset of shared memory."),
      method<"get_distributed_view", "useHWPointOfView", kView<distributed_view>>(
          "The element in each register, or who holds each element."),
      method<"apply", "inputs", kApply>("The output of a point."),
      method<"__reduce__", "", kReduce>("For pickle and copy."),
      {},
  };
  static PyGetSetDef parts[] = {
      {"bases", get_bases, nullptr, "The images of the bits of each input.", nullptr},
      {"out_dims", get_out_dims, nullptr, "The outputs and their sizes.", nullptr},
      {"num_in_dims", get_in_count, nullptr, "The number of inputs.", nullptr},
      {"num_out_dims", get_out_count, nullptr, "The number of outputs.", nullptr},
      {},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("A linear layout, as triton.tools.LinearLayout.")},
      {Py_tp_new, reinterpret_cast<void*>(make_empty)},
      {Py_tp_dealloc, reinterpret_cast<void*>(free_layout)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
      {Py_tp_hash, reinterpret_cast<void*>(hash)},
      {Py_tp_str, reinterpret_cast<void*>(text_of_layout)},
      {Py_tp_repr, reinterpret_cast<void*>(text_of_layout)},
      {Py_nb_multiply, reinterpret_cast<void*>(multiply)},
      {Py_tp_methods, methods},
      {Py_tp_getset, parts},
      {},
  };
  static PyType_Spec specification = {"heddle.linear_layout.LinearLayout", sizeof(PyLinearLayout),
                                      0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  nb::module_ module = m.def_submodule("linear_layout");
  layout_type() = add_type(module, specification);
}

}  // namespace heddle::python
