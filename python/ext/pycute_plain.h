#pragma once

// What pycute's helpers answer for plain integers: short tuples of Python's own numbers, as most
// calls have them. They are computed on Python's objects as they are, because making tuples of the
// library would take several times as long as the sums and products.
//
// An object that is not valid, or nullopt, says that something is not plain: another type, a number
// past 64 bits, modes that do not match, a negative coordinate. Then the library is asked, which
// answers or refuses and explains. A test puts all calls to both.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "heddle/cute/layout.h"

namespace heddle::python::plain {

namespace nb = nanobind;

[[nodiscard]] nb::object product(PyObject* tuple);
[[nodiscard]] nb::object inner_product(PyObject* a, PyObject* b);
[[nodiscard]] nb::object elem_scale(PyObject* a, PyObject* b);
[[nodiscard]] nb::object shape_div(PyObject* a, PyObject* b);
[[nodiscard]] nb::object prefix_product(PyObject* tuple);
[[nodiscard]] nb::object flatten(PyObject* tuple);
/// The coordinate of an index, with compact strides.
[[nodiscard]] nb::object idx2crd(PyObject* index, PyObject* shape);
/// The index of a coordinate, in which None is 0; a stride that is nullptr is compact.
[[nodiscard]] nb::object crd2idx(PyObject* coordinate, PyObject* shape, PyObject* stride);

/// The parts at which these coordinates, one for each mode of the tuple, are None.
[[nodiscard]] nb::object slice(PyObject* const* coordinates, std::size_t count, PyObject* tuple);
/// The index at these coordinates, one for each mode of the layout, or one for all of it.
[[nodiscard]] bool find_index(const cute::Layout& layout, PyObject* const* coordinates,
                              std::size_t count, std::int64_t& index);

}  // namespace heddle::python::plain
