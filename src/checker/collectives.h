#pragma once

// What the lanes of a warp do together, on the registers of all of them: shuffles, ldmatrix, and
// the matrix instructions, whose registers the catalogue describes (form/instruction.h).
//
// Products and sums of floats are computed in double and rounded once to the type of D. A tensor
// core adds in an order of its own and cuts off bits, so that the last bits of its results may
// differ; integers are exact.

#include <array>
#include <string_view>

#include "checker/models/host.h"

namespace heddle::checker {

/// Bytes of which numbers consist that are large, or small, in all types of two bytes and more, but
/// not those of NaNs.
inline constexpr int kLargeNumber = 0x7f;
inline constexpr int kSmallNumber = 0xfe;

/// Does it for the lanes that have brought something, which must all be the same operation. What
/// others have, a matrix instruction reads as zeros, and a shuffle as bytes of `unknown`.
void perform(const std::array<const HeddleCollective*, 32>& lanes, int unknown = kLargeNumber);

}  // namespace heddle::checker
