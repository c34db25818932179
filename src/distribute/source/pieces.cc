#include "distribute/source/pieces.h"

#include "core/format.h"
#include "distribute/cells.h"
#include "distribute/distribution_access.h"
#include "distribute/places.h"

namespace heddle::distribute {
namespace {

/// Takes a box apart until layouts say its places on both sides, as run() does.
Result<void> add_pieces(const Block& from, const Block& to, const Box& part,
                        std::vector<Piece>& pieces) {
  HEDDLE_TRY(const auto read, place_of(from, part));
  HEDDLE_TRY(const auto written, place_of(to, part));
  if (!read || !written) {
    for (const Box& half : parts_of(part, 2)) {
      HEDDLE_CHECK(add_pieces(from, to, half, pieces));
    }
    return {};
  }
  pieces.push_back({*read, *written});
  return check_pieces(pieces.size());
}

Result<std::vector<Piece>> pieces_of(std::span<const Block> sources, std::span<const Block> targets,
                                     const Box& box) {
  std::vector<Piece> pieces;
  HEDDLE_CHECK(for_blocks(sources, box, [&](const Block& source, const Box& read) {
    return for_blocks(targets, read, [&](const Block& target, const Box& part) {
      return add_pieces(source, target, part, pieces);
    });
  }));
  return pieces;
}

}  // namespace

Result<std::vector<Piece>> packed_pieces(const Plan& plan, const Transfer& transfer) {
  const Block message = message_of(transfer);
  const auto sources = distribution_of(plan, transfer.read).blocks(transfer.from);
  return pieces_of(sources, {&message, 1}, transfer.box);
}

Result<std::vector<Piece>> unpacked_pieces(const Plan& plan, const Transfer& transfer) {
  const Block message = message_of(transfer);
  const auto targets = distribution_of(plan, transfer.written).blocks(transfer.to);
  return pieces_of({&message, 1}, targets, transfer.box);
}

Result<std::vector<Piece>> kept_pieces(const Plan& plan, const Transfer& transfer) {
  const auto sources = distribution_of(plan, transfer.read).blocks(transfer.from);
  const auto targets = distribution_of(plan, transfer.written).blocks(transfer.to);
  return pieces_of(sources, targets, transfer.box);
}

Result<void> check_pieces(std::size_t count) {
  if (count <= kMaxPieces) return {};
  return refuse("distribute.too_large", "a program of more than {} copies and messages",
                kMaxPieces);
}

}  // namespace heddle::distribute
