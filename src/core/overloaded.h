#pragma once

namespace heddle {

/// Functions as one that takes what any of them takes: for std::visit.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace heddle
