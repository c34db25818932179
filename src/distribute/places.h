#pragma once

// Where the boxes of transfers lie in the memories of devices, piece by piece.
//
//   [0,4) x [0,4) from a memory with rows [0,2) and [2,4) apart to a row-major message
//     [0,2) x [0,4)   from the first block to the places 0 to 7 of the message
//     [2,4) x [0,4)   from the second one to the places 8 to 15

#include <functional>
#include <span>

#include "distribute/distribution_access.h"
#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// What lies in a memory of all devices.
[[nodiscard]] inline const Distribution& distribution_of(const Plan& plan, Memory memory) {
  if (memory == Memory::kSource) return plan.from();
  return memory == Memory::kDestination ? plan.to() : plan.scratch();
}

/// The blocks that a transfer may read, and those that it may write.
[[nodiscard]] inline std::span<const Block> read_by(const Plan& plan, const Transfer& transfer) {
  return distribution_of(plan, transfer.read).blocks_near(transfer.from, transfer.box);
}
[[nodiscard]] inline std::span<const Block> written_by(const Plan& plan, const Transfer& transfer) {
  return distribution_of(plan, transfer.written).blocks_near(transfer.to, transfer.box);
}

/// The message of a transfer as a memory: the elements of its box, row-major.
[[nodiscard]] inline Block message_of(const Transfer& transfer) {
  return {.device = transfer.from, .box = transfer.box, .place = row_major(transfer.box)};
}

/// A part of a box that lies in one block on both sides: its element i, row-major, goes from place
/// read(i) to written(i).
struct Piece {
  axe::Layout read;
  axe::Layout written;
  Box box = {};
};

/// Calls `visit` for the pieces that make up the box; where no layout says the places of a part,
/// for those of its halves. Refuses `distribute.device` for a box that the blocks do not cover, as
/// axe::slice(), and what `visit` refuses.
[[nodiscard]] Result<void> for_pieces(std::span<const Block> from, std::span<const Block> to,
                                      const Box& box,
                                      const std::function<Result<void>(const Piece&)>& visit);

}  // namespace heddle::distribute
