#pragma once

// The expressions of a kernel while a cheap form is sought: sums of products of symbols.
//
//   results  sum 0: 6*s0 - 3*s2 + s1 + 6*s3
//   s0, s1   variables i0, i1
//   s2       remainder of sum 1 (s0) by sum 2 (3)
//   s3       quotient of sum 3 (s1) by sum 2 (3)
//
// Equal sums and equal operations are one, so shared parts show. Taking out a common part adds a
// symbol that names a sum.

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/term/term.h"
#include "heddle/core/inline_vector.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/simplify.h"

namespace heddle::expr {

using SymbolId = std::int32_t;
using SumId = std::int32_t;

/// The factors in order, each repeated as often as it occurs.
using Factors = InlineVector<SymbolId, 4>;

/// coefficient * factors
struct Summand {
  std::int64_t coefficient = 0;
  Factors factors;

  friend bool operator==(const Summand&, const Summand&) = default;
};

/// Summands in the order of their factors, no product twice; empty for 0.
using Sum = InlineVector<Summand, 3>;

/// Gathers like summands. nullopt if a coefficient exceeds 64 bits.
[[nodiscard]] std::optional<Sum> gather(Sum sum);
/// nullopt also if either sum is.
[[nodiscard]] std::optional<Sum> plus(std::optional<Sum> a, const std::optional<Sum>& b);
[[nodiscard]] std::optional<Sum> times(const std::optional<Sum>& a, const std::optional<Sum>& b);
[[nodiscard]] std::optional<std::int64_t> constant_in(const Sum& sum);

/// A symbol is a variable, an operation on sums, or (kDefinition) the one sum that is its operand.
struct Symbol {
  CodeOperation operation = CodeOperation::kVariable;
  InlineVector<SumId, 3> operands;
  std::string name;
  /// The number that it denotes; undefined for truth values and for parts of sums.
  Int value = Int::undefined();

  /// Compares the operation and the operands.
  friend bool operator==(const Symbol& a, const Symbol& b) {
    return a.operation == b.operation && a.operands == b.operands && a.name == b.name;
  }
};

class System {
 public:
  [[nodiscard]] SumId sum_id(Sum sum);
  [[nodiscard]] SymbolId symbol_id(Symbol symbol);

  [[nodiscard]] const Sum& sum(SumId id) const { return sums_[static_cast<std::size_t>(id)]; }
  void replace(SumId id, Sum sum) { sums_[static_cast<std::size_t>(id)] = std::move(sum); }
  [[nodiscard]] std::size_t sum_count() const { return sums_.size(); }
  [[nodiscard]] const Symbol& symbol(SymbolId id) const {
    return symbols_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t symbol_count() const { return symbols_.size(); }
  /// The sum of a part that was taken out; not looked up again.
  [[nodiscard]] SymbolId add_part(Sum sum);

  /// Sums to compute.
  std::vector<SumId> results;
  /// Truth values to compute: a symbol, or 1 or 0 if that is known.
  std::vector<SumId> guards;

 private:
  std::vector<Sum> sums_;
  std::vector<Symbol> symbols_;
  std::unordered_multimap<std::size_t, SumId> sum_index_;
  std::unordered_multimap<std::size_t, SymbolId> symbol_index_;
};

/// The cost of an operation; `by_constant`: a quotient or remainder has a constant divisor.
[[nodiscard]] std::int64_t cost_of(CodeOperation operation, const Target& target, bool by_constant);

/// Costs on a target.
class Costs {
 public:
  explicit Costs(const Target& target) : target_(target) {}

  /// The multiplications of a coefficient and so many factors.
  [[nodiscard]] std::int64_t of_product(std::int64_t coefficient, std::size_t factors) const;
  [[nodiscard]] std::int64_t of(const Summand& summand) const {
    return of_product(summand.coefficient, summand.factors.size());
  }
  /// The cost within a sum, without that of its symbols.
  [[nodiscard]] std::int64_t of(const Sum& sum) const;
  /// The cost of a symbol's operation, without that of its operands.
  [[nodiscard]] std::int64_t of(const Symbol& symbol, const System& system) const;
  /// The cost of all that the results and guards need, each sum and symbol once.
  [[nodiscard]] std::int64_t of(const System& system) const;
  [[nodiscard]] const Target& target() const { return target_; }

 private:
  Target target_;
};

/// Takes factors and common parts out of all sums, the most saving first. Stops when the budget is
/// spent, and deducts the work from it.
void factor(System& system, const Costs& costs, std::int64_t& budget);

/// The system as expressions; parts that are used twice are shared.
[[nodiscard]] Kernel plain_kernel_of(const System& system, const Target& target);
/// The system as expressions, with names for parts that are used twice.
[[nodiscard]] Kernel kernel_of(const System& system, const Target& target, std::string_view prefix);

}  // namespace heddle::expr
