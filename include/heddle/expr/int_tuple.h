#pragma once

// Nested tuples of integers, constant or symbolic: (4,(2,M)). See core/tuple.h.

#include "heddle/core/tuple.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle {

/// A nested tuple of integers: a shape, a coordinate, a stride in one axis.
using IntTuple = Tuple<Int>;
using IntTupleView = TupleView<Int>;

}  // namespace heddle
#pragma GCC visibility pop
