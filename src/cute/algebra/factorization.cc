#include "heddle/cute/factorization.h"

#include <algorithm>
#include <numeric>

#include "cute/algebra/primes.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"

namespace heddle::cute {
namespace {

using Primes = std::vector<std::int64_t>;

Result<void> check_prime(const Int& factor) {
  Diagnostic not_prime =
      diagnose("factorization.not_prime", "the factor {} is not a prime number", factor);
  if (known_at_most(factor, 1)) return refuse(std::move(not_prime));
  HEDDLE_TRY(const Primes primes, primes_of(factor));
  if (primes.size() == 1) return {};
  return refuse(std::move(not_prime).with_hint(
      fmt::format("write its prime factors, such as {}", fmt::join(primes, ","))));
}

bool is_repeated(std::span<const std::size_t> places) {
  std::vector<std::size_t> sorted(places.begin(), places.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

/// The numbers at which a digit of the layout begins or ends, and 1, ascending and without
/// repetition. The modes must have passed check_modes(), because only constants have an order.
Result<std::vector<Int>> boundaries(const Modes& modes) {
  std::vector<Int> bounds = {1};
  for (const Mode& mode : modes) {
    const Int& stride = mode.stride.scale();
    HEDDLE_TRY(const Int end, check_defined(mode.extent * stride, "the end of a mode"));
    bounds.push_back(stride);
    bounds.push_back(end);
  }
  std::ranges::sort(bounds, [](const Int& a, const Int& b) { return a.value() < b.value(); });
  bounds.erase(std::ranges::unique(bounds).begin(), bounds.end());
  return bounds;
}

Refusal no_morphism(const Layout& layout, std::string why) {
  return refuse(diagnose("morphism.not_found",
                         "no morphism of ordered factorizations has the function of {}", layout)
                    .with_note(std::move(why)));
}

/// Checks that the weights are positive constants, because only these have known primes.
Result<void> check_modes(const Layout& layout, const Modes& modes) {
  for (const Mode& mode : modes) {
    const Int& stride = mode.stride.scale();
    if (!mode.stride.basis().empty() || !known_less(0, stride)) {
      return no_morphism(layout,
                         fmt::format("the stride {} is not a positive number", mode.stride));
    }
    if (!mode.extent.is_constant() || !stride.is_constant()) {
      return no_morphism(layout,
                         fmt::format("{}:{} is symbolic, and only constants have known primes",
                                     mode.extent, stride));
    }
  }
  return {};
}

/// The number of places before the digit of this weight, which must be the weight of a place, or N.
std::size_t place_of(const OrderedFactorization& object, const Int& weight) {
  std::size_t place = 0;
  for (Int product = 1; !known_equal(product, weight); ++place) product *= object.primes()[place];
  return place;
}

}  // namespace

Result<OrderedFactorization> OrderedFactorization::make(std::span<const Int> primes) {
  Primes factors;
  Int product = 1;
  for (const Int& prime : primes) {
    HEDDLE_CHECK(check_prime(prime));
    HEDDLE_TRY(product, check_defined(product * prime, "the product of the factors"));
    factors.push_back(prime.value());
  }
  return OrderedFactorization(std::move(factors));
}

Int OrderedFactorization::size() const {
  return std::accumulate(primes_.begin(), primes_.end(), Int(1), std::multiplies<>());
}

Int OrderedFactorization::weight(std::size_t place) const {
  const auto end = primes_.begin() + static_cast<std::ptrdiff_t>(place) - 1;
  return std::accumulate(primes_.begin(), end, Int(1), std::multiplies<>());
}

Result<std::vector<OrderedFactorization>> ordered_factorizations(const Int& n, std::size_t limit) {
  HEDDLE_TRY(Primes primes, primes_of(n));
  std::vector<OrderedFactorization> all;
  for (bool more = true; more && all.size() < limit;) {
    all.push_back(OrderedFactorization(primes));
    more = std::ranges::next_permutation(primes).found;
  }
  return all;
}

Result<FactMorphism> FactMorphism::make(OrderedFactorization codomain, std::span<const Int> alpha) {
  std::vector<std::size_t> places;
  std::vector<Int> primes;
  for (const Int& place : alpha) {
    if (!place.is_constant()) {
      return refuse(diagnose("morphism.place", "alpha({}) = {} is symbolic; a place is a number",
                             places.size() + 1, place)
                        .with_hint(value_hint({&place, 1})));
    }
    if (!known_less(0, place) || !known_at_most(place, codomain.length())) {
      return refuse("morphism.place", "alpha({}) = {} is not a place of {}, which has {}",
                    places.size() + 1, place, to_string(codomain), codomain.length());
    }
    places.push_back(static_cast<std::size_t>(place.value()));
    primes.emplace_back(codomain.primes()[places.back() - 1]);
  }
  HEDDLE_TRY(OrderedFactorization domain, OrderedFactorization::make(primes));
  return FactMorphism(std::move(domain), std::move(codomain), std::move(places));
}

FactMorphism FactMorphism::identity(const OrderedFactorization& object) {
  std::vector<std::size_t> places(object.length());
  std::iota(places.begin(), places.end(), std::size_t{1});
  return FactMorphism(object, object, std::move(places));
}

bool FactMorphism::is_injective() const { return !is_repeated(alpha_); }

bool FactMorphism::is_isomorphism() const {
  return is_injective() && domain_.length() == codomain_.length();
}

Result<FactMorphism> composition(const FactMorphism& f, const FactMorphism& g) {
  if (g.codomain() != f.domain()) {
    return refuse("morphism.incomposable", "{} leads to {}, and {} begins at {}", to_string(g),
                  to_string(g.codomain()), to_string(f), to_string(f.domain()));
  }
  std::vector<Int> places;
  for (const std::size_t place : g.alpha()) places.emplace_back(f.alpha()[place - 1]);
  return FactMorphism::make(f.codomain(), places);
}

Result<FactMorphism> inverse(const FactMorphism& f) {
  if (!f.is_isomorphism()) {
    return refuse("morphism.not_invertible",
                  "{} does not pick each of the {} places of {} exactly once", to_string(f),
                  f.codomain().length(), to_string(f.codomain()));
  }
  std::vector<Int> places(f.alpha().size());
  for (std::size_t i = 0; i < places.size(); ++i) places[f.alpha()[i] - 1] = i + 1;
  return FactMorphism::make(f.domain(), places);
}

Result<Layout> realization(const FactMorphism& f) {
  Modes modes;
  for (const std::size_t place : f.alpha()) {
    modes.push_back({f.codomain().primes()[place - 1], f.codomain().weight(place)});
  }
  return from_modes(modes);
}

Result<FactMorphism> fact_morphism_of(const Layout& layout) {
  const Modes modes = join_neighbours(leaves(layout));
  HEDDLE_CHECK(check_modes(layout, modes));
  HEDDLE_TRY(const std::vector<Int> bounds, boundaries(modes));
  std::vector<Int> primes;
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    if (!known_divides(bounds[i - 1], bounds[i])) {
      return no_morphism(
          layout, fmt::format("its modes begin or end at {} and {}, and neither divides the other",
                              bounds[i - 1], bounds[i]));
    }
    HEDDLE_TRY(const Primes between, primes_of(floor_div(bounds[i], bounds[i - 1])));
    primes.insert(primes.end(), between.begin(), between.end());
  }
  HEDDLE_TRY(OrderedFactorization codomain, OrderedFactorization::make(primes));
  std::vector<Int> places;
  for (const Mode& mode : modes) {
    const std::size_t end = place_of(codomain, mode.extent * mode.stride.scale());
    for (std::size_t i = place_of(codomain, mode.stride.scale()); i < end; ++i) {
      places.emplace_back(i + 1);
    }
  }
  return FactMorphism::make(std::move(codomain), places);
}

std::string to_string(const OrderedFactorization& object) {
  return object.length() == 0 ? "1" : fmt::format("({})", fmt::join(object.primes(), ","));
}

std::string to_string(const FactMorphism& f) {
  const std::string alpha =
      f.alpha().empty() ? "0" : fmt::format("({})", fmt::join(f.alpha(), ","));
  return fmt::format("fact_morphism({},{})", to_string(f.codomain()), alpha);
}

}  // namespace heddle::cute
