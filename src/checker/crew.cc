#include "checker/crew.h"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "checker/collectives.h"

namespace heddle::checker {

namespace {

/// More than the 512 KiB of local memory that a thread of CUDA may have. Memory that is not touched
/// costs nothing.
constexpr std::size_t kStack = 1 << 20;

}  // namespace

/// While it lives, what a kernel does that would end the process ends the run of the kernel.
/// Signals have no other way to know of the run than by a variable of the thread.
class Crew::Faults {
 public:
  explicit Faults(Crew& crew) : stack_(std::make_unique_for_overwrite<char[]>(kSignalStack)) {
    outer_ = std::exchange(running, &crew);
    stack_t stack{};
    stack.ss_sp = stack_.get();
    stack.ss_size = kSignalStack;
    sigaltstack(&stack, &old_stack_);
    struct sigaction action{};
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i != kSignals.size(); ++i) sigaction(kSignals[i], &action, &old_[i]);
  }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  ~Faults() {
    for (std::size_t i = 0; i != kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
    sigaltstack(&old_stack_, nullptr);
    running = outer_;
  }

 private:
  static constexpr std::size_t kSignalStack = 1 << 16;
  static constexpr std::array<int, 3> kSignals = {SIGFPE, SIGSEGV, SIGBUS};

  static void handle(int signal) {
    Crew* const crew = running;
    if (crew != nullptr && crew->is_in_thread_) {
      crew->watcher_->fault(crew->current_, signal);
      crew->stop();
    }
    // It is not the kernel's; what has happened happens again, and ends the process.
    ::signal(signal, SIG_DFL);
  }

  static inline thread_local Crew* running = nullptr;
  Crew* outer_ = nullptr;
  std::unique_ptr<char[]> stack_;
  stack_t old_stack_{};
  std::array<struct sigaction, kSignals.size()> old_{};
};

void Watcher::copy(unsigned /*thread*/, void* to, const void* from, int bytes, int size,
                   const void* /*site*/) {
  const auto read = static_cast<std::size_t>(std::clamp(bytes, 0, size));
  std::memcpy(to, from, read);
  std::memset(static_cast<char*>(to) + read, 0, static_cast<std::size_t>(size) - read);
}

Crew::Crew(Watcher& watcher, ThreadOrder order) : watcher_(&watcher), order_(order) {
  host_.crew = this;
  set_functions();
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
  host_.barrier = [](HeddleHost* host, const void* site) {
    Crew& crew = of(host);
    if (crew.watcher_->barrier(crew.current_, site)) crew.wait(nullptr, site);
  };
  host_.collective = [](HeddleHost* host, const HeddleCollective* what, const void* site) {
    Crew& crew = of(host);
    if (crew.watcher_->collective(crew.current_, *what, site)) crew.wait(what, site);
  };
  host_.copy = [](HeddleHost* host, void* to, const void* from, int bytes, int size,
                  const void* site) {
    Crew& crew = of(host);
    crew.watcher_->copy(crew.current_, to, from, bytes, size, site);
  };
  host_.commit = [](HeddleHost* host, const void* site) {
    of(host).watcher_->commit(of(host).current_, site);
  };
  host_.too_long = [](HeddleHost* host) { of(host).watcher_->too_long(of(host).current_); };
  host_.wait = [](HeddleHost* host, int pending, const void* site) {
    of(host).watcher_->wait(of(host).current_, pending, site);
  };
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
  const char* const stack = &stacks_[current_ * kStack];
  if (!before(at, stack) && before(at, stack + kStack)) return true;
  return !before(at, &host_) && before(at, &host_ + 1);
}

void Crew::make_threads(const Extents& threads) {
  threads_.clear();
  for (unsigned z = 0; z < threads[2]; ++z) {
    for (unsigned y = 0; y < threads[1]; ++y) {
      for (unsigned x = 0; x < threads[0]; ++x) threads_.emplace_back().index = {x, y, z};
    }
  }
  stacks_ = std::make_unique_for_overwrite<char[]>(threads_.size() * kStack);
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
    context.uc_stack.ss_sp = &stacks_[i * kStack];
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
  }
  do {
    for (std::size_t i = 0; i < threads_.size() && !is_stopped_; ++i) {
      const std::size_t next = order_ == ThreadOrder::kFirstFirst ? i : threads_.size() - 1 - i;
      if (threads_[next].state != State::kRuns) continue;
      current_ = static_cast<unsigned>(next);
      host_.thread = threads_[next].index;
      is_in_thread_ = true;
      swapcontext(&scheduler_, &threads_[next].context);
      is_in_thread_ = false;
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

void Crew::wait(const HeddleCollective* what, const void* site) {
  Thread& thread = threads_[current_];
  thread.state = State::kWaits;
  thread.waiting = {current_, what, site};
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
  for (std::size_t first = 0; first < threads_.size() && !is_stopped_; first += kWarpSize) {
    const std::size_t count = std::min<std::size_t>(kWarpSize, threads_.size() - first);
    woken |= wake_warp(std::span(threads_).subspan(first, count));
  }
  return woken || (!is_stopped_ && wake_block());
}

bool Crew::wake_warp(std::span<Thread> lanes) {
  std::vector<Waiting> met;
  std::array<const HeddleCollective*, kWarpSize> brought{};
  for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
    if (lanes[lane].state == State::kDone) continue;
    if (lanes[lane].state == State::kRuns || lanes[lane].waiting.what == nullptr) return false;
    met.push_back(lanes[lane].waiting);
    brought[lane] = lanes[lane].waiting.what;
  }
  if (met.empty()) return false;
  watcher_->warp_meets(met);
  if (is_stopped_) return false;
  perform(brought);
  for (Thread& lane : lanes) {
    if (lane.state == State::kWaits) lane.state = State::kRuns;
  }
  return true;
}

bool Crew::wake_block() {
  const std::vector<Waiting> met = waiting();
  const auto is_at_barrier = [](const Waiting& each) { return each.what == nullptr; };
  if (met.empty() || !std::ranges::all_of(met, is_at_barrier)) return false;
  watcher_->barrier_passed(met);
  if (is_stopped_) return false;
  for (Thread& thread : threads_) {
    if (thread.state == State::kWaits) thread.state = State::kRuns;
  }
  return true;
}

}  // namespace heddle::checker
