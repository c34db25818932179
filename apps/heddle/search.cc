#include "heddle/search.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <utility>

namespace heddle::app {
namespace {

// Wakes the thread that waits for Ctrl-C, so that it can end.
constexpr int kWake = SIGUSR1;

sigset_t waited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, kWake);
  return signals;
}

}  // namespace

HeldInterrupts::HeldInterrupts() {
  const sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

HeldInterrupts::~HeldInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Interrupts::Interrupts(std::function<void()> action)
    : waiter_([action = std::move(action)] {
        const sigset_t signals = waited_signals();
        int signal = 0;
        while (sigwait(&signals, &signal) == 0 && signal == SIGINT) action();
      }) {}

Interrupts::~Interrupts() {
  pthread_kill(waiter_.native_handle(), kWake);
  waiter_.join();
}

StopOnInterrupt::StopOnInterrupt()
    : interrupts_([this] {
        if (stop_.stop_requested()) _exit(static_cast<int>(ExitCode::kUnknown));
        stop_.request_stop();
      }) {}

Progress::Progress(const Console& console, Line line) {
  if (console.json() || isatty(STDERR_FILENO) == 0) return;
  writer_ = std::jthread(
      [this, line = std::move(line)](const std::stop_token& done) { write(done, line); });
}

Progress::Progress(const Console& console, std::string what)
    : Progress(console, [what = std::move(what)](std::chrono::seconds spent) {
        return fmt::format("{}: {} s (Ctrl-C gives up)", what, spent.count());
      }) {}

void Progress::write(const std::stop_token& done, const Line& line) {
  const auto begin = std::chrono::steady_clock::now();
  bool has_line = false;
  std::unique_lock lock(mutex_);
  while (
      !wake_.wait_for(lock, done, std::chrono::seconds(1), [&] { return done.stop_requested(); })) {
    const auto spent =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
    std::cerr << "\r" << line(spent) << "\x1b[K" << std::flush;
    has_line = true;
  }
  if (has_line) std::cerr << "\r\x1b[K" << std::flush;
}

notation::Environment Search::within(notation::Environment environment) const {
  notation::CallContext context = environment.context();
  context.decide.limits.stop = interrupts_.token();
  context.decide.limits = context.decide.limits.begun();
  environment.set_context(std::move(context));
  return environment;
}

}  // namespace heddle::app
