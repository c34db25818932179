#pragma once

// Transfers taken apart into pieces whose places layouts say.

#include <cstdint>
#include <vector>

#include "distribute/places.h"
#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// From the memory of the sender into the message, which begins at place 0. All refuse
/// `distribute.too_large` past kMaxPieces, `distribute.device` and as axe::slice().
[[nodiscard]] Result<std::vector<Piece>> packed_pieces(const Plan& plan, const Transfer& transfer);
/// From the message into the memory of the receiver.
[[nodiscard]] Result<std::vector<Piece>> unpacked_pieces(const Plan& plan,
                                                         const Transfer& transfer);
/// From one memory of a device to another.
[[nodiscard]] Result<std::vector<Piece>> kept_pieces(const Plan& plan, const Transfer& transfer);

/// No program has more pieces and messages.
inline constexpr std::size_t kMaxPieces = std::size_t{1} << 16;
/// Refuses `distribute.too_large` for more than kMaxPieces.
[[nodiscard]] Result<void> check_pieces(std::size_t count);

}  // namespace heddle::distribute
