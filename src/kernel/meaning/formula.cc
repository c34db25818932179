#include "kernel/meaning/formula.h"

#include <utility>

#include "core/format.h"
#include "expr/term/operation.h"
#include "expr/term/term.h"

namespace heddle::kernel::meaning {

struct Formula::Operation {
  CodeOperation operation = CodeOperation::kAdd;
  Formula left = {};
  Formula right = {};
  /// Of a select.
  Predicate predicate = Predicate::kEqual;
  Formula compared_left = {};
  Formula compared_right = {};

  [[nodiscard]] exact::Value at(std::span<const std::int64_t> row) const;
};

exact::Value Formula::Operation::at(std::span<const std::int64_t> row) const {
  if (operation == CodeOperation::kSelect) {
    const exact::Value a = compared_left.at(row);
    const exact::Value b = compared_right.at(row);
    if (!a || !b) return std::nullopt;
    const exact::Value holds = expr::computed(expr::operation_of(predicate), *a, *b);
    return *holds != 0 ? left.at(row) : right.at(row);
  }
  const exact::Value a = left.at(row);
  const exact::Value b = right.at(row);
  if (!a || !b) return std::nullopt;
  return expr::computed(operation, *a, *b);
}

exact::Value Formula::at(std::span<const std::int64_t> row) const {
  std::int64_t sum = constant_;
  for (const Product& product : products_) {
    std::int64_t value = product.coefficient;
    for (const Factor& factor : product.factors) {
      const exact::Value part = factor.operation ? factor.operation->at(row) : row[factor.slot];
      if (!part || __builtin_mul_overflow(value, *part, &value)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, value, &sum)) return std::nullopt;
  }
  return sum;
}

struct Formula::Maker {
  const Variables& variables;

  [[nodiscard]] Result<Formula> sum(const Int& value) const {
    if (!value.is_defined()) {
      return refuse("overflow", "an integer of the kernel does not fit into 64 bits");
    }
    if (value.is_constant()) return Formula(value.value());
    Formula formula;
    for (const expr::Product& product : value.term().products()) {
      HEDDLE_TRY(Product part, this->product(product));
      if (!part.factors.empty()) {
        formula.products_.push_back(std::move(part));
      } else if (__builtin_add_overflow(formula.constant_, part.coefficient, &formula.constant_)) {
        return refuse("overflow", "{} does not fit into 64 bits", to_string(value));
      }
    }
    return formula;
  }

  [[nodiscard]] Result<Product> product(const expr::Product& product) const {
    Product result{product.coefficient, {}};
    for (const expr::AtomPointer& atom : product.atoms) {
      HEDDLE_TRY(const Formula factor, this->factor(*atom));
      if (!factor.is_constant()) {
        result.factors.push_back(as_factor(factor));
      } else if (__builtin_mul_overflow(result.coefficient, factor.constant_,
                                        &result.coefficient)) {
        return refuse("overflow", "{} does not fit into 64 bits", to_string(make_int(atom)));
      }
    }
    if (result.coefficient == 0) result.factors.clear();
    return result;
  }

  /// A formula that is one slot is a factor as it is; others become the operand of an operation.
  [[nodiscard]] static Factor as_factor(const Formula& formula) {
    const bool is_single = formula.constant_ == 0 && formula.products_.size() == 1 &&
                           formula.products_[0].coefficient == 1 &&
                           formula.products_[0].factors.size() == 1;
    if (is_single) return formula.products_[0].factors[0];
    return Factor{
        0, std::make_shared<const Operation>(Operation{CodeOperation::kAdd, formula, Formula(0)})};
  }

  [[nodiscard]] Result<Formula> factor(const expr::Atom& atom) const {
    if (atom.operation() == CodeOperation::kVariable) return quotient(atom.variable());
    Operation operation{atom.operation()};
    HEDDLE_TRY(operation.left, sum(atom.left()));
    HEDDLE_TRY(operation.right, sum(atom.right()));
    if (atom.operation() == CodeOperation::kSelect) {
      operation.predicate = atom.condition().predicate;
      HEDDLE_TRY(operation.compared_left, sum(atom.condition().left));
      HEDDLE_TRY(operation.compared_right, sum(atom.condition().right));
    }
    return folded(std::move(operation));
  }

  /// The atom of a variable of which divisors are known: (variable - residue) // unit.
  [[nodiscard]] Result<Formula> quotient(const expr::Variable& variable) const {
    HEDDLE_TRY(Formula whole, named(variable.name));
    if (variable.is_whole()) return whole;
    if (__builtin_sub_overflow(whole.constant_, variable.residue, &whole.constant_)) {
      return refuse("overflow", "{} does not fit into 64 bits", variable.name);
    }
    HEDDLE_TRY(Formula unit, sum(expr::unit_of(variable)));
    return folded(Operation{CodeOperation::kQuotient, std::move(whole), std::move(unit)});
  }

  [[nodiscard]] Result<Formula> named(const std::string& name) const {
    if (const auto slot = variables.slots.find(name); slot != variables.slots.end()) {
      return of_factor(Factor{slot->second});
    }
    if (const auto number = variables.numbers.find(name); number != variables.numbers.end()) {
      return Formula(number->second);
    }
    return refuse("kernel.name", "the variable {} has no value here", name);
  }

  [[nodiscard]] static Formula of_factor(Factor factor) {
    Formula formula;
    formula.products_.push_back(Product{1, {std::move(factor)}});
    return formula;
  }

  [[nodiscard]] static Formula folded(Operation operation) {
    const bool is_known = operation.left.is_constant() && operation.right.is_constant() &&
                          operation.compared_left.is_constant() &&
                          operation.compared_right.is_constant();
    if (is_known) {
      if (const exact::Value value = operation.at({})) return Formula(*value);
    }
    return of_factor(Factor{0, std::make_shared<const Operation>(std::move(operation))});
  }
};

Result<Formula> Formula::make(const Int& value, const Variables& variables) {
  return Maker{variables}.sum(value);
}

}  // namespace heddle::kernel::meaning
