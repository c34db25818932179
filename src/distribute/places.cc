#include "distribute/places.h"

#include <optional>

#include "core/format.h"
#include "distribute/cells.h"

namespace heddle::distribute {
namespace {

using VisitPiece = std::function<Result<void>(const Piece&)>;

/// Calls `visit(block, part)` for the parts of a box in blocks.
template <class Visit>
Result<void> for_blocks(std::span<const Block> blocks, const Box& box, Visit visit) {
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

Result<void> for_halves(const Block& from, const Block& to, const Box& part,
                        const VisitPiece& visit) {
  HEDDLE_TRY(const auto read, place_of(from, part));
  HEDDLE_TRY(const auto written, place_of(to, part));
  if (read && written) return visit({*read, *written, part});
  for (const Box& half : halves_of(part)) HEDDLE_CHECK(for_halves(from, to, half, visit));
  return {};
}

}  // namespace

Result<void> for_pieces(std::span<const Block> from, std::span<const Block> to, const Box& box,
                        const VisitPiece& visit) {
  return for_blocks(from, box, [&](const Block& source, const Box& read) {
    return for_blocks(to, read, [&](const Block& target, const Box& part) {
      return for_halves(source, target, part, visit);
    });
  });
}

}  // namespace heddle::distribute
