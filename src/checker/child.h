#pragma once

// Work in a process of its own: what it does to memory, to signals and to the process stays there,
// and when it does not end, it is ended.
//
//   const ChildResult result = in_child(work, 300);
//   result.written                what `work` returned, if it did
//
// The process is a copy of this one, and has what this one has made before; memory that is mapped
// as shared is common to both.

#include <cstdint>
#include <functional>
#include <string>

#include "heddle/core/result.h"

namespace heddle::checker {

struct ChildResult {
  std::string written;
  /// Whether all of it was.
  bool is_whole = false;
  /// How the process has ended otherwise: `ends the process with status 3`.
  std::string end;
  bool is_late = false;
};

/// Refuses `kernel.no_device` if no process can be made. Cost: a few hundred microseconds.
[[nodiscard]] Result<ChildResult> in_child(const std::function<std::string()>& work,
                                           std::int64_t seconds);

}  // namespace heddle::checker
