#include "kernel/passes/turns.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "heddle/expr/index_variable.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

bool leaves(const ThreadStatement& statement) {
  return std::holds_alternative<LeaveLoop>(statement.node) ||
         std::holds_alternative<NextIteration>(statement.node);
}

/// Whether the statement, or some part of it, may leave the loop around it, or its iteration.
bool may_leave(const ThreadStatement& statement) {
  // Those of loops within leave these.
  if (std::holds_alternative<ThreadLoop>(statement.node) ||
      std::holds_alternative<ThreadWhile>(statement.node)) {
    return false;
  }
  bool may = leaves(statement);
  for_each_block(statement, [&](const ThreadBlock& inner) {
    may = may || std::ranges::any_of(inner, may_leave);
  });
  return may;
}

/// Gives the registers of each part places of their own.
class Expander {
 public:
  explicit Expander(Int part) : part_(std::move(part)) {}

  void add(const Buffer& buffer) { elements_[buffer.name] = buffer.elements; }

  void visit(ThreadBlock& block) const {
    for (ThreadStatement& statement : block) {
      for_each_place(statement, [&](Location& place) { move(place); });
      for_each_block(statement, [&](ThreadBlock& inner) { visit(inner); });
    }
  }

 private:
  void move(Location& location) const {
    const auto found = elements_.find(location.buffer);
    if (found == elements_.end()) return;
    const Int first = part_ * found->second;
    location.address += first;
    if (!location.seen) return;
    for (Int& other : location.seen->others) other += first;
  }

  Int part_;
  std::map<std::string, Int> elements_;
};

bool is_comment(const ThreadStatement& statement) {
  return std::holds_alternative<Origin>(statement.node);
}

class TurnMaker {
 public:
  TurnMaker(const Turns& turns, const Fresh& fresh)
      : turns_(turns), fresh_(fresh), part_(index_variable(turns.counter, turns.count)) {}

  Result<ThreadBlock> split(ThreadBlock body) {
    Expander registers(part_);
    add_registers(body, registers);
    registers.visit(body);
    return loops(std::move(body));
  }

  /// The loop over a piece without barriers.
  ThreadStatement loop(ThreadBlock piece) const {
    ThreadLoop loop{turns_.counter, turns_.count, {}, false};
    for (const Define& name : turns_.names) loop.body.push_back({name});
    if (turns_.members.empty()) {
      std::ranges::move(piece, std::back_inserter(loop.body));
    } else {
      loop.body.push_back({Guarded{turns_.members, std::move(piece), {}}});
    }
    return {std::move(loop)};
  }

 private:
  struct Saved {
    std::string name;
    std::string buffer;
  };

  /// The registers that outlive a piece: those of the blocks that are taken apart.
  static void add_registers(const ThreadBlock& block, Expander& registers) {
    for (const ThreadStatement& statement : block) {
      if (const auto* buffer = std::get_if<Buffer>(&statement.node)) registers.add(*buffer);
      const bool is_apart = may_leave(statement) || has_barrier(std::span(&statement, 1));
      if (!is_apart) continue;
      for_each_block(statement, [&](const ThreadBlock& inner) { add_registers(inner, registers); });
    }
  }

  Result<ThreadBlock> loops(ThreadBlock body) {
    ThreadBlock result;
    ThreadBlock piece;
    const std::size_t outer = saved_.size();
    const auto end_piece = [&] {
      if (std::ranges::all_of(piece, is_comment)) {
        std::ranges::move(piece, std::back_inserter(result));
      } else {
        result.push_back(loop(std::move(piece)));
      }
      piece.clear();
    };
    for (ThreadStatement& statement : body) {
      if (auto* buffer = std::get_if<Buffer>(&statement.node)) {
        buffer->elements *= turns_.count;
        result.push_back(std::move(statement));
        continue;
      }
      if (std::holds_alternative<Barrier>(statement.node)) {
        // A comment belongs to what follows.
        ThreadBlock comments;
        while (!piece.empty() && std::holds_alternative<Origin>(piece.back().node)) {
          comments.insert(comments.begin(), std::move(piece.back()));
          piece.pop_back();
        }
        end_piece();
        // The turns of a scope around this one end here too; in sources it is nothing.
        result.push_back(std::move(statement));
        piece = std::move(comments);
        continue;
      }
      if (may_leave(statement) || has_barrier(std::span(&statement, 1))) {
        end_piece();
        HEDDLE_TRY(result.emplace_back(), around(std::move(statement)));
        continue;
      }
      if (std::ranges::all_of(piece, is_comment)) restore(piece);
      const auto* define = std::get_if<Define>(&statement.node);
      if (define == nullptr) {
        piece.push_back(std::move(statement));
        continue;
      }
      // An integer that a thread has read is kept for the pieces behind this one.
      const Saved saved{define->name, fresh_(define->name)};
      result.push_back({Buffer{saved.buffer, DType::kI64, Space::kRegister, turns_.count}});
      piece.push_back(std::move(statement));
      piece.push_back(
          {StoreElement{{saved.buffer, part_},
                        {Computation::Index{Int::variable(saved.name)}, DType::kI64, {}}}});
      saved_.push_back(saved);
    }
    end_piece();
    saved_.resize(outer);
    return result;
  }

  /// A loop, a block with names of its own, or what all threads do alike: it stays around the loops
  /// over parts.
  Result<ThreadStatement> around(ThreadStatement statement) {
    auto* guard = std::get_if<Guarded>(&statement.node);
    auto* branch = std::get_if<ThreadBranch>(&statement.node);
    const bool is_kept = leaves(statement) || std::holds_alternative<ThreadLoop>(statement.node) ||
                         (guard != nullptr && guard->conditions.empty()) ||
                         (branch != nullptr && branch->is_common);
    if (!is_kept) {
      return refuse(
          Diagnostic(
              "kernel.barrier",
              "threads use what others wrote, in a loop that some of them may have left or under a "
              "condition that may differ between them, where a barrier is impossible")
              .with_hint("end the loop or the condition before this statement"));
    }
    Result<void> divided;
    for_each_block(statement, [&](ThreadBlock& block) {
      if (!divided) return;
      auto parts = loops(std::exchange(block, {}));
      if (parts) {
        block = *std::move(parts);
      } else {
        divided = refuse(std::move(parts).error());
      }
    });
    if (!divided) return refuse(std::move(divided).error());
    return statement;
  }

  void restore(ThreadBlock& piece) const {
    for (const Saved& saved : saved_) {
      piece.push_back({Define{
          saved.name, {Computation::Load{{saved.buffer, part_}, {}, {}}, DType::kI64, {}}}});
    }
  }

  const Turns& turns_;
  const Fresh& fresh_;
  Int part_;
  std::vector<Saved> saved_;
};

}  // namespace

Result<ThreadBlock> in_turns(const Turns& turns, ThreadBlock body, const Fresh& fresh) {
  TurnMaker maker(turns, fresh);
  if (has_barrier(body)) return maker.split(std::move(body));
  ThreadBlock whole;
  whole.push_back(maker.loop(std::move(body)));
  return whole;
}

}  // namespace heddle::kernel
