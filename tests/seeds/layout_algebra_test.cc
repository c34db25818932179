// Seed 004, "CuTe Layout Algebra": every number in it, and its definitions on the smallest cases.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heddle/cute/algebra.h"
#include "heddle/map/complement.h"
#include "heddle/map/decide.h"
#include "support/contract.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using Values = std::vector<std::int64_t>;
using cute::Layout;

Values values(std::string_view text) { return table_of(layout(text)); }

TEST(Seed004, Definition2_1_FlattenedLayout) {
  EXPECT_EQ(cute::flatten(layout("(5,(2,2)):(16,(80,4))")), layout("(5,2,2):(16,80,4)"));
  EXPECT_EQ(layout("(5,2,2):(16,80,4)").depth(), 1U);
  EXPECT_EQ(layout("(5,(2,2)):(16,(80,4))").depth(), 2U);
  EXPECT_EQ(values("(5,(2,2)):(16,(80,4))"), values("(5,2,2):(16,80,4)"));
}

TEST(Seed004, Definition2_2_SizeLengthAndModes) {
  const Layout l = layout("(5,2,2):(16,80,4)");
  EXPECT_EQ(l.size(), 20);
  EXPECT_EQ(l.rank(), 3U);
  EXPECT_EQ(l.mode(1), layout("2:80"));
}

TEST(Seed004, Concatenation) {
  EXPECT_EQ(cute::make_layout({layout("5:16"), layout("2:80"), layout("2:4")}).value(),
            layout("(5,2,2):(16,80,4)"));
}

TEST(Seed004, Isomorphism_TakesANumberApartFirstModeFastest) {
  EXPECT_EQ(cute::idx2crd(tuple("5"), tuple("(3,2)")).value(), tuple("(2,1)"));
  EXPECT_EQ(cute::crd2idx(tuple("(2,1)"), tuple("(3,2)")).value(), 5);
}

TEST(Seed004, Definition2_3_LayoutFunctionExample) {
  const Layout l = layout("(3,2):(2,3)");
  EXPECT_EQ(l(5), 7);
  EXPECT_EQ(l(5 % 3), 4);      // f(2) = 2 * 2
  EXPECT_EQ(l(5 / 3 * 3), 3);  // f(3) = floor(3/3) * 3
  EXPECT_EQ(l(5), l(2) + l(3));
}

TEST(Seed004, ExtensionOfLayoutFunction_LastModeRunsOn) {
  const Layout l = layout("(3,2):(2,3)");
  EXPECT_EQ(l(6), 6);    // (0,2)
  EXPECT_EQ(l(11), 13);  // (2,3)
}

TEST(Seed004, CoalescenceRules) {
  EXPECT_EQ(cute::coalesce(layout("(6,1):(5,7)")), layout("6:5"));   // N1 = 1
  EXPECT_EQ(cute::coalesce(layout("(1,6):(7,5)")), layout("6:5"));   // N0 = 1
  EXPECT_EQ(cute::coalesce(layout("(3,2):(5,15)")), layout("6:5"));  // d1 = N0 * d0
  EXPECT_EQ(cute::coalesce(layout("(3,2):(2,3)")), layout("(3,2):(2,3)"));
}

TEST(Seed004, CoalescenceRules_TheCaseOftenMisunderstood) {
  EXPECT_EQ(cute::coalesce(layout("(3,2):(2,1)")), layout("(3,2):(2,1)"));  // d0 = N1 * d1
  EXPECT_NE(values("(3,2):(2,1)"), values("6:1"));
}

TEST(Seed004, ByModeCoalescence_KeepsTheModes) {
  const Layout l = layout("((2,3),(2,2)):((1,2),(6,12))");
  EXPECT_EQ(cute::coalesce(l, tuple("(1,1)").profile()).value(), layout("(6,4):(1,6)"));
  EXPECT_EQ(cute::coalesce(l), layout("24:1"));
}

TEST(Seed004, Definition2_4_SortedLayoutExample) {
  EXPECT_EQ(values("(2,4):(4,1)"), (Values{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(values("(4,2):(1,4)"), (Values{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cute::sort(layout("(2,4):(4,1)")).value(), layout("(4,2):(1,4)"));
}

TEST(Seed004, Definition2_4_EqualStridesAreOrderedByExtent) {
  EXPECT_EQ(cute::sort(layout("(3,2,4):(1,1,0)")).value(), layout("(4,2,3):(0,1,1)"));
}

TEST(Seed004, Definition2_5_AdmissionForComplementation) {
  const auto admissible = [](std::string_view a, std::int64_t m) {
    return cute::admissible_for_complementation(layout(a), m).value().is_yes();
  };
  EXPECT_TRUE(admissible("(4,2):(1,16)", 32));
  EXPECT_TRUE(admissible("(2,4):(16,1)", 64));
  EXPECT_FALSE(admissible("(2,2):(1,5)", 20));   // 2*1 does not divide 5
  EXPECT_FALSE(admissible("(4,2):(1,16)", 40));  // 2*16 does not divide 40
}

// (d0, d1/(N0 d0), …, M/(Na da)) : (1, N0 d0, …, Na da).
TEST(Seed004, Definition2_6_Complementation) {
  const Layout r = cute::complement(layout("(3,2):(2,12)"), tuple("72")).value();
  EXPECT_EQ(table_of(r), values("(2,2,3):(1,6,24)"));
  EXPECT_EQ(r.size(), 72 / 6);
}

TEST(Seed004, Definition2_6_OrderOfTheModesDoesNotMatter) {
  EXPECT_EQ(cute::complement(layout("(2,3):(12,2)"), tuple("72")).value(),
            cute::complement(layout("(3,2):(2,12)"), tuple("72")).value());
}

TEST(Seed004, Proposition2_7_BijectionOntoTheTarget) {
  const Layout a = layout("(3,2):(2,12)");
  const Layout r = cute::complement(a, tuple("72")).value();
  Values both = table_of(cute::make_layout({a, r}).value());
  std::sort(both.begin(), both.end());
  Values all(72);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(both, all);
}

// cosize(B) = M - (cosize(A) - 1) <= floor(M / cosize(A)) * cosize(A).
TEST(Seed004, Remark2_9_ComplementIsBounded) {
  const Layout a = layout("(3,2):(2,12)");
  const Layout r = cute::complement(a, tuple("72")).value();
  const std::int64_t cosize_a = cute::cosize(a).value().value();
  EXPECT_EQ(cute::cosize(r).value(), 72 - (cosize_a - 1));
  EXPECT_LE(cute::cosize(r).value().value(), 72 / cosize_a * cosize_a);
}

TEST(Seed004, Definition2_11_LeftDivisibility) {
  const auto strong = cute::left_divisible(tuple("(8,6,8)"), 16).value();
  EXPECT_TRUE(strong.holds);
  EXPECT_EQ(strong.index, 1U);
  EXPECT_EQ(strong.quotient, Int(2));
  EXPECT_EQ(strong.rest.front(), Int(3));                                 // M'0 = M1 / c
  EXPECT_FALSE(cute::left_divisible(tuple("(2,6,8)"), 8).value().holds);  // c = 4 does not divide 6
  const auto weak = cute::weakly_left_divisible(tuple("(2,6,8)"), 8).value();
  EXPECT_TRUE(weak.holds);
  EXPECT_EQ(weak.index, 1U);
  EXPECT_FALSE(cute::weakly_left_divisible(tuple("(2,6,8)"), 3).value().holds);
}

TEST(Seed004, Definition2_11_LastFactorIsUnbounded) {
  const auto divisible = cute::left_divisible(tuple("(2,6,8)"), 12 * 97).value();
  EXPECT_TRUE(divisible.holds);
  EXPECT_EQ(divisible.index, 2U);
  EXPECT_EQ(divisible.quotient, Int(97));
}

TEST(Seed004, Definition2_16_IntervalOfDefinition) {
  const auto inside = cute::interval_of_definition(tuple("(8,6,8)"), layout("4:3")).value();
  ASSERT_TRUE(inside.has_value());
  EXPECT_EQ(inside->first, 3);
  EXPECT_EQ(inside->last, 9);
  const auto cut = cute::interval_of_definition(tuple("(8,6,8)"), layout("20:3")).value();
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->last, 47);  // below M' = 8 * 6
  EXPECT_FALSE(cute::interval_of_definition(tuple("8"), layout("4:3")).value().has_value());
}

TEST(Seed004, Definition2_17_ModesMustNotOverlap) {
  EXPECT_TRUE(
      cute::admissible_for_composition(tuple("(4,8)"), layout("(2,2):(1,4)")).value().is_yes());
  EXPECT_TRUE(
      cute::admissible_for_composition(tuple("(4,8)"), layout("(3,3):(1,1)")).value().is_no());
}

TEST(Seed004, Definition2_21_Example) {
  const Layout a = layout("(8,6,8):(1,16,108)");
  const Layout b = layout("8:4");
  EXPECT_EQ(cute::composition(a, b).value(), layout("(2,4):(4,16)"));
  EXPECT_TRUE(cute::admissible_for_composition(a.shape(), b).value().is_yes());
  EXPECT_TRUE(cute::admissible_for_cutlass_composition(a.shape(), b).value().is_no());
}

TEST(Seed004, ByModeComposition) {
  EXPECT_EQ(cute::composition(layout("(12,(4,8)):(59,(13,1))"), tiler("<3:4,8:2>")).value(),
            layout("(3,(2,4)):(236,(26,1))"));
}

TEST(Seed004, Definition2_22_LogicalDivision) {
  const Layout a = layout("(4,2,3):(2,1,8)");
  const Layout b = layout("4:2");
  const Layout both = cute::make_layout({b, cute::complement(b, tuple("24")).value()}).value();
  EXPECT_EQ(cute::logical_divide(a, b).value(), cute::composition(a, both).value());
}

// The figure of "Logical Division Variants" with a layout (M,N,L) and a tiler <TileM,TileN>.
TEST(Seed004, LogicalDivisionVariants_Nesting) {
  const Layout a = layout("(8,6,5):(1,8,48)");
  const cute::Tiler t = tiler("<4:1,3:1>");
  EXPECT_EQ(cute::logical_divide(a, t).value().shape(), tuple("((4,2),(3,2),5)"));
  EXPECT_EQ(cute::zipped_divide(a, t).value().shape(), tuple("((4,3),(2,2,5))"));
  EXPECT_EQ(cute::tiled_divide(a, t).value().shape(), tuple("((4,3),2,2,5)"));
  EXPECT_EQ(cute::flat_divide(a, t).value().shape(), tuple("(4,3,2,2,5)"));
}

TEST(Seed004, Definition4_1_LogicalProduct) {
  const Layout a = layout("(2,2):(4,1)");
  const Layout b = layout("6:1");
  const Layout room = cute::complement(a, tuple("24")).value();
  const Layout copies = cute::composition(room, b).value();
  EXPECT_EQ(cute::logical_product(a, b).value(), cute::make_layout({a, copies}).value());
}

TEST(Seed004, LogicalProductVariants_Nesting) {
  const Layout a = layout("(8,6,5):(1,8,48)");
  const cute::Tiler t = tiler("<4:1,3:1>");
  EXPECT_EQ(cute::logical_product(a, t).value().shape(), tuple("((8,4),(6,3),5)"));
  EXPECT_EQ(cute::zipped_product(a, t).value().shape(), tuple("((8,6),(4,3,5))"));
  EXPECT_EQ(cute::tiled_product(a, t).value().shape(), tuple("((8,6),4,3,5)"));
  EXPECT_EQ(cute::flat_product(a, t).value().shape(), tuple("(8,6,4,3,5)"));
}

/// L(E,alpha) of definition 3.9: shape (p_alpha(1), …), stride d_i = the product of p_j for j <
/// alpha(i).
Layout realization(const Values& e, const Values& alpha) {
  std::vector<Plain> modes;
  for (const std::int64_t i : alpha) {
    std::int64_t stride = 1;
    for (std::int64_t j = 1; j < i; ++j) stride *= e[static_cast<std::size_t>(j - 1)];
    modes.push_back(plain_leaf(e[static_cast<std::size_t>(i - 1)], stride));
  }
  return to_layout(plain_tuple(modes));
}

/// E^alpha: the factors in the order of alpha.
Values pulled_back(const Values& e, const Values& alpha) {
  Values result;
  for (const std::int64_t i : alpha) result.push_back(e[static_cast<std::size_t>(i - 1)]);
  return result;
}

TEST(Seed004, Definition3_9_Transposition) {
  EXPECT_EQ(realization({2, 3}, {2, 1}), layout("(3,2):(2,1)"));
}

TEST(Seed004, Definition3_9_RepeatedFactorIsNotInjective) {
  const Layout l = realization({2, 3}, {2, 1, 2});
  EXPECT_EQ(l, layout("(3,2,3):(2,1,2)"));
  EXPECT_FALSE(is_injective(to_plain(l)));
  EXPECT_EQ(cute::inverse(l).error().code(), "inverse.not_bijective");
}

TEST(Seed004, Definition3_9_CycleOfOrder3) {
  const Layout l = realization({2, 2, 2}, {2, 3, 1});
  EXPECT_EQ(l, layout("(2,2,2):(2,4,1)"));
  const Layout twice = cute::composition(l, l).value();
  const Layout thrice = cute::composition(twice, l).value();
  EXPECT_EQ(cute::coalesce(thrice), layout("8:1"));  // a cycle of order 3
}

TEST(Seed004, Notation3_5_TranspositionsOf232) {
  EXPECT_EQ(pulled_back({2, 3, 2}, {3, 2, 1}), (Values{2, 3, 2}));
  EXPECT_EQ(realization({2, 3, 2}, {3, 2, 1}), layout("(2,3,2):(6,2,1)"));
  EXPECT_EQ(pulled_back({2, 3, 2}, {2, 1, 3}), (Values{3, 2, 2}));
  EXPECT_EQ(realization({2, 3, 2}, {2, 1, 3}), layout("(3,2,2):(2,1,6)"));
}

// f(E, alpha o beta) = f(E, alpha) o f(E^alpha, beta).
TEST(Seed004, Lemma3_12_CompositionOfMorphisms) {
  const Values e = {2, 3, 5};
  const Values alpha = {3, 1, 2};
  for (const Values& beta :
       {Values{1, 2, 3}, Values{2, 3, 1}, Values{3, 1}, Values{2}, Values{2, 1, 3}}) {
    Values gamma;
    for (const std::int64_t i : beta) gamma.push_back(alpha[static_cast<std::size_t>(i - 1)]);
    const Layout outer = realization(e, alpha);
    const Layout inner = realization(pulled_back(e, alpha), beta);
    EXPECT_EQ(table_of(cute::composition(outer, inner).value()), table_of(realization(e, gamma)));
  }
}

TEST(Seed004, Proposition3_15_AutomorphismsAreRealizations) {
  // Every bijective layout of prime extents is L(E, psi) for its own sorted factors.
  const Layout l = layout("(2,3,2):(6,2,1)");
  const Layout inverse = cute::inverse(l).value();
  EXPECT_EQ(inverse, realization({2, 3, 2}, {3, 2, 1}));
}

TEST(Seed004, Remark3_16_PermutationsOfAPrimePowerAreAGroup) {
  std::vector<Layout> all;
  for (Values order = {1, 2, 3};;) {
    all.push_back(realization({2, 2, 2}, order));
    if (!std::next_permutation(order.begin(), order.end())) break;
  }
  ASSERT_EQ(all.size(), 6U);
  for (const Layout& a : all) {
    EXPECT_TRUE(cute::inverse(a).has_value()) << a;
    for (const Layout& b : all) {
      const Result<Layout> product = cute::composition(a, b);
      ASSERT_TRUE(product.has_value()) << a << " o " << b;
      EXPECT_TRUE(cute::inverse(*product).has_value()) << *product;
    }
  }
}

// For sizes that are no prime power they are none: a product of two may be no layout.
TEST(Seed004, Remark3_16_OtherPermutationsAreNoGroup) {
  const Layout a = realization({2, 3}, {2, 1});
  const Result<Layout> square = cute::composition(a, a);
  ASSERT_FALSE(square.has_value());
  EXPECT_EQ(square.error().code(), "composition.no_layout");
  EXPECT_FALSE(composition_exists(to_plain(a), to_plain(a)));
}

// The same with the library's own category, and where the seed does not hold.

cute::OrderedFactorization object(const Values& primes) {
  return cute::OrderedFactorization::make(std::vector<Int>(primes.begin(), primes.end())).value();
}

cute::FactMorphism morphism(const Values& e, const Values& alpha) {
  return cute::FactMorphism::make(object(e), std::vector<Int>(alpha.begin(), alpha.end())).value();
}

Layout realized(const cute::FactMorphism& f) { return cute::realization(f).value(); }

TEST(Seed004, Definition3_1_OrderedFactorizations) {
  for (const Values& primes : {Values{}, {2}, {3}, {2, 2}, {2, 3}, {3, 2}, {2, 3, 2}}) {
    EXPECT_EQ(object(primes).length(), primes.size());
  }
  EXPECT_NE(object({2, 3}), object({3, 2}));
  EXPECT_EQ(object({2, 3}).size(), object({3, 2}).size());
  EXPECT_EQ(object({}).size(), 1);
}

TEST(Seed004, Definition3_9_Examples) {
  EXPECT_EQ(realized(morphism({2, 3}, {2, 1})), layout("(3,2):(2,1)"));
  EXPECT_EQ(realized(morphism({2, 3}, {2, 1, 2})), layout("(3,2,3):(2,1,2)"));
  EXPECT_EQ(realized(morphism({2, 2, 2}, {2, 3, 1})), layout("(2,2,2):(2,4,1)"));
}

TEST(Seed004, Notation3_5_Morphisms) {
  EXPECT_EQ(morphism({2, 2, 2}, {2, 3, 1}).domain(), object({2, 2, 2}));
  EXPECT_EQ(morphism({2, 3, 2}, {3, 2, 1}).domain(), object({2, 3, 2}));
  EXPECT_EQ(morphism({2, 3, 2}, {2, 1, 3}).domain(), object({3, 2, 2}));
}

TEST(Seed004, Definition3_14_IdentitiesAreRealizedAsIdentities) {
  for (const Values& primes : {Values{2}, {2, 3}, {3, 2, 2}}) {
    const cute::OrderedFactorization e = object(primes);
    EXPECT_EQ(cute::coalesce(realized(cute::FactMorphism::identity(e))),
              cute::make_layout(IntTuple(e.size())).value());
  }
  EXPECT_EQ(realized(cute::FactMorphism()), Layout());
}

// The remark says that f(E, alpha) leads into [0, N) for every alpha; its own example does not.
TEST(Seed004, Remark3_11_ARepeatedPlaceLeadsPastTheCodomain) {
  const auto f = morphism({2, 3}, {2, 1, 2});
  EXPECT_EQ(f.codomain().size(), 6);
  EXPECT_EQ(cute::cosize(realized(f)).value(), 10);
}

/// Does f(E, alpha o beta) = f(E, alpha) o f(E^alpha, beta) hold, as functions?
bool lemma_holds(const cute::FactMorphism& alpha, const cute::FactMorphism& beta) {
  const Plain outer = to_plain(realized(alpha));
  Values composed;
  for (const std::int64_t index : table_of(realized(beta))) {
    composed.push_back(evaluate(outer, index));
  }
  return table_of(realized(cute::composition(alpha, beta).value())) == composed;
}

// The lemma is stated for every beta. Of the objects by their product, the automorphisms alpha, and
// the maps beta from two digits, this is the first that contradicts it.
TEST(Seed004, Lemma3_12_FailsWhereBetaRepeatsAPlace) {
  std::vector<std::pair<cute::FactMorphism, cute::FactMorphism>> failing;
  for (std::int64_t n = 2; failing.empty(); ++n) {
    const auto objects = cute::ordered_factorizations(n, 100).value();
    for (const cute::OrderedFactorization& e : objects) {
      const auto k = static_cast<std::int64_t>(e.length());
      Values places(e.length());
      std::iota(places.begin(), places.end(), 1);
      do {
        const auto alpha = morphism({e.primes().begin(), e.primes().end()}, places);
        const Values domain(alpha.domain().primes().begin(), alpha.domain().primes().end());
        for (std::int64_t i = 0; i < k * k; ++i) {
          const auto beta = morphism(domain, {1 + i / k, 1 + i % k});
          if (!lemma_holds(alpha, beta)) failing.emplace_back(alpha, beta);
        }
      } while (std::next_permutation(places.begin(), places.end()));
    }
  }
  const auto& [alpha, beta] = failing.front();
  EXPECT_EQ(alpha, morphism({2, 2}, {2, 1}));
  EXPECT_EQ(beta, morphism({2, 2}, {1, 1}));
  EXPECT_EQ(table_of(realized(alpha)), (Values{0, 2, 1, 3}));
  EXPECT_EQ(table_of(realized(beta)), (Values{0, 1, 1, 2}));
  EXPECT_EQ(table_of(realized(cute::composition(alpha, beta).value())),
            (Values{0, 2, 2, 4}));  // alpha's layout after beta's is 0 2 2 1
  const Result<Layout> composed = cute::composition(realized(alpha), realized(beta));
  ASSERT_FALSE(composed.has_value());
  EXPECT_EQ(composed.error().code(), "composition.no_layout");
}

// What the seed says behind lemma 3.12: both conditions of definition 2.17 hold for injective beta.
TEST(Seed004, Lemma3_12_InjectiveBetaIsAdmissible) {
  const auto alpha = morphism({2, 3, 5}, {3, 1, 2});
  for (const Values& beta : {Values{1, 2, 3}, Values{2, 3, 1}, Values{3, 1}, Values{2}}) {
    const auto inner =
        cute::FactMorphism::make(alpha.domain(), std::vector<Int>(beta.begin(), beta.end()));
    const Result<Verdict> verdict =
        cute::admissible_for_composition(realized(alpha).shape(), realized(inner.value()));
    EXPECT_TRUE(verdict.value().is_yes()) << *inner << ": " << *verdict;
  }
}

// "R does not contain every possible function expressible as a layout function in its image."
TEST(Seed004, Definition3_14_SomeLayoutsAreNoRealization) {
  EXPECT_EQ(cute::fact_morphism_of(layout("(2,2):(1,3)")).error().code(), "morphism.not_found");
  EXPECT_EQ(cute::fact_morphism_of(layout("4:0")).error().code(), "morphism.not_found");
  EXPECT_EQ(cute::fact_morphism_of(layout("4:2")), morphism({2, 2, 2}, {2, 3}));
}

TEST(Seed004, Proposition3_15_FindsPsi) {
  // E = [p(phi(1)) … ] in the order of the strides, psi the inverse of phi.
  EXPECT_EQ(cute::fact_morphism_of(layout("(2,3,2):(6,2,1)")), morphism({2, 3, 2}, {3, 2, 1}));
  EXPECT_EQ(cute::fact_morphism_of(layout("(2,2,2):(2,4,1)")), morphism({2, 2, 2}, {2, 3, 1}));
}

TEST(Seed004, Definition2_4_AsAQuestion) {
  EXPECT_TRUE(cute::is_sorted(layout("(4,2):(1,4)")).value().is_yes());
  EXPECT_TRUE(cute::is_sorted(layout("(2,4):(4,1)")).value().is_no());
  EXPECT_TRUE(cute::is_sorted(layout("(4,2,3):(0,1,1)")).value().is_yes());
  EXPECT_TRUE(cute::is_sorted(layout("(3,2):(1,1)")).value().is_no());
}

// f_A and f_B meet only in 0, and B is increasing.
TEST(Seed004, Corollary2_8_ComplementationDisjointness) {
  for (const auto& [a, m] : {std::pair("(3,2):(2,12)", 72), std::pair("(2,4):(16,1)", 64)}) {
    const Layout b = cute::complement(layout(a), IntTuple(Int(m))).value();
    EXPECT_TRUE(map::disjoint_apart_from_zero(layout(a), b).is_yes()) << a;
    EXPECT_TRUE(cute::is_increasing(b).value().is_yes()) << a;
    EXPECT_TRUE(map::is_complement(layout(a), b, m).value().is_yes()) << a;
  }
  const Verdict meet = map::disjoint_apart_from_zero(layout("(3,2):(2,12)"), layout("2:4"));
  ASSERT_TRUE(meet.is_no());
  EXPECT_EQ(meet.counterexample()->coordinate, "2 = (2,0)");
}

// A layout with nested modes is coalesced first; that changes no value.
TEST(Seed004, NonIntegralLayouts_AreCoalescedFirst) {
  const Layout nested = layout("((3,1),(2,1)):((2,5),(12,7))");
  EXPECT_EQ(cute::complement(nested, tuple("72")).value(),
            cute::complement(layout("(3,2):(2,12)"), tuple("72")).value());
  EXPECT_EQ(composition(layout("((2,3),(2,2)):((8,16),(2,1))"), layout("(4,3):(3,1)")).value(),
            composition(layout("(6,2,2):(8,2,1)"), layout("(4,3):(3,1)")).value());
}

// The function of a concatenation is the sum of those of its parts.
TEST(Seed004, Lemma2_19_ConcatenationAddsUp) {
  const Layout first = layout("(5,2):(16,80)");
  const Layout second = layout("(2,3):(4,1)");
  const Layout both = cute::make_layout({first, second}).value();
  for (std::int64_t x = 0; x < 10; ++x) {
    for (std::int64_t y = 0; y < 6; ++y) EXPECT_EQ(both(x, y), first(x) + second(y));
  }
}

// {S, (B, complement(B, M))} is admissible where {S, B} and {B, M} are.
TEST(Seed004, Lemma2_23_LogicalDivisionImplication) {
  for (const char* b : {"4:2", "(2,2):(1,8)", "3:8", "8:3"}) {
    const IntTuple shape = tuple("(8,6)");
    const bool may = cute::admissible_for_cutlass_composition(shape, layout(b)).value().is_yes() &&
                     cute::admissible_for_complementation(layout(b), 48).value().is_yes();
    EXPECT_EQ(may, std::string_view(b) != "8:3") << b;
    if (!may) continue;
    const Layout rest = cute::complement(layout(b), tuple("48")).value();
    const Layout both = cute::make_layout({layout(b), rest}).value();
    EXPECT_TRUE(cute::admissible_for_composition(shape, both).value().is_yes()) << b;
  }
}

// The listing after definition 2.21: what is left of shapeA, and of shapeB, mode by mode.
TEST(Seed004, Listing_ShapeMod) {
  EXPECT_EQ(cute::shape_mod(tuple("(8,6,8)"), tuple("4")).value(), tuple("(4,1,1)"));
  EXPECT_EQ(cute::shape_mod(tuple("(8,6,8)"), tuple("24")).value(), tuple("(8,3,1)"));
  // (8,6,8) o 8:4 as CUTLASS 3.5 did it: shape_div by 4 leaves (2,6,8), of which 8 does not cut.
  EXPECT_EQ(cute::shape_div(tuple("(8,6,8)"), tuple("4")).value(), tuple("(2,6,8)"));
  EXPECT_EQ(cute::shape_mod(tuple("(2,6,8)"), tuple("8")).error().code(), "shape_mod.divisibility");
}

}  // namespace
}  // namespace heddle::test
