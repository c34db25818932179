#pragma once

// The names of what devices do together.

#include <vector>

#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// The step of these transfers: its groups, and the collective that all of them are. Whether a
/// sender keeps what it sends, which tells an all-gather from an all-to-all and a broadcast from a
/// permute, is read off both sides.
[[nodiscard]] Step recognized(std::vector<Transfer> transfers, const Distribution& from,
                              const Distribution& to);

}  // namespace heddle::distribute
