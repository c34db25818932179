#pragma once

// Addresses that grow evenly with a counter, and the counters for which conditions hold.
//
//   stride_along(N*i + j, "i")          N
//   i + 512*k < N                       i goes up to N - 512*k

#include <optional>
#include <string>
#include <vector>

#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"

namespace heddle::kernel {

[[nodiscard]] bool depends_on(const Int& value, const std::string& counter);
[[nodiscard]] bool depends_on(const Condition& condition, const std::string& counter);

/// What the value grows by when the counter does by one, whatever the counter is; nullopt if that
/// is not known.
[[nodiscard]] std::optional<Int> stride_along(const Int& value, const std::string& counter);

/// The counters for which conditions hold: from the greatest of `begins` to the least of `ends`,
/// which is not included.
struct Bounds {
  std::vector<Int> begins;
  std::vector<Int> ends;

  /// Whether the condition says where the counter begins or ends, which is noted.
  bool add(const Condition& condition, const std::string& counter);
  [[nodiscard]] bool empty() const { return begins.empty() && ends.empty(); }
  [[nodiscard]] Int begin_from(Int begin) const;
  [[nodiscard]] Int end_up_to(Int end) const;
};

}  // namespace heddle::kernel
