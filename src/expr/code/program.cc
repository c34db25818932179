#include "expr/code/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "expr/term/operation.h"

namespace heddle::expr {

/// Writes each atom of terms, and each node of kernels, once.
class Program::Compiler {
 public:
  explicit Compiler(std::span<const std::string> parameters) : parameters_(parameters) {}

  void add_result(const Int& value) { program_.results_.push_back(written(value)); }
  void add_result(const CodeExpression& node) { program_.results_.push_back(written(node)); }
  void define(const Definition& definition) {
    definitions_[definition.name] = written(definition.value);
  }
  /// Whether all variables are parameters and no value is undefined everywhere.
  [[nodiscard]] bool is_closed() const { return is_closed_; }
  [[nodiscard]] Program finished() && { return std::move(program_); }

 private:
  using Register = std::uint32_t;

  Register append(const Instruction& step) {
    program_.steps_.push_back(step);
    return static_cast<Register>(program_.steps_.size() - 1);
  }
  Register constant(std::int64_t value) { return append({.constant = value}); }
  Register parameter(const std::string& name) {
    const auto found = std::ranges::find(parameters_, name);
    if (found == parameters_.end()) is_closed_ = false;
    return append({.operation = found == parameters_.end() ? CodeOperation::kDefinition
                                                           : CodeOperation::kVariable,
                   .constant = found - parameters_.begin()});
  }

  // Terms.

  Register written(const Int& value) {
    if (!value.is_defined()) is_closed_ = false;
    if (!value.is_symbolic()) return constant(value.value());
    std::optional<Register> sum;
    for (const Product& product : value.term().products()) {
      const Register next = written(product);
      sum = sum ? append({.operation = CodeOperation::kAdd, .a = *sum, .b = next}) : next;
    }
    return *sum;
  }
  Register written(const Product& product) {
    std::optional<Register> result;
    if (product.coefficient != 1 || product.atoms.empty()) result = constant(product.coefficient);
    for (const AtomPointer& atom : product.atoms) {
      const Register next = written(atom);
      result =
          result ? append({.operation = CodeOperation::kMultiply, .a = *result, .b = next}) : next;
    }
    return *result;
  }
  Register written(const AtomPointer& atom) {
    if (const auto found = known_.find(atom); found != known_.end()) return found->second;
    const Register step = written_anew(*atom);
    known_.emplace(atom, step);
    return step;
  }
  Register written_anew(const Atom& atom) {
    if (atom.operation() == CodeOperation::kVariable) {
      if (!atom.variable().is_whole()) is_closed_ = false;
      return parameter(atom.variable().name);
    }
    Instruction step{.operation = atom.operation()};
    if (atom.operation() == CodeOperation::kSelect) {
      const auto& [left, predicate, right] = atom.condition();
      const Register first = written(left);
      const Register second = written(right);
      step.c = append({.operation = operation_of(predicate), .a = first, .b = second});
    }
    step.a = written(atom.left());
    step.b = written(atom.right());
    return append(step);
  }

  // Kernels.

  Register written(const CodeExpression& root) {
    for_each_node(root, [this](const CodeExpression& node) {
      if (!nodes_.contains(node.identity())) nodes_[node.identity()] = written_anew(node);
    });
    return nodes_.at(root.identity());
  }
  Register written_anew(const CodeExpression& node) {
    if (node.operation() == CodeOperation::kConstant) return constant(node.constant());
    if (node.operation() == CodeOperation::kVariable) return parameter(node.name());
    if (node.operation() == CodeOperation::kDefinition) {
      const auto found = definitions_.find(node.name());
      return found == definitions_.end() ? append({.operation = CodeOperation::kDefinition})
                                         : found->second;
    }
    std::array<Register, 3> operands{};
    for (std::size_t i = 0; i < node.operands().size(); ++i) {
      operands[i] = nodes_.at(node.operand(i).identity());
    }
    const auto [a, b, c] = operands;
    if (node.operands().size() == 1) return append({node.operation(), a, a});
    if (node.operation() != CodeOperation::kSelect) return append({node.operation(), a, b});
    return append({.operation = CodeOperation::kSelect, .a = b, .b = c, .c = a});
  }

  std::span<const std::string> parameters_;
  Program program_;
  bool is_closed_ = true;
  AtomMap<Register> known_;
  std::unordered_map<const void*, Register> nodes_;
  std::map<std::string, Register> definitions_;
};

std::optional<Program> Program::compile(std::span<const Int> values,
                                        std::span<const std::string> parameters) {
  Compiler compiler(parameters);
  for (const Int& value : values) compiler.add_result(value);
  if (!compiler.is_closed()) return std::nullopt;
  return std::move(compiler).finished();
}

Program Program::compile(const Kernel& kernel, std::span<const std::string> parameters) {
  Compiler compiler(parameters);
  for (const Definition& definition : kernel.definitions) compiler.define(definition);
  for (const CodeExpression& result : kernel.results) compiler.add_result(result);
  for (const CodeExpression& guard : kernel.guards) compiler.add_result(guard);
  return std::move(compiler).finished();
}

void Program::run(std::span<const std::int64_t> arguments,
                  std::vector<exact::Value>& registers) const {
  registers.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto& [operation, a, b, c, constant] = steps_[i];
    if (operation == CodeOperation::kConstant) {
      registers[i] = constant;
    } else if (operation == CodeOperation::kVariable) {
      registers[i] = arguments[static_cast<std::size_t>(constant)];
    } else if (operation == CodeOperation::kSelect) {
      const exact::Value condition = registers[c];
      registers[i] = condition ? registers[*condition != 0 ? a : b] : std::nullopt;
    } else {
      const exact::Value left = registers[a];
      const exact::Value right = registers[b];
      registers[i] = left && right ? computed(operation, *left, *right) : std::nullopt;
    }
  }
}

std::vector<exact::Value> Program::run(std::span<const std::int64_t> arguments) const {
  std::vector<exact::Value> registers;
  run(arguments, registers);
  std::vector<exact::Value> values;
  for (const std::size_t result : results_) values.push_back(registers[result]);
  return values;
}

}  // namespace heddle::expr
