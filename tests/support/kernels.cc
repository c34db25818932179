#include "support/kernels.h"

#include <algorithm>

namespace heddle::test {
namespace {

Int value_of(CodeOperation operation, const Int& a, const Int& b) {
  switch (operation) {
    case CodeOperation::kNegate:
      return -a;
    case CodeOperation::kAdd:
      return a + b;
    case CodeOperation::kSubtract:
      return a - b;
    case CodeOperation::kMultiply:
      return a * b;
    case CodeOperation::kQuotient:
      return floor_div(a, b);
    case CodeOperation::kRemainder:
      return mod(a, b);
    case CodeOperation::kMinimum:
      return min(a, b);
    case CodeOperation::kMaximum:
      return max(a, b);
    case CodeOperation::kGcd:
      return gcd(a, b);
    case CodeOperation::kSquareRoot:
      return isqrt(a);
    case CodeOperation::kAnd:
      return bit_and(a, b);
    case CodeOperation::kOr:
      return bit_or(a, b);
    case CodeOperation::kXor:
      return bit_xor(a, b);
    case CodeOperation::kShiftLeft:
      return shift_left(a, b);
    case CodeOperation::kShiftRight:
      return shift_right(a, b);
    default:
      return Int::undefined();
  }
}

Predicate predicate_of(CodeOperation operation) {
  return static_cast<Predicate>(static_cast<int>(operation) -
                                static_cast<int>(CodeOperation::kEqual));
}

class KernelDrawer {
 public:
  KernelDrawer(Choices& choices, const World& world) : choices_(choices) {
    for (std::size_t i = 0; i < world.variables.size(); ++i) {
      leaves_.push_back(CodeExpression::variable(world.names[i], world.variables[i]));
    }
  }

  Kernel draw() {
    Kernel kernel;
    const auto definitions = choices_.next(4);
    for (std::int64_t i = 0; i < definitions; ++i) {
      const std::string name = "t" + std::to_string(i);
      const CodeExpression value = tree(3);
      kernel.definitions.push_back({name, value});
      leaves_.push_back(CodeExpression::definition(name, value.value()));
    }
    const auto results = 1 + choices_.next(2);
    for (std::int64_t i = 0; i < results; ++i) kernel.results.push_back(tree(4));
    if (choices_.chance(50)) kernel.guards.push_back(condition(2));
    return kernel;
  }

 private:
  /// Small numbers, but for shifts also amounts that have a meaning.
  CodeExpression leaf() {
    if (choices_.chance(70)) {
      const auto which = choices_.next(static_cast<std::int64_t>(leaves_.size()));
      return leaves_[static_cast<std::size_t>(which)];
    }
    static constexpr std::int64_t kConstants[] = {1, 2, 3, 4, 7, 8, 16, 0, -1, -3, -8, 5000000000};
    return CodeExpression::constant(kConstants[choices_.next(12)]);
  }

  CodeExpression tree(int depth) {
    if (depth == 0 || choices_.chance(10)) return leaf();
    static constexpr CodeOperation kOperations[] = {
        CodeOperation::kAdd,       CodeOperation::kSubtract,   CodeOperation::kMultiply,
        CodeOperation::kQuotient,  CodeOperation::kRemainder,  CodeOperation::kQuotient,
        CodeOperation::kRemainder, CodeOperation::kMinimum,    CodeOperation::kMaximum,
        CodeOperation::kGcd,       CodeOperation::kNegate,     CodeOperation::kSquareRoot,
        CodeOperation::kAnd,       CodeOperation::kOr,         CodeOperation::kXor,
        CodeOperation::kShiftLeft, CodeOperation::kShiftRight, CodeOperation::kSelect};
    const CodeOperation operation = kOperations[choices_.next(std::ssize(kOperations))];
    if (operation == CodeOperation::kSelect) return choice(depth);
    const CodeExpression a = tree(depth - 1);
    if (operation == CodeOperation::kNegate || operation == CodeOperation::kSquareRoot) {
      return CodeExpression::make(operation, {a}, value_of(operation, a.value(), 0));
    }
    const bool shifts =
        operation == CodeOperation::kShiftLeft || operation == CodeOperation::kShiftRight;
    const CodeExpression b = shifts ? CodeExpression::constant(choices_.next(5)) : tree(depth - 1);
    return CodeExpression::make(operation, {a, b}, value_of(operation, a.value(), b.value()));
  }

  CodeExpression condition(int depth) {
    const auto operation =
        static_cast<CodeOperation>(static_cast<int>(CodeOperation::kEqual) + choices_.next(5));
    return CodeExpression::make(operation, {tree(depth), tree(depth)}, Int::undefined());
  }

  CodeExpression choice(int depth) {
    const CodeExpression test = condition(depth - 1);
    const CodeExpression then = tree(depth - 1);
    const CodeExpression otherwise = tree(depth - 1);
    const Condition known{test.operand(0).value(), predicate_of(test.operation()),
                          test.operand(1).value()};
    return CodeExpression::make(CodeOperation::kSelect, {test, then, otherwise},
                                select(known, then.value(), otherwise.value()));
  }

  Choices& choices_;
  std::vector<CodeExpression> leaves_;
};

}  // namespace

Kernel draw_kernel(Choices& choices, const World& world) {
  return KernelDrawer(choices, world).draw();
}

std::optional<std::vector<std::int64_t>> values_at(const Kernel& kernel, const World& world,
                                                   const Point& point) {
  Kernel all = kernel;
  for (const Definition& definition : kernel.definitions) all.results.push_back(definition.value);
  std::vector<std::int64_t> values;
  for (const Int& value : evaluate(all, world.bindings(point))) {
    if (!value.is_defined()) return std::nullopt;
    values.push_back(value.value());
  }
  // The definitions stand between the results and the guards.
  const auto first = values.begin() + std::ssize(kernel.results);
  values.erase(first, first + std::ssize(kernel.definitions));
  return values;
}

}  // namespace heddle::test
