#pragma once

// In which iterations of which loops a thread is, so that lanes of a warp that are at one place
// together can be told from lanes that are there at another time.
//
//   for (int i = 0; i < 4; ++i) if (i != lane) S[lane] = i;
//
// Lane 0 is there for the first time when i is 1, and lane 1 when i is 0. A piece of code that is
// not after the one before it is the head of a loop, whose last piece is that one; the compiler
// keeps the order of the text (program.cc). A function that is called has loops of its own.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::checker {

class LoopPath {
 public:
  /// From a piece of code to one that is not after it.
  void jump(const void* from, const void* to) {
    const Address head = address(to);
    const auto is_over = [&](const Loop& loop) { return loop.head > head || loop.last < head; };
    while (loops_.size() > first_loop() && is_over(loops_.back())) loops_.pop_back();
    if (loops_.size() == first_loop() || loops_.back().head != head) loops_.push_back({head, 0, 0});
    loops_.back().last = std::max(loops_.back().last, address(from));
    ++loops_.back().iteration;
  }
  /// A function that is called from `site`, in the piece of code `last`.
  void enter(const void* site, const void* last) {
    calls_.push_back({address(site), last, loops_.size()});
  }
  /// The piece of code that the function returns to.
  const void* leave() {
    if (calls_.empty()) return nullptr;
    const Call call = calls_.back();
    loops_.resize(std::min(loops_.size(), call.first_loop));
    calls_.pop_back();
    return call.last;
  }
  /// The same number for all threads that are in the same iterations, and calls.
  [[nodiscard]] std::uint64_t moment(const void* last) const {
    std::uint64_t mixed = 0;
    const auto mix = [&](std::uint64_t value) {
      mixed = (mixed ^ value) * 0x9e3779b97f4a7c15U;
      mixed ^= mixed >> 29;
    };
    std::size_t loop = 0;
    for (std::size_t depth = 0; depth <= calls_.size(); ++depth) {
      const bool is_called = depth != calls_.size();
      const Address at = address(is_called ? calls_[depth].last : last);
      const std::size_t end = is_called ? calls_[depth].first_loop : loops_.size();
      for (; loop != end; ++loop) {
        if (at < loops_[loop].head || at > loops_[loop].last) continue;
        mix(loops_[loop].head);
        mix(loops_[loop].iteration);
      }
      if (is_called) mix(calls_[depth].site);
    }
    return mixed;
  }

 private:
  using Address = std::uintptr_t;
  struct Loop {
    Address head = 0;
    Address last = 0;
    std::uint64_t iteration = 0;
  };
  struct Call {
    Address site = 0;
    const void* last = nullptr;
    std::size_t first_loop = 0;
  };
  static Address address(const void* at) { return reinterpret_cast<Address>(at); }  // NOLINT
  [[nodiscard]] std::size_t first_loop() const {
    return calls_.empty() ? 0 : calls_.back().first_loop;
  }

  /// The outer ones first.
  std::vector<Loop> loops_;
  std::vector<Call> calls_;
};

}  // namespace heddle::checker
