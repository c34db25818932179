#pragma once

// The category Fact of ordered factorizations (seed 004, section 3): the arithmetic of prime digits
// from which every permutation that is a layout is made.
//
// An object is a list of primes, E = (p1,…,pk): the digits of the numbers below N = p1*…*pk, the
// first one fastest. A morphism onto E is a map alpha from {1,…,n} to {1,…,k}, which picks digits
// of E: it goes from E^alpha = (p[alpha(1)],…,p[alpha(n)]) to E. Its realization is the layout that
// puts the digits of a number below N^alpha where alpha says:
//
//   E = (2,3), alpha = (2,1)        E^alpha = (3,2), realization (3,2):(2,1)
//   E = (2,2,2), alpha = (2,3,1)    E^alpha = (2,2,2), realization (2,2,2):(2,4,1)
//
// Composition of morphisms is composition of maps, alpha o beta, and realization(f o g) is
// realization(f) o realization(g) wherever g is injective. The seed states this (lemma 3.12) for
// all g; where g picks a digit twice the two add up and may carry:
//
//   f = (2,1) onto (2,2)      (2,2):(2,1)      0 2 1 3
//   g = (1,1) onto (2,2)      (2,2):(1,1)      0 1 1 2
//   f o g = (2,2)             (2,2):(2,2)      0 2 2 4, but f after g is 0 2 2 1
//
// For the same reason a realization maps into [0, N) (remark 3.11) if alpha is injective, but not
// always otherwise.
//
// Places are numbered from 1, as in the seed. The empty factorization is written 1, its product;
// the empty map is written 0.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// An object of Fact (definition 3.1). A value: copy, ==, hash, stream output.
///
/// Always holds: every factor is prime, and the product fits into 64 bits.
class OrderedFactorization {
 public:
  /// The empty factorization, whose product is 1.
  OrderedFactorization() = default;

  /// Refuses `factorization.not_prime`, `factorization.symbolic` and `overflow`.
  [[nodiscard]] static Result<OrderedFactorization> make(std::span<const Int> primes);

  [[nodiscard]] std::span<const std::int64_t> primes() const { return primes_; }
  [[nodiscard]] std::size_t length() const { return primes_.size(); }
  /// N, the product of the primes: the realization of the object is [0, N).
  [[nodiscard]] Int size() const;
  /// The product of the primes before `place`, which is in [1, length()]: the weight of its digit.
  [[nodiscard]] Int weight(std::size_t place) const;

  friend bool operator==(const OrderedFactorization&, const OrderedFactorization&) = default;

 private:
  friend Result<std::vector<OrderedFactorization>> ordered_factorizations(const Int& n,
                                                                          std::size_t limit);
  explicit OrderedFactorization(std::vector<std::int64_t> primes) : primes_(std::move(primes)) {}

  std::vector<std::int64_t> primes_;
};

/// The ordered factorizations of `n`, ascending, at most `limit` of them. Refuses `layout.extent`
/// for n below 1 and `factorization.symbolic`.
[[nodiscard]] Result<std::vector<OrderedFactorization>> ordered_factorizations(const Int& n,
                                                                               std::size_t limit);

/// A morphism of Fact (definition 3.4). A value: copy, ==, hash, stream output.
class FactMorphism {
 public:
  /// The identity of the empty factorization.
  FactMorphism() = default;

  /// alpha: E^alpha -> E, given as alpha(1), alpha(2), …. Refuses `morphism.place` for a symbolic
  /// place or one that E does not have, and `overflow` if the product of E^alpha does not fit into
  /// 64 bits.
  [[nodiscard]] static Result<FactMorphism> make(OrderedFactorization codomain,
                                                 std::span<const Int> alpha);
  [[nodiscard]] static FactMorphism identity(const OrderedFactorization& object);

  /// E^alpha and E.
  [[nodiscard]] const OrderedFactorization& domain() const { return domain_; }
  [[nodiscard]] const OrderedFactorization& codomain() const { return codomain_; }
  [[nodiscard]] std::span<const std::size_t> alpha() const { return alpha_; }
  /// Whether no digit is picked twice.
  [[nodiscard]] bool is_injective() const;
  /// Whether every digit is picked exactly once: alpha is invertible, the realization a
  /// permutation.
  [[nodiscard]] bool is_isomorphism() const;

  friend bool operator==(const FactMorphism&, const FactMorphism&) = default;

 private:
  FactMorphism(OrderedFactorization domain, OrderedFactorization codomain,
               std::vector<std::size_t> alpha)
      : domain_(std::move(domain)), codomain_(std::move(codomain)), alpha_(std::move(alpha)) {}

  OrderedFactorization domain_;
  OrderedFactorization codomain_;
  std::vector<std::size_t> alpha_;
};

/// f after g. Refuses `morphism.incomposable` unless the codomain of g is the domain of f.
[[nodiscard]] Result<FactMorphism> composition(const FactMorphism& f, const FactMorphism& g);
/// The inverse of an isomorphism. Refuses `morphism.not_invertible` for any other morphism.
[[nodiscard]] Result<FactMorphism> inverse(const FactMorphism& f);

/// The layout of a morphism (definitions 3.9 and 3.14): a prime for each place of the domain, its
/// stride the weight of the place that alpha picks; 1:0 for the empty domain. Refuses `overflow`.
[[nodiscard]] Result<Layout> realization(const FactMorphism& f);

/// The shortest morphism whose realization is this function, the primes between two boundaries
/// ascending. The seed leaves open which layouts have one. It is those whose coalesced modes s:d
/// have boundaries d and s*d that all divide one another: the weights of E form such a chain, and
/// every such chain can be refined to one of primes. All permutations are among them (proposition
/// 3.15); (2,2):(1,3) is not. Refuses `morphism.not_found` with the two numbers, and `overflow`.
[[nodiscard]] Result<FactMorphism> fact_morphism_of(const Layout& layout);

/// `(2,3,2)`; `1` for the empty factorization.
[[nodiscard]] std::string to_string(const OrderedFactorization& object);
/// `fact_morphism((2,3),(2,1))`: E and alpha.
[[nodiscard]] std::string to_string(const FactMorphism& f);

}  // namespace heddle::cute
#pragma GCC visibility pop

template <>
struct std::hash<heddle::cute::OrderedFactorization>
    : heddle::HashOfText<heddle::cute::OrderedFactorization> {};
template <>
struct std::hash<heddle::cute::FactMorphism> : heddle::HashOfText<heddle::cute::FactMorphism> {};
