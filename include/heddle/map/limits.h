#pragma once

// How long, and with how much memory, an engine may search for an answer.

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>

namespace heddle::map {

struct Limits {
  std::chrono::milliseconds time{10'000};
  /// Beyond what the process holds when the question is asked.
  std::size_t memory_bytes = std::size_t{2} << 30;
  /// Gives up when a stop is requested, as from a signal.
  std::stop_token stop;
  /// Is told now and then how long the question has been worked on; from another thread.
  std::function<void(std::chrono::milliseconds)> progress;
};

}  // namespace heddle::map
