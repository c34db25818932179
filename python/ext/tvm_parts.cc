#include "tvm_parts.h"

#include <structmember.h>

#include <array>
#include <string>
#include <unordered_map>

#include "heddle/core/diagnostic.h"
#include "heddle/emit/dialect.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python::tvm {

Names& names() {
  static Names names;
  return names;
}

// ---- Sizes ----

Int size_of(PyObject* object) {
  if (PyLong_Check(object)) [[likely]] {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) [[likely]]
      return Int(number);
    raise(Diagnostic("syntax.number", nb::cast<std::string>(nb::str(nb::handle(object))) +
                                          " does not fit into 64 bits"));
  }
  const nb::object read = checked(PyObject_CallOneArg(names().size, object));
  if (PyLong_Check(read.ptr())) return size_of(read.ptr());
  const Value value = value_in_force(nb::cast<const Object&>(read));
  const IntTuple* tuple = value.get_if<IntTuple>();
  if (tuple == nullptr || !tuple->is_leaf()) throw_error(PyExc_TypeError, "a size is needed");
  return tuple->leaf();
}

nb::object expression(const Int& size) {
  if (!size.is_constant()) [[unlikely]]
    return checked(PyObject_CallOneArg(names().expression, to_python(size).ptr()));
  // Constants do not change, so the small ones are made once.
  static std::array<PyObject*, 1025> kept = {};
  const std::int64_t number = size.value();
  const bool is_small = number >= 0 && number < static_cast<std::int64_t>(kept.size());
  PyObject** const place = is_small ? &kept[static_cast<std::size_t>(number)] : nullptr;
  if (place != nullptr && *place != nullptr) [[likely]]
    return nb::borrow(*place);
  const nb::object plain = checked(PyLong_FromLongLong(number));
  nb::object made = checked(PyObject_CallOneArg(names().constant, plain.ptr()));
  if (place != nullptr) *place = Py_NewRef(made.ptr());
  return made;
}

// ---- Axes ----

namespace {

struct PyAxis {
  PyObject_HEAD PyObject* name;
};

PyTypeObject*& axis_type() {
  static PyTypeObject* type = nullptr;
  return type;
}

/// What Python has for an axis of the library.
struct KnownAxis {
  PyObject* object = nullptr;
  PyObject* text = nullptr;
};
const KnownAxis& known(const Axis& axis) {
  static auto& all = *new std::unordered_map<std::string, KnownAxis>();
  KnownAxis& one = all[axis.name()];
  if (one.object == nullptr) [[unlikely]] {
    const nb::str name(axis.name().data(), axis.name().size());
    one.text = Py_NewRef(name.ptr());
    one.object = checked(PyObject_CallOneArg(names().axis_of, name.ptr())).release().ptr();
  }
  return one;
}

nb::object made_on_axis(PyObject* value, PyObject* axis) {
  nb::object made = checked(names().on_axis->tp_alloc(names().on_axis, 0));
  auto& on_axis = *reinterpret_cast<OnAxis*>(made.ptr());
  on_axis.value = Py_NewRef(value);
  on_axis.axis = Py_NewRef(axis);
  return made;
}

/// `4 @ laneid`; int has no operator of its own, so that of the axis is called.
PyObject* put_on_axis(PyObject* value, PyObject* axis) {
  if (!PyObject_TypeCheck(axis, axis_type()) || PyObject_TypeCheck(value, axis_type())) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return guarded([&] { return made_on_axis(value, axis); });
}

/// Frees an object whose members are these.
template <class T, PyObject* T::*... kMembers>
void free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  (Py_XDECREF(reinterpret_cast<T*>(self)->*kMembers), ...);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* new_axis(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "U", &name)) return nullptr;
  PyObject* made = type->tp_alloc(type, 0);
  if (made != nullptr) reinterpret_cast<PyAxis*>(made)->name = Py_NewRef(name);
  return made;
}

PyObject* new_spec(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"shard", "replica", "offset", nullptr};
  std::array<PyObject*, 3> parts = {Py_None, Py_None, Py_None};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOO", const_cast<char**>(kNames), &parts[0],
                                   &parts[1], &parts[2])) {
    return nullptr;
  }
  PyObject* made = type->tp_alloc(type, 0);
  if (made == nullptr) return nullptr;
  auto& spec = *reinterpret_cast<Spec*>(made);
  spec.shard = Py_NewRef(parts[0]);
  spec.replica = Py_NewRef(parts[1]);
  spec.offset = Py_NewRef(parts[2]);
  return made;
}

// ---- S[…] and R[…] ----

struct Builder {
  PyObject_HEAD bool is_replica;
};

/// A tuple or a list as a tuple, anything else as a tuple of it.
nb::object as_tuple(PyObject* given) {
  if (PyTuple_Check(given)) return nb::borrow(given);
  if (PyList_Check(given)) return checked(PyList_AsTuple(given));
  return checked(PyTuple_Pack(1, given));
}

nb::object pair_of(PyObject* key) {
  if (!PySlice_Check(key)) {
    return checked(PyTuple_Pack(2, as_tuple(key).ptr(), Py_None));
  }
  const auto* slice = reinterpret_cast<PySliceObject*>(key);
  return checked(PyTuple_Pack(2, as_tuple(slice->start).ptr(), as_tuple(slice->stop).ptr()));
}

PyObject* build(PyObject* self, PyObject* key) {
  return guarded([&] {
    nb::object pair = pair_of(key);
    nb::object made = checked(names().spec->tp_alloc(names().spec, 0));
    auto& spec = *reinterpret_cast<Spec*>(made.ptr());
    const bool is_replica = reinterpret_cast<Builder*>(self)->is_replica;
    spec.shard = spec.replica = nullptr;
    (is_replica ? spec.replica : spec.shard) = pair.release().ptr();
    (is_replica ? spec.shard : spec.replica) = Py_NewRef(Py_None);
    spec.offset = Py_NewRef(Py_None);
    return made;
  });
}

nb::object made_builder(PyTypeObject* type, bool is_replica) {
  nb::object made = checked(type->tp_alloc(type, 0));
  reinterpret_cast<Builder*>(made.ptr())->is_replica = is_replica;
  return made;
}

template <std::size_t kCount>
PyTypeObject* add_parts_type(nb::module_& m, const char* name, std::size_t size,
                             std::array<PyType_Slot, kCount> slots, unsigned flags) {
  PyType_Spec specification = {name, static_cast<int>(size), 0,
                               static_cast<unsigned>(Py_TPFLAGS_DEFAULT) | flags, slots.data()};
  return add_type(m, specification);
}

constexpr auto kRegister = [](PyObject*, PyObject* const* a) -> nb::object {
  const auto object = [&](const char* name) {
    return Py_NewRef(nb::handle(a[0])[nb::str(name)].ptr());
  };
  const auto type = [&](const char* name) { return reinterpret_cast<PyTypeObject*>(object(name)); };
  names() = {.layout = type("Layout"),
             .tile_layout = type("TileLayout"),
             .compose_layout = type("ComposeLayout"),
             .map = type("Map"),
             .on_axis = type("_OnAxis"),
             .spec = type("_LayoutSpec"),
             .constant = object("Constant"),
             .iter = object("Iter"),
             .axis_of = object("_axis"),
             .iters = object("_iters"),
             .offsets = object("_offset"),
             .own = object("_own"),
             .size = object("_given_size"),
             .expression = object("expression"),
             .refused_class = object("_refused_class"),
             .asserted = object("_Asserted"),
             .out_of_range = object("_OutOfRange")};
  return nb::none();
};

}  // namespace

Axis axis_in(PyObject* axis) {
  if (!PyObject_TypeCheck(axis, axis_type())) throw_error(PyExc_TypeError, "an axis is expected");
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(reinterpret_cast<PyAxis*>(axis)->name, &size);
  if (text == nullptr) throw nb::python_error();
  std::string name(text, static_cast<std::size_t>(size));
  if (!emit::is_identifier(name)) {
    raise(Diagnostic("call.type", "'" + name + "' is not a name of an axis"));
  }
  return Axis(std::move(name));
}

PyObject* axis_object(const Axis& axis) { return known(axis).object; }
PyObject* axis_text(const Axis& axis) { return known(axis).text; }

const OnAxis* on_axis_in(PyObject* object) {
  return Py_TYPE(object) == names().on_axis ? reinterpret_cast<const OnAxis*>(object) : nullptr;
}

const Spec* spec_in(PyObject* object) {
  return PyObject_TypeCheck(object, names().spec) ? reinterpret_cast<const Spec*>(object) : nullptr;
}

void bind_parts(nb::module_& m) {
  static PyMemberDef axis_members[] = {
      {"name", T_OBJECT_EX, offsetof(PyAxis, name), READONLY, nullptr}, {}};
  static PyMemberDef on_axis_members[] = {
      {"value", T_OBJECT_EX, offsetof(OnAxis, value), READONLY, nullptr},
      {"axis", T_OBJECT_EX, offsetof(OnAxis, axis), READONLY, nullptr},
      {}};
  static PyMemberDef spec_members[] = {
      {"shard", T_OBJECT_EX, offsetof(Spec, shard), READONLY, nullptr},
      {"replica", T_OBJECT_EX, offsetof(Spec, replica), READONLY, nullptr},
      {"offset", T_OBJECT_EX, offsetof(Spec, offset), READONLY, nullptr},
      {}};
  const auto slot = [](int which, auto* function) {
    return PyType_Slot{which, reinterpret_cast<void*>(function)};
  };
  axis_type() =
      add_parts_type(m, "heddle.tvm_layout.AxisBase", sizeof(PyAxis),
                     std::array{slot(Py_tp_new, new_axis), slot(Py_tp_members, axis_members),
                                slot(Py_tp_dealloc, free_object<PyAxis, &PyAxis::name>),
                                slot(Py_nb_matrix_multiply, put_on_axis), PyType_Slot{}},
                     Py_TPFLAGS_BASETYPE);
  add_parts_type(m, "heddle.tvm_layout.OnAxisBase", sizeof(OnAxis),
                 std::array{slot(Py_tp_members, on_axis_members),
                            slot(Py_tp_dealloc, free_object<OnAxis, &OnAxis::value, &OnAxis::axis>),
                            PyType_Slot{}},
                 Py_TPFLAGS_BASETYPE);
  add_parts_type(m, "heddle.tvm_layout.SpecBase", sizeof(Spec),
                 std::array{slot(Py_tp_new, new_spec), slot(Py_tp_members, spec_members),
                            slot(Py_tp_dealloc,
                                 free_object<Spec, &Spec::shard, &Spec::replica, &Spec::offset>),
                            PyType_Slot{}},
                 Py_TPFLAGS_BASETYPE);
  PyTypeObject* builder =
      add_parts_type(m, "heddle.tvm_layout.Builder", sizeof(Builder),
                     std::array{slot(Py_mp_subscript, build), PyType_Slot{}}, 0);
  m.attr("S") = made_builder(builder, false);
  m.attr("R") = made_builder(builder, true);
  static PyMethodDef functions[] = {
      function<"_register", "names", kRegister>("Keeps the names of heddle.tvm_layout."), {}};
  add_functions(m, functions, "heddle.tvm_layout");
}

}  // namespace heddle::python::tvm
