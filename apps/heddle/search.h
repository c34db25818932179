#pragma once

// A search that may take long: Ctrl-C stops it, and from a second on a line on the terminal says
// how long it has taken.

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

/// While it lives, Ctrl-C does not end the program; it waits until somebody asks for it.
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

/// While it lives, a line on the terminal says how long it has been, from a second on.
class Progress {
 public:
  /// `what` is being done: "proving". Says nothing where no terminal listens, and beside JSON.
  Progress(const Console& console, std::string what);

 private:
  void write(const std::stop_token& done, const std::string& what);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread writer_;  // last, so that it ends first
};

/// What a command may spend long on: stopped by Ctrl-C, and told on the terminal.
class Search {
 public:
  Search(const Console& console, std::string what) : progress_(console, std::move(what)) {}

  /// The environment, its searches stopped by Ctrl-C; the time of all of them runs from now on.
  [[nodiscard]] notation::Environment within(notation::Environment environment) const;

 private:
  StopOnInterrupt interrupts_;
  Progress progress_;
};

}  // namespace heddle::app
