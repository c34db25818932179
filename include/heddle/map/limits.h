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
  /// For a question, whatever engines are asked on the way.
  std::chrono::milliseconds time{10'000};
  /// When that is over, once the question is begun.
  std::optional<std::chrono::steady_clock::time_point> end;
  /// Beyond what the process holds when the question is asked.
  std::size_t memory_bytes = std::size_t{2} << 30;
  /// An engine gives up after so many steps of its own, which come to the same on every run.
  std::optional<std::uint32_t> steps;
  /// Gives up when a stop is requested, as from a signal.
  std::stop_token stop;
  /// Called periodically, from another thread, with the time since the question began.
  std::function<void(std::chrono::milliseconds)> progress;

  /// The limits of a question whose time runs from now on, or of one that has been begun already.
  [[nodiscard]] Limits begun() const;
  /// What is left of the time, at least 0; all of it where the question is not begun.
  [[nodiscard]] std::chrono::milliseconds time_left() const;
  /// No time is left, or a stop is requested.
  [[nodiscard]] bool are_over() const;
};

}  // namespace heddle::map
#pragma GCC visibility pop
