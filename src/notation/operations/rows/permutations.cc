// Operations on permutations, tables of numbers, and the category of ordered factorizations.

#include <fmt/format.h>

#include <algorithm>

#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::FactMorphism;
using cute::Layout;
using cute::OrderedFactorization;

constexpr const char* kCutePermutations = "permutations";

// Tables.

using Numbers = std::vector<std::int64_t>;

std::optional<Numbers> known_numbers(std::span<const Int> leaves) {
  Numbers numbers;
  for (const Int& leaf : leaves) {
    if (!leaf.is_constant()) return std::nullopt;
    numbers.push_back(leaf.value());
  }
  return numbers;
}

/// What `[0,2,1,3]` and `(0,2,1,3)` are, and what table() gives.
std::optional<std::vector<Int>> flat_list(const Value& value) {
  if (const auto* tuple = value.get_if<IntTuple>(); tuple != nullptr && tuple->depth() <= 1) {
    return std::vector<Int>(tuple->leaves().begin(), tuple->leaves().end());
  }
  std::vector<Int> list;
  if (const auto* tuples = value.get_if<TupleList>()) {
    for (const IntTuple& tuple : *tuples) {
      if (!tuple.is_leaf()) return std::nullopt;
      list.push_back(tuple.leaf());
    }
    return list;
  }
  const auto* tiles = value.get_if<cute::Tiler>();
  if (tiles == nullptr || tiles->depth() > 1) return std::nullopt;
  for (const cute::Tile& tile : tiles->leaves()) {
    if (tile.size() == nullptr) return std::nullopt;
    list.push_back(*tile.size());
  }
  return list;
}

std::optional<Numbers> as_table(const Value& value) {
  const auto list = flat_list(value);
  return list ? known_numbers(*list) : std::nullopt;
}

Refusal no_table(std::string_view operation, const Value& value, std::string_view needed) {
  return refuse(Diagnostic("call.type", fmt::format("{} is given {}; {} is needed", operation,
                                                    kind_name(value), needed))
                    .with_hint("table(L) is the list of the indices of a layout"));
}

Result<Value> is_permutation(const Value& x) {
  if (const auto* layout = x.get_if<Layout>()) return Value(cute::is_permutation(*layout));
  if (const auto* composed = x.get_if<cute::ComposedLayout>()) {
    return Value(cute::is_permutation(*composed));
  }
  if (const auto numbers = as_table(x)) return Value(cute::is_permutation(*numbers));
  return no_table("is_permutation", x, "a layout or a list of numbers");
}

Result<Layout> layout_of_table(const Value& x) {
  if (const auto numbers = as_table(x)) return cute::layout_of_table(*numbers);
  return no_table("layout_of_table", x, "a list of numbers");
}

// Lists.

constexpr std::int64_t kMostListed = std::int64_t{1} << 16;

/// How many to list: all, or the first `limit`.
Result<std::size_t> list_length(const std::optional<Int>& limit) {
  if (limit && (!limit->is_constant() || limit->value() < 0)) {
    return refuse("table.limit", fmt::format("a list of {} entries", to_string(*limit)));
  }
  if (limit && known_at_most(*limit, kMostListed)) return static_cast<std::size_t>(limit->value());
  return static_cast<std::size_t>(kMostListed) + 1;
}

template <class Element>
Result<std::vector<Element>> check_length(std::string_view what, const Int& n,
                                          std::vector<Element> list) {
  if (list.size() <= static_cast<std::size_t>(kMostListed)) return list;
  return refuse(
      Diagnostic("permutation.too_many", fmt::format("{} has more than {} {}, too many to list",
                                                     to_string(n), kMostListed, what))
          .with_hint("give a limit"));
}

Result<LayoutList> list_permutations(const Int& n, const std::optional<Int>& limit) {
  HEDDLE_TRY(const std::size_t length, list_length(limit));
  HEDDLE_TRY(LayoutList layouts, cute::permutation_layouts(n, length));
  return check_length("permutations that are layouts", n, std::move(layouts));
}

// Factorizations and their morphisms.

/// An ordered factorization is a tuple of primes, and 1 where it is empty.
Result<OrderedFactorization> as_factorization(const IntTuple& tuple) {
  if (tuple.leaves().size() == 1 && known_equal(tuple.leaf(), 1)) return OrderedFactorization();
  return OrderedFactorization::make(tuple.leaves());
}

IntTuple as_tuple(const OrderedFactorization& object) {
  if (object.length() == 0) return 1;
  const std::vector<Int> primes(object.primes().begin(), object.primes().end());
  return IntTuple::flat(primes);
}

/// A map is the tuple of its values, and 0 where it is empty.
Result<FactMorphism> make_morphism(const IntTuple& factorization,
                                   const std::optional<IntTuple>& alpha) {
  HEDDLE_TRY(const OrderedFactorization codomain, as_factorization(factorization));
  if (!alpha) return FactMorphism::identity(codomain);
  const bool is_empty = alpha->leaves().size() == 1 && known_equal(alpha->leaf(), 0);
  return FactMorphism::make(codomain, is_empty ? std::span<const Int>() : alpha->leaves());
}

Result<TupleList> list_factorizations(const Int& n, const std::optional<Int>& limit) {
  HEDDLE_TRY(const std::size_t length, list_length(limit));
  HEDDLE_TRY(const auto objects, cute::ordered_factorizations(n, length));
  TupleList tuples;
  for (const OrderedFactorization& object : objects) tuples.push_back(as_tuple(object));
  return check_length("ordered factorizations", n, std::move(tuples));
}

}  // namespace

void add_permutation_operations(std::vector<Operation>& table) {
  table.push_back(
      operation("is_permutation", kCutePermutations, {"x"},
                "Whether a layout or a list of numbers meets each of 0, …, size-1 once.",
                "is_permutation((2,3,2):(6,2,1))",
                "yes  (sorted by stride, each mode begins where the one before ends)",
                [](const Value& x) { return is_permutation(x); }));
  table.push_back(operation("layout_of_table", kCutePermutations, {"table"},
                            "The shortest layout whose indices are the list of numbers.",
                            "layout_of_table((0,2,1,3))", "(2,2):(2,1)",
                            [](const Value& x) { return layout_of_table(x); }));
  table.push_back(operation("permutation_layout_count", kCutePermutations, {"n"},
                            "How many permutations of [0,n) are layouts.",
                            "permutation_layout_count(4096)", "479001600",
                            [](const Int& n) { return cute::permutation_layout_count(n); }));
  table.push_back(operation(
      "permutation_layouts", kCutePermutations, {"n", "limit"},
      "The permutations of [0,n) that are layouts, all or the first `limit` ones.",
      "permutation_layouts(6)", "[6:1,(3,2):(2,1),(2,3):(3,1)]",
      [](const Int& n, const std::optional<Int>& limit) { return list_permutations(n, limit); }));
  table.push_back(operation(
      "ordered_factorizations", kCutePermutations, {"n", "limit"},
      "The objects of Fact of product n, all or the first `limit` ones.",
      "ordered_factorizations(12)", "[(2,2,3),(2,3,2),(3,2,2)]",
      [](const Int& n, const std::optional<Int>& limit) { return list_factorizations(n, limit); }));
  table.push_back(
      operation("fact_morphism", kCutePermutations, {"factorization", "alpha"},
                "The morphism of Fact onto a tuple of primes that picks the places alpha, counted "
                "from 1; the identity where none are given.",
                "fact_morphism((2,3), (2,1))", "fact_morphism((2,3),(2,1))",
                [](const IntTuple& factorization, const std::optional<IntTuple>& alpha) {
                  return make_morphism(factorization, alpha);
                }));
  table.push_back(operation("domain", kCutePermutations, {"f"},
                            "Where a morphism begins: the primes that alpha picks.",
                            "domain(fact_morphism((2,3), (2,1)))", "(3,2)",
                            [](const FactMorphism& f) { return as_tuple(f.domain()); }));
  table.push_back(operation("codomain", kCutePermutations, {"f"}, "Where a morphism leads.",
                            "codomain(fact_morphism((2,3), (2,1)))", "(2,3)",
                            [](const FactMorphism& f) { return as_tuple(f.codomain()); }));
  table.push_back(operation("realization", kCutePermutations, {"f"}, "The layout of a morphism.",
                            "realization(fact_morphism((2,3), (2,1)))", "(3,2):(2,1)",
                            [](const FactMorphism& f) { return cute::realization(f); }));
  table.push_back(operation("fact_morphism_of", kCutePermutations, {"layout"},
                            "The shortest morphism of Fact with the function of the layout.",
                            "fact_morphism_of((4,3):(3,1))", "fact_morphism((3,2,2),(2,3,1))",
                            [](const Layout& layout) { return cute::fact_morphism_of(layout); }));
}

}  // namespace heddle::notation
