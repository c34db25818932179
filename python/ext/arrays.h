#pragma once

// Layouts at arrays of coordinates: L(np.arange(8)), L.table().

#include "object.h"

namespace heddle::python {

/// Whether one of the arguments is an array.
[[nodiscard]] bool has_arrays(const nb::args& args, const nb::kwargs& kwargs);

/// The images of arrays of coordinates, which are broadcast together: one flat coordinate, one for
/// each index of the box, or by name. An array of the images on one axis; a tuple of them for the
/// modes of a coordinate, a dict for named axes. Raises Refused for what a single coordinate is
/// refused for, and what PointTables::make() refuses.
[[nodiscard]] nb::object evaluate_arrays(const Object& function, const nb::args& args,
                                         const nb::kwargs& kwargs);

}  // namespace heddle::python
