#pragma once

// A search that may take long: Ctrl-C stops it, and from a second on a line on the terminal says
// how long it has taken.

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "heddle/console.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// While it lives, Ctrl-C requests a stop instead of ending the program; a second one ends it.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void wait(const sigset_t& signals);

  sigset_t before_{};
  std::stop_source stop_;
  std::jthread waiter_;
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

  /// The environment, its searches stopped by Ctrl-C.
  [[nodiscard]] notation::Environment within(notation::Environment environment) const;

 private:
  Interrupts interrupts_;
  Progress progress_;
};

}  // namespace heddle::app
