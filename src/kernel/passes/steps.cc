#include "kernel/passes/steps.h"

#include <algorithm>

#include "core/overloaded.h"
#include "heddle/core/exact.h"

namespace heddle::kernel {

namespace {

struct StepCounter {
  const std::function<bool(const std::string&)>& is_memory;

  [[nodiscard]] exact::Value of(const Location& location) const {
    return is_memory(location.buffer) ? 1 : 0;
  }

  [[nodiscard]] exact::Value of(const Computation& value) const {
    const auto own = [&](const auto& node) -> exact::Value {
      using Node = std::decay_t<decltype(node)>;
      if constexpr (std::is_same_v<Node, Computation::Load>) return of(node.from);
      return std::is_same_v<Node, Computation::Literal> || std::is_same_v<Node, Computation::Index>
                 ? 0
                 : 1;
    };
    exact::Value sum = std::visit(own, value.node);
    for (const Computation& operand : value.operands) sum = plus(sum, of(operand));
    return sum;
  }

  [[nodiscard]] exact::Value of(const ThreadStatement& statement) const {
    return std::visit(
        Overloaded{[&](const StoreElement& node) { return plus(of(node.to), of(node.value)); },
                   [&](const ApplyInstruction& node) {
                     exact::Value sum = node.meaning.empty() ? 0 : 1;
                     for (const Location& place : node.places) sum = plus(sum, of(place));
                     return sum;
                   },
                   [&](const AtomicAdd& node) { return plus(of(node.to), of(node.value)); },
                   [](const MultiplyTile& node) -> exact::Value {
                     const Int products = node.rows * node.columns * node.depth;
                     return products.is_constant() ? exact::Value(products.value()) : std::nullopt;
                   },
                   [](const PackPanel& node) -> exact::Value {
                     const Int moved = 2 * node.depth * node.side;
                     return moved.is_constant() ? exact::Value(moved.value()) : std::nullopt;
                   },
                   [](const PermuteRows& node) -> exact::Value {
                     // Each row is read, goes through the steps and is written.
                     Int moved = std::ssize(node.rows) * (2 + std::ssize(node.steps));
                     for (const PermuteRows::Loop& loop : node.loops) moved *= loop.extent;
                     return moved.is_constant() ? exact::Value(moved.value()) : std::nullopt;
                   },
                   [&](const Define& node) { return of(node.value); },
                   [](const Barrier& /*node*/) -> exact::Value { return 1; },
                   [](const AwaitCopies& /*node*/) -> exact::Value { return 1; },
                   [](const CommitCopies& /*node*/) -> exact::Value { return 1; },
                   [&](const ThreadLoop& node) -> exact::Value {
                     if (!node.extent.is_constant()) return std::nullopt;
                     const exact::Value each = of(node.body);
                     return each ? exact::multiply(*each, node.extent.value()) : std::nullopt;
                   },
                   [](const ThreadWhile& /*node*/) -> exact::Value { return std::nullopt; },
                   [&](const Guarded& node) { return of(node.body); },
                   [&](const ThreadBranch& node) {
                     return plus(of(node.condition), longer(of(node.then), of(node.otherwise)));
                   },
                   [](const auto& /*node*/) -> exact::Value { return 0; }},
        statement.node);
  }

  [[nodiscard]] exact::Value of(std::span<const ThreadStatement> statements) const {
    exact::Value sum = 0;
    for (const ThreadStatement& statement : statements) sum = plus(sum, of(statement));
    return sum;
  }

  static exact::Value plus(const exact::Value& a, const exact::Value& b) {
    return a && b ? exact::add(*a, *b) : std::nullopt;
  }
  static exact::Value longer(const exact::Value& a, const exact::Value& b) {
    return a && b ? exact::Value(std::max(*a, *b)) : std::nullopt;
  }
};

}  // namespace

std::optional<std::int64_t> steps(std::span<const ThreadStatement> statements,
                                  const std::function<bool(const std::string&)>& is_memory) {
  return StepCounter{is_memory}.of(statements);
}

}  // namespace heddle::kernel
