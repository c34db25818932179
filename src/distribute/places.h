#pragma once

// Where the boxes of transfers lie in the memories of devices.

#include <optional>
#include <span>

#include "core/format.h"
#include "distribute/distribution_access.h"
#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// What lies in a memory of all devices.
[[nodiscard]] inline const Distribution& distribution_of(const Plan& plan, Memory memory) {
  if (memory == Memory::kSource) return plan.from();
  return memory == Memory::kDestination ? plan.to() : plan.scratch();
}

/// The message of a transfer as a memory: the elements of its box, row-major.
[[nodiscard]] inline Block message_of(const Transfer& transfer) {
  return {.device = transfer.from, .box = transfer.box, .place = row_major(transfer.box)};
}

/// Calls `visit(block, part)` for the parts of a box in the blocks of a device, and refuses a box
/// that they do not cover.
template <class Visit>
[[nodiscard]] Result<void> for_blocks(std::span<const Block> blocks, const Box& box, Visit visit) {
  std::int64_t elements = 0;
  for (const Block& block : blocks) {
    const std::optional<Box> part = intersection(block.box, box);
    if (!part) continue;
    HEDDLE_CHECK(visit(block, *part));
    elements += volume(*part);
  }
  if (elements == volume(box)) return {};
  return refuse("distribute.device", "{} of the {} elements of {} have a place on the device",
                elements, volume(box), to_string(box));
}

}  // namespace heddle::distribute
