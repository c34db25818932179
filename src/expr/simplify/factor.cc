// Takes common factors and common parts out of sums greedily: of all pairs of summands (by their
// common factors, K*BM*p + K*r is K*(BM*p + r)) and all pairs of factors, the pair that saves most,
// again and again. This is the fast extraction of Rajski and Vasudevamurthy (IEEE Transactions on
// CAD 11, 1992) with integer coefficients.

#include <algorithm>
#include <tuple>

#include "expr/simplify/sum_system.h"
#include "expr/term/bounds.h"

namespace heddle::expr {
namespace {

/// Longer sums are examined only in part.
constexpr std::size_t kMaxPaired = 48;

std::uint64_t mixed(std::uint64_t value) {
  value = (value + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 31U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 29U);
}

/// A hash to be added up over the factors, in any order.
std::uint64_t hash_of(SymbolId factor) { return mixed(static_cast<std::uint64_t>(factor) + 1); }

std::uint64_t hash_of(const Factors& factors) {
  std::uint64_t hash = 0;
  for (const SymbolId factor : factors) hash += hash_of(factor);
  return hash;
}

std::uint64_t hash_of(std::int64_t coefficient, std::uint64_t factors) {
  return mixed(factors + 3 * mixed(static_cast<std::uint64_t>(coefficient)));
}

std::int64_t magnitude_of(std::int64_t value) { return value < 0 ? -value : value; }

/// A part that could be taken out at a place: two summands of a sum, or two factors of one summand.
struct Place {
  std::int64_t saves = 0;
  SumId sum = 0;
  std::int32_t first = 0;
  std::int32_t second = 0;
  /// For a pair of factors, their indices; -1 is the coefficient.
  std::int32_t left = 0;
  std::int32_t right = 0;

  [[nodiscard]] bool is_product() const { return first == second; }
  friend auto operator<=>(const Place& a, const Place& b) {
    const auto key = [](const Place& place) {
      return std::tuple(place.is_product(), place.sum, place.first, place.second, place.left,
                        place.right);
    };
    return key(a) <=> key(b);
  }
};

bool overlap(const Place& a, const Place& b) {
  return a.sum == b.sum &&
         (a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second);
}

std::int64_t common_unit(std::int64_t a, std::int64_t b) {
  return a == 1 || b == 1 ? 1 : common_divisor(a, b);
}

/// Two summands of a sum side by side: unit * sign * common * (first + second), where the first one
/// is positive.
struct Pair {
  Pair(const Summand& a, const Summand& b)
      : unit(common_unit(a.coefficient, b.coefficient)),
        first(a.coefficient / unit),
        second(b.coefficient / unit),
        first_hash(hash_of(a.factors)),
        second_hash(hash_of(b.factors)) {
    std::ranges::set_intersection(a.factors, b.factors, std::back_inserter(common));
    const std::uint64_t shared = hash_of(common);
    first_hash -= shared;
    second_hash -= shared;
    is_swapped = second_hash < first_hash;
    if ((is_swapped ? second : first) > 0) return;
    sign = -1;
    first = -first;
    second = -second;
  }

  [[nodiscard]] std::uint64_t hash() const {
    return hash_of(first, first_hash) + hash_of(second, second_hash);
  }

  std::int64_t unit;
  std::int64_t first;
  std::int64_t second;
  std::uint64_t first_hash;
  std::uint64_t second_hash;
  bool is_swapped = false;
  std::int64_t sign = 1;
  Factors common;
};

Factors without(const Factors& all, const Factors& part) {
  Factors rest;
  std::ranges::set_difference(all, part, std::back_inserter(rest));
  return rest;
}

Sum part_of(const Summand& a, const Summand& b) {
  const Pair pair(a, b);
  Sum part;
  part.push_back({pair.first, without(a.factors, pair.common)});
  part.push_back({pair.second, without(b.factors, pair.common)});
  if (part[1].factors < part[0].factors) std::swap(part[0], part[1]);
  return part;
}

/// The part of a summand that two of its factors are.
Sum product_of(const Summand& summand, std::int32_t left, std::int32_t right) {
  Summand product{1, {}};
  if (left < 0) product.coefficient = magnitude_of(summand.coefficient);
  if (left >= 0) product.factors.push_back(summand.factors[static_cast<std::size_t>(left)]);
  product.factors.push_back(summand.factors[static_cast<std::size_t>(right)]);
  return Sum(1, product);
}

/// The places that may hold the same part.
struct Group {
  std::uint64_t hash = 0;
  /// The cost that is saved if all places hold the part of the first and none overlap.
  std::int64_t hoped = 0;
  InlineVector<Place, 2> places;
};

/// Groups by their hashes; open addressing.
class Groups {
 public:
  Groups() : slots_(64, kNone) {}

  /// The place of the group with this hash, a new one if there is none.
  std::uint32_t at(std::uint64_t hash, std::int64_t part_costs) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot] != kNone; slot = (slot + 1) & mask) {
      if (groups_[slots_[slot]].hash == hash) return slots_[slot];
    }
    const auto index = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({hash, -part_costs, {}});
    slots_[slot] = index;
    if (groups_.size() * 2 > slots_.size()) grow();
    return index;
  }
  [[nodiscard]] Group& operator[](std::uint32_t index) { return groups_[index]; }
  [[nodiscard]] auto begin() const { return groups_.begin(); }
  [[nodiscard]] auto end() const { return groups_.end(); }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void grow() {
    slots_.assign(slots_.size() * 2, kNone);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t index = 0; index < groups_.size(); ++index) {
      std::size_t slot = groups_[index].hash & mask;
      while (slots_[slot] != kNone) slot = (slot + 1) & mask;
      slots_[slot] = index;
    }
  }

  std::vector<Group> groups_;
  std::vector<std::uint32_t> slots_;
};

class Factoring {
 public:
  Factoring(System& system, const Costs& costs, std::int64_t& budget)
      : system_(system), costs_(costs), budget_(budget) {}

  void run() {
    for (SumId id = 0; id < static_cast<SumId>(system_.sum_count()); ++id) look_at(id);
    while (budget_ > 0) {
      const std::vector<Place> best = most_saving();
      if (best.empty()) break;
      take_out(best);
    }
    for (const SymbolId part : parts_) turn_if_cheaper(part);
  }

 private:
  // Finding parts that could be taken out.

  /// Notes all places of a sum anew.
  void look_at(SumId id) {
    forget(id);
    const Sum& sum = system_.sum(id);
    const auto count = static_cast<std::int32_t>(std::min(sum.size(), kMaxPaired));
    for (std::int32_t i = 0; i < count; ++i) {
      look_at_products(id, i);
      for (std::int32_t j = i + 1; j < count; ++j) look_at_pair(id, i, j);
    }
  }

  void look_at_pair(SumId id, std::int32_t i, std::int32_t j) {
    const Summand& a = summand(id, i);
    const Summand& b = summand(id, j);
    if (!has_magnitude(a) || !has_magnitude(b)) return;
    const Pair pair(a, b);
    const std::int64_t before = costs_.of(a) + costs_.of(b) + costs_.target().add;
    const std::int64_t part = cost_of(pair.first, a.factors.size() - pair.common.size()) +
                              cost_of(pair.second, b.factors.size() - pair.common.size()) +
                              costs_.target().add;
    const std::int64_t rest = cost_of(pair.unit, pair.common.size() + 1);
    note(pair.hash(), part, {before - rest, id, i, j});
  }

  void look_at_products(SumId id, std::int32_t i) {
    const Summand& summand = this->summand(id, i);
    if (!has_magnitude(summand)) return;
    const auto& factors = summand.factors;
    const std::int64_t magnitude = magnitude_of(summand.coefficient);
    const auto count = static_cast<std::int32_t>(factors.size());
    for (std::int32_t left = magnitude == 1 ? 0 : -1; left < count; ++left) {
      for (std::int32_t right = left + 1; right < count; ++right) {
        const std::uint64_t last = hash_of(factors[static_cast<std::size_t>(right)]);
        const std::uint64_t hash =
            left < 0 ? hash_of(magnitude, last)
                     : hash_of(1, last + hash_of(factors[static_cast<std::size_t>(left)]));
        const std::int64_t cost = left < 0 ? cost_of(magnitude, 1) : cost_of(1, 2);
        note(hash, cost, {cost, id, i, i, left, right});
      }
    }
  }

  [[nodiscard]] std::int64_t cost_of(std::int64_t coefficient, std::size_t factors) const {
    return costs_.of_product(coefficient, factors);
  }
  static bool has_magnitude(const Summand& summand) { return summand.coefficient != Range::kNoLow; }
  [[nodiscard]] const Summand& summand(SumId id, std::int32_t index) const {
    return system_.sum(id)[static_cast<std::size_t>(index)];
  }

  void note(std::uint64_t hash, std::int64_t part_costs, const Place& place) {
    const std::uint32_t index = groups_.at(hash, part_costs);
    Group& group = groups_[index];
    group.hoped += place.saves;
    group.places.push_back(place);
    noted_[static_cast<std::size_t>(place.sum)].push_back(index);
    --budget_;
  }

  void forget(SumId id) {
    const auto index = static_cast<std::size_t>(id);
    if (noted_.size() <= index) noted_.resize(index + 1);
    for (const std::uint32_t group_index : noted_[index]) {
      Group& group = groups_[group_index];
      for (const Place& place : group.places) {
        if (place.sum == id) group.hoped -= place.saves;
      }
      const auto gone = std::ranges::remove(group.places, id, &Place::sum);
      group.places.erase(gone.begin(), gone.end());
    }
    noted_[index].clear();
  }

  // Choosing the part that saves most.

  /// The places of the best part that do not overlap; empty if nothing is saved.
  [[nodiscard]] std::vector<Place> most_saving() {
    std::vector<Place> best;
    std::int64_t most = 0;
    for (const Group& group : groups_) {
      if (group.hoped > 0 && group.hoped >= most) consider(group, most, best);
    }
    budget_ -= static_cast<std::int64_t>(groups_.size() / 8);
    return best;
  }

  void consider(const Group& group, std::int64_t& most, std::vector<Place>& best) const {
    const Sum part = part_at(group.places.front());
    std::vector<Place> places;
    std::int64_t saved = -costs_.of(part);
    for (const Place& place : group.places) {
      const bool is_free =
          std::ranges::none_of(places, [&](const Place& other) { return overlap(place, other); });
      if (!is_free || part_at(place) != part) continue;
      places.push_back(place);
      saved += place.saves;
    }
    // Among equals the first one wins: hashes give no order.
    const bool is_better =
        saved > most || (saved == most && saved > 0 && places.front() < best.front());
    if (!is_better) return;
    most = saved;
    best = std::move(places);
  }

  [[nodiscard]] Sum part_at(const Place& place) const {
    const Summand& a = summand(place.sum, place.first);
    return place.is_product() ? product_of(a, place.left, place.right)
                              : part_of(a, summand(place.sum, place.second));
  }

  // Taking it out.

  void take_out(std::vector<Place> places) {
    const SymbolId symbol = system_.add_part(part_at(places.front()));
    parts_.push_back(symbol);
    std::ranges::stable_sort(places, {}, [](const Place& place) { return place.sum; });
    for (auto first = places.begin(); first != places.end();) {
      const auto last = std::find_if(first, places.end(),
                                     [&](const Place& place) { return place.sum != first->sum; });
      // A sum that does not fit into 64 bits is left as it was.
      if (std::optional<Sum> sum = replaced({first, last}, symbol)) {
        system_.replace(first->sum, *std::move(sum));
        look_at(first->sum);
      } else {
        forget(first->sum);
      }
      first = last;
    }
    look_at(system_.symbol(symbol).operands[0]);
  }

  /// The sum with the part at some places replaced by the symbol.
  [[nodiscard]] std::optional<Sum> replaced(std::span<const Place> places, SymbolId symbol) const {
    const Sum& sum = system_.sum(places.front().sum);
    Sum made;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(sum.size()); ++i) {
      const bool stays = std::ranges::none_of(
          places, [&](const Place& place) { return place.first == i || place.second == i; });
      if (stays) made.push_back(summand(places.front().sum, i));
    }
    for (const Place& place : places) made.push_back(replacement(place, symbol));
    return gather(std::move(made));
  }

  [[nodiscard]] Summand replacement(const Place& place, SymbolId symbol) const {
    const Summand& a = summand(place.sum, place.first);
    Summand made;
    if (place.is_product()) {
      made = without_product(a, place);
    } else {
      const Pair pair(a, summand(place.sum, place.second));
      made = {pair.unit * pair.sign, pair.common};
    }
    made.factors.push_back(symbol);
    std::ranges::sort(made.factors);
    return made;
  }

  static Summand without_product(const Summand& summand, const Place& place) {
    Summand made{summand.coefficient, {}};
    if (place.left < 0) made.coefficient = summand.coefficient < 0 ? -1 : 1;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(summand.factors.size()); ++i) {
      if (i == place.left || i == place.right) continue;
      made.factors.push_back(summand.factors[static_cast<std::size_t>(i)]);
    }
    return made;
  }

  // Signs.

  /// Negates a part in all its uses, where that saves negations.
  void turn_if_cheaper(SymbolId part) {
    std::int64_t saved = 0;
    std::vector<std::pair<SumId, Sum>> turned;
    for (SumId id = 0; id < static_cast<SumId>(system_.sum_count()); ++id) {
      Sum sum = system_.sum(id);
      const bool is_part = id == system_.symbol(part).operands[0];
      bool is_turned = false;
      for (Summand& summand : sum) {
        if (!is_part && std::ranges::count(summand.factors, part) % 2 == 0) continue;
        if (!has_magnitude(summand)) return;
        summand.coefficient = -summand.coefficient;
        is_turned = true;
      }
      if (!is_turned) continue;
      saved += costs_.of(system_.sum(id)) - costs_.of(sum);
      turned.emplace_back(id, std::move(sum));
    }
    if (saved <= 0) return;
    for (auto& [id, sum] : turned) system_.replace(id, std::move(sum));
  }

  System& system_;
  const Costs& costs_;
  std::int64_t& budget_;
  std::vector<SymbolId> parts_;
  Groups groups_;
  /// The groups with places in each sum.
  std::vector<std::vector<std::uint32_t>> noted_;
};

}  // namespace

void factor(System& system, const Costs& costs, std::int64_t& budget) {
  Factoring(system, costs, budget).run();
}

}  // namespace heddle::expr
