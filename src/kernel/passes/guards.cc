#include "kernel/passes/guards.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/expr/proof.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

/// Whether a condition holds where another one does: the same, or its sides are at least as far
/// apart.
bool follows(const Condition& asked, const Condition& known) {
  if (asked == known) return true;
  if (asked.predicate != known.predicate) return false;
  if (asked.predicate != Predicate::kLess && asked.predicate != Predicate::kAtMost) return false;
  return known_at_most(known.right - known.left, asked.right - asked.left);
}

/// What is known stays so within a guard: no name stands for two variables within another's block.
class GuardDropper {
 public:
  void visit(ThreadBlock& block) {
    ThreadBlock kept;
    for (ThreadStatement& statement : block) {
      auto* guard = std::get_if<Guarded>(&statement.node);
      const bool has_conditions = guard != nullptr && !guard->conditions.empty();
      visit(statement);
      if (has_conditions && guard->conditions.empty() && !has_names(guard->body)) {
        std::ranges::move(guard->body, std::back_inserter(kept));
      } else {
        kept.push_back(std::move(statement));
      }
    }
    block = std::move(kept);
  }

 private:
  static bool has_names(const ThreadBlock& block) {
    return std::ranges::any_of(block, [](const ThreadStatement& statement) {
      return std::holds_alternative<Define>(statement.node) ||
             std::holds_alternative<Buffer>(statement.node);
    });
  }

  void drop(std::vector<Condition>& conditions) const {
    std::erase_if(conditions, [&](const Condition& asked) {
      return std::ranges::any_of(known_,
                                 [&](const Condition& known) { return follows(asked, known); });
    });
  }

  void visit(ThreadStatement& statement) {
    for_each_value(statement, [&](Computation& value) {
      for_each_load(value, [&](Computation::Load& load) { drop(load.inside); });
    });
    auto* guard = std::get_if<Guarded>(&statement.node);
    if (guard == nullptr) {
      for_each_block(statement, [&](ThreadBlock& block) { visit(block); });
      return;
    }
    drop(guard->conditions);
    const std::size_t outer = known_.size();
    known_.insert(known_.end(), guard->conditions.begin(), guard->conditions.end());
    visit(guard->body);
    known_.resize(outer);
    visit(guard->otherwise);
  }

  std::vector<Condition> known_;
};

}  // namespace

void drop_known_guards(ThreadBlock& block) { GuardDropper().visit(block); }

}  // namespace heddle::kernel
