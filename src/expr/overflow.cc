#include "expr/overflow.h"

#include <algorithm>

#include "expr/bounds.h"
#include "expr/sample.h"
#include "expr/term.h"
#include "heddle/expr/walk.h"

namespace heddle::expr {
namespace {

bool has_free_end(const Atom& atom);

bool has_free_end(const Int& value) {
  if (!value.is_symbolic()) return false;
  return std::ranges::any_of(factors_of(value),
                             [](const AtomPointer& atom) { return has_free_end(*atom); });
}

/// It is over a variable that may grow without end.
bool has_free_end(const Atom& atom) {
  if (atom.operation() == Operator::kVariable) return !atom.range().is_bounded();
  return !atom.range().is_bounded() && (has_free_end(atom.left()) || has_free_end(atom.right()));
}

}  // namespace

void OverflowGuard::allow(const Kernel& plain) {
  for_each_node(plain, [this](const CodeExpression& node) { allowed_.insert(node.value()); });
}

bool OverflowGuard::admits(const Kernel& kernel) {
  const auto is_admitted = [this](const CodeExpression& root) { return admits(root); };
  return std::ranges::all_of(kernel.definitions, is_admitted, &Definition::value) &&
         std::ranges::all_of(kernel.results, is_admitted) &&
         std::ranges::all_of(kernel.guards, is_admitted);
}

bool OverflowGuard::admits(const CodeExpression& expression) {
  const bool is_fit = is_condition(expression.operation()) || fits(expression.value());
  return is_fit &&
         std::ranges::all_of(expression.operands(),
                             [this](const CodeExpression& operand) { return admits(operand); });
}

bool OverflowGuard::fits(const Int& value) {
  if (value.is_constant()) return true;
  if (!value.is_defined()) return allowed_.contains(value);
  const auto found = known_.find(value);
  if (found != known_.end()) return found->second;
  const bool is_fit = interval_of(value).is_bounded() || allowed_.contains(value) ||
                      has_free_end(value) || range(value).is_bounded();
  known_.emplace(value, is_fit);
  return is_fit;
}

}  // namespace heddle::expr
