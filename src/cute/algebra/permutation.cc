#include "heddle/cute/permutation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cute/algebra/primes.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "cute/layout/steps.h"
#include "heddle/cute/manipulation.h"
#include "heddle/expr/proof.h"
#include "heddle/form/recover.h"

namespace heddle::cute {
namespace {

constexpr const char* kSymbolic = "its indices are symbolic";

// Evidence.

/// The flat coordinate with this index, for steps whose strides leave no gap below it.
Int coordinate_of(std::span<const ModeStep> steps, Int index) {
  Int coordinate = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    coordinate += floor_div(index, step->stride) * step->coordinate;
    index = mod(index, step->stride);
  }
  return coordinate;
}

Verdict meet(const Int& a, const Int& b, const Int& index) {
  const bool in_order = known_less(a, b);
  return Verdict::no(fmt::format("coordinates {} and {} both map to {}", in_order ? a : b,
                                 in_order ? b : a, index));
}

Verdict missed(const Int& index) {
  return Verdict::no(fmt::format("no coordinate maps to {}", index));
}

Verdict outside(const Int& coordinate, const Int& index, const Int& size) {
  return Verdict::no(
      fmt::format("coordinate {} maps to {}, which is not in [0,{})", coordinate, index, size));
}

// Counting.

/// n over k, for n up to 62: the binomial coefficients that 64 bits hold.
Int binomial(int n, int k) {
  std::vector<Int> row = {1};
  for (int i = 0; i < n; ++i) {
    row.emplace_back(1);
    for (std::size_t j = row.size() - 2; j > 0; --j) row[j] += row[j - 1];
  }
  return k <= n ? row[static_cast<std::size_t>(k)] : Int(0);
}

int prime_count(std::span<const form::PrimePower> powers) {
  int count = 0;
  for (const form::PrimePower& power : powers) count += power.exponent;
  return count;
}

/// H(n, k) for k = 0, 1, …: the number of ways to write n as an ordered product of k factors above
/// 1.
///
/// One more prime, to the power e, extends j factors to k: the j are any of the k, each of the
/// others gets the prime at least once and the j any number of times. As nothing is subtracted, an
/// intermediate result past 64 bits means a final one past 64 bits.
std::vector<Int> ordered_products(std::span<const form::PrimePower> powers) {
  std::vector<Int> ways = {1};
  for (const form::PrimePower& power : powers) {
    const int before = static_cast<int>(ways.size()) - 1;
    const int e = power.exponent;
    std::vector<Int> next(ways.size() + static_cast<std::size_t>(e), Int(0));
    for (int k = 1; k <= before + e; ++k) {
      for (int j = 0; j <= std::min(before, k); ++j) {
        next[static_cast<std::size_t>(k)] +=
            ways[static_cast<std::size_t>(j)] * binomial(k, j) * binomial(e + j - 1, k - 1);
      }
    }
    ways = std::move(next);
  }
  return ways;
}

// Enumeration.

/// Visits the layouts of k modes: the extents in the order of their strides, then the orders in
/// which the modes run.
class Enumeration {
 public:
  Enumeration(std::span<const form::PrimePower> powers, std::int64_t n,
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
    const form::Divisors divisors(n_);
    for (std::size_t i = 0; i < divisors.size(); ++i) divisors_.push_back(divisors[i]);
    std::ranges::sort(divisors_);
  }

  /// The number of primes that `divisor` of n has.
  int primes_in(std::int64_t divisor) const {
    int count = 0;
    for (const form::PrimePower& power : powers_) {
      for (; divisor % power.prime == 0; divisor /= power.prime) ++count;
    }
    return count;
  }

  /// May `extent` be the next of `left` extents of product `rest`? The last one takes the whole
  /// rest; before it, each later one needs a prime of its own.
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

  /// Takes the modes in every order in which none directly follows the one below it.
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
    HEDDLE_TRY(const Layout layout, from_modes(modes));
    stopped_ = !visit_(layout);
    return {};
  }

  std::vector<form::PrimePower> powers_;
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
  if (!layout.is_integral()) return Verdict::no("its strides are on several axes");
  const Result<Steps> steps = steps_by_stride("is_permutation", coalesce(layout));
  if (!steps) return Verdict::unknown(steps.error().message());
  Int covered = 1;
  for (auto step = steps->begin(); step != steps->end(); ++step) {
    const Condition continues{step->stride, Predicate::kEqual, covered};
    const bool moves = known_less(1, step->extent);
    if (known(continues)) {
      covered *= step->extent;
    } else if (moves && known_less(step->stride, 0)) {
      return outside(step->coordinate, step->stride, layout.size());
    } else if (moves && known_less(covered, step->stride)) {
      return missed(covered);
    } else if (moves && known_at_most(0, step->stride) && known_less(step->stride, covered)) {
      const Int other = coordinate_of({steps->begin(), step}, step->stride);
      return meet(other, step->coordinate, step->stride);
    } else {
      // If the stride certainly differs, a mode of one element does no harm.
      const Condition stays{step->extent, Predicate::kEqual, 1};
      return Verdict::unknown(needs(known_false(continues) ? stays : continues));
    }
  }
  return Verdict::yes("sorted by stride, each mode begins where the one before ends");
}

Verdict is_permutation(const ComposedLayout& layout) {
  const Int size = layout.size();
  if (!size.is_constant()) return Verdict::unknown(kSymbolic);
  if (size.value() > form::kMaxVerified) {
    return Verdict::unknown(fmt::format("{} coordinates are too many to try each", size));
  }
  std::vector<std::int64_t> table;
  for (std::int64_t c = 0; c < size.value(); ++c) {
    const Int index = layout(c);
    if (!index.is_constant()) return Verdict::unknown(kSymbolic);
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
  if (table.empty()) return refuse("tuple.empty", "a table without entries is not a layout");
  if (table.front() != 0) {
    return refuse(
        Diagnostic("recover.no_layout", "no layout has this table: layouts begin at 0")
            .with_witness({"0", std::to_string(table.front()), "0"})
            .with_hint(fmt::format("subtract its first entry, {}, from all", table.front())));
  }
  const auto sample = [&](std::int64_t c) {
    return std::vector<std::int64_t>{table[static_cast<std::size_t>(c)]};
  };
  HEDDLE_TRY(const auto digits, form::recover(static_cast<std::int64_t>(table.size()), 1, sample));
  Modes modes;
  for (const form::Digit& digit : digits) modes.push_back({digit.extent, digit.stride.front()});
  return from_modes(modes);
}

Result<Int> permutation_layout_count(const Int& n) {
  HEDDLE_TRY(const std::vector<form::PrimePower> powers, prime_powers(n));
  const std::vector<Int> products = ordered_products(powers);
  Int count = 0;
  // c(k), the number of orders of 1…k in which no i + 1 directly follows i, and c(k-1).
  Int orders = 1;
  Int before = 0;
  for (std::size_t k = 0; k < products.size(); ++k) {
    if (k > 1) before = std::exchange(orders, (k - 1) * orders + (k - 2) * before);
    count += products[k] * orders;
  }
  return check_defined(count, [&] {
    return fmt::format("the number of permutations of [0,{}) that are layouts", n);
  });
}

Result<void> for_each_permutation_layout(const Int& n,
                                         const std::function<bool(const Layout&)>& visit) {
  HEDDLE_TRY(const std::vector<form::PrimePower> powers, prime_powers(n));
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
