#include "heddle/expr/walk.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace heddle {
namespace {

/// Visits nodes in order, those of several expressions each once.
class Walk {
 public:
  explicit Walk(const NodeVisitor& visit) : visit_(visit) {}

  void over(const CodeExpression& expression) {
    enter(expression);
    while (!path_.empty()) {
      auto& [node, entered] = path_.back();
      if (entered < node->operands().size()) {
        enter(node->operand(entered++));
      } else {
        visit_(*node);
        path_.pop_back();
      }
    }
  }

 private:
  /// A node on the way to the present one, and how many of its operands have been entered.
  struct Visit {
    const CodeExpression* node;
    std::size_t entered = 0;
  };

  void enter(const CodeExpression& node) {
    if (seen_.insert(node.identity()).second) path_.push_back({&node});
  }

  const NodeVisitor& visit_;
  std::vector<Visit> path_;
  std::unordered_set<const void*> seen_;
};

/// What has been made of nodes, by their identity.
using Made = std::unordered_map<const void*, CodeExpression>;

CodeExpression with_made_operands(const CodeExpression& node, const Made& made) {
  std::vector<CodeExpression> operands;
  for (const CodeExpression& operand : node.operands())
    operands.push_back(made.at(operand.identity()));
  const bool is_same = std::ranges::equal(node.operands(), operands, &CodeExpression::is);
  return is_same ? node : CodeExpression::make(node.operation(), std::move(operands), node.value());
}

/// What the rule makes of every node of an expression or a kernel.
template <class Nodes>
Made made_of(const Nodes& nodes, const NodeRule& rule) {
  Made made;
  for_each_node(nodes, [&](const CodeExpression& node) {
    made.emplace(node.identity(), rule(with_made_operands(node, made)));
  });
  return made;
}

}  // namespace

void for_each_node(const CodeExpression& expression, const NodeVisitor& visit) {
  Walk(visit).over(expression);
}

void for_each_node(const Kernel& kernel, const NodeVisitor& visit) {
  Walk walk(visit);
  for (const Definition& definition : kernel.definitions) walk.over(definition.value);
  for (const CodeExpression& result : kernel.results) walk.over(result);
  for (const CodeExpression& guard : kernel.guards) walk.over(guard);
}

CodeExpression transformed(const CodeExpression& expression, const NodeRule& rule) {
  return made_of(expression, rule).at(expression.identity());
}

Kernel transformed(const Kernel& kernel, const NodeRule& rule) {
  const Made made = made_of(kernel, rule);
  const auto replace = [&](CodeExpression& root) { root = made.at(root.identity()); };
  Kernel result = kernel;
  std::ranges::for_each(result.definitions, replace, &Definition::value);
  std::ranges::for_each(result.results, replace);
  std::ranges::for_each(result.guards, replace);
  return result;
}

}  // namespace heddle
