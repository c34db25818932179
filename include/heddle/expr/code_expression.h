#pragma once

// Expressions as a machine computes them: operations on operands, shared, in a definite form.
//
// An Int says which number is meant, in a normal form that suits proofs. A CodeExpression says by
// which operations it is computed; of the many expressions for one Int, simplify() (simplify.h)
// finds a cheap one. A kernel computes several index expressions together:
//
//   Int pid, m, n        pid//(m*n)*m + pid%m   and   (pid//m)%n   become
//
//   t0 = pid//m
//   t1 = t0//n
//   results  pid+m*(t1-t0)  and  t0-n*t1
//
// Expressions are values: immutable, cheap to copy, safe to use from several threads. Operands are
// shared, so that an expression is a directed graph without cycles; in a kernel whatever is used
// twice has a name, and its expressions are trees.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/code_operation.h"
#include "heddle/expr/int.h"
#include "heddle/expr/variables.h"

#pragma GCC visibility push(default)
namespace heddle {

class CodeExpression {
 public:
  /// The constant 0.
  CodeExpression();

  [[nodiscard]] static CodeExpression constant(std::int64_t value);
  /// A variable that is known as `value`; the name is how it is written.
  [[nodiscard]] static CodeExpression variable(std::string name, Int value);
  [[nodiscard]] static CodeExpression definition(std::string name, Int value);
  /// An operation; `value` is its result (for truth values, 1 or 0 if that is known).
  [[nodiscard]] static CodeExpression make(CodeOperation operation,
                                           std::vector<CodeExpression> operands, Int value);

  [[nodiscard]] CodeOperation operation() const { return node_->operation; }
  [[nodiscard]] std::span<const CodeExpression> operands() const { return node_->operands; }
  [[nodiscard]] const CodeExpression& operand(std::size_t index) const {
    return node_->operands[index];
  }
  /// Only for kConstant.
  [[nodiscard]] std::int64_t constant() const { return node_->value.value(); }
  /// The name of a variable or definition; empty for others.
  [[nodiscard]] const std::string& name() const { return node_->name; }
  /// The number that it computes, for proofs: known_at_most(0, expression.value()) says that it is
  /// never negative. Undefined for a truth value.
  [[nodiscard]] const Int& value() const { return node_->value; }

  /// Whether both are the same node. Equal expressions of one kernel are.
  [[nodiscard]] bool is(const CodeExpression& other) const { return node_ == other.node_; }
  /// A key for maps by node.
  [[nodiscard]] const void* identity() const { return node_.get(); }

  /// Compares the structure. Cost: linear in the two as trees.
  friend bool operator==(const CodeExpression& a, const CodeExpression& b);

 private:
  struct Node {
    CodeOperation operation = CodeOperation::kConstant;
    std::vector<CodeExpression> operands;
    std::string name;
    Int value;
  };
  explicit CodeExpression(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}

  std::shared_ptr<const Node> node_;
};

/// A named value, for later definitions and the results to use.
struct Definition {
  std::string name;
  CodeExpression value;
};

/// All index expressions of one kernel. Each definition uses those before it.
///
/// Definitions are always computed, so none divides by a value that may be 0 or takes the square
/// root of one that may be negative: such an operation is in the branch of a select that guards it.
struct Kernel {
  std::vector<Definition> definitions;
  /// One for each requested value.
  std::vector<CodeExpression> results;
  /// Truth values, one for each requested guard; the constants 1 and 0 where it is known.
  std::vector<CodeExpression> guards;
};

/// The number of operations of each kind, each definition counted once.
struct OperationCount {
  /// + - * // % and comparisons, with the bit operations and shifts that replace them.
  int operations = 0;
  /// Minima and maxima.
  int min_max = 0;
  /// Selects (their comparisons are operations), greatest common divisors, square roots.
  int other = 0;

  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};
[[nodiscard]] OperationCount count_operations(const Kernel& kernel);
[[nodiscard]] OperationCount count_operations(const CodeExpression& expression);

/// The values of the results, then of the guards (1 and 0), for these (constant) values of the
/// variables, computed node by node in plain 64-bit arithmetic, without the rules of Int. Undefined
/// where that fails: a variable without a value, a division by zero, an overflow.
[[nodiscard]] std::vector<Int> evaluate(const Kernel& kernel, const Bindings& bindings);

/// In the notation of the expression language, with as few parentheses as it needs.
[[nodiscard]] std::string to_string(const CodeExpression& expression);
/// `t0 = i//8`, a line for each definition, then the results, then the guards.
[[nodiscard]] std::string to_string(const Kernel& kernel);
std::ostream& operator<<(std::ostream& stream, const CodeExpression& expression);
std::ostream& operator<<(std::ostream& stream, const Kernel& kernel);

// Walks over the shared graph visit each node once, operands before the operations that use them.
// They keep their own stack, so that no expression is too deep for them.
//
//   for_each_node(kernel, [&](const CodeExpression& node) { divides |= is_quotient(node); });
//   transformed(index, [&](const CodeExpression& node) { return is_size(node) ? extent : node; })

using NodeVisitor = std::function<void(const CodeExpression& node)>;

/// Visits every node once, operands from left to right and before the operations that use them.
/// Cost: linear in the nodes, however often each is used.
void for_each_node(const CodeExpression& expression, const NodeVisitor& visit);
/// Visits the nodes of the definitions, then of the results, then of the guards.
void for_each_node(const Kernel& kernel, const NodeVisitor& visit);

/// Returns the replacement of a node whose operands have been replaced already.
using NodeRule = std::function<CodeExpression(const CodeExpression& node)>;

/// The expression with the rule applied to every node once, from the leaves up; shared nodes stay
/// shared. An operation whose operands change keeps its value, so a rule must replace a node by one
/// of the same value. Cost: as for_each_node().
[[nodiscard]] CodeExpression transformed(const CodeExpression& expression, const NodeRule& rule);
/// Applies the rule to all expressions of the kernel; the names of its definitions stay.
[[nodiscard]] Kernel transformed(const Kernel& kernel, const NodeRule& rule);

}  // namespace heddle
#pragma GCC visibility pop
