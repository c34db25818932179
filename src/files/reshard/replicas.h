#pragma once

// Devices that a sharding gives the same part of a tensor must have the same elements of it:
// otherwise the sharding is not that of the files, and all but one of them would be lost.
//
//   P('x', None) over Mesh('x': 2, 'y': 2)    0 and 1 have one half of the rows, 2 and 3 the other
//
// Each process hashes the parts of its devices piece by piece. Where two hashes differ, the two
// pieces are compared element by element.

#include <cstdint>

#include "files/reshard/crew.h"
#include "files/reshard/job.h"
#include "files/reshard/sources.h"
#include "heddle/core/result.h"
#include "heddle/files/reshard.h"

namespace heddle::files {

/// What the checksums in the files say of the devices that have the same part.
enum class StatedReplicas : std::uint8_t { kSame, kDifferent, kUnknown };
[[nodiscard]] StatedReplicas stated_replicas(const Job& job, const Sources& sources);

/// Reads the parts that several devices have. Refuses `reshard.replica` and `move.stopped`, in all
/// processes alike.
[[nodiscard]] Result<void> check_replicas(const Job& job, const Sources& sources, const Crew& crew,
                                          const ReshardRequest& request);

}  // namespace heddle::files
