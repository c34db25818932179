#pragma once

// A search that may take long: Ctrl-C stops it, and after one second a line on the terminal shows
// the elapsed time.

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "heddle/console.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// While it lives, Ctrl-C stays pending instead of ending the program.
class HeldInterrupts {
 public:
  HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  ~HeldInterrupts();

 private:
  sigset_t before_{};
};

/// While it lives, Ctrl-C calls `action`, on another thread, instead of ending the program.
class Interrupts {
 public:
  explicit Interrupts(std::function<void()> action);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

 private:
  HeldInterrupts held_;
  std::jthread waiter_;
};

/// While it lives, Ctrl-C requests a stop instead of ending the program; a second one ends it.
class StopOnInterrupt {
 public:
  StopOnInterrupt();

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  Interrupts interrupts_;
};

/// While it lives, and after the first second, a line on the terminal shows the elapsed time.
class Progress {
 public:
  /// What the line says after so many seconds.
  using Line = std::function<std::string(std::chrono::seconds)>;

  /// Prints nothing without a terminal, or with JSON output.
  Progress(const Console& console, Line line);
  /// `what` names the activity: "proving".
  Progress(const Console& console, std::string what);

 private:
  void write(const std::stop_token& done, const Line& line);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread writer_;  // last, so that it ends first
};

/// A long search of a command: stopped by Ctrl-C, with progress on the terminal.
class Search {
 public:
  Search(const Console& console, std::string what) : progress_(console, std::move(what)) {}

  /// The environment, its searches stopped by Ctrl-C; the time limit of all of them starts now.
  [[nodiscard]] notation::Environment within(notation::Environment environment) const;

 private:
  StopOnInterrupt interrupts_;
  Progress progress_;
};

}  // namespace heddle::app
