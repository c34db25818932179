#pragma once

// How many steps, and how much memory, an engine may take to find an answer.
//
//   Limits limits{.steps = 20'000'000};
//   limits.progress = [](auto elapsed) { … };          // called while the search runs
//
// Steps are the same on every machine, and so is the answer. A time that is given as well ends a
// search earlier; whether it does depends on the machine.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#pragma GCC visibility push(default)
namespace heddle::map {

/// The most steps that can be asked for.
inline constexpr std::uint64_t kMostSteps = 4'000'000'000;

struct Limits {
  /// isl gives up a question after this many of its operations, at least 1.
  std::uint32_t steps = 2'000'000;
  /// The time for one question, all engines that it asks included.
  std::optional<std::chrono::milliseconds> time;
  /// When the time is over, once the question has begun.
  std::optional<std::chrono::steady_clock::time_point> end;
  /// Memory beyond what the process holds when the question is asked.
  std::size_t memory_bytes = std::size_t{2} << 30;
  /// Gives up when a stop is requested, for example by a signal.
  std::stop_token stop;
  /// Called periodically, from another thread, with the time since the question began.
  std::function<void(std::chrono::milliseconds)> progress;

  /// The limits with their time running from now on; unchanged if it is running already.
  [[nodiscard]] Limits begun() const;
  /// The steps of a Solver (expr/solver.h), whose units take longer.
  [[nodiscard]] std::uint32_t solver_steps() const { return steps / 8; }
  /// Whether the time is over or a stop is requested.
  [[nodiscard]] bool are_over() const;
  /// What ended a search that stopped because they are over: `it was interrupted`, `the time limit
  /// is 20 ms`.
  [[nodiscard]] std::string over_text() const;
};

}  // namespace heddle::map
#pragma GCC visibility pop
