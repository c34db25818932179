#pragma once

// Names that are made up where none are given.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// i, j, k; i0, i1, … where there are more.
[[nodiscard]] std::vector<std::string> coordinate_names(std::size_t count);

/// PREFIX0, PREFIX1, …, but for those that are taken.
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
