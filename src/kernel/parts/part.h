#pragma once

// What each device has of a tensor over devices.
//
//   X: f32[4,64,64] = S[(4,64,64):(1@gpuid,64@m,1@m)]
//     each of the devices 0 to 3 has a part f32[1,64,64], row-major
//
// The digits of a layout that select devices are left out of a part, the others stay: an extent of
// the part is the product of what is left of the tensor's.

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/axe/group.h"
#include "heddle/core/result.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

/// What is said of a kernel over devices: `kernel.devices`, with a hint.
[[nodiscard]] Refusal refuse_devices(std::string message, std::string hint);

struct Part {
  /// The tensor as a device that has a part sees it.
  Tensor local;
  /// The layout of the whole, grouped by its shape.
  axe::Grouping grouping;
  /// Those that have a part, ascending.
  std::vector<std::int64_t> devices;
};

/// The part of a tensor of a kernel that is launched on so many devices. Refuses `kernel.devices`:
/// no layout, a device that there is not, two copies on one device, digits of devices that are not
/// known; `kernel.layout` for axes other than gpuid and m; what axe::group() refuses.
[[nodiscard]] Result<Part> part_of(const Tensor& tensor, std::int64_t devices);

/// The tensor with numbers for its sizes. Refuses `kernel.arguments` for a size that is not known,
/// `kernel.assumption` for sizes that break one, and what map::instantiate() refuses.
[[nodiscard]] Result<Tensor> with_sizes(Tensor tensor, const Sizes& sizes);

/// Where the elements of a tensor with known sizes are.
struct Holding {
  /// Of each element, row-major: the device of its first copy, and its row-major place in the part.
  std::vector<std::int64_t> device;
  std::vector<std::int64_t> place;
  /// How far from the first one the devices of all copies are.
  std::vector<std::int64_t> copies;
};
[[nodiscard]] Holding holding_of(const Part& part);

/// The part that a device has of the array of the whole.
[[nodiscard]] Array part_on(const Holding& holding, const Part& part, std::int64_t device,
                            const Array& whole);

/// The extents of a tensor whose sizes are known.
[[nodiscard]] std::vector<std::int64_t> numbers_of(const std::vector<Int>& shape);

}  // namespace heddle::kernel
