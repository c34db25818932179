#include "kernel/source/usage.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/overloaded.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/operators.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

bool shuffles(const Computation& value) {
  return std::holds_alternative<Computation::Shuffle>(value.node) ||
         std::ranges::any_of(value.operands, shuffles);
}

/// Visits the buffers that a statement itself writes.
template <class Visit>
void for_each_written(const ThreadStatement& statement, const Visit& visit) {
  std::visit(Overloaded{[&](const StoreElement& node) { visit(node.to.buffer); },
                        [&](const AtomicAdd& node) { visit(node.to.buffer); },
                        [&](const MultiplyTile& node) { visit(node.c.buffer); },
                        [&](const PackPanel& node) { visit(node.to.buffer); },
                        [&](const PermuteRows& node) { visit(node.to.buffer); },
                        [&](const ApplyInstruction& node) {
                          for (std::size_t i = 0; i != node.places.size(); ++i) {
                            if (is_written(node.instruction, i)) visit(node.places[i].buffer);
                          }
                        },
                        [](const auto&) {}},
             statement.node);
}

/// Visits the buffers that a statement itself reads.
template <class Visit>
void for_each_loaded(const ThreadStatement& statement, const Visit& visit) {
  for_each_value(statement, [&](const Computation& value) {
    for_each_load(value, [&](const Computation::Load& load) { visit(load.from.buffer); });
  });
  std::visit(Overloaded{[&](const AtomicAdd& node) { visit(node.to.buffer); },
                        [&](const MultiplyTile& node) {
                          visit(node.a.buffer);
                          visit(node.b.buffer);
                          // Where it depends on a loop, the first iteration does not add.
                          if (node.adds == Int(1)) visit(node.c.buffer);
                        },
                        [&](const PackPanel& node) { visit(node.from.buffer); },
                        [&](const PermuteRows& node) { visit(node.from.buffer); },
                        [&](const ApplyInstruction& node) {
                          for (std::size_t i = 0; i != node.places.size(); ++i) {
                            if (is_loaded(node.instruction, i)) visit(node.places[i].buffer);
                          }
                        },
                        [](const auto&) {}},
             statement.node);
}

}  // namespace

bool is_loaded(const Instruction& instruction, std::size_t operand) {
  const OperatorRule* rule = find_operator(instruction.operation);
  if (rule == nullptr) return operand != 0;
  return operand >= rule->operands.size() || rule->operands[operand].role != Role::kWrites;
}

bool is_written(const Instruction& instruction, std::size_t operand) {
  const OperatorRule* rule = find_operator(instruction.operation);
  if (rule == nullptr) return operand == 0;
  // An instruction may read more than its operator's operands, as the index of a sparse product.
  return operand < rule->operands.size() && rule->operands[operand].role != Role::kReads;
}

void Usage::read(std::span<const ThreadStatement> statements) {
  for (const ThreadStatement& statement : statements) {
    for_each_integer(statement, [&](const Int& value) {
      for (std::string& name : heddle::variables(value)) variables.insert(std::move(name));
    });
    for_each_value(statement, [&](const Computation& value) {
      has_shuffles = has_shuffles || shuffles(value);
    });
    for_each_written(statement, [&](const std::string& buffer) { written.insert(buffer); });
    for_each_loaded(statement, [&](const std::string& buffer) { loaded.insert(buffer); });
    if (const auto* loop = std::get_if<ThreadLoop>(&statement.node)) defined.insert(loop->counter);
    if (const auto* define = std::get_if<Define>(&statement.node)) defined.insert(define->name);
    has_atomics = has_atomics || std::holds_alternative<AtomicAdd>(statement.node);
    has_verbatim = has_verbatim || std::holds_alternative<Verbatim>(statement.node);
    const auto* applied = std::get_if<ApplyInstruction>(&statement.node);
    if (applied != nullptr) read(applied->meaning);
    for_each_block(statement, [&](const ThreadBlock& block) { read(block); });
  }
}

}  // namespace heddle::kernel
