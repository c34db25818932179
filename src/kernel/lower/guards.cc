#include "kernel/lower/guards.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/overloaded.h"
#include "heddle/expr/proof.h"

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
      std::visit([&](auto& node) { visit(node); }, statement.node);
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

  void visit(Computation& value) {
    if (auto* load = std::get_if<Computation::Load>(&value.node)) drop(load->inside);
    for (Computation& operand : value.operands) visit(operand);
  }
  void visit(StoreElement& node) { visit(node.value); }
  void visit(AtomicAdd& node) { visit(node.value); }
  void visit(Define& node) { visit(node.value); }
  void visit(ThreadLoop& node) { visit(node.body); }
  void visit(ThreadWhile& node) {
    visit(node.condition);
    visit(node.body);
  }
  void visit(Guarded& node) {
    drop(node.conditions);
    const std::size_t outer = known_.size();
    known_.insert(known_.end(), node.conditions.begin(), node.conditions.end());
    visit(node.body);
    known_.resize(outer);
    visit(node.otherwise);
  }
  void visit(ThreadBranch& node) {
    visit(node.condition);
    visit(node.then);
    visit(node.otherwise);
  }
  template <class Node>
  void visit(Node& /*node*/) {}

  std::vector<Condition> known_;
};

}  // namespace

void drop_known_guards(ThreadBlock& block) { GuardDropper().visit(block); }

}  // namespace heddle::kernel
