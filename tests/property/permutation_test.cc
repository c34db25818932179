// Laws of permutations that are layouts, of tables, and of the category of ordered factorizations.

#include "heddle/cute/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>
#include <set>

#include "heddle/cute/composition.h"
#include "heddle/cute/factorization.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using test::one_layout;

using cute::FactMorphism;
using cute::Layout;
using cute::OrderedFactorization;
using Values = std::vector<std::int64_t>;

OrderedFactorization object(const Values& primes) {
  return OrderedFactorization::make(std::vector<Int>(primes.begin(), primes.end())).value();
}

FactMorphism morphism(const OrderedFactorization& codomain, const Values& alpha) {
  return FactMorphism::make(codomain, std::vector<Int>(alpha.begin(), alpha.end())).value();
}

Layout realized(const FactMorphism& f) { return cute::realization(f).value(); }

std::vector<Layout> permutations(std::int64_t n) {
  return cute::permutation_layouts(n, std::size_t{1} << 20).value();
}

std::vector<OrderedFactorization> objects(std::int64_t n) {
  return cute::ordered_factorizations(n, 10000).value();
}

bool is_prime_power(std::int64_t n) {
  std::int64_t p = 2;
  while (n % p != 0) ++p;
  while (n % p == 0) n /= p;
  return n == 1;
}

Values identity_on(std::int64_t n) {
  Values table(static_cast<std::size_t>(n));
  std::iota(table.begin(), table.end(), 0);
  return table;
}

/// a after b.
Values after(const Values& a, const Values& b) {
  Values product;
  for (const std::int64_t index : b) product.push_back(a[static_cast<std::size_t>(index)]);
  return product;
}

std::set<Values> permutation_tables(std::int64_t n) {
  std::set<Values> tables;
  for (const Layout& layout : permutations(n)) {
    tables.insert(table_of(layout));
  }
  return tables;
}

// Counting and listing.

TEST(PermutationLayouts, CountIsThatOfAllPermutationsTried) {
  for (std::int64_t n = 1; n <= 9; ++n) {
    std::set<Values> found;
    // Layouts begin at 0, so the first entry stays.
    for (Values table = identity_on(n);;) {
      if (cute::layout_of_table(table)) found.insert(table);
      if (!std::next_permutation(table.begin() + 1, table.end())) break;
    }
    EXPECT_EQ(cute::permutation_layout_count(n).value(), found.size()) << n;
    EXPECT_EQ(permutation_tables(n), found) << n;
  }
}

TEST(PermutationLayouts, AreAsManyDistinctPermutationsAsCounted) {
  for (std::int64_t n = 1; n <= 128; ++n) {
    const auto layouts = permutations(n);
    std::set<std::vector<std::uint16_t>> tables;
    for (const Layout& layout : layouts) {
      const Values table = table_of(layout);
      ASSERT_TRUE(cute::is_permutation(table).is_yes()) << layout;
      tables.emplace(table.begin(), table.end());
    }
    EXPECT_EQ(tables.size(), layouts.size()) << n;
    EXPECT_EQ(cute::permutation_layout_count(n).value(), layouts.size()) << n;
  }
}

TEST(PermutationLayouts, AreCoalescedFewerModesFirst) {
  for (const std::int64_t n : {1, 12, 60, 64}) {
    std::size_t rank = 0;
    for (const Layout& layout : permutations(n)) {
      EXPECT_EQ(cute::coalesce(layout), layout);
      EXPECT_LE(rank, layout.rank());
      rank = layout.rank();
    }
  }
}

TEST(PermutationLayouts, OfAPrimePowerAreThePermutationsOfItsDigits) {
  for (const std::int64_t p : {2, 3, 5, 7}) {
    std::int64_t n = 1;
    std::int64_t factorial = 1;
    for (std::int64_t k = 1; k <= 12; ++k) {
      n *= p;
      factorial *= k;
      EXPECT_EQ(cute::permutation_layout_count(n).value(), factorial) << p << "^" << k;
    }
  }
}

// Seed 004, remark 3.16: the isomorphisms of Fact realize exactly these permutations.
TEST(PermutationLayouts, AreTheRealizationsOfTheIsomorphisms) {
  for (std::int64_t n = 1; n <= 64; ++n) {
    std::set<Values> realizations;
    for (const OrderedFactorization& e : objects(n)) {
      Values alpha(e.length());
      std::iota(alpha.begin(), alpha.end(), 1);
      do {
        const FactMorphism f = morphism(e, alpha);
        EXPECT_TRUE(f.is_isomorphism());
        realizations.insert(table_of(realized(f)));
      } while (std::next_permutation(alpha.begin(), alpha.end()));
    }
    EXPECT_EQ(realizations, permutation_tables(n)) << n;
  }
}

TEST(PermutationLayouts, InvertToOneAnother) {
  for (std::int64_t n = 1; n <= 64; ++n) {
    const std::set<Values> tables = permutation_tables(n);
    for (const Layout& layout : permutations(n)) {
      const Values back = table_of(cute::inverse(layout).value());
      EXPECT_TRUE(tables.contains(back)) << layout;
      EXPECT_EQ(after(back, table_of(layout)), identity_on(n)) << layout;
    }
  }
}

bool is_closed(const std::set<Values>& tables) {
  for (const Values& a : tables) {
    for (const Values& b : tables) {
      if (!tables.contains(after(a, b))) return false;
    }
  }
  return true;
}

TEST(PermutationLayouts, AreAGroupExactlyForPrimePowers) {
  EXPECT_TRUE(is_closed(permutation_tables(1)));
  for (std::int64_t n = 2; n <= 50; ++n) {
    EXPECT_EQ(is_closed(permutation_tables(n)), is_prime_power(n)) << n;
  }
}

// The first product of two that is none: (3,2):(2,1) after itself.
TEST(PermutationLayouts, ProductsAreRefusedWhereTheyAreNoLayout) {
  for (std::int64_t n = 1; n <= 36; ++n) {
    const std::vector<Layout> layouts = permutations(n);
    const std::set<Values> tables = permutation_tables(n);
    for (const Layout& a : layouts) {
      for (const Layout& b : layouts) {
        const Values product = after(table_of(a), table_of(b));
        const Result<Layout> recovered = cute::layout_of_table(product);
        ASSERT_EQ(recovered.has_value(), tables.contains(product)) << a << " o " << b;
        if (!recovered) continue;
        EXPECT_EQ(table_of(*recovered), product);
      }
    }
  }
}

// Tables and questions.

Operands often_compact(Random& random) {
  return {{random.chance(60) ? compact_layout(random) : any_layout(random)}, {}};
}

/// What is false in a verdict about `f`, read from its text.
Finding false_evidence(const Verdict& verdict, const Values& f) {
  const std::string& text = verdict.method();
  const auto at = [&](const std::string& c) { return f.at(std::stoul(c)); };
  std::smatch m;
  if (std::regex_match(text, m, std::regex(R"(coordinates (\d+) and (\d+) both map to (-?\d+))"))) {
    const bool holds = m[1] != m[2] && at(m[1]) == at(m[2]) && at(m[1]) == std::stoll(m[3]);
    return holds ? kHolds : found(text);
  }
  if (std::regex_match(text, m, std::regex(R"(no coordinate maps to (\d+))"))) {
    const std::int64_t index = std::stoll(m[1]);
    const bool inside = index < static_cast<std::int64_t>(f.size());
    return inside && std::ranges::find(f, index) == f.end() ? kHolds : found(text);
  }
  if (std::regex_match(text, m,
                       std::regex(R"(coordinate (\d+) maps to (-?\d+), which is not.*)"))) {
    const std::int64_t index = std::stoll(m[2]);
    const bool outside = index < 0 || index >= static_cast<std::int64_t>(f.size());
    return outside && at(m[1]) == index ? kHolds : found(text);
  }
  return found("no evidence in: ", text);
}

Finding check_verdict(const Verdict& verdict, const Values& f) {
  Values sorted = f;
  std::ranges::sort(sorted);
  const bool wanted = sorted == identity_on(static_cast<std::int64_t>(f.size()));
  if (verdict.is_yes() != wanted) return found(verdict);
  return wanted ? kHolds : false_evidence(verdict, f);
}

TEST(IsPermutation, OfALayoutIsThatOfItsTable) {
  Tally permutations;
  for_all(often_compact, [&](const Operands& o) -> Finding {
    const Verdict verdict = cute::is_permutation(to_layout(o.layouts[0]));
    if (verdict.is_yes()) permutations.count();
    return check_verdict(verdict, table(o.layouts[0]));
  });
  permutations.expect_at_least(30);
}

// Sizes that are not known: M and N are at least 1.
TEST(IsPermutation, OfASymbolicLayoutIsCertainOrUnknown) {
  const Int m = Int::variable("M", 1, 4096);
  const Int n = Int::variable("N", 2, 4096);
  const auto answer = [](const IntTuple& shape, const IntTuple& stride) {
    return cute::is_permutation(cute::make_layout(shape, cute::to_strides(stride)).value());
  };
  EXPECT_TRUE(answer({m, n}, {1, m}).is_yes());
  EXPECT_TRUE(answer({m, n}, {n, 1}).is_yes());
  EXPECT_TRUE(answer({m, n, 4}, {4, 4 * m, 1}).is_yes());
  EXPECT_EQ(answer({m, n}, {1, m + 1}).to_string(), "no  (no coordinate maps to M)");
  EXPECT_EQ(answer({4, n}, {1, 2}).to_string(), "no  (coordinates 2 and 4 both map to 2)");
  EXPECT_EQ(answer({n, m}, {1, 0}).to_string(), "unknown  (needs M == 1; try --assume 'M==1')");
  EXPECT_EQ(answer({m, n}, {1, n}).to_string(), "unknown  (needs N == M; try --assume 'N==M')");
}

TEST(IsPermutation, OfATableNamesWhatFails) {
  for_all(often_compact, [](const Operands& o) -> Finding {
    const Values f = table(o.layouts[0]);
    return check_verdict(cute::is_permutation(f), f);
  });
}

TEST(IsPermutation, AgreesWithInverse) {
  for_all(often_compact, [](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    const bool invertible = cute::inverse(layout).has_value();
    return cute::is_permutation(layout).is_yes() == invertible ? kHolds : found(layout);
  });
}

TEST(LayoutOfTable, GivesTheCoalescedLayoutBack) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::layout_of_table(table(o.layouts[0]));
    if (!r) return found(r.error());
    return to_plain(*r) == plain_layout(coalesced_modes(o.layouts[0])) ? kHolds : found(*r);
  });
}

Operands layout_and_two_entries(Random& random) {
  const Plain a = any_layout(random, 36);
  return {{a}, {random.between(1, size(a)), random.between(1, size(a))}};
}

TEST(LayoutOfTable, RefusesExactlyWhatNoFactorizationHas) {
  for_all({.percent = 30}, layout_and_two_entries, [&](const Operands& o) -> Finding {
    Values f = table(o.layouts[0]);
    const auto last = static_cast<std::int64_t>(f.size());
    for (const std::int64_t entry : o.numbers) {
      if (entry > last) return kSaysNothing;
    }
    std::swap(f[static_cast<std::size_t>(o.numbers[0] - 1)],
              f[static_cast<std::size_t>(o.numbers[1] - 1)]);
    const Result<Layout> r = cute::layout_of_table(f);
    const bool exists = f.front() == 0 && !layouts_with(f).empty();
    if (r.has_value() != exists) return r ? found(*r) : found(r.error());
    if (r) return differs(table_of(*r), f);
    if (!r.error().witness()) return found("no witness: ", r.error());
    const std::size_t at = std::stoul(r.error().witness()->coordinate);
    return std::to_string(f.at(at)) == r.error().witness()->found ? kHolds : found(r.error());
  });
}

// The category.

/// Numbers 1…5 as primes of an object of at most five, and as places.
struct Draw {
  static Values primes(Random& random) {
    Values primes;
    for (std::int64_t i = random.between(0, 4); i > 0; --i) {
      primes.push_back(random.one_of<std::int64_t>({2, 2, 2, 3, 3, 5}));
    }
    return primes;
  }
  static FactMorphism onto(Random& random, const OrderedFactorization& codomain, bool injective) {
    Values places;
    if (codomain.length() == 0) return morphism(codomain, {});
    const auto most = static_cast<std::int64_t>(codomain.length());
    if (injective) {
      places.resize(codomain.length());
      std::iota(places.begin(), places.end(), 1);
      random.shuffle(places);
      places.resize(static_cast<std::size_t>(random.between(0, most)));
    } else {
      for (std::int64_t i = random.between(0, 4); i > 0; --i) {
        places.push_back(random.between(1, most));
      }
    }
    return morphism(codomain, places);
  }
};

Operands a_seed(Random& random) { return {{}, {random.between(1, std::int64_t{1} << 40)}}; }
Random random_of(const Operands& o) { return Random(static_cast<std::uint64_t>(o.numbers[0])); }

// Seed 004, lemma 3.12 and definition 3.14, for injective maps.
TEST(Realization, OfAProductIsTheCompositionWhereTheSecondIsInjective) {
  for_all(a_seed, [](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), false);
    const FactMorphism g = Draw::onto(random, f.domain(), true);
    const Layout product = realized(composition(f, g).value());
    const Result<Layout> composed = cute::composition(realized(f), realized(g));
    if (!composed) return found(f, " o ", g, ": ", composed.error());
    return *composed == product ? kHolds : found(f, " o ", g, ": ", *composed, ", not ", product);
  });
}

TEST(Realization, OfAProductIsTheFunctionAfterTheOtherWhereTheSecondIsInjective) {
  for_all(a_seed, [](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), false);
    const FactMorphism g = Draw::onto(random, f.domain(), true);
    return differs(table_of(realized(composition(f, g).value())),
                   after(table_of(realized(f)), table_of(realized(g))));
  });
}

// For maps that pick a digit twice the lemma does not hold: digits carry.
TEST(Realization, OfOtherProductsIsTheCompositionOnlySometimes) {
  Tally alike;
  Tally unlike;
  for_all(a_seed, [&](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), false);
    const FactMorphism g = Draw::onto(random, f.domain(), false);
    if (g.is_injective()) return kSaysNothing;
    Values composed;
    for (const std::int64_t index : table_of(realized(g))) {
      composed.push_back(evaluate(to_plain(realized(f)), index));
    }
    const bool same = table_of(realized(composition(f, g).value())) == composed;
    (same ? alike : unlike).count();
    // Where the layouts compose, the result is the function after the other, not the lemma's.
    const Result<Layout> layout = cute::composition(realized(f), realized(g));
    return layout ? differs(table_of(*layout), composed) : kHolds;
  });
  alike.expect_at_least(1);
  unlike.expect_at_least(5);
}

// Seed 004, remark 3.11.
TEST(Realization, OfAnInjectiveMapIsInjectiveIntoTheCodomain) {
  for_all(a_seed, [](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), true);
    const Plain layout = to_plain(realized(f));
    if (size(layout) != f.domain().size()) return found(f, ": another size");
    if (!is_injective(layout)) return found(f, " is not injective");
    return known_at_most(cosize(layout), f.codomain().size()) ? kHolds : found(f);
  });
}

TEST(FactMorphism, CompositionIsAssociativeWithIdentities) {
  for_all(a_seed, [](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), false);
    const FactMorphism g = Draw::onto(random, f.domain(), false);
    const FactMorphism h = Draw::onto(random, g.domain(), false);
    if (composition(f, composition(g, h).value()) != composition(composition(f, g).value(), h)) {
      return found(f, " o ", g, " o ", h);
    }
    if (composition(f, FactMorphism::identity(f.domain())) != f) return found(f, " o id");
    if (composition(FactMorphism::identity(f.codomain()), f) != f) return found("id o ", f);
    return kHolds;
  });
}

TEST(FactMorphism, InverseUndoesIsomorphismsAndNothingElse) {
  Tally inverted;
  for_all(a_seed, [&](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), random.chance(80));
    const Result<FactMorphism> back = inverse(f);
    if (back.has_value() != f.is_isomorphism()) return found(f);
    if (!back) return kHolds;
    inverted.count();
    if (composition(f, *back) != FactMorphism::identity(f.codomain())) return found(f);
    if (composition(*back, f) != FactMorphism::identity(f.domain())) return found(f);
    const Layout inverted_layout = cute::inverse(realized(f)).value();
    return realized(*back) == inverted_layout ? kHolds : found(f, ": ", realized(*back));
  });
  inverted.expect_at_least(20);
}

TEST(FactMorphism, OfARealizationHasItsFunction) {
  for_all(a_seed, [](const Operands& o) -> Finding {
    Random random = random_of(o);
    const FactMorphism f = Draw::onto(random, object(Draw::primes(random)), random.chance(50));
    const Result<FactMorphism> again = cute::fact_morphism_of(realized(f));
    if (!again) return found(f, ": ", again.error());
    return differs(table_of(realized(*again)), table_of(realized(f)));
  });
}

/// Is f the function of some morphism? Tries all maps onto all objects of product `bound`.
bool is_realized(const Values& f, std::int64_t bound) {
  for (const OrderedFactorization& e : objects(bound)) {
    std::vector<Values> alphas = {{}};
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      const Plain layout = to_plain(realized(morphism(e, alphas[i])));
      if (size(layout) >= static_cast<std::int64_t>(f.size())) {
        if (table(layout) == f) return true;
        continue;
      }
      for (std::size_t place = 1; place <= e.length(); ++place) {
        Values longer = alphas[i];
        longer.push_back(static_cast<std::int64_t>(place));
        alphas.push_back(std::move(longer));
      }
    }
  }
  return false;
}

// Objects of a greater product than the greatest extent times stride add nothing.
TEST(FactMorphism, IsRefusedExactlyWhereNoMorphismHasTheFunction) {
  int refused = 0;
  for (std::int64_t s = 1; s <= 6; ++s) {
    for (std::int64_t t = 1; t <= 3; ++t) {
      for (std::int64_t c = 0; c <= 6; ++c) {
        for (std::int64_t d = 0; d <= 6; ++d) {
          const Plain a = plain_tuple({plain_leaf(s, c), plain_leaf(t, d)});
          std::int64_t bound = 1;
          for (const Plain& mode : coalesced_modes(a)) {
            bound = std::max(bound, mode.extent * mode.stride);
          }
          const Result<FactMorphism> f = cute::fact_morphism_of(to_layout(a));
          ASSERT_EQ(f.has_value(), is_realized(table(a), bound)) << to_string(a);
          if (!f) {
            ++refused;
            continue;
          }
          EXPECT_EQ(table_of(realized(*f)), table(a)) << to_string(a);
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(FactMorphism, OfALayoutIsAnIsomorphismExactlyForPermutations) {
  Tally permutations;
  for_all(often_compact, [&](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    const Result<FactMorphism> f = cute::fact_morphism_of(layout);
    const bool is_permutation = cute::is_permutation(layout).is_yes();
    if (is_permutation) permutations.count();
    return (f && f->is_isomorphism()) == is_permutation ? kHolds : found(layout);
  });
  permutations.expect_at_least(30);
}

TEST(OrderedFactorization, ListsEveryOrderOfThePrimesOnce) {
  for (std::int64_t n = 1; n <= 200; ++n) {
    std::set<Values> wanted;
    for (const Values& factors : ordered_factorizations(n)) {
      if (std::ranges::all_of(
              factors, [](std::int64_t p) { return ordered_factorizations(p).size() == 1; })) {
        wanted.insert(factors);
      }
    }
    std::set<Values> listed;
    for (const OrderedFactorization& e : objects(n)) {
      EXPECT_EQ(e.size(), n);
      EXPECT_TRUE(listed.emplace(e.primes().begin(), e.primes().end()).second);
    }
    EXPECT_EQ(listed, wanted) << n;
  }
}

// A prime has the identity only; a product of two also the two transpositions of its digits.
TEST(PermutationLayouts, AreCountedWhateverThePrimes) {
  constexpr std::int64_t kSmaller = 2147483647;
  constexpr std::int64_t kLarger = 4294967291;
  EXPECT_EQ(cute::permutation_layout_count(std::int64_t{2305843009213693951}).value(), 1);
  EXPECT_EQ(cute::permutation_layout_count(kSmaller * kSmaller).value(), 2);
  const auto factors = cute::ordered_factorizations(kSmaller * kLarger, 3).value();
  ASSERT_EQ(factors.size(), 2U);
  EXPECT_EQ(to_string(factors[0]), "(2147483647,4294967291)");
  EXPECT_EQ(to_string(factors[1]), "(4294967291,2147483647)");
}

}  // namespace
}  // namespace heddle::test
