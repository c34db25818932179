#include "expr/simplify/sum_system.h"

#include <algorithm>

#include "core/bits.h"
#include "expr/term/operation.h"
#include "heddle/core/tuple.h"

namespace heddle::expr {
namespace {

std::size_t hash_of(const Sum& sum) {
  std::size_t hash = sum.size();
  for (const Summand& summand : sum) {
    std::size_t of_summand = std::hash<std::int64_t>()(summand.coefficient);
    for (const SymbolId factor : summand.factors) {
      of_summand = combine_hashes(of_summand, static_cast<std::size_t>(factor) + 1);
    }
    hash = combine_hashes(hash, of_summand);
  }
  return hash;
}

std::size_t hash_of(const Symbol& symbol) {
  std::size_t hash = static_cast<std::size_t>(symbol.operation);
  for (const SumId operand : symbol.operands) {
    hash = combine_hashes(hash, static_cast<std::size_t>(operand));
  }
  return combine_hashes(hash, std::hash<std::string>()(symbol.name));
}

/// The index of the thing; it is added unless it is there. A thing that was replaced is still found
/// under its old hash, though it is another thing now.
template <class Thing>
std::int32_t id_of(Thing thing, std::vector<Thing>& all,
                   std::unordered_multimap<std::size_t, std::int32_t>& index) {
  const std::size_t hash = hash_of(thing);
  for (auto [found, end] = index.equal_range(hash); found != end; ++found) {
    if (all[static_cast<std::size_t>(found->second)] == thing) return found->second;
  }
  const auto id = static_cast<std::int32_t>(all.size());
  all.push_back(std::move(thing));
  index.emplace(hash, id);
  return id;
}

/// The things that a system needs, each once.
class Reached {
 public:
  Reached(const System& system, const Costs& costs)
      : system_(system),
        costs_(costs),
        sums_(system.sum_count(), false),
        symbols_(system.symbol_count(), false) {}

  void visit_sum(SumId id) {
    if (sums_[static_cast<std::size_t>(id)]) return;
    sums_[static_cast<std::size_t>(id)] = true;
    const Sum& sum = system_.sum(id);
    total_ += costs_.of(sum);
    for (const Summand& summand : sum) {
      for (const SymbolId factor : summand.factors) visit_symbol(factor);
    }
  }
  void visit_symbol(SymbolId id) {
    if (symbols_[static_cast<std::size_t>(id)]) return;
    symbols_[static_cast<std::size_t>(id)] = true;
    const Symbol& symbol = system_.symbol(id);
    total_ += costs_.of(symbol, system_);
    for (const SumId operand : symbol.operands) visit_sum(operand);
  }
  [[nodiscard]] std::int64_t total() const { return total_; }

 private:
  const System& system_;
  const Costs& costs_;
  std::vector<bool> sums_;
  std::vector<bool> symbols_;
  std::int64_t total_ = 0;
};

}  // namespace

std::optional<Sum> gather(Sum sum) {
  return gathered_by(std::move(sum),
                     [](const Summand& a, const Summand& b) { return a.factors <=> b.factors; });
}

std::optional<Sum> plus(std::optional<Sum> a, const std::optional<Sum>& b) {
  if (!a || !b) return std::nullopt;
  a->append(b->begin(), b->end());
  return gather(*std::move(a));
}

std::optional<Sum> times(const std::optional<Sum>& a, const std::optional<Sum>& b) {
  if (!a || !b) return std::nullopt;
  Sum product;
  product.reserve(a->size() * b->size());
  for (const Summand& x : *a) {
    for (const Summand& y : *b) {
      const exact::Value coefficient = exact::multiply(x.coefficient, y.coefficient);
      if (!coefficient) return std::nullopt;
      Factors factors;
      factors.reserve(x.factors.size() + y.factors.size());
      std::ranges::merge(x.factors, y.factors, std::back_inserter(factors));
      product.push_back({*coefficient, std::move(factors)});
    }
  }
  return gather(std::move(product));
}

std::optional<std::int64_t> constant_in(const Sum& sum) {
  if (sum.empty()) return 0;
  if (sum.size() > 1 || !sum.front().factors.empty()) return std::nullopt;
  return sum.front().coefficient;
}

SumId System::sum_id(Sum sum) { return id_of(std::move(sum), sums_, sum_index_); }

SymbolId System::symbol_id(Symbol symbol) {
  return id_of(std::move(symbol), symbols_, symbol_index_);
}

SymbolId System::add_part(Sum sum) {
  const auto part = static_cast<SumId>(sums_.size());
  sums_.push_back(std::move(sum));
  const auto id = static_cast<SymbolId>(symbols_.size());
  symbols_.push_back({CodeOperation::kDefinition, {part}, {}});
  return id;
}

std::int64_t cost_of(CodeOperation operation, const Target& target, bool by_constant) {
  switch (kind_of(operation)) {
    case OperationKind::kLeaf:
      return 0;
    case OperationKind::kSum:
      return target.add;
    case OperationKind::kProduct:
      return target.multiply;
    case OperationKind::kDivision:
      return by_constant ? target.divide_by_constant : target.divide;
    case OperationKind::kMinMax:
      return target.min_max;
    case OperationKind::kRare:
      return target.other;
    case OperationKind::kBits:
      return target.bits;
    case OperationKind::kCondition:
      return target.compare;
    case OperationKind::kSelect:
      break;
  }
  return target.select;
}

std::int64_t Costs::of_product(std::int64_t coefficient, std::size_t factors) const {
  if (factors == 0) return 0;
  const std::int64_t products = (static_cast<std::int64_t>(factors) - 1) * target_.multiply;
  if (coefficient == 1 || coefficient == -1) return products;
  const bool shifts =
      target_.has_bits && coefficient != Range::kNoLow && is_power_of_two(std::abs(coefficient));
  return products + (shifts ? std::min(target_.bits, target_.multiply) : target_.multiply);
}

std::int64_t Costs::of(const Sum& sum) const {
  if (sum.empty()) return 0;
  std::int64_t cost = target_.add * (static_cast<std::int64_t>(sum.size()) - 1);
  // If all summands are subtracted, one carries the sign: in its coefficient, if that multiplies.
  std::int64_t sign = target_.add;
  for (const Summand& summand : sum) {
    const std::int64_t product = of(summand);
    cost += product;
    if (summand.coefficient > 0 || summand.factors.empty()) sign = 0;
    if (summand.coefficient == -1) continue;
    const auto others = static_cast<std::int64_t>(summand.factors.size()) - 1;
    sign = std::min(sign, (others + 1) * target_.multiply - product);
  }
  return cost + sign;
}

std::int64_t Costs::of(const Symbol& symbol, const System& system) const {
  std::optional<std::int64_t> by;
  if (kind_of(symbol.operation) == OperationKind::kDivision) {
    by = constant_in(system.sum(symbol.operands[1]));
    if (by && target_.has_bits && is_power_of_two(*by)) return target_.bits;
  }
  return cost_of(symbol.operation, target_, by.has_value());
}

std::int64_t Costs::of(const System& system) const {
  Reached reached(system, *this);
  for (const SumId result : system.results) reached.visit_sum(result);
  for (const SumId guard : system.guards) reached.visit_sum(guard);
  return reached.total();
}

}  // namespace heddle::expr
