// Systems of sums as expressions, with names for parts that are used twice.

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/bits.h"
#include "core/free_names.h"
#include "expr/simplify/sum_system.h"
#include "expr/term/operation.h"

namespace heddle::expr {
namespace {

/// Expressions for the sums and symbols of a system, each made once.
class Emitter {
 public:
  Emitter(const System& system, const Target& target) : system_(system), target_(target) {}

  CodeExpression sum(SumId id) {
    const auto known = sums_.find(id);
    if (known != sums_.end()) return known->second;
    CodeExpression made = make_sum(system_.sum(id));
    sums_.emplace(id, made);
    return made;
  }

 private:
  CodeExpression symbol(SymbolId id) {
    const auto known = symbols_.find(id);
    if (known != symbols_.end()) return known->second;
    CodeExpression made = make_symbol(system_.symbol(id));
    symbols_.emplace(id, made);
    return made;
  }

  CodeExpression make_symbol(const Symbol& symbol) {
    if (symbol.operation == CodeOperation::kVariable) {
      return CodeExpression::variable(symbol.name, symbol.value);
    }
    if (symbol.operation == CodeOperation::kDefinition) return sum(symbol.operands[0]);
    std::vector<CodeExpression> operands;
    for (const SumId operand : symbol.operands) operands.push_back(sum(operand));
    if (target_.has_bits) {
      if (std::optional<CodeExpression> shifted = as_bits(symbol, operands)) return *shifted;
    }
    return CodeExpression::make(symbol.operation, std::move(operands), symbol.value);
  }

  static std::optional<int> places_of(std::int64_t value) {
    return value > 1 && is_power_of_two(value) ? std::optional(log2_exact(value)) : std::nullopt;
  }

  /// Quotients and remainders by powers of two as bit operations; right for negative numbers too.
  static std::optional<CodeExpression> as_bits(const Symbol& symbol,
                                               const std::vector<CodeExpression>& operands) {
    const bool divides = kind_of(symbol.operation) == OperationKind::kDivision;
    const bool by_constant = divides && operands[1].operation() == CodeOperation::kConstant;
    const std::optional<int> places =
        by_constant ? places_of(operands[1].constant()) : std::nullopt;
    if (!places) return std::nullopt;
    if (symbol.operation == CodeOperation::kQuotient) {
      return CodeExpression::make(CodeOperation::kShiftRight,
                                  {operands[0], CodeExpression::constant(*places)}, symbol.value);
    }
    const std::int64_t mask = operands[1].constant() - 1;
    return CodeExpression::make(CodeOperation::kAnd, {operands[0], CodeExpression::constant(mask)},
                                symbol.value);
  }

  // Sums: positive summands first, then a positive constant, then the negative summands. Of the
  // positive ones, a variable stands behind the products that have it: X*i + X, in whose neighbours
  // compilers find X*i again.

  CodeExpression make_sum(const Sum& sum) {
    if (const std::optional<std::int64_t> value = constant_in(sum)) {
      return CodeExpression::constant(*value);
    }
    std::vector<Summand> ordered(sum.begin(), sum.end());
    std::ranges::stable_sort(ordered, {}, [&](const Summand& summand) {
      return std::tuple(summand.coefficient < 0, summand.factors.empty(), is_step(summand, sum));
    });
    bring_a_factor_forward(ordered);
    CodeExpression made = first_summand(ordered.front());
    for (std::size_t i = 1; i < ordered.size(); ++i) {
      const std::int64_t coefficient = magnitude_of(ordered[i].coefficient);
      const CodeExpression part = scaled(ordered[i], coefficient);
      const bool adds = ordered[i].coefficient == coefficient;
      made =
          CodeExpression::make(adds ? CodeOperation::kAdd : CodeOperation::kSubtract, {made, part},
                               adds ? made.value() + part.value() : made.value() - part.value());
    }
    return made;
  }

  /// Whether a summand is a factor of another one.
  static bool is_step(const Summand& summand, const Sum& sum) {
    if (summand.coefficient != 1 || summand.factors.size() != 1) return false;
    return std::ranges::any_of(sum, [&](const Summand& other) {
      return other.factors.size() > 1 &&
             std::ranges::find(other.factors, summand.factors.front()) != other.factors.end();
    });
  }

  /// If all summands are negative, the sign goes into a coefficient where that costs less than a
  /// negation.
  void bring_a_factor_forward(std::vector<Summand>& ordered) const {
    if (ordered.front().coefficient > 0) return;
    const auto found = std::ranges::find_if(
        ordered, [&](const Summand& summand) { return carries_sign(summand); });
    if (found != ordered.end()) std::rotate(ordered.begin(), found, found + 1);
  }

  /// Whether a negative coefficient is multiplied by anyway, or for less than a negation costs.
  [[nodiscard]] bool carries_sign(const Summand& summand) const {
    if (summand.factors.empty()) return true;
    if (summand.coefficient == -1) return false;
    return !shifts_by(magnitude_of(summand.coefficient)) ||
           target_.multiply - target_.bits <= target_.add;
  }

  [[nodiscard]] std::optional<int> shifts_by(std::int64_t coefficient) const {
    if (!target_.has_bits || target_.bits > target_.multiply) return std::nullopt;
    return places_of(coefficient);
  }

  /// The magnitude; -2^63 keeps its sign.
  static std::int64_t magnitude_of(std::int64_t coefficient) {
    return coefficient < 0 && coefficient != Range::kNoLow ? -coefficient : coefficient;
  }

  CodeExpression first_summand(const Summand& summand) {
    if (summand.coefficient > 0 || carries_sign(summand)) {
      return scaled(summand, summand.coefficient);
    }
    const CodeExpression part = scaled(summand, magnitude_of(summand.coefficient));
    return CodeExpression::make(CodeOperation::kNegate, {part}, -part.value());
  }

  CodeExpression scaled(const Summand& summand, std::int64_t coefficient) {
    if (summand.factors.empty()) return CodeExpression::constant(coefficient);
    const std::optional<int> places = shifts_by(coefficient);
    const bool multiplies = coefficient != 1 && !places;
    CodeExpression made =
        multiplies ? CodeExpression::constant(coefficient) : symbol(summand.factors.front());
    for (std::size_t i = multiplies ? 0 : 1; i < summand.factors.size(); ++i) {
      const CodeExpression factor = symbol(summand.factors[i]);
      made = CodeExpression::make(CodeOperation::kMultiply, {made, factor},
                                  made.value() * factor.value());
    }
    if (!places) return made;
    return CodeExpression::make(CodeOperation::kShiftLeft,
                                {made, CodeExpression::constant(*places)},
                                made.value() * coefficient);
  }

  const System& system_;
  const Target& target_;
  std::unordered_map<SumId, CodeExpression> sums_;
  std::unordered_map<SymbolId, CodeExpression> symbols_;
};

bool is_leaf(const CodeExpression& expression) { return expression.operands().empty(); }

/// Whether the operation has a value for all operands that it may get.
bool is_total_operation(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kQuotient:
    case CodeOperation::kRemainder:
      return known_different(expression.operand(1).value(), 0);
    case CodeOperation::kSquareRoot:
      return known_at_most(0, expression.operand(0).value());
    case CodeOperation::kShiftLeft:
    case CodeOperation::kShiftRight: {
      const Int& places = expression.operand(1).value();
      return known_at_most(0, places) && known_at_most(places, 62);
    }
    default:
      return true;
  }
}

/// Gives names to nodes that are used twice, wherever they may be computed in advance.
class Naming {
 public:
  Naming(const System& system, std::string_view prefix)
      : names_(std::string(prefix), names_in(system)) {}

  Kernel run(const Kernel& plain) && {
    for (const auto* roots : {&plain.results, &plain.guards}) {
      for (const CodeExpression& root : *roots) {
        ++uses_[root.identity()];
        mark_always(root);
      }
    }
    for_each_node(plain, [this](const CodeExpression& node) {
      for (const CodeExpression& operand : node.operands()) ++uses_[operand.identity()];
    });
    for_each_node(plain, [this](const CodeExpression& node) {
      named_.emplace(node.identity(), named(node));
    });
    kernel_.results = all_named(plain.results);
    kernel_.guards = all_named(plain.guards);
    return std::move(kernel_);
  }

 private:
  /// Marks nodes that are computed whatever branches are taken.
  void mark_always(const CodeExpression& expression) {
    if (!always_.insert(expression.identity()).second) return;
    if (expression.operation() == CodeOperation::kSelect) {
      mark_always(expression.operand(0));
      return;
    }
    for (const CodeExpression& operand : expression.operands()) mark_always(operand);
  }

  /// The node after its operands have got their names.
  CodeExpression named(const CodeExpression& node) {
    if (is_leaf(node)) return node;
    CodeExpression made =
        CodeExpression::make(node.operation(), all_named(node.operands()), node.value());
    const auto is_partial = [this](const CodeExpression& operand) {
      return partial_.contains(operand.identity());
    };
    if (!is_total_operation(node) || std::ranges::any_of(node.operands(), is_partial)) {
      partial_.insert(node.identity());
    }
    const bool is_free = always_.contains(node.identity()) || !is_partial(node);
    if (uses_[node.identity()] < 2 || !is_free) return made;
    const std::string name = names_.next();
    kernel_.definitions.push_back({name, std::move(made)});
    return CodeExpression::definition(name, node.value());
  }

  [[nodiscard]] std::vector<CodeExpression> all_named(
      std::span<const CodeExpression> expressions) const {
    std::vector<CodeExpression> all;
    for (const CodeExpression& expression : expressions) {
      all.push_back(named_.at(expression.identity()));
    }
    return all;
  }

  static std::set<std::string> names_in(const System& system) {
    std::set<std::string> names;
    for (SymbolId id = 0; id < static_cast<SymbolId>(system.symbol_count()); ++id) {
      names.insert(system.symbol(id).name);
    }
    return names;
  }

  FreeNames names_;
  std::unordered_map<const void*, int> uses_;
  std::unordered_set<const void*> always_;
  /// Nodes that may have no value.
  std::unordered_set<const void*> partial_;
  std::unordered_map<const void*, CodeExpression> named_;
  Kernel kernel_;
};

}  // namespace

Kernel plain_kernel_of(const System& system, const Target& target) {
  Emitter emitter(system, target);
  Kernel plain;
  for (const SumId result : system.results) plain.results.push_back(emitter.sum(result));
  for (const SumId guard : system.guards) plain.guards.push_back(emitter.sum(guard));
  return plain;
}

Kernel kernel_of(const System& system, const Target& target, std::string_view prefix) {
  return Naming(system, prefix).run(plain_kernel_of(system, target));
}

}  // namespace heddle::expr
