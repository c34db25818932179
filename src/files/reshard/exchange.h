#pragma once

// The transfers of a plan, in pieces, within a process or between processes.

#include <cstddef>
#include <cstdint>
#include <map>

#include "files/reshard/crew.h"
#include "files/reshard/job.h"
#include "heddle/core/result.h"
#include "heddle/distribute/run.h"
#include "heddle/files/reshard.h"

namespace heddle::files {

/// The memory of this process's devices.
using Memories = std::map<std::int64_t, distribute::DeviceMemory>;

/// Refuses `move.stopped` for a run that should stop.
[[nodiscard]] Result<void> check_not_stopped(const ReshardRequest& request);

/// The bytes that a job brings into the memory of this process's devices.
[[nodiscard]] std::int64_t incoming_bytes(const Job& job, const Crew& crew);

/// Runs the plan of a job, which has one; every process calls it for the same job. A process has at
/// most 8 pieces on the way. Refuses `move.stopped`, and what packing and unpacking refuse; other
/// processes then wait for this one.
[[nodiscard]] Result<void> exchange(const Job& job, const Memories& memories, const Crew& crew,
                                    const ReshardRequest& request);

}  // namespace heddle::files
