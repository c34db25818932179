#pragma once

// The expressions of a kernel while a cheap form is sought: sums of products of symbols.
//
//   results  sum 0: 6*s0 - 3*s2 + s1 + 6*s3
//   s0, s1   variables i0, i1
//   s2       remainder of sum 1 (s0) by sum 2 (3)
//   s3       quotient of sum 3 (s1) by sum 2 (3)
//
// Equal sums and equal operations are one: what is shared shows. Taking out a common part adds a
// symbol that is a name of a sum.

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

/// In order, repeated as often as they are multiplied.
using Factors = InlineVector<SymbolId, 4>;

/// coefficient * factors
struct Summand {
  std::int64_t coefficient = 0;
  Factors factors;

  friend bool operator==(const Summand&, const Summand&) = default;
};

/// In the order of their factors, none twice; no summand for 0.
using Sum = InlineVector<Summand, 3>;

/// Gathers like summands. Nothing where a coefficient goes past 64 bits.
[[nodiscard]] std::optional<Sum> gather(Sum sum);
/// Nothing also where one of the two is nothing.
[[nodiscard]] std::optional<Sum> plus(std::optional<Sum> a, const std::optional<Sum>& b);
[[nodiscard]] std::optional<Sum> times(const std::optional<Sum>& a, const std::optional<Sum>& b);
[[nodiscard]] std::optional<std::int64_t> constant_in(const Sum& sum);

/// What a symbol is: a variable, an operation on sums, or (kDefinition) the one sum that is
/// its operand.
struct Symbol {
  CodeOperation operation = CodeOperation::kVariable;
  InlineVector<SumId, 3> operands;
  std::string name;
  /// The number it is; undefined for truth values and for parts of sums.
  Int value = Int::undefined();

  /// The same operation on the same operands.
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
  /// Truth values to compute: a symbol, or 1 or 0 where that is known.
  std::vector<SumId> guards;

 private:
  std::vector<Sum> sums_;
  std::vector<Symbol> symbols_;
  std::unordered_multimap<std::size_t, SumId> sum_index_;
  std::unordered_multimap<std::size_t, SymbolId> symbol_index_;
};

/// What an operation costs; `by_constant`, for a quotient or a remainder: the divisor is one.
[[nodiscard]] std::int64_t cost_of(CodeOperation operation, const Target& target, bool by_constant);

/// What things cost on a target.
class Costs {
 public:
  explicit Costs(const Target& target) : target_(target) {}

  /// The multiplications of a coefficient and so many factors.
  [[nodiscard]] std::int64_t of_product(std::int64_t coefficient, std::size_t factors) const;
  [[nodiscard]] std::int64_t of(const Summand& summand) const {
    return of_product(summand.coefficient, summand.factors.size());
  }
  /// All within a sum, its symbols apart.
  [[nodiscard]] std::int64_t of(const Sum& sum) const;
  /// The operation of a symbol, its operands apart.
  [[nodiscard]] std::int64_t of(const Symbol& symbol, const System& system) const;
  /// All that the results and guards need, each sum and symbol once.
  [[nodiscard]] std::int64_t of(const System& system) const;
  [[nodiscard]] const Target& target() const { return target_; }

 private:
  Target target_;
};

/// Takes factors and common parts out of all sums, the most saving first, in at most this much
/// work; takes from the budget what it spends.
void factor(System& system, const Costs& costs, std::int64_t& budget);

/// The system as expressions, which share what is used twice.
[[nodiscard]] Kernel plain_kernel_of(const System& system, const Target& target);
/// The same with names for what is used twice.
[[nodiscard]] Kernel kernel_of(const System& system, const Target& target, std::string_view prefix);

}  // namespace heddle::expr
