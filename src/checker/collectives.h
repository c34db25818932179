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

/// Does it for the lanes that have brought something, which must all be the same operation; lanes
/// without have ended. What is read of those is what the lane itself has, or zeros.
void perform(const std::array<const HeddleCollective*, 32>& lanes);

}  // namespace heddle::checker
