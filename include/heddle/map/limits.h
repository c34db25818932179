#pragma once

// How long, and with how much memory, an engine may search for an answer.
//
//   Limits limits{.time = std::chrono::seconds(60)};
//   limits.progress = [](auto elapsed) { … };          // called while the search runs

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#pragma GCC visibility push(default)
namespace heddle::map {

struct Limits {
  /// The time for one question, all engines that it asks included.
  std::chrono::milliseconds time{10'000};
  /// When the time is over, once the question has begun.
  std::optional<std::chrono::steady_clock::time_point> end;
  /// Memory beyond what the process holds when the question is asked.
  std::size_t memory_bytes = std::size_t{2} << 30;
  /// An engine gives up after this many of its own steps, which are the same on every run.
  std::optional<std::uint32_t> steps;
  /// Gives up when a stop is requested, for example by a signal.
  std::stop_token stop;
  /// Called periodically, from another thread, with the time since the question began.
  std::function<void(std::chrono::milliseconds)> progress;

  /// The limits with their time running from now on; unchanged if it is running already.
  [[nodiscard]] Limits begun() const;
  /// The rest of the time, at least 0; all of it if the question has not begun.
  [[nodiscard]] std::chrono::milliseconds time_left() const;
  /// Whether no time is left or a stop is requested.
  [[nodiscard]] bool are_over() const;
};

}  // namespace heddle::map
#pragma GCC visibility pop
