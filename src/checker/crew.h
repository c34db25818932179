#pragma once

// The threads of a block on one core. Each is a context of its own (ucontext.h) that runs until it
// has to wait: for its block, or a part of it, at a barrier, or for its warp at a collective, which
// is done for all lanes when the last one has come (collectives.h). Blocks run one after the other.
//
//   Crew crew(watcher);
//   crew.join(library);                a kernel that was compiled with models/cuda_on_cpu.h
//   crew.run([&] { kernel(a, b); }, {8, 1, 1}, {128, 1, 1});
//
// A watcher sees what the threads do, and may keep them from it.

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "checker/loop_path.h"
#include "checker/models/host.h"

namespace heddle::checker {

using Extents = std::array<unsigned, 3>;

inline constexpr unsigned kWarpSize = 32;

/// In which order threads run, each until it has to wait: what needs a barrier and has none goes
/// wrong in one of the two.
enum class ThreadOrder { kFirstFirst, kLastFirst };

/// Where a thread waits: for its warp where it has brought something, else at a barrier.
struct Waiting {
  unsigned thread = 0;
  const HeddleCollective* what = nullptr;
  const HeddleBarrier* barrier = nullptr;
  const void* site = nullptr;
};

/// Which thread runs, for who sees nothing else of a run.
struct Position {
  CudaIndex block{};
  unsigned thread = 0;
};

/// Sees what threads do. Threads are numbered within their block.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  virtual void block_begins() {}
  virtual void block_ends() {}
  virtual void thread_ends(unsigned /*thread*/) {}
  virtual void access(unsigned /*thread*/, const void* /*at*/, std::size_t /*bytes*/,
                      HeddleAccess /*kind*/, const void* /*site*/) {}
  /// A pointer that its type does not allow, and an index past the end of an array.
  virtual void unaligned(unsigned /*thread*/, const void* /*at*/, std::size_t /*bytes*/,
                         HeddleAccess /*kind*/, const void* /*site*/) {}
  virtual void index(unsigned /*thread*/, std::int64_t /*index*/, std::string_view /*type*/,
                     const void* /*site*/) {}
  virtual void fence(unsigned /*thread*/) {}
  /// Whether the thread waits there.
  virtual bool barrier(unsigned /*thread*/, const HeddleBarrier& /*barrier*/,
                       const void* /*site*/) {
    return true;
  }
  /// These go on, all that have not ended or as many as their barrier is for.
  virtual void barrier_passed(std::span<const Waiting> /*threads*/, bool /*is_of_all*/) {}
  virtual bool collective(unsigned /*thread*/, const HeddleCollective& /*what*/,
                          const void* /*site*/) {
    return true;
  }
  /// All lanes that a mask names and that have not ended have come to one; before it is done.
  virtual void warp_meets(std::span<const Waiting> /*lanes*/) {}
  /// cp.async: done at once unless a watcher does it.
  virtual void copy(unsigned thread, void* to, const void* from, int bytes, int size,
                    const void* site);
  virtual void commit(unsigned /*thread*/, const void* /*site*/) {}
  virtual void wait(unsigned /*thread*/, int /*pending*/, const void* /*site*/) {}
  /// A thread has run as long as it may. The run must be stopped.
  virtual void too_long(unsigned /*thread*/, const void* /*site*/) {}
  /// A thread did what ends processes, SIGFPE or SIGSEGV; the run ends. The calls that it is in,
  /// the innermost first, are given by where they return to.
  virtual void fault(unsigned /*thread*/, int /*signal*/, std::span<void* const> /*calls*/) {}
  /// A thread ends the kernel or the process: it `calls exit()`. The run ends.
  virtual void ends(unsigned /*thread*/, std::string_view /*what*/,
                    std::span<void* const> /*calls*/) {}
  /// The time is over; whether the run ends now, where the thread is at `site`, or in the next
  /// piece of code, as one that is too long.
  virtual bool late(unsigned /*thread*/, const void* /*site*/) { return true; }
  virtual void print(std::string_view /*text*/) {}
  /// All threads wait, and none of them for what the others do.
  virtual void stuck(std::span<const Waiting> /*threads*/) {}
};

class Crew {
 public:
  explicit Crew(Watcher& watcher, ThreadOrder order = ThreadOrder::kFirstFirst);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  /// Tells a library, which dlopen() gave, who runs its kernels; false if it has none.
  bool join(void* library);

  /// Calls the function once for every thread of every block. False if threads wait for others that
  /// wait for something else, or if the watcher has stopped the run.
  bool run(std::function<void()> call, const Extents& blocks, const Extents& threads);

  /// How many pieces of code the threads of a run may run together, where they are counted.
  void allow_steps(std::int64_t steps) { steps_ = steps; }
  /// How long a run may take, by the timer of the process; 0 for any time.
  void allow_seconds(std::int64_t seconds) { seconds_ = seconds; }
  /// Where to note which thread runs.
  void tell_position(Position& position) { position_ = &position; }
  /// For atexit(): if a thread of a kernel calls exit(), that ends its run.
  static void end_by_exit();

  /// Ends the run, from within a thread, which does not go on; or from elsewhere.
  void stop();

  [[nodiscard]] const CudaIndex& block() const { return host_.block; }
  /// Whether these bytes are the stack of the thread that runs, or what it is told of itself.
  [[nodiscard]] bool is_own(const void* at) const;
  /// In which iterations of its loops the thread is that runs (loop_path.h).
  [[nodiscard]] std::uint64_t moment() const;
  /// The lanes of the thread's warp that have not ended.
  [[nodiscard]] unsigned lanes_left(unsigned thread) const;

 private:
  enum class State { kRuns, kWaits, kDone };
  struct Thread {
    CudaIndex index{};
    State state = State::kRuns;
    ucontext_t context{};
    Waiting waiting;
    LoopPath path;
    /// The piece of code that it is in.
    const void* last = nullptr;
  };
  struct Host : HeddleHost {
    Crew* crew = nullptr;
  };

  class Faults;
  class Stacks;

  static Crew& of(HeddleHost* host) { return *static_cast<Host*>(host)->crew; }
  void set_functions();
  void set_ends();
  void set_checks();
  void make_threads(const Extents& threads);
  bool run_block();
  void run_thread();
  /// Until what the thread waits for has happened.
  void wait(const HeddleCollective* what, const HeddleBarrier* barrier, const void* site);
  /// Lets those go on that have waited for each other: warps, or else the block.
  bool wake();
  bool wake_warp(unsigned first);
  bool meet(unsigned first, unsigned lanes);
  bool wake_block();
  bool pass(std::span<const Waiting> met, bool is_of_all);
  [[nodiscard]] std::vector<Waiting> waiting() const;

  Watcher* watcher_;
  ThreadOrder order_;
  Host host_;
  /// Of the library that was joined.
  HeddleHost** joined_ = nullptr;
  std::int64_t steps_ = 0;
  std::int64_t seconds_ = 0;
  Position* position_ = nullptr;
  std::function<void()> call_;
  std::vector<Thread> threads_;
  std::unique_ptr<Stacks> stacks_;
  ucontext_t scheduler_{};
  unsigned current_ = 0;
  bool is_in_thread_ = false;
  bool is_stopped_ = false;
};

}  // namespace heddle::checker
