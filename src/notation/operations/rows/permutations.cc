// Swizzles, elements of other widths, permutations, and the category of ordered factorizations.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::FactMorphism;
using cute::Layout;
using cute::OrderedFactorization;
using cute::Swizzle;

// ---- Swizzles, composed layouts and elements of other widths ----

IntTuple offset_within(const OffsetOrComposedLayout& layout) {
  if (const auto* composed = std::get_if<ComposedLayout>(&layout)) return composed->offset();
  return std::get<cute::OffsetLayout>(layout).offset;
}

Result<Swizzle> swizzle_of_masks(const Int& y, const Int& z) {
  if (y.is_constant() && z.is_constant()) return cute::make_swizzle(y.value(), z.value());
  return refuse("swizzle.masks", fmt::format("make_swizzle({},{}): a mask is not a number",
                                             to_string(y), to_string(z)));
}

Result<Value> composed(const Value& outer, const std::optional<IntTuple>& offset,
                       const std::optional<AnyLayout>& inner) {
  HEDDLE_TRY(const auto function, convert<cute::OuterFunction>(outer));
  if (!function) {
    return refuse("call.type", fmt::format("composed is given {}; a layout or a swizzle is needed",
                                           kind_name(outer)));
  }
  if (!inner) return *function;
  return to_result(cute::make_composed_layout(Reader<cute::OuterFunction>::read(*function),
                                              offset.value_or(IntTuple(0)), *inner));
}

void add_swizzling(const Rows& add) {
  add({.call = "make_swizzle(y, z)",
       .summary = "The swizzle that XORs the bits of mask y onto those of mask z.",
       .example = {"make_swizzle(448, 7)", "Sw<3,0,6>"}},
      swizzle_of_masks);
  add({.call = "Swizzle(bits, base, shift)",
       .summary = "Swizzle<bits,base,shift>, as Python writes it. Also: make_swizzle.",
       .example = {"Swizzle(3, 4, 3)", "Sw<3,4,3>"}},
      [](int bits, int base, int shift) { return Swizzle::make(bits, base, shift); });
  add({.call = "swizzle(swizzle)",
       .summary = "The swizzle itself.",
       .example = {"swizzle(Swizzle<3,4,3>)", "Sw<3,4,3>"}},
      [](const Swizzle& swizzle) { return swizzle; });
  add({.call = "composed(outer, offset, inner)",
       .summary = "outer o offset o inner: the inner layout, moved by the offset, then the outer "
                  "layout or swizzle; `outer` itself if it is alone.",
       .example = {"composed((4,8):(1,4), (1,2), (2,4):(1@0,1@1))",
                   "(4,8):(1,4) o (1,2) o (2,4):(1@0,1@1)"}},
      composed);
  add({.call = "swizzle_portion(layout)",
       .summary = "The swizzle of a layout; the identity where it has none.",
       .example = {"swizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))", "Sw<3,4,3>"}},
      cute::get_swizzle_portion);
  add({.call = "nonswizzle_portion(layout)",
       .summary = "The layout without its swizzle.",
       .example = {"nonswizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))", "(8,64):(64,1)"}},
      cute::get_nonswizzle_portion);
  add({.call = "offset(layout)",
       .summary = "The offset of a composed layout, or where a partition begins; else 0.",
       .example = {"offset(Sw<3,4,3> o 16 o (8,64):(64,1))", "16"}},
      offset_within);
}

/// upcast or downcast; CuTe writes upcast<n>(x), its documents upcast(n, x).
template <class Function>
auto by_number(std::string_view operation, Function function) {
  return [=](const Value& a, const Value& b) -> Result<Value> {
    const bool is_swapped = a.is_integer() && !b.is_integer();
    HEDDLE_TRY(const auto x, convert<LayoutOrSwizzle>(is_swapped ? b : a));
    HEDDLE_TRY(const auto n, convert<Int>(is_swapped ? a : b));
    if (!x || !n) {
      return refuse("call.type", fmt::format("{} takes a layout or a swizzle, and a number; not {} "
                                             "and {}",
                                             operation, kind_name(a), kind_name(b)));
    }
    return std::visit(
        [&](const auto& any) { return to_result(function(any, Reader<Int>::read(*n))); },
        Reader<LayoutOrSwizzle>::read(*x));
  };
}

void add_recasting(const Rows& add) {
  add({.call = "recast(x, old_bits, new_bits)",
       .summary = "The same memory as elements of another width.",
       .example = {"recast((16,4):(1,16), 8, 32)", "(4,4):(1,4)"}},
      on_each<LayoutOrSwizzle, Int, Int>([](const auto&... all) { return cute::recast(all...); }));
  add({.call = "upcast(x, n)",
       .summary = "Every n elements become one. Also: upcast(n, x).",
       .example = {"upcast((8,4):(1,8), 4)", "(2,4):(1,2)"}},
      by_number("upcast", [](const auto&... all) { return cute::upcast(all...); }));
  add({.call = "downcast(x, n)",
       .summary = "Every element becomes n. Also: downcast(n, x).",
       .example = {"downcast((2,4):(1,2), 4)", "(8,4):(1,8)"}},
      by_number("downcast", [](const auto&... all) { return cute::downcast(all...); }));
}

void add_language(const Rows& add) {
  add({.call = "eval(expression)",
       .summary = "The expression itself: `heddle batch` evaluates its text.",
       .example = {"eval(2 * (3 + 4))", "14"}},
      [](const Value& expression) { return expression; });
}

// ---- Permutations, tables of numbers, and ordered factorizations ----

// Tables.

using Numbers = std::vector<std::int64_t>;

/// The numbers of `[0,2,1,3]`, `(0,2,1,3)`, or a result of table(); nullopt for symbolic numbers.
std::optional<Numbers> as_table(const Value& value) {
  const std::optional<Value> list = as_sizes(value);
  if (!list) return std::nullopt;
  Numbers numbers;
  for (const Int& number : list->get<IntTuple>().leaves()) {
    if (!number.is_constant()) return std::nullopt;
    numbers.push_back(number.value());
  }
  return numbers;
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

/// How many entries to list: `limit`, but at most one more than is allowed, to detect the excess.
Result<std::size_t> list_length(const std::optional<Int>& limit) {
  if (limit && (!limit->is_constant() || limit->value() < 0)) {
    return refuse("table.limit", fmt::format("a list of {}", counted(to_string(*limit), "entry")));
  }
  return static_cast<std::size_t>(
      std::min(limit ? limit->value() : kMostListed + 1, kMostListed + 1));
}

template <class Element>
Result<std::vector<Element>> check_length(std::string_view what, const Int& n,
                                          std::vector<Element> list) {
  if (list.size() <= static_cast<std::size_t>(kMostListed)) return list;
  return refuse(
      Diagnostic("permutation.too_many", fmt::format("{} has more than {} {}, too many to list",
                                                     to_string(n), kMostListed, what))
          .with_hint("give a limit: limit=16"));
}

Result<LayoutList> list_permutations(const Int& n, const std::optional<Int>& limit) {
  HEDDLE_TRY(const std::size_t length, list_length(limit));
  HEDDLE_TRY(LayoutList layouts, cute::permutation_layouts(n, length));
  return check_length("permutations that are layouts", n, std::move(layouts));
}

// Factorizations and their morphisms.

/// An ordered factorization is a tuple of primes, and 1 if it is empty.
Result<OrderedFactorization> as_factorization(const IntTuple& tuple) {
  if (tuple.leaves().size() == 1 && known_equal(tuple.leaf(), 1)) return OrderedFactorization();
  return OrderedFactorization::make(tuple.leaves());
}

IntTuple as_tuple(const OrderedFactorization& object) {
  if (object.length() == 0) return 1;
  const std::vector<Int> primes(object.primes().begin(), object.primes().end());
  return IntTuple::flat(primes);
}

/// A map is the tuple of its values, and 0 if it is empty.
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

void add_permutation_rows(const Rows& add) {
  add({.call = "is_permutation(x)",
       .summary = "Whether a layout or a list of numbers meets each of 0, …, size-1 once.",
       .example = {"is_permutation((2,3,2):(6,2,1))",
                   "yes  (sorted by stride, each mode begins where the one before ends)"}},
      is_permutation);
  add({.call = "layout_of_table(table)",
       .summary = "The shortest layout whose indices are the list of numbers.",
       .example = {"layout_of_table((0,2,1,3))", "(2,2):(2,1)"}},
      layout_of_table);
  add({.call = "permutation_layout_count(n)",
       .summary = "How many permutations of [0,n) are layouts.",
       .example = {"permutation_layout_count(4096)", "479001600"}},
      cute::permutation_layout_count);
  add({.call = "permutation_layouts(n, limit)",
       .summary = "The permutations of [0,n) that are layouts, all or the first `limit` ones.",
       .example = {"permutation_layouts(6)", "[6:1,(3,2):(2,1),(2,3):(3,1)]"}},
      list_permutations);
  add({.call = "ordered_factorizations(n, limit)",
       .summary = "The objects of Fact of product n, all or the first `limit` ones.",
       .example = {"ordered_factorizations(12)", "[(2,2,3),(2,3,2),(3,2,2)]"}},
      list_factorizations);
  add({.call = "fact_morphism(factorization, alpha)",
       .summary = "The morphism of Fact onto a tuple of primes that picks the places alpha, "
                  "counted from 1; the identity where none are given.",
       .example = {"fact_morphism((2,3), (2,1))", "fact_morphism((2,3),(2,1))"}},
      make_morphism);
  add({.call = "domain(f)",
       .summary = "Where a morphism begins: the primes that alpha picks.",
       .example = {"domain(fact_morphism((2,3), (2,1)))", "(3,2)"}},
      [](const FactMorphism& f) { return as_tuple(f.domain()); });
  add({.call = "codomain(f)",
       .summary = "Where a morphism leads.",
       .example = {"codomain(fact_morphism((2,3), (2,1)))", "(2,3)"}},
      [](const FactMorphism& f) { return as_tuple(f.codomain()); });
  add({.call = "realization(f)",
       .summary = "The layout of a morphism.",
       .example = {"realization(fact_morphism((2,3), (2,1)))", "(3,2):(2,1)"}},
      cute::realization);
  add({.call = "fact_morphism_of(layout)",
       .summary = "The shortest morphism of Fact with the function of the layout.",
       .example = {"fact_morphism_of((4,3):(3,1))", "fact_morphism((3,2,2),(2,3,1))"}},
      cute::fact_morphism_of);
}

}  // namespace

void add_permutation_operations(std::vector<Operation>& table) {
  add_swizzling({table, "swizzles"});
  add_recasting({table, "recasting"});
  add_language({table, "language"});
  add_permutation_rows({table, "permutations"});
}

}  // namespace heddle::notation
