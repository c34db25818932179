// Common factors and common parts of sums, taken out greedily: of all pairs of summands (by what
// they have in common, K*BM*p + K*r is K*(BM*p + r)) and all pairs of factors the one that saves
// most, again and again. This is the fast extraction of Rajski and Vasudevamurthy (IEEE
// Transactions on CAD 11, 1992) with integer coefficients.

#include <algorithm>
#include <numeric>

#include "expr/system.h"
#include "heddle/core/tuple.h"

namespace heddle::expr {
namespace {

/// Longer sums are looked at in part only.
constexpr std::size_t kMaxPaired = 48;

/// unit * factors is what two summands have in common.
struct Common {
  std::int64_t unit = 1;
  Factors factors;
};

/// A part that could be taken out at a place: two summands of a sum, or two factors of a summand
/// (then `second` is the summand itself).
struct Place {
  std::size_t hash = 0;
  std::int64_t saves = 0;
  SumId sum = 0;
  std::int32_t first = 0;
  std::int32_t second = 0;
  /// For two factors: their places, where the coefficient is at -1.
  std::int32_t left = 0;
  std::int32_t right = 0;

  [[nodiscard]] bool is_product() const { return first == second; }
};

std::int64_t magnitude_of(std::int64_t value) { return value < 0 ? -value : value; }

Factors without(const Factors& all, const Factors& part) {
  Factors rest;
  std::ranges::set_difference(all, part, std::back_inserter(rest));
  return rest;
}

Common common_of(const Summand& a, const Summand& b) {
  Common common;
  common.unit = std::gcd(a.coefficient, b.coefficient);
  std::ranges::set_intersection(a.factors, b.factors, std::back_inserter(common.factors));
  return common;
}

/// Two summands by what they have in common, the first one positive; `sign` makes up for that.
struct Part {
  Sum sum;
  std::int64_t sign = 1;
};

Part part_of(const Summand& a, const Summand& b, const Common& common) {
  Part part;
  part.sum.push_back({a.coefficient / common.unit, without(a.factors, common.factors)});
  part.sum.push_back({b.coefficient / common.unit, without(b.factors, common.factors)});
  if (part.sum[1].factors < part.sum[0].factors) std::swap(part.sum[0], part.sum[1]);
  if (part.sum[0].coefficient > 0) return part;
  part.sign = -1;
  for (Summand& summand : part.sum) summand.coefficient = -summand.coefficient;
  return part;
}

std::size_t hash_of(const Sum& sum) {
  std::size_t hash = sum.size();
  for (const Summand& summand : sum) {
    hash = combine_hashes(hash, static_cast<std::size_t>(summand.coefficient));
    for (const SymbolId factor : summand.factors) {
      hash = combine_hashes(hash, static_cast<std::size_t>(factor));
    }
    hash = combine_hashes(hash, summand.factors.size());
  }
  return hash;
}

class Factoring {
 public:
  Factoring(System& system, const Costs& costs, std::int64_t& budget)
      : system_(system), costs_(costs), budget_(budget) {}

  void run() {
    for (SumId id = 0; id < static_cast<SumId>(system_.sum_count()); ++id) look_at(id);
    while (budget_ > 0) {
      const std::vector<Place> best = most_saving();
      if (best.empty()) return;
      take_out(best);
    }
  }

 private:
  // What could be taken out.

  /// Notes all places of a sum anew.
  void look_at(SumId id) {
    const auto index = static_cast<std::size_t>(id);
    if (places_.size() <= index) places_.resize(index + 1);
    std::vector<Place>& places = places_[index];
    places.clear();
    const Sum& sum = system_.sum(id);
    const auto count = static_cast<std::int32_t>(std::min(sum.size(), kMaxPaired));
    for (std::int32_t i = 0; i < count; ++i) {
      look_at_products(id, i);
      for (std::int32_t j = i + 1; j < count; ++j) look_at_pair(id, i, j);
    }
    budget_ -= static_cast<std::int64_t>(places.size());
  }

  void look_at_pair(SumId id, std::int32_t i, std::int32_t j) {
    const Summand& a = summand(id, i);
    const Summand& b = summand(id, j);
    if (!has_magnitude(a) || !has_magnitude(b)) return;
    const Common common = common_of(a, b);
    const Sum part = part_of(a, b, common).sum;
    const std::int64_t before = costs_.of(a) + costs_.of(b) + costs_.target().add;
    note({hash_of(part), before - cost_of_rest(common), id, i, j});
  }

  void look_at_products(SumId id, std::int32_t i) {
    const Summand& summand = this->summand(id, i);
    if (!has_magnitude(summand)) return;
    const auto factors = static_cast<std::int32_t>(summand.factors.size());
    const bool has_coefficient = magnitude_of(summand.coefficient) != 1;
    for (std::int32_t left = has_coefficient ? -1 : 0; left < factors; ++left) {
      for (std::int32_t right = left + 1; right < factors; ++right) {
        const Sum part = product_of(summand, left, right);
        note({hash_of(part), costs_.of(part), id, i, i, left, right});
      }
    }
  }

  static bool has_magnitude(const Summand& summand) { return summand.coefficient != Range::kNoLow; }
  void note(const Place& place) { places_[static_cast<std::size_t>(place.sum)].push_back(place); }

  [[nodiscard]] const Summand& summand(SumId id, std::int32_t index) const {
    return system_.sum(id)[static_cast<std::size_t>(index)];
  }

  static Sum product_of(const Summand& summand, std::int32_t left, std::int32_t right) {
    Summand product{1, {}};
    if (left < 0) product.coefficient = magnitude_of(summand.coefficient);
    if (left >= 0) product.factors.push_back(summand.factors[static_cast<std::size_t>(left)]);
    product.factors.push_back(summand.factors[static_cast<std::size_t>(right)]);
    return Sum(1, product);
  }

  /// Of the summand unit * factors * part that two summands become.
  [[nodiscard]] std::int64_t cost_of_rest(const Common& common) const {
    Summand rest{common.unit, common.factors};
    rest.factors.push_back(0);
    return costs_.of(rest);
  }

  [[nodiscard]] Sum part_at(const Place& place) const {
    const Summand& a = summand(place.sum, place.first);
    if (place.is_product()) return product_of(a, place.left, place.right);
    const Summand& b = summand(place.sum, place.second);
    return part_of(a, b, common_of(a, b)).sum;
  }

  // Which of them saves most.

  /// The places of the best part that do not overlap; none where nothing is saved.
  [[nodiscard]] std::vector<Place> most_saving() {
    std::vector<Place> all;
    for (const std::vector<Place>& places : places_) {
      all.insert(all.end(), places.begin(), places.end());
    }
    budget_ -= static_cast<std::int64_t>(all.size());
    std::ranges::stable_sort(all, {}, [](const Place& place) { return place.hash; });
    std::vector<Place> best;
    std::int64_t most = 0;
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::find_if(first, all.end(),
                                     [&](const Place& place) { return place.hash != first->hash; });
      std::int64_t hoped = 0;
      for (auto place = first; place != last; ++place) hoped += place->saves;
      if (hoped > 0 && hoped >= most) consider({first, last}, most, best);
      first = last;
    }
    return best;
  }

  void consider(std::span<const Place> group, std::int64_t& most, std::vector<Place>& best) const {
    const Sum part = part_at(group.front());
    std::vector<Place> places;
    std::int64_t saved = -costs_.of(part);
    for (const Place& place : group) {
      const bool is_free =
          std::ranges::none_of(places, [&](const Place& other) { return overlap(place, other); });
      if (!is_free || part_at(place) != part) continue;
      places.push_back(place);
      saved += place.saves;
    }
    const bool is_better =
        saved > most || (saved == most && saved > 0 && comes_first(places, best));
    if (!is_better) return;
    most = saved;
    best = std::move(places);
  }

  /// Among equals the part that comes first: hashes say nothing of order.
  static bool comes_first(const std::vector<Place>& a, const std::vector<Place>& b) {
    const auto key = [](const Place& place) {
      return std::tuple(place.is_product(), place.sum, place.first, place.second, place.left,
                        place.right);
    };
    return b.empty() || key(a.front()) < key(b.front());
  }

  static bool overlap(const Place& a, const Place& b) {
    return a.sum == b.sum && (a.first == b.first || a.first == b.second || a.second == b.first ||
                              a.second == b.second);
  }

  // Taking it out.

  void take_out(const std::vector<Place>& places) {
    const SymbolId symbol = system_.add_part(part_at(places.front()));
    std::vector<Place> ordered = places;
    // From the back, so that the places before stay where they are.
    std::ranges::sort(ordered, [](const Place& a, const Place& b) {
      return std::pair(a.sum, a.second) > std::pair(b.sum, b.second);
    });
    for (std::size_t i = 0; i < ordered.size();) {
      const SumId id = ordered[i].sum;
      Sum rest = system_.sum(id);
      std::vector<bool> is_gone(rest.size(), false);
      Sum made;
      for (; i < ordered.size() && ordered[i].sum == id; ++i) {
        made.push_back(replacement(ordered[i], symbol));
        is_gone[static_cast<std::size_t>(ordered[i].first)] = true;
        is_gone[static_cast<std::size_t>(ordered[i].second)] = true;
      }
      for (std::size_t k = 0; k < rest.size(); ++k) {
        if (!is_gone[k]) made.push_back(rest[k]);
      }
      // The sum of two coefficients past 64 bits is left as it was.
      std::optional<Sum> sum = gathered(std::move(made));
      if (!sum) continue;
      system_.replace(id, *std::move(sum));
      look_at(id);
    }
    look_at(system_.symbol(symbol).operands[0]);
  }

  [[nodiscard]] Summand replacement(const Place& place, SymbolId symbol) const {
    const Summand& a = summand(place.sum, place.first);
    if (place.is_product()) return product_replaced(a, place, symbol);
    const Summand& b = summand(place.sum, place.second);
    const Common common = common_of(a, b);
    Summand made{common.unit * part_of(a, b, common).sign, common.factors};
    insert(made.factors, symbol);
    return made;
  }

  static Summand product_replaced(const Summand& summand, const Place& place, SymbolId symbol) {
    Summand made{summand.coefficient, {}};
    if (place.left < 0) made.coefficient = summand.coefficient < 0 ? -1 : 1;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(summand.factors.size()); ++i) {
      if (i == place.left || i == place.right) continue;
      made.factors.push_back(summand.factors[static_cast<std::size_t>(i)]);
    }
    insert(made.factors, symbol);
    return made;
  }

  static void insert(Factors& factors, SymbolId symbol) {
    factors.push_back(symbol);
    std::ranges::sort(factors);
  }

  System& system_;
  const Costs& costs_;
  std::int64_t& budget_;
  std::vector<std::vector<Place>> places_;
};

}  // namespace

void factor(System& system, const Costs& costs, std::int64_t& budget) {
  Factoring(system, costs, budget).run();
}

}  // namespace heddle::expr
