#pragma once

// Names of which none occurs twice: `A`, `A_2`.

#include <fmt/format.h>

#include <set>
#include <string>

namespace heddle::notation {

class DistinctNames {
 public:
  std::string make(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace heddle::notation
