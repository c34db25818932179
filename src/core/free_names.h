#pragma once

// Generated names for coordinates and variables that have none.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// i, j, k; if there are more: i0, i1, ….
[[nodiscard]] std::vector<std::string> coordinate_names(std::size_t count);

/// Generates PREFIX0, PREFIX1, …, skipping the names that are taken.
class FreeNames {
 public:
  FreeNames(std::string prefix, std::set<std::string> taken)
      : prefix_(std::move(prefix)), taken_(std::move(taken)) {}

  [[nodiscard]] std::string next();

 private:
  std::string prefix_;
  std::set<std::string> taken_;
  std::size_t count_ = 0;
};

}  // namespace heddle
