// Systems of sums as expressions, and names for what is used twice.

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/bits.h"
#include "core/free_names.h"
#include "expr/operation.h"
#include "expr/sum_system.h"

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

  CodeExpression symbol(SymbolId id) {
    if (id < 0) return CodeExpression::constant(id == System::kTrue ? 1 : 0);
    const auto known = symbols_.find(id);
    if (known != symbols_.end()) return known->second;
    CodeExpression made = make_symbol(system_.symbol(id));
    symbols_.emplace(id, made);
    return made;
  }

 private:
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

  /// Quotients and remainders by powers of two; right for negative numbers too.
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

  // Sums: what adds first, then a constant that adds, then what is taken away.

  CodeExpression make_sum(const Sum& sum) {
    if (const std::optional<std::int64_t> value = constant_in(sum)) {
      return CodeExpression::constant(*value);
    }
    std::vector<Summand> ordered(sum.begin(), sum.end());
    std::ranges::stable_sort(ordered, {}, [](const Summand& summand) {
      return std::pair(summand.coefficient < 0, summand.factors.empty());
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

  /// Where all is taken away, the sign goes into a coefficient if that costs less than a negation.
  void bring_a_factor_forward(std::vector<Summand>& ordered) const {
    if (ordered.front().coefficient > 0) return;
    const auto found = std::ranges::find_if(
        ordered, [&](const Summand& summand) { return carries_sign(summand); });
    if (found != ordered.end()) std::rotate(ordered.begin(), found, found + 1);
  }

  /// A negative coefficient that multiplies anyway, or would for less than a negation.
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

  /// Without the sign, which -2^63 keeps.
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

/// The operation has a value for all operands that it may get.
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

/// Gives names to what is used twice, wherever that may be computed in advance.
class Naming {
 public:
  Naming(const System& system, std::string_view prefix)
      : names_(std::string(prefix), names_in(system)) {}

  Kernel run(const std::vector<CodeExpression>& results,
             const std::vector<CodeExpression>& guards) && {
    for (const auto* roots : {&results, &guards}) {
      for (const CodeExpression& root : *roots) {
        count(root);
        mark_always(root);
      }
    }
    for (const CodeExpression& result : results) kernel_.results.push_back(named(result));
    for (const CodeExpression& guard : guards) kernel_.guards.push_back(named(guard));
    return std::move(kernel_);
  }

 private:
  void count(const CodeExpression& expression) {
    if (++uses_[expression.identity()] > 1) return;
    for (const CodeExpression& operand : expression.operands()) count(operand);
  }

  /// What is computed whatever branches are taken.
  void mark_always(const CodeExpression& expression) {
    if (!always_.insert(expression.identity()).second) return;
    if (expression.operation() == CodeOperation::kSelect) {
      mark_always(expression.operand(0));
      return;
    }
    for (const CodeExpression& operand : expression.operands()) mark_always(operand);
  }

  bool is_total(const CodeExpression& expression) {
    const auto known = total_.find(expression.identity());
    if (known != total_.end()) return known->second;
    const bool total =
        is_total_operation(expression) &&
        std::ranges::all_of(expression.operands(),
                            [this](const CodeExpression& operand) { return is_total(operand); });
    total_.emplace(expression.identity(), total);
    return total;
  }

  bool deserves_name(const CodeExpression& expression) {
    return !is_leaf(expression) && uses_[expression.identity()] > 1 &&
           (always_.contains(expression.identity()) || is_total(expression));
  }

  CodeExpression named(const CodeExpression& expression) {
    const auto known = named_.find(expression.identity());
    if (known != named_.end()) return known->second;
    CodeExpression made = with_named_operands(expression);
    if (deserves_name(expression)) {
      const std::string name = names_.next();
      kernel_.definitions.push_back({name, std::move(made)});
      made = CodeExpression::definition(name, expression.value());
    }
    named_.emplace(expression.identity(), made);
    return made;
  }

  CodeExpression with_named_operands(const CodeExpression& expression) {
    if (is_leaf(expression)) return expression;
    std::vector<CodeExpression> operands;
    for (const CodeExpression& operand : expression.operands()) operands.push_back(named(operand));
    return CodeExpression::make(expression.operation(), std::move(operands), expression.value());
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
  std::unordered_map<const void*, bool> total_;
  std::unordered_map<const void*, CodeExpression> named_;
  Kernel kernel_;
};

}  // namespace

Kernel kernel_of(const System& system, const Target& target, std::string_view prefix) {
  Emitter emitter(system, target);
  std::vector<CodeExpression> results;
  std::vector<CodeExpression> guards;
  for (const SumId result : system.results) results.push_back(emitter.sum(result));
  for (const SymbolId guard : system.guards) guards.push_back(emitter.symbol(guard));
  return Naming(system, prefix).run(results, guards);
}

}  // namespace heddle::expr
