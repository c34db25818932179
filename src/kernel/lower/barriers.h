#pragma once

// Which accesses of shared memory must be told apart by a barrier.
//
//   As[…] = A[…]            written, by the thread of each element
//   x = As[:, 0]            read by other threads: a barrier first
//
// Two accesses of one tensor, of which one writes, need a barrier between them unless each thread
// touches the same elements in both.

#include <string>
#include <vector>

namespace heddle::kernel {

struct Access {
  std::string buffer;
  bool is_write = false;
  /// The element that a thread touches, as a function of its rank and its loops, if this tells
  /// threads apart; empty if that is not known. Equal keys: the same thread.
  std::string key = {};
  /// Whether different iterations of the loops around it, which the key names, never touch one
  /// element.
  bool is_apart = false;
  /// Whether a loop that the key names has ended.
  bool is_past = false;
};

class Accesses {
 public:
  /// An access since the last barrier that one of these must not overtake; nullptr if there is
  /// none.
  [[nodiscard]] const Access* conflict(const std::vector<Access>& next) const;
  void note(const std::vector<Access>& next);
  /// Everything before is finished for everyone.
  void clear();

  /// The name means something else, or nothing, from here on; one that a loop counted keeps apart
  /// what it kept apart.
  void forget(const std::string& name, bool is_counter);
  /// What is pending here is pending too behind the loop, and before its next iteration.
  void leave();
  /// What was left since, with what was left before in its place.
  [[nodiscard]] std::vector<Access> take_left(std::vector<Access> before = {});
  void add_pending(const std::vector<Access>& accesses);

  /// Starts a part of its own (the body of a loop, a branch) and returns what was pending before.
  struct State {
    std::vector<Access> pending;
    std::vector<Access> leading;
    bool has_barrier = false;
  };
  State begin();
  /// Ends the part; what it begins with and what it leaves stand behind what came before it.
  State end(State before);
  /// Whether the next run of a part must wait for the last one; the counter differs between them.
  [[nodiscard]] static const Access* between_runs(const State& part, const std::string& counter);

 private:
  State state_;
  std::vector<Access> left_;
};

}  // namespace heddle::kernel
