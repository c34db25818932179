#include "heddle/expr/code_expression.h"

#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include "expr/code/code_writer.h"
#include "expr/code/program.h"
#include "expr/term/operation.h"

namespace heddle {

CodeExpression::CodeExpression() : CodeExpression(constant(0)) {}

CodeExpression CodeExpression::constant(std::int64_t value) {
  return CodeExpression({CodeOperation::kConstant, {}, {}, value});
}

CodeExpression CodeExpression::variable(std::string name, Int value) {
  return CodeExpression({CodeOperation::kVariable, {}, std::move(name), std::move(value)});
}

CodeExpression CodeExpression::definition(std::string name, Int value) {
  return CodeExpression({CodeOperation::kDefinition, {}, std::move(name), std::move(value)});
}

CodeExpression CodeExpression::make(CodeOperation operation, std::vector<CodeExpression> operands,
                                    Int value) {
  return CodeExpression({operation, std::move(operands), {}, std::move(value)});
}

bool operator==(const CodeExpression& a, const CodeExpression& b) {
  if (a.is(b)) return true;
  if (a.operation() != b.operation() || a.name() != b.name()) return false;
  if (a.operation() == CodeOperation::kConstant) return a.constant() == b.constant();
  return std::ranges::equal(a.operands(), b.operands());
}

namespace {

using expr::OperationKind;

/// Visits nodes in order; nodes that several expressions share are visited once.
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
  /// A node on the path to the present one, and how many of its operands have been entered.
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

/// The replacements of nodes, by their identity.
using Made = std::unordered_map<const void*, CodeExpression>;

CodeExpression with_made_operands(const CodeExpression& node, const Made& made) {
  std::vector<CodeExpression> operands;
  for (const CodeExpression& operand : node.operands())
    operands.push_back(made.at(operand.identity()));
  const bool is_same = std::ranges::equal(node.operands(), operands, &CodeExpression::is);
  return is_same ? node : CodeExpression::make(node.operation(), std::move(operands), node.value());
}

/// Applies the rule to every node of the kernel.
Made made_of(const Kernel& kernel, const NodeRule& rule) {
  Made made;
  for_each_node(kernel, [&](const CodeExpression& node) {
    made.emplace(node.identity(), rule(with_made_operands(node, made)));
  });
  return made;
}

/// Adds one operation to the count.
void count_operation(CodeOperation operation, OperationCount& count) {
  switch (expr::kind_of(operation)) {
    case OperationKind::kLeaf:
      return;
    case OperationKind::kMinMax:
      ++count.min_max;
      return;
    case OperationKind::kRare:
    case OperationKind::kSelect:
      ++count.other;
      return;
    default:
      ++count.operations;
  }
}

}  // namespace

void for_each_node(const CodeExpression& expression, const NodeVisitor& visit) {
  for_each_node(Kernel{{}, {expression}, {}}, visit);
}

void for_each_node(const Kernel& kernel, const NodeVisitor& visit) {
  Walk walk(visit);
  for (const Definition& definition : kernel.definitions) walk.over(definition.value);
  for (const CodeExpression& result : kernel.results) walk.over(result);
  for (const CodeExpression& guard : kernel.guards) walk.over(guard);
}

CodeExpression transformed(const CodeExpression& expression, const NodeRule& rule) {
  return transformed(Kernel{{}, {expression}, {}}, rule).results.front();
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

OperationCount count_operations(const CodeExpression& expression) {
  return count_operations(Kernel{{}, {expression}, {}});
}

OperationCount count_operations(const Kernel& kernel) {
  OperationCount count;
  for_each_node(kernel,
                [&](const CodeExpression& node) { count_operation(node.operation(), count); });
  return count;
}

std::vector<Int> evaluate(const Kernel& kernel, const Bindings& bindings) {
  std::vector<std::string> names;
  std::vector<std::int64_t> numbers;
  for (const auto& [name, value] : bindings) {
    if (!value.is_constant()) continue;
    names.push_back(name);
    numbers.push_back(value.value());
  }
  std::vector<Int> values;
  for (const exact::Value& value : expr::Program::compile(kernel, names).run(numbers)) {
    values.push_back(value ? Int(*value) : Int::undefined());
  }
  return values;
}

std::string to_string(const CodeExpression& expression) {
  return expr::CodeWriter(expr::expression_language()).text(expression);
}

std::string to_string(const Kernel& kernel) {
  std::string text;
  for (const Definition& definition : kernel.definitions) {
    text += definition.name + " = " + to_string(definition.value) + "\n";
  }
  for (const auto* expressions : {&kernel.results, &kernel.guards}) {
    for (const CodeExpression& expression : *expressions) text += to_string(expression) + "\n";
  }
  return text;
}

std::ostream& operator<<(std::ostream& stream, const CodeExpression& expression) {
  return stream << to_string(expression);
}

std::ostream& operator<<(std::ostream& stream, const Kernel& kernel) {
  return stream << to_string(kernel);
}

}  // namespace heddle
