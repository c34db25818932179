#pragma once

// Which accesses of memory must be told apart by a barrier, found from the addresses themselves.
//
//   tile[tx] = …                 thread t writes element t
//   … = tile[tx]                 thread t reads what it wrote: no barrier
//   … = tile[63 - tx]            thread t reads what thread 63 - t wrote: a barrier first
//
// Two accesses of one buffer, of which one writes, need a barrier between them if two threads may
// touch one element. Where addresses are numbers plus something that all threads have in common,
// every thread and every iteration is gone through. Elsewhere, as in global memory whose rows have
// N elements, two accesses of the same address are by the same thread if the address tells threads
// apart; what is not known needs a barrier. Addresses whose ranges have nothing in common are not
// compared further.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/expr/variables.h"
#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Which threads touch which elements.
struct Footprint;

/// What threads do with elements of a buffer, in one place of the program.
struct Access {
  enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };
  struct Loop {
    std::string counter;
    Int extent = 1;
    friend bool operator==(const Loop&, const Loop&) = default;
  };

  std::string buffer;
  Kind kind = Kind::kRead;
  /// Of tx, the counters of these loops, and what all threads that come here have in common.
  Int address = 0;
  std::vector<Loop> loops = {};
  /// What holds for the threads and counters that come here.
  std::vector<Condition> conditions = {};
  /// Whether all threads and counters for which the conditions hold write different elements.
  bool is_exclusive = false;
  /// Whether the address and the conditions have nothing else in them.
  bool is_known = true;
  /// Whether it is done at some time until a wait: another one of the same thread may overtake it.
  bool is_done_later = false;
  /// The elements, once they were asked for; none if they cannot be gone through.
  std::optional<std::shared_ptr<const Footprint>> footprint = {};
  /// Where the address may be, once that was asked for.
  std::optional<Range> range = {};
};

/// The accesses in a block of those buffers.
[[nodiscard]] std::vector<Access> accesses_of(
    const ThreadBlock& block, const std::function<bool(const std::string& buffer)>& is_memory);
/// Those that a value reads.
[[nodiscard]] std::vector<Access> accesses_of(
    const Computation& value, const std::function<bool(const std::string& buffer)>& is_memory);

/// What threads have done to memory since the last barrier, as a kernel is lowered from its first
/// statement to its last.
class Accesses {
 public:
  explicit Accesses(std::int64_t threads) : threads_(threads) {}

  /// An access since the last barrier that one of these must not overtake; nullptr if there is
  /// none. `around` are the counters of the loops around what follows, whose iterations are gone
  /// through where they are few and addresses need it. Cost: for each pair of accesses of one
  /// buffer, once that of going through their threads and loops, at most some 10^5 steps, or that
  /// for each of up to 64 iterations.
  [[nodiscard]] const Access* conflict(std::vector<Access>& next, std::span<const Int> around);
  void note(const std::vector<Access>& next);
  /// How many accesses there were since the last barrier, equal ones counted once.
  [[nodiscard]] std::size_t pending() const { return state_.pending.size(); }
  /// Everything before is finished for everyone.
  void clear();

  /// The loop has ended: what it did was done for any value of its counter.
  void end_loop(const std::string& counter, const Int& extent);
  /// The name means something else, or nothing, from here on.
  void forget(const std::string& name);
  /// `break` or `continue` stands here: what is pending is so behind the loop, and in its next
  /// iteration, as well.
  void leave();
  /// What leave() has noted since the last call; `before` is noted instead.
  [[nodiscard]] std::vector<Access> take_left(std::vector<Access> before = {});
  void add_pending(const std::vector<Access>& accesses);

  /// Starts a part of its own (the body of a loop, a branch) and returns what was pending before.
  struct State {
    std::vector<Access> pending;
    std::vector<Access> leading;
    /// The first pending access of this part.
    std::size_t own = 0;
    bool has_barrier = false;
  };
  State begin();
  /// What is pending, to go back to once what follows is known to be done. What a part begins with
  /// stays known: an earlier run of the part may not be done with it.
  [[nodiscard]] const State& state() const { return state_; }
  void restore_pending(State state) {
    state_.pending = std::move(state.pending);
    state_.own = state.own;
  }
  /// Whether an access of the buffer is pending.
  [[nodiscard]] bool is_pending(std::string_view buffer) const;
  /// Ends the part; what it begins with and what it leaves stand behind what came before it.
  State end(State before);
  /// Whether a later run of a part must wait for an earlier one; the counter, which a loop that is
  /// no `for` does not have, grows between them.
  [[nodiscard]] const Access* between_runs(State& part, const std::string& counter,
                                           const Int& extent) const;

 private:
  State state_;
  std::vector<Access> left_;
  std::int64_t threads_;
};

}  // namespace heddle::kernel
