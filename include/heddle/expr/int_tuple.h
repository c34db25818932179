#pragma once

#include "heddle/core/tuple.h"
#include "heddle/expr/int.h"

namespace heddle {

/// A nested tuple of integers: a shape, a coordinate, a stride in one axis.
using IntTuple = Tuple<Int>;
using IntTupleView = TupleView<Int>;

}  // namespace heddle
