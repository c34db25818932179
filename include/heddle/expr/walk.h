#pragma once

// Walks over expressions: each node of the shared graph once, operands before what they are
// operands of.
//
//   for_each_node(kernel, [&](const CodeExpression& node) { divides |= is_quotient(node); });
//   transformed(index, [&](const CodeExpression& node) { return is_size(node) ? extent : node; })
//
// Both keep their own stack, so that no expression is too deep for them.

#include <functional>

#include "heddle/expr/code_expression.h"

#pragma GCC visibility push(default)
namespace heddle {

using NodeVisitor = std::function<void(const CodeExpression& node)>;

/// Visits every node once, operands from left to right and before what they are operands of. Cost:
/// linear in the nodes, however often each is used.
void for_each_node(const CodeExpression& expression, const NodeVisitor& visit);
/// Those of the definitions, then of the results, then of the guards.
void for_each_node(const Kernel& kernel, const NodeVisitor& visit);

/// What stands for a node, whose operands have been replaced already.
using NodeRule = std::function<CodeExpression(const CodeExpression& node)>;

/// The expression with the rule applied to every node once, from its leaves up: what was shared is
/// shared still. An operation whose operands become others keeps its value, so that a rule replaces
/// a node by one of the same value. Cost: as for_each_node().
[[nodiscard]] CodeExpression transformed(const CodeExpression& expression, const NodeRule& rule);
/// All expressions of the kernel; the names of its definitions stay.
[[nodiscard]] Kernel transformed(const Kernel& kernel, const NodeRule& rule);

}  // namespace heddle
#pragma GCC visibility pop
