#include "heddle/cute/permutation.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "cute/build.h"
#include "cute/format.h"
#include "cute/primes.h"
#include "heddle/cute/manipulation.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

// Permutations.

constexpr const char* kUnknownNumbers = "not all its extents and strides are known numbers";

/// A mode together with the flat coordinate of one step along it.
struct Step {
  std::int64_t extent;
  std::int64_t stride;
  std::int64_t coordinate;
};

/// The modes by ascending stride; nothing where they are not known numbers.
std::optional<std::vector<Step>> steps_by_stride(const Modes& modes) {
  std::vector<Step> steps;
  std::int64_t coordinate = 1;
  for (const Mode& mode : modes) {
    if (!mode.extent.is_constant() || !mode.stride.scale().is_constant()) return std::nullopt;
    steps.push_back({mode.extent.value(), mode.stride.scale().value(), coordinate});
    coordinate *= mode.extent.value();
  }
  std::ranges::stable_sort(steps, {}, &Step::stride);
  return steps;
}

/// The flat coordinate that leads to `index` by steps that stack up to it.
std::int64_t coordinate_of(std::span<const Step> steps, std::int64_t index) {
  std::int64_t coordinate = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    coordinate += index / step->stride * step->coordinate;
    index %= step->stride;
  }
  return coordinate;
}

std::int64_t size_of(std::span<const Step> steps) {
  std::int64_t size = 1;
  for (const Step& step : steps) size *= step.extent;
  return size;
}

Verdict meet(std::int64_t a, std::int64_t b, std::int64_t index) {
  return Verdict::no(
      fmt::format("coordinates {} and {} both map to {}", std::min(a, b), std::max(a, b), index));
}

Verdict missed(std::int64_t index) {
  return Verdict::no(fmt::format("no coordinate maps to {}", index));
}

Verdict outside(std::int64_t coordinate, std::int64_t index, std::int64_t size) {
  return Verdict::no(
      fmt::format("coordinate {} maps to {}, which is not in [0,{})", coordinate, index, size));
}

// Counting.

using Big = boost::multiprecision::cpp_int;

Big binomial(int n, int k) {
  Big result = 1;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

/// In how many ways a number of these primes is an ordered product of `factors` numbers, 1 among
/// them.
Big ordered_products(std::span<const PrimePower> powers, int factors) {
  Big ways = 1;
  for (const PrimePower& power : powers) {
    ways *= binomial(power.exponent + factors - 1, power.exponent);
  }
  return ways;
}

/// The same without factors of 1, by inclusion and exclusion.
Big ordered_factorization_count(std::span<const PrimePower> powers, int factors) {
  Big ways = 0;
  for (int j = 1; j <= factors; ++j) {
    const Big term = binomial(factors, j) * ordered_products(powers, j);
    if ((factors - j) % 2 == 0) {
      ways += term;
    } else {
      ways -= term;
    }
  }
  return ways;
}

/// The permutations of 1…k in which no i + 1 comes right after i, for k = 0…most.
std::vector<Big> orders_without_succession(int most) {
  std::vector<Big> orders = {1, 1};
  for (int k = 2; k <= most; ++k) {
    const auto i = static_cast<std::size_t>(k);
    orders.push_back((k - 1) * orders[i - 1] + (k - 2) * orders[i - 2]);
  }
  return orders;
}

int prime_count(std::span<const PrimePower> powers) {
  int count = 0;
  for (const PrimePower& power : powers) count += power.exponent;
  return count;
}

Big count_permutations(std::span<const PrimePower> powers) {
  if (powers.empty()) return 1;
  const int most = prime_count(powers);
  const std::vector<Big> orders = orders_without_succession(most);
  Big count = 0;
  for (int k = 1; k <= most; ++k) {
    count += ordered_factorization_count(powers, k) * orders[static_cast<std::size_t>(k)];
  }
  return count;
}

// Enumeration.

/// Visits the layouts of k modes: the extents in the order of their strides, then the orders in
/// which the modes run.
class Enumeration {
 public:
  Enumeration(std::span<const PrimePower> powers, std::int64_t n,
              const std::function<bool(const Layout&)>& visit)
      : powers_(powers.begin(), powers.end()), n_(n), visit_(visit) {
    list_divisors();
  }

  Result<void> run() {
    for (int modes = n_ == 1 ? 0 : 1; modes <= prime_count(powers_) && !stopped_; ++modes) {
      modes_ = static_cast<std::size_t>(modes);
      HEDDLE_CHECK(choose_extents(n_));
    }
    return {};
  }

 private:
  void list_divisors() {
    divisors_ = {1};
    for (const PrimePower& power : powers_) {
      const std::size_t known = divisors_.size();
      std::int64_t factor = 1;
      for (int e = 1; e <= power.exponent; ++e) {
        factor *= power.prime;
        for (std::size_t i = 0; i < known; ++i) divisors_.push_back(divisors_[i] * factor);
      }
    }
    std::ranges::sort(divisors_);
  }

  /// How many primes `divisor` of n has.
  int primes_in(std::int64_t divisor) const {
    int count = 0;
    for (const PrimePower& power : powers_) {
      for (; divisor % power.prime == 0; divisor /= power.prime) ++count;
    }
    return count;
  }

  /// May `extent` be the next of `left` extents of product `rest`? The last one takes all that is
  /// left; before it, each later one needs a prime of its own.
  bool can_be_next(std::int64_t extent, std::int64_t rest, std::size_t left) const {
    if (left == 1) return extent == rest;
    return extent > 1 && rest % extent == 0 &&
           primes_in(rest / extent) >= static_cast<int>(left) - 1;
  }

  Result<void> choose_extents(std::int64_t rest) {
    const std::size_t left = modes_ - extents_.size();
    if (left == 0) return choose_order();
    for (const std::int64_t extent : divisors_) {
      if (stopped_ || extent > rest) break;
      if (!can_be_next(extent, rest, left)) continue;
      extents_.push_back(extent);
      HEDDLE_CHECK(choose_extents(rest / extent));
      extents_.pop_back();
    }
    return {};
  }

  /// Takes the modes in every order in which none runs right after the one below it.
  Result<void> choose_order() {
    if (order_.size() == modes_) return emit();
    for (std::size_t mode = 0; mode < modes_ && !stopped_; ++mode) {
      const bool joins = !order_.empty() && mode == order_.back() + 1;
      if (joins || std::ranges::find(order_, mode) != order_.end()) continue;
      order_.push_back(mode);
      HEDDLE_CHECK(choose_order());
      order_.pop_back();
    }
    return {};
  }

  Result<void> emit() {
    Modes modes;
    for (const std::size_t mode : order_) {
      const auto end = extents_.begin() + static_cast<std::ptrdiff_t>(mode);
      const std::int64_t stride =
          std::accumulate(extents_.begin(), end, std::int64_t{1}, std::multiplies<>());
      modes.push_back({extents_[mode], Int(stride)});
    }
    HEDDLE_TRY(const Layout layout, from_modes({modes.data(), modes.size()}));
    stopped_ = !visit_(layout);
    return {};
  }

  std::vector<PrimePower> powers_;
  std::int64_t n_;
  const std::function<bool(const Layout&)>& visit_;
  std::vector<std::int64_t> divisors_;
  std::size_t modes_ = 0;
  std::vector<std::int64_t> extents_;
  std::vector<std::size_t> order_;
  bool stopped_ = false;
};

}  // namespace

Verdict is_permutation(const Layout& layout) {
  if (!layout.is_integral()) return Verdict::no("its strides lie on several axes");
  const auto steps = steps_by_stride(join_neighbours(leaves(layout)));
  if (!steps) return Verdict::unknown(kUnknownNumbers);
  std::int64_t covered = 1;
  for (auto step = steps->begin(); step != steps->end(); ++step) {
    if (step->stride < 0) return outside(step->coordinate, step->stride, size_of(*steps));
    if (step->stride > covered) return missed(covered);
    if (step->stride < covered) {
      const std::int64_t other = coordinate_of({steps->begin(), step}, step->stride);
      return meet(other, step->coordinate, step->stride);
    }
    covered *= step->extent;
  }
  return Verdict::yes("sorted by stride, each mode begins where the one before ends");
}

Verdict is_permutation(const ComposedLayout& layout) {
  const Int size = layout.size();
  if (!known_at_most(size, form::kMaxVerified)) {
    return Verdict::unknown(fmt::format("{} coordinates are too many to try each", size));
  }
  std::vector<std::int64_t> table;
  for (std::int64_t c = 0; c < size.value(); ++c) {
    const Int index = layout(c);
    if (!index.is_constant()) return Verdict::unknown(kUnknownNumbers);
    table.push_back(index.value());
  }
  return is_permutation(table);
}

Verdict is_permutation(std::span<const std::int64_t> table) {
  constexpr std::int64_t kNone = -1;
  const auto size = static_cast<std::int64_t>(table.size());
  std::vector<std::int64_t> met_at(table.size(), kNone);
  for (std::int64_t c = 0; c < size; ++c) {
    const std::int64_t index = table[static_cast<std::size_t>(c)];
    if (index < 0 || index >= size) return outside(c, index, size);
    std::int64_t& first = met_at[static_cast<std::size_t>(index)];
    if (first != kNone) return meet(first, c, index);
    first = c;
  }
  return Verdict::yes(fmt::format("each index of [0,{}) is met once", size));
}

Result<Layout> layout_of_table(std::span<const std::int64_t> table) {
  if (table.empty()) return refuse("tuple.empty", "a table without entries is no layout");
  if (table.front() != 0) {
    return refuse(Diagnostic("recover.no_layout", "no layout has this table: layouts begin at 0")
                      .with_witness({"0", std::to_string(table.front()), "0"})
                      .with_hint(fmt::format("a layout may have the table less {}, its first entry",
                                             table.front())));
  }
  const auto sample = [&](std::int64_t c) {
    return std::vector<std::int64_t>{table[static_cast<std::size_t>(c)]};
  };
  HEDDLE_TRY(const auto digits, form::recover(static_cast<std::int64_t>(table.size()), 1, sample));
  Modes modes;
  for (const form::Digit& digit : digits) modes.push_back({digit.extent, digit.stride.front()});
  return from_modes({modes.data(), modes.size()});
}

Result<Int> permutation_layout_count(const Int& n) {
  HEDDLE_TRY(const std::vector<PrimePower> powers, prime_powers(n));
  const Big count = count_permutations(powers);
  if (count <= std::numeric_limits<std::int64_t>::max())
    return Int(count.convert_to<std::int64_t>());
  return refuse("overflow", fmt::format("{} permutations of [0,{}) are layouts, a number that does "
                                        "not fit into 64 bits",
                                        count.str(), n));
}

Result<void> for_each_permutation_layout(const Int& n,
                                         const std::function<bool(const Layout&)>& visit) {
  HEDDLE_TRY(const std::vector<PrimePower> powers, prime_powers(n));
  return Enumeration(powers, n.value(), visit).run();
}

Result<std::vector<Layout>> permutation_layouts(const Int& n, std::size_t limit) {
  std::vector<Layout> layouts;
  HEDDLE_CHECK(for_each_permutation_layout(n, [&](const Layout& layout) {
    if (layouts.size() < limit) layouts.push_back(layout);
    return layouts.size() < limit;
  }));
  return layouts;
}

}  // namespace heddle::cute
