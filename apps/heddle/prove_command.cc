// heddle prove: a claim about layouts, decided.

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <thread>

#include "heddle/commands.h"
#include "heddle/map/decide.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lexer.h"

namespace heddle::app {
namespace {

using notation::Value;

/// While it lives, Ctrl-C requests a stop instead of ending the program; a second one ends it.
class Interrupts {
 public:
  Interrupts() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
    waiter_ = std::jthread([this, signals](const std::stop_token& done) { wait(signals, done); });
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts() {
    waiter_.request_stop();
    waiter_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void wait(sigset_t signals, const std::stop_token& done) {
    constexpr timespec kPause{0, 50'000'000};
    while (!done.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &kPause) != SIGINT) continue;
      if (stop_.stop_requested()) _exit(static_cast<int>(ExitCode::kUnknown));
      stop_.request_stop();
    }
  }

  sigset_t before_{};
  std::stop_source stop_;
  std::jthread waiter_;
};

/// While it lives, a line on the terminal says how long it has been, from a second on.
class Progress {
 public:
  explicit Progress(bool shows) {
    if (shows) writer_ = std::jthread([this](const std::stop_token& done) { write(done); });
  }

 private:
  void write(const std::stop_token& done) {
    const auto begin = std::chrono::steady_clock::now();
    bool has_line = false;
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, done, std::chrono::seconds(1),
                           [&] { return done.stop_requested(); })) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
          std::chrono::steady_clock::now() - begin);
      std::cerr << fmt::format("\rproving: {} s (Ctrl-C gives up)", seconds.count())
                << std::flush;
      has_line = true;
    }
    if (has_line) std::cerr << "\r\033[K" << std::flush;
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread writer_;  // last, so that it ends first
};

Result<std::optional<map::Method>> method_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto method = map::find_method(text)) return method;
  return refuse("usage.option",
                fmt::format("--method is {}; digits, bits, exhaustive, isl or z3 is needed",
                            notation::quote(text)));
}

/// A claim is what is true or false.
Result<Verdict> verdict_of_claim(const Value& value) {
  if (const auto* verdict = value.get_if<Verdict>()) return *verdict;
  if (const bool* truth = value.get_if<bool>()) {
    return *truth ? Verdict::yes("evaluated") : Verdict::no("evaluated");
  }
  return refuse(Diagnostic("call.type",
                           fmt::format("prove is given {}; a comparison or another claim is needed",
                                       kind_name(value)))
                    .with_hint("heddle prove 'A == B', 'injective(A)', 'within(A, 0, N)'"));
}

}  // namespace

ExitCode prove_claim(const Console& console, const std::string& claim, const ProveOptions& options,
                     const notation::Environment& environment) {
  const auto method = method_of(options.method);
  if (!method) return console.fail(method.error());
  const auto decide = [&] {
    const Interrupts interrupts;
    const Progress progress(!console.json() && isatty(STDERR_FILENO) != 0);
    notation::CallContext context = environment.context();
    context.decide.method = *method;
    context.decide.limits.stop = interrupts.token();
    notation::Environment limited = environment;
    limited.set_context(std::move(context));
    return notation::evaluate(claim, limited);
  };
  const auto value = decide();
  if (!value) return console.fail(value.error(), {claim, ""});
  const auto verdict = verdict_of_claim(*value);
  if (!verdict) return console.fail(verdict.error());
  console.print(Value(*verdict));
  return exit_code(*verdict);
}

}  // namespace heddle::app
