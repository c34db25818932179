#include "checker/crew.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <tuple>
#include <utility>

#include "checker/collectives.h"

namespace heddle::checker {

namespace {

/// More than the 512 KiB of local memory that a thread of CUDA may have. Memory that is not touched
/// costs nothing.
constexpr std::size_t kStack = 1 << 20;

/// Where a signal's handler has interrupted the code, as if that had made a call.
const void* interrupted(const void* context) {
#if defined(__x86_64__)
  const greg_t at = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  const auto at = static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  const std::uintptr_t at = 0;
#endif
  return std::bit_cast<const void*>(static_cast<std::uintptr_t>(at) + 1);
}

/// The calls that are made where it is asked, by where they return to, the innermost first.
class Calls {
 public:
  Calls() { count_ += static_cast<std::size_t>(backtrace(&calls_[1], kMost)); }
  /// In a signal's handler, with what was interrupted in front.
  explicit Calls(const void* context) : Calls() {
    calls_.front() = const_cast<void*>(interrupted(context));  // NOLINT: as backtrace() has it
  }
  [[nodiscard]] std::span<void* const> all() const { return std::span(calls_).first(count_); }

 private:
  static constexpr int kMost = 64;
  std::array<void*, kMost + 1> calls_{};
  std::size_t count_ = 1;
};

}  // namespace

/// Stacks for threads, with memory in front of each that is not there.
class Crew::Stacks {
 public:
  explicit Stacks(std::size_t threads) : bytes_(threads * (kStack + kGuard)) {
    void* const made = mmap(nullptr, bytes_, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();  // NOLINT: POSIX's macro
    first_ = static_cast<char*>(made);
    for (std::size_t i = 0; i != threads; ++i) mprotect(stack(i), kStack, PROT_READ | PROT_WRITE);
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks() { munmap(first_, bytes_); }

  [[nodiscard]] char* stack(std::size_t thread) const {
    return first_ + thread * (kStack + kGuard) + kGuard;
  }
  [[nodiscard]] bool is_in(const void* at, std::size_t thread) const {
    return is_between(at, stack(thread), kStack);
  }
  [[nodiscard]] bool is_past(const void* at, std::size_t thread) const {
    return is_between(at, stack(thread) - kGuard, kGuard);
  }

 private:
  static constexpr std::size_t kGuard = 1 << 16;

  [[nodiscard]] static bool is_between(const void* at, const char* first, std::size_t bytes) {
    const std::less<> before;
    return !before(at, first) && before(at, first + bytes);
  }

  std::size_t bytes_;
  char* first_ = nullptr;
};

/// While it lives, what a kernel does that would end the process ends the run of the kernel.
/// Signals have no other way to know of the run than by a variable of the thread.
class Crew::Faults {
 public:
  explicit Faults(Crew& crew) : stack_(std::make_unique_for_overwrite<char[]>(kSignalStack)) {
    outer_ = std::exchange(running, &crew);
    // What it needs is loaded when it is first asked for, which no handler can do.
    const Calls loaded;
    stack_t stack{};
    stack.ss_sp = stack_.get();
    stack.ss_size = kSignalStack;
    sigaltstack(&stack, &old_stack_);
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (std::size_t i = 0; i != kSignals.size(); ++i) sigaction(kSignals[i], &action, &old_[i]);
    if (crew.seconds_ > 0) ask_in(crew.seconds_, 0);
  }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  ~Faults() {
    if (running->seconds_ > 0) ask_in(0, 0);
    for (std::size_t i = 0; i != kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
    sigaltstack(&old_stack_, nullptr);
    running = outer_;
  }

  /// The run whose thread is at this, if it is one.
  [[nodiscard]] static Crew* of_thread() {
    return running != nullptr && running->is_in_thread_ ? running : nullptr;
  }

 private:
  static constexpr std::size_t kSignalStack = 1 << 16;
  static constexpr std::array<int, 7> kSignals = {SIGFPE,  SIGSEGV, SIGBUS, SIGILL,
                                                  SIGTRAP, SIGABRT, SIGALRM};

  /// When SIGALRM comes; never for 0.
  static void ask_in(std::int64_t seconds, std::int64_t microseconds) {
    itimerval timer{};
    timer.it_value.tv_sec = seconds;
    timer.it_value.tv_usec = microseconds;
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

  static void handle(int signal, siginfo_t* info, void* context) {
    Crew* const crew = of_thread();
    if (signal == SIGALRM) return end_late(crew, context);
    if (crew != nullptr) {
      const bool is_full = crew->stacks_->is_past(info->si_addr, crew->current_);
      if (signal == SIGSEGV && is_full) {
        crew->watcher_->ends(crew->current_, "has no stack left", Calls(context).all());
      } else {
        crew->watcher_->fault(crew->current_, signal, Calls(context).all());
      }
      crew->stop();
    }
    // It is not the kernel's; what has happened happens again, and ends the process.
    ::signal(signal, SIG_DFL);
  }

  static void end_late(Crew* crew, const void* context) {
    constexpr std::int64_t kSoon = 10'000;
    if (crew != nullptr) {
      if (crew->watcher_->late(crew->current_, interrupted(context))) crew->stop();
      crew->host_.steps = 1;
    }
    ask_in(0, kSoon);
  }

  static inline thread_local Crew* running = nullptr;
  Crew* outer_ = nullptr;
  std::unique_ptr<char[]> stack_;
  stack_t old_stack_{};
  std::array<struct sigaction, kSignals.size()> old_{};
};

void Crew::end_by_exit() {
  Crew* const crew = Faults::of_thread();
  if (crew == nullptr) return;
  crew->watcher_->ends(crew->current_, "calls exit()", Calls().all());
  crew->stop();
}

void Watcher::copy(unsigned /*thread*/, void* to, const void* from, int bytes, int size,
                   const void* /*site*/) {
  const auto read = static_cast<std::size_t>(std::clamp(bytes, 0, size));
  std::memcpy(to, from, read);
  std::memset(static_cast<char*>(to) + read, 0, static_cast<std::size_t>(size) - read);
}

Crew::Crew(Watcher& watcher, ThreadOrder order) : watcher_(&watcher), order_(order) {
  host_.crew = this;
  set_functions();
  set_ends();
  set_checks();
}

void Crew::set_functions() {
  host_.run = [](HeddleHost* host, void (*call)(void*), void* data, const unsigned* blocks,
                 const unsigned* threads) {
    of(host).run([=] { call(data); }, {blocks[0], blocks[1], blocks[2]},
                 {threads[0], threads[1], threads[2]});
  };
  host_.access = [](HeddleHost* host, const void* at, unsigned long bytes, HeddleAccess kind,
                    const void* site) {
    Crew& crew = of(host);
    if (!crew.is_own(at)) crew.watcher_->access(crew.current_, at, bytes, kind, site);
  };
  host_.barrier = [](HeddleHost* host, const HeddleBarrier* barrier, const void* site) {
    Crew& crew = of(host);
    if (crew.watcher_->barrier(crew.current_, *barrier, site)) crew.wait(nullptr, barrier, site);
  };
  host_.collective = [](HeddleHost* host, const HeddleCollective* what, const void* site) {
    Crew& crew = of(host);
    if (crew.watcher_->collective(crew.current_, *what, site)) crew.wait(what, nullptr, site);
  };
  host_.copy = [](HeddleHost* host, void* to, const void* from, int bytes, int size,
                  const void* site) {
    Crew& crew = of(host);
    crew.watcher_->copy(crew.current_, to, from, bytes, size, site);
  };
  host_.commit = [](HeddleHost* host, const void* site) {
    of(host).watcher_->commit(of(host).current_, site);
  };
  host_.wait = [](HeddleHost* host, int pending, const void* site) {
    of(host).watcher_->wait(of(host).current_, pending, site);
  };
}

void Crew::set_ends() {
  host_.too_long = [](HeddleHost* host, const void* site) {
    of(host).watcher_->too_long(of(host).current_, site);
  };
  host_.print = [](HeddleHost* host, const char* text, unsigned long bytes) {
    of(host).watcher_->print({text, bytes});
  };
  host_.end = [](HeddleHost* host, const char* what, const void* site) {
    Crew& crew = of(host);
    void* const call = const_cast<void*>(site);  // NOLINT: as backtrace() has it
    crew.watcher_->ends(crew.current_, what, {&call, 1});
    crew.stop();
  };
}

void Crew::set_checks() {
  host_.jump = [](HeddleHost* host, const void* to) {
    of(host).threads_[of(host).current_].path.jump(host->last, to);
  };
  host_.enter = [](HeddleHost* host, const void* site) {
    of(host).threads_[of(host).current_].path.enter(site, std::exchange(host->last, nullptr));
  };
  host_.leave = [](HeddleHost* host) {
    host->last = of(host).threads_[of(host).current_].path.leave();
  };
  host_.unaligned = [](HeddleHost* host, const void* at, unsigned long bytes, HeddleAccess kind,
                       const void* site) {
    Crew& crew = of(host);
    if (!crew.is_own(at)) crew.watcher_->unaligned(crew.current_, at, bytes, kind, site);
  };
  host_.index = [](HeddleHost* host, long index, const char* type, const void* site) {
    of(host).watcher_->index(of(host).current_, index, type, site);
  };
  host_.fence = [](HeddleHost* host) { of(host).watcher_->fence(of(host).current_); };
}

bool Crew::join(void* library) {
  joined_ = static_cast<HeddleHost**>(dlsym(library, "heddle_host"));
  if (joined_ != nullptr) *joined_ = &host_;
  return joined_ != nullptr;
}

Crew::~Crew() {
  if (joined_ != nullptr) *joined_ = nullptr;
}

bool Crew::is_own(const void* at) const {
  const std::less<> before;
  if (stacks_->is_in(at, current_)) return true;
  return !before(at, &host_) && before(at, &host_ + 1);
}

std::uint64_t Crew::moment() const { return threads_[current_].path.moment(host_.last); }

unsigned Crew::lanes_left(unsigned thread) const {
  const std::size_t first = thread / kWarpSize * kWarpSize;
  unsigned left = 0;
  for (std::size_t i = first; i != std::min<std::size_t>(first + kWarpSize, threads_.size()); ++i) {
    if (threads_[i].state != State::kDone) left |= 1U << (i - first);
  }
  return left;
}

void Crew::make_threads(const Extents& threads) {
  threads_.clear();
  for (unsigned z = 0; z < threads[2]; ++z) {
    for (unsigned y = 0; y < threads[1]; ++y) {
      for (unsigned x = 0; x < threads[0]; ++x) threads_.emplace_back().index = {x, y, z};
    }
  }
  stacks_ = std::make_unique<Stacks>(threads_.size());
}

bool Crew::run(std::function<void()> call, const Extents& blocks, const Extents& threads) {
  call_ = std::move(call);
  make_threads(threads);
  is_stopped_ = false;
  host_.steps = steps_;
  host_.blocks = {blocks[0], blocks[1], blocks[2]};
  host_.threads = {threads[0], threads[1], threads[2]};
  const Faults faults(*this);
  for (unsigned z = 0; z < blocks[2]; ++z) {
    for (unsigned y = 0; y < blocks[1]; ++y) {
      for (unsigned x = 0; x < blocks[0]; ++x) {
        host_.block = {x, y, z};
        if (!run_block()) return false;
      }
    }
  }
  return true;
}

bool Crew::run_block() {
  watcher_->block_begins();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    ucontext_t& context = threads_[i].context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks_->stack(i);
    context.uc_stack.ss_size = kStack;
    context.uc_link = &scheduler_;
    // Arguments of contexts are integers: an address is two of them.
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context, reinterpret_cast<void (*)()>(+[](unsigned high, unsigned low) {
      const std::uintptr_t both = std::uintptr_t{high} << 32 | low;
      std::bit_cast<Crew*>(both)->run_thread();
    }),
                2, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    threads_[i].state = State::kRuns;
    threads_[i].path = {};
    threads_[i].last = nullptr;
  }
  do {
    for (std::size_t i = 0; i < threads_.size() && !is_stopped_; ++i) {
      const std::size_t next = order_ == ThreadOrder::kFirstFirst ? i : threads_.size() - 1 - i;
      if (threads_[next].state != State::kRuns) continue;
      current_ = static_cast<unsigned>(next);
      host_.thread = threads_[next].index;
      if (position_ != nullptr) *position_ = {host_.block, current_};
      host_.last = threads_[next].last;
      is_in_thread_ = true;
      swapcontext(&scheduler_, &threads_[next].context);
      is_in_thread_ = false;
      threads_[next].last = host_.last;
    }
  } while (!is_stopped_ && wake());
  if (is_stopped_) return false;
  const std::vector<Waiting> left = waiting();
  if (!left.empty()) {
    watcher_->stuck(left);
    return false;
  }
  watcher_->block_ends();
  return !is_stopped_;
}

void Crew::run_thread() {
  call_();
  watcher_->thread_ends(current_);
  threads_[current_].state = State::kDone;
}

void Crew::wait(const HeddleCollective* what, const HeddleBarrier* barrier, const void* site) {
  Thread& thread = threads_[current_];
  thread.state = State::kWaits;
  thread.waiting = {current_, what, barrier, site};
  swapcontext(&thread.context, &scheduler_);
}

void Crew::stop() {
  is_stopped_ = true;
  // Out of the thread, and never back.
  if (is_in_thread_) swapcontext(&threads_[current_].context, &scheduler_);
}

std::vector<Waiting> Crew::waiting() const {
  std::vector<Waiting> all;
  for (const Thread& thread : threads_) {
    if (thread.state == State::kWaits) all.push_back(thread.waiting);
  }
  return all;
}

bool Crew::wake() {
  bool woken = false;
  for (unsigned first = 0; first < threads_.size() && !is_stopped_; first += kWarpSize) {
    woken |= wake_warp(first);
  }
  return woken || (!is_stopped_ && wake_block());
}

/// Lanes that bring the same with the same mask meet when all have come that it names.
bool Crew::wake_warp(unsigned first) {
  std::map<std::tuple<unsigned, std::string_view, int>, unsigned> brought;
  const unsigned left = lanes_left(first);
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    if ((left >> lane & 1U) == 0) continue;
    const Thread& thread = threads_[first + lane];
    const HeddleCollective* const what = thread.waiting.what;
    if (thread.state == State::kRuns || what == nullptr) continue;
    brought[{what->mask, what->name, what->bytes}] |= 1U << lane;
  }
  bool woken = false;
  for (const auto& [what, lanes] : brought) {
    const unsigned named = std::get<unsigned>(what);
    if ((named & left & ~lanes) == 0) woken |= meet(first, lanes);
    if (is_stopped_) return false;
  }
  return woken;
}

bool Crew::meet(unsigned first, unsigned lanes) {
  std::vector<Waiting> met;
  std::array<const HeddleCollective*, kWarpSize> brought{};
  for (unsigned lane = 0; lane != kWarpSize; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    met.push_back(threads_[first + lane].waiting);
    brought[lane] = met.back().what;
  }
  watcher_->warp_meets(met);
  if (is_stopped_) return false;
  perform(brought, order_ == ThreadOrder::kFirstFirst ? kLargeNumber : kSmallNumber);
  for (const Waiting& each : met) threads_[each.thread].state = State::kRuns;
  return true;
}

bool Crew::wake_block() {
  std::map<int, std::vector<Waiting>> met;
  for (const Waiting& each : waiting()) {
    if (each.what == nullptr) met[each.barrier->number].push_back(each);
  }
  const auto left = static_cast<std::size_t>(std::ranges::count_if(
      threads_, [](const Thread& thread) { return thread.state != State::kDone; }));
  bool woken = false;
  for (auto& [number, threads] : met) {
    const int wanted = threads.front().barrier->threads;
    const std::size_t count = wanted == 0 ? left : static_cast<std::size_t>(wanted);
    if (threads.size() < count) continue;
    // Of more than it is for, those that have come first.
    const bool is_backwards = order_ == ThreadOrder::kLastFirst;
    const std::span<const Waiting> all(threads);
    woken |= pass(is_backwards ? all.last(count) : all.first(count), wanted == 0);
    if (is_stopped_) return false;
  }
  return woken;
}

/// The threads go on, with what they all have found.
bool Crew::pass(std::span<const Waiting> met, bool is_of_all) {
  watcher_->barrier_passed(met, is_of_all);
  if (is_stopped_) return false;
  const auto found = static_cast<int>(
      std::ranges::count_if(met, [](const Waiting& each) { return each.barrier->value != 0; }));
  for (const Waiting& each : met) {
    const HeddleBarrier& barrier = *each.barrier;
    if (barrier.vote == kHeddleAny) *barrier.result = found != 0 ? 1 : 0;
    if (barrier.vote == kHeddleAll) *barrier.result = std::cmp_equal(found, met.size()) ? 1 : 0;
    if (barrier.vote == kHeddleCount) *barrier.result = found;
    threads_[each.thread].state = State::kRuns;
  }
  return true;
}

}  // namespace heddle::checker
