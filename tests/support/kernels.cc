#include "support/kernels.h"

#include <algorithm>

namespace heddle::test {
namespace {

Int value_of(Operation operation, const Int& a, const Int& b) {
  switch (operation) {
    case Operation::kNegate:
      return -a;
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kQuotient:
      return floor_div(a, b);
    case Operation::kRemainder:
      return mod(a, b);
    case Operation::kMinimum:
      return min(a, b);
    case Operation::kMaximum:
      return max(a, b);
    case Operation::kGcd:
      return gcd(a, b);
    case Operation::kSquareRoot:
      return isqrt(a);
    case Operation::kAnd:
      return bit_and(a, b);
    case Operation::kOr:
      return bit_or(a, b);
    case Operation::kXor:
      return bit_xor(a, b);
    case Operation::kShiftLeft:
      return shift_left(a, b);
    case Operation::kShiftRight:
      return shift_right(a, b);
    default:
      return Int::undefined();
  }
}

Predicate predicate_of(Operation operation) {
  return static_cast<Predicate>(static_cast<int>(operation) - static_cast<int>(Operation::kEqual));
}

class KernelDrawer {
 public:
  KernelDrawer(Choices& choices, const World& world) : choices_(choices) {
    for (std::size_t i = 0; i < world.variables.size(); ++i) {
      leaves_.push_back(Expression::variable(world.names[i], world.variables[i]));
    }
  }

  Kernel draw() {
    Kernel kernel;
    const auto definitions = choices_.next(4);
    for (std::int64_t i = 0; i < definitions; ++i) {
      const std::string name = "t" + std::to_string(i);
      const Expression value = tree(3);
      kernel.definitions.push_back({name, value});
      leaves_.push_back(Expression::definition(name, value.value()));
    }
    const auto results = 1 + choices_.next(2);
    for (std::int64_t i = 0; i < results; ++i) kernel.results.push_back(tree(4));
    if (choices_.chance(50)) kernel.guards.push_back(condition(2));
    return kernel;
  }

 private:
  /// Small numbers, but for shifts also amounts that have a meaning.
  Expression leaf() {
    if (choices_.chance(70)) {
      const auto which = choices_.next(static_cast<std::int64_t>(leaves_.size()));
      return leaves_[static_cast<std::size_t>(which)];
    }
    static constexpr std::int64_t kConstants[] = {1, 2, 3, 4, 7, 8, 16, 0, -1, -3, -8, 5000000000};
    return Expression::constant(kConstants[choices_.next(12)]);
  }

  Expression tree(int depth) {
    if (depth == 0 || choices_.chance(10)) return leaf();
    static constexpr Operation kOperations[] = {
        Operation::kAdd,        Operation::kSubtract, Operation::kMultiply,  Operation::kQuotient,
        Operation::kRemainder,  Operation::kQuotient, Operation::kRemainder, Operation::kMinimum,
        Operation::kMaximum,    Operation::kGcd,      Operation::kNegate,    Operation::kSquareRoot,
        Operation::kAnd,        Operation::kOr,       Operation::kXor,       Operation::kShiftLeft,
        Operation::kShiftRight, Operation::kSelect};
    const Operation operation = kOperations[choices_.next(std::ssize(kOperations))];
    if (operation == Operation::kSelect) return choice(depth);
    const Expression a = tree(depth - 1);
    if (operation == Operation::kNegate || operation == Operation::kSquareRoot) {
      return Expression::make(operation, {a}, value_of(operation, a.value(), 0));
    }
    const bool shifts = operation == Operation::kShiftLeft || operation == Operation::kShiftRight;
    const Expression b = shifts ? Expression::constant(choices_.next(5)) : tree(depth - 1);
    return Expression::make(operation, {a, b}, value_of(operation, a.value(), b.value()));
  }

  Expression condition(int depth) {
    const auto operation =
        static_cast<Operation>(static_cast<int>(Operation::kEqual) + choices_.next(5));
    return Expression::make(operation, {tree(depth), tree(depth)}, Int::undefined());
  }

  Expression choice(int depth) {
    const Expression test = condition(depth - 1);
    const Expression then = tree(depth - 1);
    const Expression otherwise = tree(depth - 1);
    const Condition known{test.operand(0).value(), predicate_of(test.operation()),
                          test.operand(1).value()};
    return Expression::make(Operation::kSelect, {test, then, otherwise},
                            select(known, then.value(), otherwise.value()));
  }

  Choices& choices_;
  std::vector<Expression> leaves_;
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
