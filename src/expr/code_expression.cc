#include "heddle/expr/code_expression.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <unordered_map>

#include "heddle/expr/walk.h"

namespace heddle {

CodeExpression::CodeExpression() : CodeExpression(constant(0)) {}

CodeExpression CodeExpression::constant(std::int64_t value) {
  return CodeExpression(
      std::make_shared<const Node>(Node{CodeOperation::kConstant, {}, {}, value}));
}

CodeExpression CodeExpression::variable(std::string name, Int value) {
  return CodeExpression(std::make_shared<const Node>(
      Node{CodeOperation::kVariable, {}, std::move(name), std::move(value)}));
}

CodeExpression CodeExpression::definition(std::string name, Int value) {
  return CodeExpression(std::make_shared<const Node>(
      Node{CodeOperation::kDefinition, {}, std::move(name), std::move(value)}));
}

CodeExpression CodeExpression::make(CodeOperation operation, std::vector<CodeExpression> operands,
                                    Int value) {
  return CodeExpression(
      std::make_shared<const Node>(Node{operation, std::move(operands), {}, std::move(value)}));
}

bool operator==(const CodeExpression& a, const CodeExpression& b) {
  if (a.is(b)) return true;
  if (a.operation() != b.operation() || a.name() != b.name()) return false;
  if (a.operation() == CodeOperation::kConstant) return a.constant() == b.constant();
  return std::ranges::equal(a.operands(), b.operands());
}

namespace {

/// What one operation adds to the count.
void count_operation(CodeOperation operation, OperationCount& count) {
  switch (operation) {
    case CodeOperation::kConstant:
    case CodeOperation::kVariable:
    case CodeOperation::kDefinition:
      return;
    case CodeOperation::kMinimum:
    case CodeOperation::kMaximum:
      ++count.min_max;
      return;
    case CodeOperation::kGcd:
    case CodeOperation::kSquareRoot:
    case CodeOperation::kSelect:
      ++count.other;
      return;
    default:
      ++count.operations;
  }
}

/// Of all nodes, each once.
template <class Nodes>
OperationCount counted_operations(const Nodes& nodes) {
  OperationCount count;
  for_each_node(nodes,
                [&](const CodeExpression& node) { count_operation(node.operation(), count); });
  return count;
}

// Evaluation in plain arithmetic.

exact::Value power_of_two_times(std::int64_t a, std::int64_t places) {
  if (places < 0 || places > 62) return std::nullopt;
  return exact::multiply(a, std::int64_t{1} << places);
}

exact::Value gcd_of(std::int64_t a, std::int64_t b) {
  if (a == Range::kNoLow || b == Range::kNoLow) return std::nullopt;
  return std::gcd(a, b);
}

bool divides(std::int64_t divisor, std::int64_t number) {
  return divisor == 0 ? number == 0 : exact::floor_modulo(number, divisor) == 0;
}

exact::Value computed(CodeOperation operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case CodeOperation::kNegate:
      return exact::subtract(0, a);
    case CodeOperation::kAdd:
      return exact::add(a, b);
    case CodeOperation::kSubtract:
      return exact::subtract(a, b);
    case CodeOperation::kMultiply:
      return exact::multiply(a, b);
    case CodeOperation::kQuotient:
      return exact::floor_divide(a, b);
    case CodeOperation::kRemainder:
      return exact::floor_modulo(a, b);
    case CodeOperation::kMinimum:
      return std::min(a, b);
    case CodeOperation::kMaximum:
      return std::max(a, b);
    case CodeOperation::kGcd:
      return gcd_of(a, b);
    case CodeOperation::kSquareRoot:
      return exact::square_root(a);
    case CodeOperation::kAnd:
      return a & b;
    case CodeOperation::kOr:
      return a | b;
    case CodeOperation::kXor:
      return a ^ b;
    case CodeOperation::kShiftLeft:
      return power_of_two_times(a, b);
    case CodeOperation::kShiftRight:
      return b < 0 ? exact::Value() : a >> std::min<std::int64_t>(b, 63);
    case CodeOperation::kEqual:
      return a == b;
    case CodeOperation::kNotEqual:
      return a != b;
    case CodeOperation::kLess:
      return a < b;
    case CodeOperation::kAtMost:
      return a <= b;
    case CodeOperation::kDivides:
      return divides(a, b);
    default:
      return std::nullopt;
  }
}

/// Values of nodes where variables and definitions have theirs.
class Evaluator {
 public:
  explicit Evaluator(const Bindings& bindings) : bindings_(bindings) {}

  void define(const Definition& definition) {
    defined_[definition.name] = value_of(definition.value);
  }

  exact::Value value_of(const CodeExpression& expression) {
    const auto known = values_.find(expression.identity());
    if (known != values_.end()) return known->second;
    const exact::Value value = compute(expression);
    values_.emplace(expression.identity(), value);
    return value;
  }

 private:
  exact::Value compute(const CodeExpression& expression) {
    switch (expression.operation()) {
      case CodeOperation::kConstant:
        return expression.constant();
      case CodeOperation::kVariable: {
        const auto found = bindings_.find(expression.name());
        if (found == bindings_.end() || !found->second.is_constant()) return std::nullopt;
        return found->second.value();
      }
      case CodeOperation::kDefinition: {
        const auto found = defined_.find(expression.name());
        return found == defined_.end() ? std::nullopt : found->second;
      }
      case CodeOperation::kSelect: {
        const exact::Value condition = value_of(expression.operand(0));
        if (!condition) return std::nullopt;
        return value_of(expression.operand(*condition != 0 ? 1 : 2));
      }
      default:
        break;
    }
    const exact::Value left = value_of(expression.operand(0));
    if (!left) return std::nullopt;
    if (expression.operands().size() == 1) return computed(expression.operation(), *left, 0);
    const exact::Value right = value_of(expression.operand(1));
    return right ? computed(expression.operation(), *left, *right) : std::nullopt;
  }

  const Bindings& bindings_;
  std::unordered_map<std::string, exact::Value> defined_;
  std::unordered_map<const void*, exact::Value> values_;
};

// Text.

/// How tightly an expression holds together.
enum class Binding : std::uint8_t { kSum, kProduct, kWhole };

Binding binding_of(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kConstant:
      return expression.constant() < 0 ? Binding::kSum : Binding::kWhole;
    case CodeOperation::kNegate:
    case CodeOperation::kAdd:
    case CodeOperation::kSubtract:
    case CodeOperation::kEqual:
    case CodeOperation::kNotEqual:
    case CodeOperation::kLess:
    case CodeOperation::kAtMost:
    case CodeOperation::kDivides:
      return Binding::kSum;
    case CodeOperation::kMultiply:
    case CodeOperation::kQuotient:
    case CodeOperation::kRemainder:
      return Binding::kProduct;
    default:
      return Binding::kWhole;
  }
}

std::string text_of(const CodeExpression& expression, Binding least) {
  const std::string text = to_string(expression);
  return binding_of(expression) < least ? "(" + text + ")" : text;
}

std::string infix(const CodeExpression& expression, std::string_view sign, Binding left,
                  Binding right) {
  return text_of(expression.operand(0), left) + std::string(sign) +
         text_of(expression.operand(1), right);
}

std::string call_text(const CodeExpression& expression, std::string_view name) {
  std::string text(name);
  for (std::size_t i = 0; i < expression.operands().size(); ++i) {
    text += i == 0 ? "(" : ",";
    text += to_string(expression.operand(i));
  }
  return text + ")";
}

/// 0 divides only 0, and leaves no remainder.
std::string divides_text(const CodeExpression& divisor, const CodeExpression& number) {
  const std::string remainder =
      text_of(number, Binding::kProduct) + "%" + text_of(divisor, Binding::kWhole);
  if (known_different(divisor.value(), 0)) return remainder + "==0";
  return "select(" + text_of(divisor, Binding::kProduct) + "==0," + to_string(number) + "," +
         remainder + ")==0";
}

}  // namespace

OperationCount count_operations(const CodeExpression& expression) {
  return counted_operations(expression);
}

OperationCount count_operations(const Kernel& kernel) { return counted_operations(kernel); }

std::vector<Int> evaluate(const Kernel& kernel, const Bindings& bindings) {
  Evaluator evaluator(bindings);
  for (const Definition& definition : kernel.definitions) evaluator.define(definition);
  std::vector<Int> values;
  for (const auto* expressions : {&kernel.results, &kernel.guards}) {
    for (const CodeExpression& expression : *expressions) {
      const exact::Value value = evaluator.value_of(expression);
      values.push_back(value ? Int(*value) : Int::undefined());
    }
  }
  return values;
}

std::string to_string(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kConstant:
      return std::to_string(expression.constant());
    case CodeOperation::kVariable:
    case CodeOperation::kDefinition:
      return expression.name();
    case CodeOperation::kNegate:
      // A sign binds tighter than a quotient: -(x//2) is not -x//2.
      return "-" + text_of(expression.operand(0), Binding::kWhole);
    case CodeOperation::kAdd:
      return infix(expression, "+", Binding::kSum, Binding::kProduct);
    case CodeOperation::kSubtract:
      return infix(expression, "-", Binding::kSum, Binding::kProduct);
    case CodeOperation::kMultiply:
      return infix(expression, "*", Binding::kProduct, Binding::kWhole);
    case CodeOperation::kQuotient:
      return infix(expression, "//", Binding::kProduct, Binding::kWhole);
    case CodeOperation::kRemainder:
      return infix(expression, "%", Binding::kProduct, Binding::kWhole);
    case CodeOperation::kMinimum:
      return call_text(expression, "min");
    case CodeOperation::kMaximum:
      return call_text(expression, "max");
    case CodeOperation::kGcd:
      return call_text(expression, "gcd");
    case CodeOperation::kSquareRoot:
      return call_text(expression, "isqrt");
    case CodeOperation::kAnd:
      return call_text(expression, "bit_and");
    case CodeOperation::kOr:
      return call_text(expression, "bit_or");
    case CodeOperation::kXor:
      return call_text(expression, "bit_xor");
    case CodeOperation::kShiftLeft:
      return call_text(expression, "shift_left");
    case CodeOperation::kShiftRight:
      return call_text(expression, "shift_right");
    case CodeOperation::kEqual:
      return infix(expression, "==", Binding::kSum, Binding::kSum);
    case CodeOperation::kNotEqual:
      return infix(expression, "!=", Binding::kSum, Binding::kSum);
    case CodeOperation::kLess:
      return infix(expression, "<", Binding::kSum, Binding::kSum);
    case CodeOperation::kAtMost:
      return infix(expression, "<=", Binding::kSum, Binding::kSum);
    case CodeOperation::kDivides:
      return divides_text(expression.operand(0), expression.operand(1));
    case CodeOperation::kSelect:
      return call_text(expression, "select");
  }
  return {};
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
