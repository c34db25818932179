#pragma once

// What Triton prints of a linear layout, from the hardware's side or the tensor's:
//
//   Warp0:                          [[T0:0, T0:1, T1:0, T1:1]
//   (0,0), (0,2), (1,0), (1,2)      [ T2:0, T2:1, T3:0, T3:1]]
//   (0,1), (0,3), (1,1), (1,3)

#include <string>

#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::python {

enum class View { kTensor, kHardware };

/// The element at each offset of shared memory. Refuses `linear.dims_differ` unless the inputs are
/// offset and block, `linear.total_size` where there are not as many offsets as elements, and
/// `table.too_large` past 2^24 points.
[[nodiscard]] Result<std::string> shared_view(const linear::LinearLayout& layout, View view);
/// The element in each register, or the threads and registers that hold each element. Refuses
/// `linear.dims_differ` unless the inputs are register, lane, warp and block, and `table.too_large`
/// past 2^24 points.
[[nodiscard]] Result<std::string> distributed_view(const linear::LinearLayout& layout, View view);

}  // namespace heddle::python
