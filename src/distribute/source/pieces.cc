#include "distribute/source/pieces.h"

#include "core/format.h"

namespace heddle::distribute {
namespace {

Result<std::vector<Piece>> pieces_of(std::span<const Block> sources, std::span<const Block> targets,
                                     const Box& box) {
  std::vector<Piece> pieces;
  HEDDLE_CHECK(for_pieces(sources, targets, box, [&](const Piece& piece) {
    pieces.push_back(piece);
    return check_pieces(pieces.size());
  }));
  return pieces;
}

}  // namespace

Result<std::vector<Piece>> packed_pieces(const Plan& plan, const Transfer& transfer) {
  const Block message = message_of(transfer);
  return pieces_of(read_by(plan, transfer), {&message, 1}, transfer.box);
}

Result<std::vector<Piece>> unpacked_pieces(const Plan& plan, const Transfer& transfer) {
  const Block message = message_of(transfer);
  return pieces_of({&message, 1}, written_by(plan, transfer), transfer.box);
}

Result<std::vector<Piece>> kept_pieces(const Plan& plan, const Transfer& transfer) {
  return pieces_of(read_by(plan, transfer), written_by(plan, transfer), transfer.box);
}

Result<void> check_pieces(std::size_t count) {
  if (count <= kMaxPieces) return {};
  return refuse("distribute.too_large", "a program of more than {} copies and messages",
                kMaxPieces);
}

}  // namespace heddle::distribute
