#include "kernel/parts/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "heddle/axe/mesh.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/map/convert.h"
#include "heddle/map/instantiate.h"

namespace heddle::kernel {

Refusal refuse_devices(std::string message, std::string hint) {
  return refuse(Diagnostic("kernel.devices", std::move(message)).with_hint(std::move(hint)));
}

namespace {

using axe::Iter;

bool is_of_device(const Iter& iter) { return iter.axis == axe::device_axis(); }

Result<axe::Layout> layout_of(const Tensor& tensor, std::int64_t devices) {
  if (!tensor.layout) {
    return refuse_devices(
        fmt::format("{} has no layout to say which device has which part", to_string(tensor)),
        fmt::format("S[…] + R[{}:1@gpuid] is a tensor that all devices have", devices));
  }
  if (const auto* layout = std::get_if<axe::Layout>(&*tensor.layout)) return *layout;
  return map::convert_to<axe::Layout>(*tensor.layout);
}

/// Refuses axes that are neither devices nor memory.
Result<void> check_axes(const Tensor& tensor, const axe::Layout& layout) {
  for (const Axis& axis : axe::axes(layout)) {
    if (axis == axe::device_axis() || axis == Axis::memory()) continue;
    return refuse("kernel.layout",
                  fmt::format("{} is spread over devices, whose layouts go to gpuid and m, not "
                              "to {}",
                              to_string(tensor), axis.name()));
  }
  const bool has_copies_in_memory = std::ranges::any_of(
      layout.replica(), [](const Iter& iter) { return iter.axis == Axis::memory(); });
  if (!has_copies_in_memory) return {};
  return refuse("kernel.layout", fmt::format("{} has several copies in the memory of one device",
                                             to_string(tensor)));
}

std::vector<Iter> iters_on(std::span<const Iter> iters, bool devices) {
  std::vector<Iter> found;
  for (const Iter& iter : iters) {
    if (is_of_device(iter) == devices) found.push_back(iter);
  }
  return found;
}

/// The sums of the steps of all digits, beginning at `first`. The first digit is the slowest.
std::vector<std::int64_t> steps_from(std::int64_t first, std::span<const Iter> iters) {
  std::vector<std::int64_t> sums = {first};
  for (const Iter& iter : iters) {
    std::vector<std::int64_t> next;
    for (const std::int64_t sum : sums) {
      for (std::int64_t i = 0; i != iter.extent.value(); ++i) {
        next.push_back(sum + i * iter.stride.value());
      }
    }
    sums = std::move(next);
  }
  return sums;
}

/// The devices that the digits lead to, once it is known that there are few.
Result<std::vector<std::int64_t>> devices_of(const Tensor& tensor, const axe::Layout& layout,
                                             std::int64_t devices) {
  std::vector<Iter> iters = iters_on(layout.shard(), true);
  std::ranges::copy(iters_on(layout.replica(), true), std::back_inserter(iters));
  const Int first = layout.offset()[axe::device_axis()];
  std::int64_t count = 1;
  for (const Iter& iter : iters) {
    const bool is_known = iter.extent.is_constant() && iter.stride.is_constant();
    if (!is_known || iter.extent.value() > devices / count) {
      return refuse_devices(fmt::format("{}: the digit {} is not known to lead to {} devices",
                                        to_string(tensor), axe::to_string(iter), devices),
                            "a layout names each device of the launch once, by numbers");
    }
    count *= iter.extent.value();
  }
  if (!first.is_constant()) {
    return refuse_devices(fmt::format("{}: its first device is not known", to_string(tensor)),
                          "a layout names devices by numbers");
  }
  std::vector<std::int64_t> found = steps_from(first.value(), iters);
  std::ranges::sort(found);
  if (found.front() < 0 || found.back() >= devices) {
    return refuse_devices(
        fmt::format("{} is on device {}, and the kernel is launched on the devices 0 to {}",
                    to_string(tensor), found.front() < 0 ? found.front() : found.back(),
                    devices - 1),
        "launch devices COUNT");
  }
  const auto twice = std::ranges::adjacent_find(found);
  if (twice != found.end()) {
    return refuse_devices(fmt::format("{} has two parts on device {}", to_string(tensor), *twice),
                          "a device has one part of a tensor over devices");
  }
  return found;
}

/// Whether the digits count the elements of a row-major tensor.
bool is_row_major(std::span<const Iter> iters) {
  Int step = 1;
  for (std::size_t i = iters.size(); i-- != 0;) {
    if (known_equal(iters[i].extent, 1)) continue;
    if (!known_equal(iters[i].stride, step)) return false;
    step = step * iters[i].extent;
  }
  return true;
}

Result<Tensor> local_of(const Tensor& tensor, const axe::Grouping& grouping) {
  Tensor local{tensor.name, tensor.type, {}, Space::kGlobal, {}, tensor.place};
  for (std::size_t d = 0; d != grouping.rank(); ++d) {
    Int extent = 1;
    for (const Iter& iter : iters_on(grouping.block(d), false)) extent = extent * iter.extent;
    local.shape.push_back(extent);
  }
  const axe::Layout& layout = grouping.layout;
  std::vector<Iter> iters = iters_on(layout.shard(), false);
  const Int first = layout.offset()[Axis::memory()];
  if (!layout.swizzle() && known_equal(first, 0) && is_row_major(iters)) return local;
  axe::Coordinate offset;
  offset.set(Axis::memory(), first);
  HEDDLE_TRY(const axe::Layout held,
             axe::Layout::make(std::move(iters), {}, offset, layout.swizzle()));
  local.layout = held;
  return local;
}

}  // namespace

Result<Part> part_of(const Tensor& tensor, std::int64_t devices) {
  HEDDLE_TRY(const axe::Layout layout, layout_of(tensor, devices));
  HEDDLE_CHECK(check_axes(tensor, layout));
  Part part;
  HEDDLE_TRY(part.grouping, axe::group(layout, tensor.shape));
  HEDDLE_TRY(part.devices, devices_of(tensor, part.grouping.layout, devices));
  HEDDLE_TRY(part.local, local_of(tensor, part.grouping));
  return part;
}

Result<Tensor> with_sizes(Tensor tensor, const Sizes& sizes) {
  Bindings values;
  for (const auto& [name, size] : sizes) values[name] = size;
  for (Int& extent : tensor.shape) {
    const auto known = instantiate(extent, values);
    if (!known) {
      return refuse("kernel.assumption",
                    fmt::format("the extent {} of {} cannot have these sizes: "
                                "{}",
                                to_string(extent), tensor.name, known.error().message()));
    }
    const Int& number = *known;
    if (!number.is_constant()) {
      return refuse(Diagnostic("kernel.arguments", fmt::format("the size {} of {} is not known",
                                                               to_string(number), tensor.name))
                        .with_hint(fmt::format("what devices exchange is planned for known sizes: "
                                               "--size {}=64",
                                               to_string(number))));
    }
    extent = number;
  }
  if (tensor.layout) {
    HEDDLE_TRY(tensor.layout, map::instantiate(*tensor.layout, values));
  }
  return tensor;
}

Holding holding_of(const Part& part) {
  const axe::Layout& layout = part.grouping.layout;
  Holding holding;
  const Int first = layout.offset()[axe::device_axis()];
  holding.device = {first.value()};
  holding.place = {0};
  std::int64_t held = 1;
  for (const Iter& iter : iters_on(layout.shard(), false)) held *= iter.extent.value();
  for (const Iter& iter : layout.shard()) {
    const bool is_device = is_of_device(iter);
    if (!is_device) held /= iter.extent.value();
    Holding next;
    for (std::size_t e = 0; e != holding.device.size(); ++e) {
      for (std::int64_t i = 0; i != iter.extent.value(); ++i) {
        next.device.push_back(holding.device[e] + (is_device ? i * iter.stride.value() : 0));
        next.place.push_back(holding.place[e] + (is_device ? 0 : i * held));
      }
    }
    holding = std::move(next);
  }
  holding.copies = steps_from(0, iters_on(layout.replica(), true));
  return holding;
}

std::vector<std::int64_t> numbers_of(const std::vector<Int>& shape) {
  std::vector<std::int64_t> numbers;
  for (const Int& extent : shape) numbers.push_back(extent.value());
  return numbers;
}

Array part_on(const Holding& holding, const Part& part, std::int64_t device, const Array& whole) {
  Array array{whole.type, numbers_of(part.local.shape), {}};
  array.elements.resize(static_cast<std::size_t>(size(array)));
  for (std::size_t e = 0; e != whole.elements.size(); ++e) {
    const bool is_here = std::ranges::any_of(holding.copies, [&](std::int64_t further) {
      return holding.device[e] + further == device;
    });
    if (is_here) array.elements[static_cast<std::size_t>(holding.place[e])] = whole.elements[e];
  }
  return array;
}

}  // namespace heddle::kernel
