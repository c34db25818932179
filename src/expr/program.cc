#include "expr/program.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace heddle::expr {

/// Walks terms and writes each atom once.
class Program::Compiler {
 public:
  explicit Compiler(std::span<const std::string> parameters) : parameters_(parameters) {}

  void add_result(const Int& value) { program_.results_.push_back(written(value)); }
  [[nodiscard]] std::optional<Program> finished() && {
    if (!is_closed_) return std::nullopt;
    return std::move(program_);
  }

 private:
  std::uint32_t append(const Instruction& step) {
    program_.steps_.push_back(step);
    return static_cast<std::uint32_t>(program_.steps_.size() - 1);
  }
  std::uint32_t constant(std::int64_t value) {
    return append({.code = Code::kConstant, .constant = value});
  }

  std::uint32_t written(const Int& value) {
    if (!value.is_defined()) is_closed_ = false;
    if (!value.is_symbolic()) return constant(value.value());
    std::optional<std::uint32_t> sum;
    for (const Product& product : value.term().products()) {
      const std::uint32_t next = written(product);
      sum = sum ? append({.code = Code::kAdd, .a = *sum, .b = next}) : next;
    }
    return *sum;
  }
  std::uint32_t written(const Product& product) {
    std::optional<std::uint32_t> result;
    if (product.coefficient != 1 || product.atoms.empty()) result = constant(product.coefficient);
    for (const AtomPointer& atom : product.atoms) {
      const std::uint32_t next = written(atom);
      result = result ? append({.code = Code::kMultiply, .a = *result, .b = next}) : next;
    }
    return *result;
  }
  std::uint32_t written(const AtomPointer& atom) {
    for (auto [it, end] = known_.equal_range(atom->hash()); it != end; ++it) {
      if (same(*it->second.first, *atom)) return it->second.second;
    }
    const std::uint32_t step = written_anew(*atom);
    known_.emplace(atom->hash(), std::pair(atom, step));
    return step;
  }
  std::uint32_t written_anew(const Atom& atom) {
    if (atom.operation() == Operator::kVariable) return written(atom.variable());
    Instruction step{.code = Code::kOperation, .operation = atom.operation()};
    if (atom.operation() == Operator::kSelect) {
      step.code = Code::kSelect;
      step.predicate = atom.condition().predicate;
      step.left = written(atom.condition().left);
      step.right = written(atom.condition().right);
    }
    step.a = written(atom.left());
    step.b = written(atom.right());
    return append(step);
  }
  std::uint32_t written(const Variable& variable) {
    const auto found = std::ranges::find(parameters_, variable.name);
    const bool is_plain =
        variable.divisor == 1 && variable.residue == 0 && variable.factors.empty();
    if (found == parameters_.end() || !is_plain) is_closed_ = false;
    return append({.code = Code::kParameter, .constant = found - parameters_.begin()});
  }

  std::span<const std::string> parameters_;
  Program program_;
  bool is_closed_ = true;
  std::unordered_multimap<std::size_t, std::pair<AtomPointer, std::uint32_t>> known_;
};

namespace {

bool holds_between(std::int64_t left, Predicate predicate, std::int64_t right) {
  switch (predicate) {
    case Predicate::kEqual:
      return left == right;
    case Predicate::kNotEqual:
      return left != right;
    case Predicate::kLess:
      return left < right;
    case Predicate::kAtMost:
      return left <= right;
    case Predicate::kDivides:
      break;
  }
  return known_divides(left, right);
}

exact::Value operation_of(Operator operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case Operator::kQuotient:
      return exact::floor_divide(a, b);
    case Operator::kRemainder:
      return exact::floor_modulo(a, b);
    case Operator::kMinimum:
      return std::min(a, b);
    case Operator::kMaximum:
      return std::max(a, b);
    default:
      break;
  }
  const Int value = apply(operation, a, b);
  return value.is_constant() ? exact::Value(value.value()) : std::nullopt;
}

}  // namespace

std::optional<Program> Program::compile(std::span<const Int> values,
                                        std::span<const std::string> parameters) {
  Compiler compiler(parameters);
  for (const Int& value : values) compiler.add_result(value);
  return std::move(compiler).finished();
}

exact::Value Program::value_of(const Instruction& step, std::span<const exact::Value> registers) {
  if (step.code == Code::kSelect) {
    const exact::Value& left = registers[step.left];
    const exact::Value& right = registers[step.right];
    if (!left || !right) return std::nullopt;
    return registers[holds_between(*left, step.predicate, *right) ? step.a : step.b];
  }
  const exact::Value& a = registers[step.a];
  const exact::Value& b = registers[step.b];
  if (!a || !b) return std::nullopt;
  switch (step.code) {
    case Code::kAdd:
      return exact::add(*a, *b);
    case Code::kMultiply:
      return exact::multiply(*a, *b);
    default:
      return operation_of(step.operation, *a, *b);
  }
}

void Program::run(std::span<const std::int64_t> arguments,
                  std::vector<exact::Value>& registers) const {
  registers.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Instruction& step = steps_[i];
    switch (step.code) {
      case Code::kConstant:
        registers[i] = step.constant;
        break;
      case Code::kParameter:
        registers[i] = arguments[static_cast<std::size_t>(step.constant)];
        break;
      default:
        registers[i] = value_of(step, registers);
    }
  }
}

}  // namespace heddle::expr
