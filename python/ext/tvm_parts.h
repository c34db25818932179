#pragma once

// What TVM's layouts are written with: `S[(8,4):(4 @ laneid, 1)] + R[2:4 @ warpid]`, sizes, axes.

#include <nanobind/nanobind.h>

#include "fastcall.h"
#include "heddle/core/axis.h"
#include "heddle/expr/int.h"

namespace heddle::python::tvm {

/// The classes and functions of heddle.tvm_layout that are used here. The module registers them
/// when it is imported.
struct Names {
  PyTypeObject* layout = nullptr;
  PyTypeObject* tile_layout = nullptr;
  PyTypeObject* compose_layout = nullptr;
  PyTypeObject* map = nullptr;
  PyTypeObject* on_axis = nullptr;
  PyTypeObject* spec = nullptr;
  PyObject* constant = nullptr;
  PyObject* iter = nullptr;
  PyObject* axis_of = nullptr;
  PyObject* iters = nullptr;
  PyObject* offsets = nullptr;
  PyObject* own = nullptr;
  PyObject* size = nullptr;
  PyObject* expression = nullptr;
  PyObject* refused_class = nullptr;
  PyObject* asserted = nullptr;
  PyObject* out_of_range = nullptr;
};
Names& names();

/// A size of Python: an int, an expression of TVM, a symbolic size. Raises TypeError.
[[nodiscard]] Int size_of(PyObject* object);
/// What is given back for a size: a Constant, or an expression of what its names stand for.
[[nodiscard]] nb::object expression(const Int& size);

/// A value on an axis, `4 @ laneid`; nullptr for other objects.
struct OnAxis {
  PyObject_HEAD PyObject* value;
  PyObject* axis;
};
[[nodiscard]] const OnAxis* on_axis_in(PyObject* object);

/// What S[…] and R[…] make and + joins: pairs of extents and strides, and an offset; None for what
/// is missing.
struct Spec {
  PyObject_HEAD PyObject* shard;
  PyObject* replica;
  PyObject* offset;
};
[[nodiscard]] const Spec* spec_in(PyObject* object);

/// The axis of a name, as the library has it and as Python has it; both ways are kept.
[[nodiscard]] Axis axis_in(PyObject* axis);
[[nodiscard]] PyObject* axis_object(const Axis& axis);
[[nodiscard]] PyObject* axis_text(const Axis& axis);

void bind_parts(nb::module_& m);

}  // namespace heddle::python::tvm
