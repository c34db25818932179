#pragma once

// The steps of an algorithm, which it writes down itself if it is asked to explain itself. So an
// explanation cannot say anything else than what was done:
//
//   Result<Layout> complement_fill(const Layout& layout, const Int& target, const Trace& trace);
//     …
//     trace([&] { return step(fmt::format("gap at {}", begin), …); });
//
// Nothing is formatted where nobody asks.

#include <concepts>
#include <cstddef>
#include <vector>

#include "heddle/core/explanation.h"

namespace heddle {

class Trace {
 public:
  /// After so many steps a last one says that there are more.
  static constexpr std::size_t kMaxSteps = 64;

  /// Writes nothing down.
  Trace() = default;
  explicit Trace(std::vector<Explanation>& steps) : steps_(&steps) {}

  template <std::invocable Describe>
  void operator()(Describe describe) const {
    if (steps_ == nullptr || steps_->size() > kMaxSteps) return;
    steps_->push_back(steps_->size() < kMaxSteps ? describe()
                                                 : step("…", "further steps are left out"));
  }

 private:
  std::vector<Explanation>* steps_ = nullptr;
};

}  // namespace heddle
