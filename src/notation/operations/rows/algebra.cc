// The algebra: composition, complements, inverses, divides, products, and the questions about them.

#include <fmt/format.h>

#include "heddle/cute/algebra.h"
#include "heddle/linear/equality.h"
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

constexpr const char* kComposition = "composition";
constexpr const char* kComplement = "complement";
constexpr const char* kInverse = "inverses";
constexpr const char* kDivide = "divides";
constexpr const char* kProduct = "products";
constexpr const char* kQuestion = "questions";

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

/// As functions: a after b.
Result<Value> compose_values(const LinearLayout& a, const LinearLayout& b) {
  return to_result(linear::compose(b, a));
}

template <class Other>
Refusal refuse_beside_linear(const Other& other) {
  return refuse("call.type", fmt::format("{} beside a linear layout: a linear layout is composed "
                                         "with a linear layout",
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

Result<Value> compose_any(const Map& a, const Factor& b) {
  return std::visit([](const auto& left, const auto& right) { return compose_values(left, right); },
                    a, b);
}

void add_composition(std::vector<Operation>& table) {
  table.push_back(
      operation("composition", kComposition, {"a", "b"},
                "The layout of a after b, b's modes kept; a tiler works mode by mode; of linear "
                "layouts their function. Also: a o b.",
                "composition((6,2):(8,2), (4,3):(3,1))", "((2,2),3):((24,2),8)",
                [](const Map& a, const Factor& b) { return compose_any(a, b); }));
  table.push_back(operation(
      "domain_overflow", kComposition, {"a", "b", "limit=256"},
      "The coordinates of b that leave the domain of a.", "domain_overflow(4:1, (2,3):(1,2))",
      "[(0,2),(1,2)]",
      [](const Layout& a, const Layout& b, const std::optional<Int>& limit) -> Result<TupleList> {
        if (limit && known_less(*limit, 0)) {
          return refuse("table.limit", fmt::format("a list of {} coordinates", to_string(*limit)));
        }
        constexpr std::int64_t kDefault = 256;
        constexpr std::int64_t kMost = 1 << 16;
        const std::int64_t count = limit ? limit->value() : kDefault;
        return cute::domain_overflow(
            a, b, static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kMost)));
      }));
}

void add_complement(std::vector<Operation>& table) {
  table.push_back(operation(
      "complement", kComplement, {"layout", "cotarget"},
      "Where copies of the layout can be put in [0, cotarget), its cosize where none is given.",
      "complement((4,2):(1,16), 32)", "4:4",
      [](const Layout& layout, const std::optional<IntTuple>& cotarget) {
        return cotarget ? cute::complement(layout, *cotarget) : cute::complement(layout);
      }));
  table.push_back(operation("complement_fill", kComplement, {"layout", "target"},
                            "Fills the gaps of the layout in [0, target), first gap first.",
                            "complement_fill((2,2):(1,5), 20)", "(2,3):(2,9)",
                            [](const Layout& layout, const Int& target) {
                              return cute::complement_fill(layout, target);
                            }));
  table.push_back(operation(
      "admissible_for_complementation", kComplement, {"layout", "target"},
      "Whether the layout and its complement fill [0, target) exactly.",
      "admissible_for_complementation((2,2):(1,4), 16)",
      "yes  (every stride is a multiple of the extent times stride before it, and 16 of 8)",
      [](const Layout& layout, const Int& target) {
        return cute::admissible_for_complementation(layout, target);
      }));
}

Result<Value> right_inverse_of(const Swizzled& x) {
  if (const auto* layout = std::get_if<Layout>(&x)) return to_result(cute::right_inverse(*layout));
  if (const auto* swizzle = std::get_if<Swizzle>(&x)) return Value(cute::inverse(*swizzle));
  return to_result(cute::right_inverse(std::get<ComposedLayout>(x)));
}

Result<Value> left_inverse_of(const Swizzled& x) {
  if (const auto* layout = std::get_if<Layout>(&x)) return to_result(cute::left_inverse(*layout));
  if (const auto* swizzle = std::get_if<Swizzle>(&x)) return Value(cute::inverse(*swizzle));
  return to_result(cute::left_inverse(std::get<ComposedLayout>(x)));
}

/// Of a composed layout whose inner layout is a bijection of a size the swizzle permutes.
Result<Value> inverse_of(const Map& x) {
  if (const auto* f = std::get_if<FactMorphism>(&x)) return to_result(cute::inverse(*f));
  if (const auto* layout = std::get_if<Layout>(&x)) return to_result(cute::inverse(*layout));
  if (const auto* swizzle = std::get_if<Swizzle>(&x)) return Value(cute::inverse(*swizzle));
  if (const auto* map = std::get_if<LinearLayout>(&x)) return to_result(linear::invert(*map));
  const auto& composed = std::get<ComposedLayout>(x);
  HEDDLE_TRY(const Int cosize, cute::cosize(composed));
  HEDDLE_CHECK(cute::inverse(composed.layout()));
  if (!known_equal(cosize, composed.size())) {
    return refuse("inverse.not_bijective",
                  fmt::format("{} has {} elements and reaches index {}", cute::to_string(composed),
                              to_string(composed.size()), to_string(cosize - 1)));
  }
  return to_result(cute::left_inverse(composed));
}

void add_inverse(std::vector<Operation>& table) {
  table.push_back(operation("right_inverse", kInverse, {"layout"},
                            "A run of indices read back: layout(result(i)) = i.",
                            "right_inverse((8,16,4):(64,1,16))", "(64,8):(8,1)",
                            [](const Swizzled& x) { return right_inverse_of(x); }));
  table.push_back(operation(
      "left_inverse", kInverse, {"layout"},
      "Reads indices back: result(layout(c)) = c where the layout is injective.",
      "left_inverse(4:2)", "(2,4):(0,1)", [](const Swizzled& x) { return left_inverse_of(x); }));
  table.push_back(operation("inverse", kInverse, {"layout"},
                            "The inverse from both sides, of a bijection.",
                            "inverse((8,16,4):(64,1,16))", "(16,4,8):(8,128,1)",
                            [](const Map& x) { return inverse_of(x); }));
  table.push_back(operation("nullspace", kInverse, {"layout"},
                            "The coordinates that modes of stride 0 repeat.",
                            "nullspace((4,8):(0,1))", "4:1",
                            [](const Layout& layout) { return cute::nullspace(layout); }));
  table.push_back(operation(
      "max_common_layout", kInverse, {"a", "b"},
      "The most elements that lie contiguously and alike in both.",
      "max_common_layout((4,8):(1,4), (4,8):(1,16))", "4:1",
      [](const AnyLayout& a, const AnyLayout& b) { return cute::max_common_layout(a, b); }));
  table.push_back(operation(
      "max_common_vector", kInverse, {"a", "b"},
      "How many elements one vector access can move between both.",
      "max_common_vector((4,8):(1,4), (4,8):(1,16))", "4",
      [](const AnyLayout& a, const AnyLayout& b) { return cute::max_common_vector(a, b); }));
  table.push_back(operation(
      "max_alignment", kInverse, {"layout"},
      "The widest vector, in elements, at whose multiples all vectors begin.",
      "max_alignment((8,4):(1,16))", "8", [](const Swizzled& x) {
        return std::visit([](const auto& any) { return to_result(cute::max_alignment(any)); }, x);
      }));
}

using Tiled = Result<Layout> (*)(const Layout&, const Tiler&);

void add_tiled(std::vector<Operation>& table, const char* name, const char* family,
               const char* block, const char* summary, const char* example, const char* result,
               Tiled tiled) {
  table.push_back(operation(name, family, {block, "tiler"}, summary, example, result,
                            [tiled](const AnyLayout& layout, const Tiler& tiler) {
                              return on_inner(layout,
                                              [&](const Layout& l) { return tiled(l, tiler); });
                            }));
}

void add_divide(std::vector<Operation>& table) {
  add_tiled(table, "logical_divide", kDivide, "layout", "Mode by mode (tile, rest).",
            "logical_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))", cute::logical_divide);
  add_tiled(table, "zipped_divide", kDivide, "layout", "((tiles…), (rests…)).",
            "zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))", cute::zipped_divide);
  add_tiled(table, "tiled_divide", kDivide, "layout", "((tiles…), rest, rest, …).",
            "tiled_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
            "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))", cute::tiled_divide);
  add_tiled(table, "flat_divide", kDivide, "layout", "(tile, tile, …, rest, rest, …).",
            "flat_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
            "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))", cute::flat_divide);
  table.push_back(operation(
      "domain_distribute", kDivide, {"shape", "size"},
      "A layout of up to `size` coordinates whose tile divides the shape.",
      "domain_distribute((15,14), 6)", "(3,2):(1,15)",
      [](const IntTuple& shape, const Int& size) { return cute::domain_distribute(shape, size); }));
}

using Product = Result<Layout> (*)(const Layout&, const Layout&);

void add_blocked(std::vector<Operation>& table, const char* name, const char* summary,
                 const char* result, Product product) {
  table.push_back(operation(
      name, kProduct, {"block", "tiler"}, summary, std::string(name) + "((2,5):(5,1), (3,4):(1,3))",
      result, [product](const AnyLayout& block, const Layout& tiler) {
        return on_inner(block, [&](const Layout& l) { return product(l, tiler); });
      }));
}

void add_product(std::vector<Operation>& table) {
  add_tiled(table, "logical_product", kProduct, "block",
            "(block, copies); a tiler works mode by mode.", "logical_product((2,2):(4,1), 6:1)",
            "((2,2),(2,3)):((4,1),(2,8))", cute::logical_product);
  add_tiled(table, "zipped_product", kProduct, "block", "((blocks…), (copies…)).",
            "zipped_product((2,5):(5,1), (3,4):(1,3))", "((2,5),(3,4)):((5,1),(10,30))",
            cute::zipped_product);
  add_tiled(table, "tiled_product", kProduct, "block", "((blocks…), copies, copies, …).",
            "tiled_product((2,5):(5,1), (3,4):(1,3))", "((2,5),3,4):((5,1),10,30)",
            cute::tiled_product);
  add_tiled(table, "flat_product", kProduct, "block", "(block, block, …, copies, copies, …).",
            "flat_product((2,5):(5,1), (3,4):(1,3))", "(2,5,3,4):(5,1,10,30)", cute::flat_product);
  add_blocked(table, "blocked_product", "Mode by mode (block, copies): blocks stay whole.",
              "((2,3),(5,4)):((5,10),(1,30))", cute::blocked_product);
  add_blocked(table, "raked_product", "Mode by mode (copies, block): blocks are interleaved.",
              "((3,2),(4,5)):((10,5),(30,1))", cute::raked_product);
  table.push_back(operation(
      "tile_to_shape", kProduct, {"block", "shape", "order"},
      "Repeats the block until it fills the shape, first mode first or in the order of modes.",
      "tile_to_shape((8,64):(64,1), (128,64))", "((8,16),(64,1)):((64,512),(1,0))",
      [](const AnyLayout& block, const IntTuple& shape, const std::optional<IntTuple>& order) {
        return on_inner(block, [&](const Layout& l) {
          return order ? cute::tile_to_shape(l, shape, *order) : cute::tile_to_shape(l, shape);
        });
      }));
}

Result<TupleList> interval_list(const IntTuple& shape, const Layout& mode) {
  HEDDLE_TRY(const auto interval, cute::interval_of_definition(shape, mode));
  if (!interval) return TupleList();
  return TupleList{IntTuple(interval->first), IntTuple(interval->last)};
}

Result<Verdict> equal_maps(const AnyMap& a, const AnyMap& b) {
  const auto* left = std::get_if<LinearLayout>(&a);
  const auto* right = std::get_if<LinearLayout>(&b);
  if (left != nullptr && right != nullptr) return linear::equal(*left, *right);
  if (left != nullptr || right != nullptr) {
    return refuse("call.type", "a linear layout is compared with a linear layout");
  }
  const auto any = [](const AnyMap& map) {
    const auto* layout = std::get_if<Layout>(&map);
    return layout != nullptr ? AnyLayout(*layout) : AnyLayout(std::get<ComposedLayout>(map));
  };
  return cute::equal(any(a), any(b));
}

void add_questions(std::vector<Operation>& table) {
  table.push_back(operation(
      "equal", kQuestion, {"a", "b"}, "Whether both are the same map. Also: a == b.",
      "equal((4,8):(1,4), 32:1)", "yes  (digit form; compared by flat coordinate: (4,8) and (32))",
      [](const AnyMap& a, const AnyMap& b) { return equal_maps(a, b); }));
  table.push_back(operation(
      "same", kQuestion, {"a", "b"}, "Whether both are written alike: same shape, same strides.",
      "same((4,8):(1,4), 32:1)", "false", [](const Value& a, const Value& b) {
        return a.data().index() == b.data().index() && to_string(a) == to_string(b);
      }));
  table.push_back(
      operation("left_divisible", kQuestion, {"shape", "divisor"},
                "Whether the leading factors of the shape divide the divisor, which divides the "
                "next one.",
                "left_divisible((8,6,8), 4)", "yes: 4 = 1 * 4, division index 0, within factor 8",
                [](const IntTuple& shape, const Int& divisor) {
                  return cute::left_divisible(shape, divisor);
                }));
  table.push_back(operation("weakly_left_divisible", kQuestion, {"shape", "divisor"},
                            "The same without the last condition.",
                            "weakly_left_divisible((2,6,8), 8)",
                            "yes: 8 = 2 * 4, division index 1, within factor 6",
                            [](const IntTuple& shape, const Int& divisor) {
                              return cute::weakly_left_divisible(shape, divisor);
                            }));
  table.push_back(operation(
      "interval_of_definition", kQuestion, {"shape", "mode"},
      "Where a mode N:r acts within the shape: first and last, or nothing.",
      "interval_of_definition((4,6,8), 3:8)", "[8,16]",
      [](const IntTuple& shape, const Layout& mode) { return interval_list(shape, mode); }));
  table.push_back(operation("admissible_for_composition", kQuestion, {"shape", "b"},
                            "Whether a layout of this shape composes with b by division alone.",
                            "admissible_for_composition((6,2), (4,3):(3,1))",
                            "yes  (every mode divides and no two intervals of definition meet)",
                            [](const IntTuple& shape, const Layout& b) {
                              return cute::admissible_for_composition(shape, b);
                            }));
  table.push_back(operation("admissible_for_cutlass_composition", kQuestion, {"shape", "b"},
                            "The same with CUTLASS's stricter second condition.",
                            "admissible_for_cutlass_composition((8,6,8), 8:4)",
                            "no  (the mode 8:4: what remains is not left divisible by 8: 8 = 2 * "
                            "4, but 4 does not divide factor 1, 6)",
                            [](const IntTuple& shape, const Layout& b) {
                              return cute::admissible_for_cutlass_composition(shape, b);
                            }));
}

}  // namespace

void add_algebra_operations(std::vector<Operation>& table) {
  add_composition(table);
  add_complement(table);
  add_inverse(table);
  add_divide(table);
  add_product(table);
  add_questions(table);
}

}  // namespace heddle::notation
