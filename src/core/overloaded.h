#pragma once

namespace heddle {

/// Combines several functions into one overload set, for std::visit.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace heddle
