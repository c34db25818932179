#pragma once

// What the integers in memory are used for as indices, so that made ones are inside of what they
// index.
//
//   gather(D, S[0:8, :], I, axis=0)            I: from 0 to 7
//   let page = table[bx];  Pool[16*page : +16] table: from 0 to the last page of Pool

#include <cstdint>
#include <map>
#include <string>

#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

struct IndexUse {
  /// Every index is below it, and at least 0.
  std::int64_t below = 0;
  /// Whether two equal ones are a race.
  bool is_distinct = false;
};

/// By the names of tensors, of parameters and of what is copied from them; only where the extent is
/// known at these sizes.
[[nodiscard]] std::map<std::string, IndexUse> index_uses(const Kernel& kernel, const Sizes& sizes);

}  // namespace heddle::kernel
