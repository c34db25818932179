// The algebra: composition, complements, inverses, divides, products, and the questions about them.

#include <fmt/format.h>

#include "core/text.h"
#include "heddle/cute/algebra.h"
#include "heddle/linear/equality.h"
#include "heddle/map/complement.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::FactMorphism;
using cute::Layout;
using cute::Swizzle;
using cute::Tiler;
using linear::LinearLayout;

// Composition, by the kinds of its two sides.

template <class Left, class Right>
Result<Value> compose_values(const Left& a, const Right& b) {
  constexpr bool is_morphism[] = {std::is_same_v<Left, FactMorphism>,
                                  std::is_same_v<Right, FactMorphism>};
  if constexpr (is_morphism[0] == is_morphism[1]) {
    return to_result(cute::composition(a, b));
  } else {
    return refuse(
        Diagnostic("call.type", fmt::format("{} and {}: a morphism is composed with a morphism",
                                            cute::to_string(a), cute::to_string(b)))
            .with_hint("realization(f) is the layout of a morphism f"));
  }
}

Result<Value> compose_values(const Swizzle& a, const Tiler& b) {
  return refuse("call.type", fmt::format("a swizzle, {}, has no modes that the tiler {} could tile",
                                         cute::to_string(a), cute::to_string(b)));
}

/// The composition a(b(x)).
Result<Value> compose_values(const LinearLayout& a, const LinearLayout& b) {
  return to_result(linear::compose(b, a));
}

template <class Other>
Refusal refuse_beside_linear(const Other& other) {
  return refuse(
      "call.type",
      fmt::format("{} with a linear layout: a linear layout is composed with a linear layout",
                  kind_name(Value(other))));
}
template <class Right>
Result<Value> compose_values(const LinearLayout&, const Right& b) {
  return refuse_beside_linear(b);
}
template <class Left>
  requires(!std::is_same_v<Left, LinearLayout>)
Result<Value> compose_values(const Left& a, const LinearLayout&) {
  return refuse_beside_linear(a);
}

void add_composition(const Rows& add) {
  add({.call = "composition(a, b)",
       .summary = "The layout of a after b, b's modes kept; a tiler works mode by mode; of linear "
                  "layouts their function. Also: a o b.",
       .example = {"composition((6,2):(8,2), (4,3):(3,1))", "((2,2),3):((24,2),8)"}},
      [](const Composable& a, const ComposableOrTiler& b) {
        return std::visit(
            [](const auto& left, const auto& right) { return compose_values(left, right); }, a, b);
      });
  add({.call = "compose(a, b)",
       .summary = "The same of CuTe's layouts, as tensor-layouts writes it.",
       .example = {"compose(Layout(8, 2), Layout(4, 1))", "4:2"}},
      [](const LayoutOrSwizzle& a, const ComposableOrTiler& b) {
        return std::visit(
            [](const auto& left, const auto& right) { return compose_values(left, right); }, a, b);
      });
  add({.call = "domain_overflow(a, b, limit=256)",
       .summary = "The coordinates of b that leave the domain of a.",
       .example = {"domain_overflow(4:1, (2,3):(1,2))", "[(0,2),(1,2)]"}},
      [](const Layout& a, const Layout& b, const std::optional<Int>& limit) -> Result<TupleList> {
        if (limit && known_less(*limit, 0)) {
          return refuse("table.limit",
                        fmt::format("a list of {}", counted(to_string(*limit), "coordinate")));
        }
        constexpr std::int64_t kDefault = 256;
        constexpr std::int64_t kMost = 1 << 16;
        const std::int64_t count = limit ? limit->value() : kDefault;
        return cute::domain_overflow(
            a, b, static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kMost)));
      });
}

/// The tuple itself, or the shape of the layout.
IntTuple shape_in(const LayoutOrTuple& shaped) {
  if (const auto* tuple = std::get_if<IntTuple>(&shaped)) return *tuple;
  if (const auto* layout = std::get_if<Layout>(&shaped)) return layout->shape();
  return cute::shape(std::get<ComposedLayout>(shaped));
}

void add_complement(const Rows& add) {
  add({.call = "complement(layout, cotarget)",
       .summary = "Where copies of the layout can be put in [0, cotarget), its cosize where none "
                  "is given.",
       .example = {"complement((4,2):(1,16), 32)", "4:4"}},
      [](const Layout& layout, const std::optional<LayoutOrTuple>& cotarget) {
        return cotarget ? cute::complement(layout, shape_in(*cotarget)) : cute::complement(layout);
      });
  add({.call = "complement_fill(layout, target)",
       .summary = "Fills the gaps of the layout in [0, target), first gap first.",
       .example = {"complement_fill((2,2):(1,5), 20)", "(2,3):(2,9)"}},
      cute::complement_fill);
  add({.call = "admissible_for_complementation(layout, target)",
       .summary = "Whether the layout and its complement fill [0, target) exactly.",
       .example =
           {"admissible_for_complementation((2,2):(1,4), 16)",
            "yes  (every stride is a multiple of the extent times stride before it, and 16 of 8)"}},
      cute::admissible_for_complementation);
  add({.call = "is_complement(layout, rest, target)",
       .summary =
           "Whether `rest` keeps the contract of a complement: increasing, of enough copies, "
           "and in common with the layout only 0. The target is the layout's cosize where none is "
           "given.",
       .example = {"is_complement((2,2):(1,5), (2,2):(2,10), 20)",
                   "no  (it has 4 of 20//4 = 5 copies)"}},
      [](const Layout& layout, const Layout& rest, const std::optional<Int>& target,
         const map::DecideOptions& options) -> Result<Verdict> {
        if (target) return map::is_complement(layout, rest, *target, options);
        HEDDLE_TRY(const Int own, cute::cosize(layout));
        return map::is_complement(layout, rest, own, options);
      });
}

// Inverses; a swizzle is its own left and right inverse.
template <class Any>
Result<Value> right_inverse_of(const Any& any) {
  return to_result(cute::right_inverse(any));
}
template <class Any>
Result<Value> left_inverse_of(const Any& any) {
  return to_result(cute::left_inverse(any));
}
template <class Any>
Result<Value> inverse_of(const Any& any) {
  return to_result(cute::inverse(any));
}
Result<Value> right_inverse_of(const Swizzle& swizzle) { return Value(cute::inverse(swizzle)); }
Result<Value> left_inverse_of(const Swizzle& swizzle) { return Value(cute::inverse(swizzle)); }
Result<Value> inverse_of(const LinearLayout& map) { return to_result(linear::invert(map)); }

/// A composed layout has an inverse if the inner layout is a bijection and the swizzle permutes its
/// indices.
Result<Value> inverse_of(const ComposedLayout& composed) {
  HEDDLE_TRY(const Int cosize, cute::cosize(composed));
  HEDDLE_CHECK(cute::inverse(composed.layout()));
  if (!known_equal(cosize, composed.size())) {
    return refuse(
        "inverse.not_bijective",
        fmt::format("{} has {} and reaches index {}", cute::to_string(composed),
                    counted(to_string(composed.size()), "element"), to_string(cosize - 1)));
  }
  return to_result(cute::left_inverse(composed));
}

void add_inverse(const Rows& add) {
  add({.call = "right_inverse(layout)",
       .summary = "A run of indices read back: layout(result(i)) = i.",
       .example = {"right_inverse((8,16,4):(64,1,16))", "(64,8):(8,1)"}},
      on_each<LayoutOrSwizzle>([](const auto& any) { return right_inverse_of(any); }));
  add({.call = "left_inverse(layout)",
       .summary = "Reads indices back: result(layout(c)) = c where the layout is injective.",
       .example = {"left_inverse(4:2)", "(2,4):(0,1)"}},
      on_each<LayoutOrSwizzle>([](const auto& any) { return left_inverse_of(any); }));
  add({.call = "inverse(layout)",
       .summary = "The inverse from both sides, of a bijection.",
       .example = {"inverse((8,16,4):(64,1,16))", "(16,4,8):(8,128,1)"}},
      on_each<Composable>([](const auto& any) { return inverse_of(any); }));
  add({.call = "nullspace(layout)",
       .summary = "The coordinates that modes of stride 0 repeat.",
       .example = {"nullspace((4,8):(0,1))", "4:1"}},
      cute::nullspace);
  add({.call = "max_common_layout(a, b)",
       .summary = "The largest number of elements that are contiguous and alike in both.",
       .example = {"max_common_layout((4,8):(1,4), (4,8):(1,16))", "4:1"}},
      [](const AnyLayout& a, const AnyLayout& b) { return cute::max_common_layout(a, b); });
  add({.call = "max_common_vector(a, b)",
       .summary = "How many elements one vector access can move between both.",
       .example = {"max_common_vector((4,8):(1,4), (4,8):(1,16))", "4"}},
      [](const AnyLayout& a, const AnyLayout& b) { return cute::max_common_vector(a, b); });
  add({.call = "max_alignment(layout)",
       .summary = "The widest vector, in elements, at whose multiples all vectors begin.",
       .example = {"max_alignment((8,4):(1,16))", "8"}},
      on_each<LayoutOrSwizzle>([](const auto& any) { return cute::max_alignment(any); }));
}

void add_divide(const Rows& add) {
  add({.call = "logical_divide(layout, tiler)",
       .summary = "Mode by mode (tile, rest).",
       .example = {"logical_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
                   "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"}},
      of_inner<const Tiler&>(cute::logical_divide));
  add({.call = "zipped_divide(layout, tiler)",
       .summary = "((tiles…), (rests…)).",
       .example = {"zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
                   "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"}},
      of_inner(cute::zipped_divide));
  add({.call = "tiled_divide(layout, tiler)",
       .summary = "((tiles…), rest, rest, …).",
       .example = {"tiled_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
                   "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"}},
      of_inner(cute::tiled_divide));
  add({.call = "flat_divide(layout, tiler)",
       .summary = "(tile, tile, …, rest, rest, …).",
       .example = {"flat_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
                   "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"}},
      of_inner(cute::flat_divide));
  add({.call = "domain_distribute(shape, size)",
       .summary = "A layout of up to `size` coordinates whose tile divides the shape.",
       .example = {"domain_distribute((15,14), 6)", "(3,2):(1,15)"}},
      cute::domain_distribute);
}

void add_product(const Rows& add) {
  add({.call = "logical_product(block, tiler)",
       .summary = "(block, copies); a tiler works mode by mode.",
       .example = {"logical_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"}},
      of_inner<const Tiler&>(cute::logical_product));
  add({.call = "zipped_product(block, tiler)",
       .summary = "((blocks…), (copies…)).",
       .example = {"zipped_product((2,5):(5,1), (3,4):(1,3))", "((2,5),(3,4)):((5,1),(10,30))"}},
      of_inner(cute::zipped_product));
  add({.call = "tiled_product(block, tiler)",
       .summary = "((blocks…), copies, copies, …).",
       .example = {"tiled_product((2,5):(5,1), (3,4):(1,3))", "((2,5),3,4):((5,1),10,30)"}},
      of_inner(cute::tiled_product));
  add({.call = "flat_product(block, tiler)",
       .summary = "(block, block, …, copies, copies, …).",
       .example = {"flat_product((2,5):(5,1), (3,4):(1,3))", "(2,5,3,4):(5,1,10,30)"}},
      of_inner(cute::flat_product));
  add({.call = "blocked_product(block, tiler)",
       .summary = "Mode by mode (block, copies): blocks stay whole.",
       .example = {"blocked_product((2,5):(5,1), (3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"}},
      of_inner(cute::blocked_product));
  add({.call = "raked_product(block, tiler)",
       .summary = "Mode by mode (copies, block): blocks are interleaved.",
       .example = {"raked_product((2,5):(5,1), (3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"}},
      of_inner(cute::raked_product));
  add({.call = "tile_to_shape(block, shape, order)",
       .summary =
           "Repeats the block until it fills the shape, first mode first or in the order of modes.",
       .example = {"tile_to_shape((8,64):(64,1), (128,64))", "((8,16),(64,1)):((64,512),(1,0))"}},
      [](const AnyLayout& block, const IntTuple& shape, const std::optional<IntTuple>& order) {
        return on_inner(block, [&](const Layout& l) {
          return order ? cute::tile_to_shape(l, shape, *order) : cute::tile_to_shape(l, shape);
        });
      });
}

Result<TupleList> interval_list(const IntTuple& shape, const Layout& mode) {
  HEDDLE_TRY(const auto interval, cute::interval_of_definition(shape, mode));
  if (!interval) return TupleList();
  return TupleList{IntTuple(interval->first), IntTuple(interval->last)};
}

Result<Verdict> equal_maps(const CuteOrLinearLayout& a, const CuteOrLinearLayout& b) {
  const auto* left = std::get_if<LinearLayout>(&a);
  const auto* right = std::get_if<LinearLayout>(&b);
  if (left != nullptr && right != nullptr) return linear::equal(*left, *right);
  if (left != nullptr || right != nullptr) {
    return refuse("call.type", "a linear layout is compared with a linear layout");
  }
  const auto any = [](const CuteOrLinearLayout& map) {
    const auto* layout = std::get_if<Layout>(&map);
    return layout != nullptr ? AnyLayout(*layout) : AnyLayout(std::get<ComposedLayout>(map));
  };
  return cute::equal(any(a), any(b));
}

void add_questions(const Rows& add) {
  add({.call = "equal(a, b)",
       .summary = "Whether both are the same map. Also: a == b.",
       .example = {"equal((4,8):(1,4), 32:1)",
                   "yes  (digit form; compared by flat coordinate: (4,8) and (32))"}},
      equal_maps);
  add({.call = "same(a, b)",
       .summary = "Whether both are written alike: same shape, same strides.",
       .example = {"same((4,8):(1,4), 32:1)", "false"}},
      [](const Value& a, const Value& b) {
        return a.data().index() == b.data().index() && to_string(a) == to_string(b);
      });
  add({.call = "is_sorted(layout)",
       .summary = "Whether the strides of the leaves never fall, and of equal strides the extents.",
       .example = {"is_sorted((2,4):(4,1))", "no  (the stride 4 of leaf 0 is above 1 of leaf 1)"}},
      cute::is_sorted);
  add({.call = "is_increasing(layout)",
       .summary = "Whether each flat coordinate has a greater index than the one before it.",
       .example = {"is_increasing((4,2):(1,3))",
                   "no  (the stride 3 is not above 3, which the modes before it reach)  "
                   "counterexample: coordinate 4: 3 and more than 3"}},
      cute::is_increasing);
  add({.call = "left_divisible(shape, divisor)",
       .summary = "Whether the leading factors of the shape divide the divisor, which divides the "
                  "next one.",
       .example = {"left_divisible((8,6,8), 4)",
                   "yes: 4 = 1 * 4, division index 0, within factor 8"}},
      cute::left_divisible);
  add({.call = "weakly_left_divisible(shape, divisor)",
       .summary = "The same without the last condition.",
       .example = {"weakly_left_divisible((2,6,8), 8)",
                   "yes: 8 = 2 * 4, division index 1, within factor 6"}},
      cute::weakly_left_divisible);
  add({.call = "interval_of_definition(shape, mode)",
       .summary = "Where a mode N:r acts within the shape: first and last, or nothing.",
       .example = {"interval_of_definition((4,6,8), 3:8)", "[8,16]"}},
      interval_list);
  add({.call = "admissible_for_composition(shape, b)",
       .summary = "Whether a layout of this shape composes with b by division alone.",
       .example = {"admissible_for_composition((6,2), (4,3):(3,1))",
                   "yes  (every mode divides and no two intervals of definition meet)"}},
      cute::admissible_for_composition);
  add({.call = "admissible_for_cutlass_composition(shape, b)",
       .summary = "The same with CUTLASS's stricter second condition.",
       .example = {"admissible_for_cutlass_composition((8,6,8), 8:4)",
                   "no  (the mode 8:4: what remains is not left divisible by 8: 8 = 2 * 4, but 4 "
                   "does not divide factor 1, 6)"}},
      cute::admissible_for_cutlass_composition);
}

}  // namespace

void add_algebra_operations(std::vector<Operation>& table) {
  add_composition({table, "composition"});
  add_complement({table, "complement"});
  add_inverse({table, "inverses"});
  add_divide({table, "divides"});
  add_product({table, "products"});
  add_questions({table, "questions"});
}

}  // namespace heddle::notation
