#include "heddle/expr/expression.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <unordered_map>

#include "heddle/expr/walk.h"

namespace heddle {

Expression::Expression() : Expression(constant(0)) {}

Expression Expression::constant(std::int64_t value) {
  return Expression(std::make_shared<const Node>(Node{Operation::kConstant, {}, {}, value}));
}

Expression Expression::variable(std::string name, Int value) {
  return Expression(std::make_shared<const Node>(
      Node{Operation::kVariable, {}, std::move(name), std::move(value)}));
}

Expression Expression::definition(std::string name, Int value) {
  return Expression(std::make_shared<const Node>(
      Node{Operation::kDefinition, {}, std::move(name), std::move(value)}));
}

Expression Expression::make(Operation operation, std::vector<Expression> operands, Int value) {
  return Expression(
      std::make_shared<const Node>(Node{operation, std::move(operands), {}, std::move(value)}));
}

bool operator==(const Expression& a, const Expression& b) {
  if (a.is(b)) return true;
  if (a.operation() != b.operation() || a.name() != b.name()) return false;
  if (a.operation() == Operation::kConstant) return a.constant() == b.constant();
  return std::ranges::equal(a.operands(), b.operands());
}

namespace {

/// What one operation adds to the count.
void count_operation(Operation operation, OperationCount& count) {
  switch (operation) {
    case Operation::kConstant:
    case Operation::kVariable:
    case Operation::kDefinition:
      return;
    case Operation::kMinimum:
    case Operation::kMaximum:
      ++count.min_max;
      return;
    case Operation::kGcd:
    case Operation::kSquareRoot:
    case Operation::kSelect:
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
  for_each_node(nodes, [&](const Expression& node) { count_operation(node.operation(), count); });
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

exact::Value computed(Operation operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case Operation::kNegate:
      return exact::subtract(0, a);
    case Operation::kAdd:
      return exact::add(a, b);
    case Operation::kSubtract:
      return exact::subtract(a, b);
    case Operation::kMultiply:
      return exact::multiply(a, b);
    case Operation::kQuotient:
      return exact::floor_divide(a, b);
    case Operation::kRemainder:
      return exact::floor_modulo(a, b);
    case Operation::kMinimum:
      return std::min(a, b);
    case Operation::kMaximum:
      return std::max(a, b);
    case Operation::kGcd:
      return gcd_of(a, b);
    case Operation::kSquareRoot:
      return exact::square_root(a);
    case Operation::kAnd:
      return a & b;
    case Operation::kOr:
      return a | b;
    case Operation::kXor:
      return a ^ b;
    case Operation::kShiftLeft:
      return power_of_two_times(a, b);
    case Operation::kShiftRight:
      return b < 0 ? exact::Value() : a >> std::min<std::int64_t>(b, 63);
    case Operation::kEqual:
      return a == b;
    case Operation::kNotEqual:
      return a != b;
    case Operation::kLess:
      return a < b;
    case Operation::kAtMost:
      return a <= b;
    case Operation::kDivides:
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

  exact::Value value_of(const Expression& expression) {
    const auto known = values_.find(expression.identity());
    if (known != values_.end()) return known->second;
    const exact::Value value = compute(expression);
    values_.emplace(expression.identity(), value);
    return value;
  }

 private:
  exact::Value compute(const Expression& expression) {
    switch (expression.operation()) {
      case Operation::kConstant:
        return expression.constant();
      case Operation::kVariable: {
        const auto found = bindings_.find(expression.name());
        if (found == bindings_.end() || !found->second.is_constant()) return std::nullopt;
        return found->second.value();
      }
      case Operation::kDefinition: {
        const auto found = defined_.find(expression.name());
        return found == defined_.end() ? std::nullopt : found->second;
      }
      case Operation::kSelect: {
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

Binding binding_of(const Expression& expression) {
  switch (expression.operation()) {
    case Operation::kConstant:
      return expression.constant() < 0 ? Binding::kSum : Binding::kWhole;
    case Operation::kNegate:
    case Operation::kAdd:
    case Operation::kSubtract:
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kLess:
    case Operation::kAtMost:
    case Operation::kDivides:
      return Binding::kSum;
    case Operation::kMultiply:
    case Operation::kQuotient:
    case Operation::kRemainder:
      return Binding::kProduct;
    default:
      return Binding::kWhole;
  }
}

std::string text_of(const Expression& expression, Binding least) {
  const std::string text = to_string(expression);
  return binding_of(expression) < least ? "(" + text + ")" : text;
}

std::string infix(const Expression& expression, std::string_view sign, Binding left,
                  Binding right) {
  return text_of(expression.operand(0), left) + std::string(sign) +
         text_of(expression.operand(1), right);
}

std::string call_text(const Expression& expression, std::string_view name) {
  std::string text(name);
  for (std::size_t i = 0; i < expression.operands().size(); ++i) {
    text += i == 0 ? "(" : ",";
    text += to_string(expression.operand(i));
  }
  return text + ")";
}

/// 0 divides only 0, and leaves no remainder.
std::string divides_text(const Expression& divisor, const Expression& number) {
  const std::string remainder =
      text_of(number, Binding::kProduct) + "%" + text_of(divisor, Binding::kWhole);
  if (known_different(divisor.value(), 0)) return remainder + "==0";
  return "select(" + text_of(divisor, Binding::kProduct) + "==0," + to_string(number) + "," +
         remainder + ")==0";
}

}  // namespace

OperationCount count_operations(const Expression& expression) {
  return counted_operations(expression);
}

OperationCount count_operations(const Kernel& kernel) { return counted_operations(kernel); }

std::vector<Int> evaluate(const Kernel& kernel, const Bindings& bindings) {
  Evaluator evaluator(bindings);
  for (const Definition& definition : kernel.definitions) evaluator.define(definition);
  std::vector<Int> values;
  for (const auto* expressions : {&kernel.results, &kernel.guards}) {
    for (const Expression& expression : *expressions) {
      const exact::Value value = evaluator.value_of(expression);
      values.push_back(value ? Int(*value) : Int::undefined());
    }
  }
  return values;
}

std::string to_string(const Expression& expression) {
  switch (expression.operation()) {
    case Operation::kConstant:
      return std::to_string(expression.constant());
    case Operation::kVariable:
    case Operation::kDefinition:
      return expression.name();
    case Operation::kNegate:
      // A sign binds tighter than a quotient: -(x//2) is not -x//2.
      return "-" + text_of(expression.operand(0), Binding::kWhole);
    case Operation::kAdd:
      return infix(expression, "+", Binding::kSum, Binding::kProduct);
    case Operation::kSubtract:
      return infix(expression, "-", Binding::kSum, Binding::kProduct);
    case Operation::kMultiply:
      return infix(expression, "*", Binding::kProduct, Binding::kWhole);
    case Operation::kQuotient:
      return infix(expression, "//", Binding::kProduct, Binding::kWhole);
    case Operation::kRemainder:
      return infix(expression, "%", Binding::kProduct, Binding::kWhole);
    case Operation::kMinimum:
      return call_text(expression, "min");
    case Operation::kMaximum:
      return call_text(expression, "max");
    case Operation::kGcd:
      return call_text(expression, "gcd");
    case Operation::kSquareRoot:
      return call_text(expression, "isqrt");
    case Operation::kAnd:
      return call_text(expression, "bit_and");
    case Operation::kOr:
      return call_text(expression, "bit_or");
    case Operation::kXor:
      return call_text(expression, "bit_xor");
    case Operation::kShiftLeft:
      return call_text(expression, "shift_left");
    case Operation::kShiftRight:
      return call_text(expression, "shift_right");
    case Operation::kEqual:
      return infix(expression, "==", Binding::kSum, Binding::kSum);
    case Operation::kNotEqual:
      return infix(expression, "!=", Binding::kSum, Binding::kSum);
    case Operation::kLess:
      return infix(expression, "<", Binding::kSum, Binding::kSum);
    case Operation::kAtMost:
      return infix(expression, "<=", Binding::kSum, Binding::kSum);
    case Operation::kDivides:
      return divides_text(expression.operand(0), expression.operand(1));
    case Operation::kSelect:
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
    for (const Expression& expression : *expressions) text += to_string(expression) + "\n";
  }
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Expression& expression) {
  return stream << to_string(expression);
}

std::ostream& operator<<(std::ostream& stream, const Kernel& kernel) {
  return stream << to_string(kernel);
}

}  // namespace heddle
