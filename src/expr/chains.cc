#include "expr/chains.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "expr/substitute.h"

namespace heddle::expr {
namespace {

std::int64_t constant_of(const Int& value) {
  if (!value.is_symbolic()) return value.value();
  const Product& last = value.term().products().back();
  return last.degree() == 0 ? last.coefficient : 0;
}

bool is_over(const Int& value, const std::vector<AtomPointer>& atoms) {
  const auto is_there = [&](const AtomPointer& atom) {
    return std::ranges::any_of(atoms,
                               [&](const AtomPointer& other) { return same(*atom, *other); });
  };
  return std::ranges::all_of(Products(value), [&](const Product& product) {
    return std::ranges::all_of(product.atoms, is_there);
  });
}

/// The sum as a number of 64 bits.
std::optional<std::int64_t> narrowed(Wide sum) {
  if (sum <= Range::kNoLow || sum >= Range::kNoHigh) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

}  // namespace

Chains::Chains(const Int& value) {
  (void)node(0);
  for (const AtomPointer& atom : variable_atoms(value, true)) {
    const Variable& variable = atom->variable();
    const Int whole = whole_variable(atom);
    for (const Int& bound : variable.at_least) add(bound, whole);
    for (const Int& bound : variable.at_most) add(whole, bound);
    if (variable.range.low != Range::kNoLow) add(variable.range.low, whole);
    if (variable.range.high != Range::kNoHigh) add(whole, variable.range.high);
  }
}

void Chains::add(const Int& low, const Int& high) {
  if (!low.is_defined() || !high.is_defined()) return;
  const std::int64_t low_constant = constant_of(low);
  const std::int64_t high_constant = constant_of(high);
  const Int low_head = low - low_constant;
  const Int high_head = high - high_constant;
  if (!low_head.is_defined() || !high_head.is_defined()) return;
  const std::size_t from = node(low_head);
  const std::size_t to = node(high_head);
  const Wide plus = static_cast<Wide>(high_constant) - low_constant;
  above_[from].push_back({to, plus});
  below_[to].push_back({from, plus});
}

std::size_t Chains::node(const Int& head) {
  const auto [found, is_new] = nodes_.try_emplace(head, heads_.size());
  if (is_new) {
    heads_.push_back(head);
    above_.emplace_back();
    below_.emplace_back();
  }
  return found->second;
}

std::vector<Wide> Chains::ways_from(std::size_t start, const Arrows& arrows) {
  std::vector<Wide> ways(arrows.size(), kInfinity);
  std::vector<std::size_t> times(arrows.size(), 0);
  std::vector<bool> is_waiting(arrows.size(), false);
  std::deque<std::size_t> waiting{start};
  ways[start] = 0;
  while (!waiting.empty()) {
    const std::size_t here = waiting.front();
    waiting.pop_front();
    is_waiting[here] = false;
    // More often than there are nodes only where bounds contradict each other: then all is true.
    if (++times[here] > arrows.size()) break;
    for (const auto& [to, plus] : arrows[here]) {
      const Wide way = clamp(ways[here] + plus);
      if (way >= ways[to]) continue;
      ways[to] = way;
      if (!is_waiting[to]) waiting.push_back(to);
      is_waiting[to] = true;
    }
  }
  return ways;
}

std::vector<Int> Chains::bounds(const AtomPointer& atom, const std::vector<AtomPointer>& atoms,
                                bool is_above) const {
  const Int whole = whole_variable(atom);
  const std::int64_t offset = constant_of(whole);
  const auto start = nodes_.find(whole - offset);
  if (start == nodes_.end()) return {};
  const std::vector<Wide> ways = ways_from(start->second, is_above ? above_ : below_);
  std::vector<Int> found;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (i == start->second || ways[i] == kInfinity || !is_over(heads_[i], atoms)) continue;
    const std::optional<std::int64_t> sum =
        narrowed(is_above ? offset + ways[i] : offset - ways[i]);
    if (!sum) continue;
    if (Int bound = heads_[i] + *sum; bound.is_defined()) found.push_back(std::move(bound));
  }
  return found;
}

}  // namespace heddle::expr
