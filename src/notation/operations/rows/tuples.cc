// Operations on nested integer tuples.

#include <fmt/format.h>

#include "heddle/cute/int_tuple.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::Coordinate;
using cute::Layout;

constexpr const char* kFolds = "tuples";
constexpr const char* kNesting = "nesting";
constexpr const char* kCoordinates = "coordinates";
constexpr const char* kOrders = "orders";
constexpr const char* kStrides = "compact strides";

IntTuple shape_of(const Shaped& shaped) {
  if (const auto* tuple = std::get_if<IntTuple>(&shaped)) return *tuple;
  if (const auto* layout = std::get_if<Layout>(&shaped)) return layout->shape();
  return std::get<cute::ComposedLayout>(shaped).shape();
}

Int fold(const std::vector<IntTuple>& values, Int (*over_leaves)(IntTupleView),
         Int (*of_two)(const Int&, const Int&)) {
  Int result = over_leaves(values.front());
  for (const IntTuple& value : values) result = of_two(result, over_leaves(value));
  return result;
}

Result<IntTuple> ceil_div_shaped(const IntTuple& a, const Shaped& b) {
  if (const auto* tuple = std::get_if<IntTuple>(&b)) return cute::ceil_div(a, *tuple);
  if (const auto* layout = std::get_if<Layout>(&b)) {
    HEDDLE_TRY(const Layout rest, cute::complement(*layout, a));
    return rest.shape();
  }
  return refuse("call.type", "ceil_div needs a plain layout or a tuple as its divisor");
}

void add_folds(std::vector<Operation>& table) {
  table.push_back(operation("rank", kFolds, {"x"}, "The number of modes; 1 for an integer.",
                            "rank((4,(2,2)))", "2",
                            [](const Shaped& x) { return Int(shape_of(x).rank()); }));
  table.push_back(operation("depth", kFolds, {"x"}, "How deeply tuples nest; 0 for an integer.",
                            "depth((4,(2,2)))", "2",
                            [](const Shaped& x) { return Int(shape_of(x).depth()); }));
  table.push_back(operation("size", kFolds, {"x"}, "The number of elements of a shape or layout.",
                            "size((4,(2,2)):(2,(1,8)))", "16",
                            [](const Shaped& x) { return cute::size(shape_of(x)); }));
  table.push_back(operation("product", kFolds, {"tuple"}, "The product of all leaves.",
                            "product((4,(2,2)))", "16",
                            [](const IntTuple& tuple) { return cute::product(tuple); }));
  table.push_back(operation("product_each", kFolds, {"tuple"}, "The products of the modes.",
                            "product_each((4,(2,3)))", "(4,6)",
                            [](const IntTuple& tuple) { return cute::product_each(tuple); }));
  table.push_back(operation("product_like", kFolds, {"tuple", "guide"},
                            "The products of the parts that stand at the leaves of the guide.",
                            "product_like(((2,3),(4,(5,6))), (0,(0,0)))", "(6,(4,30))",
                            [](const IntTuple& tuple, const Profile& guide) {
                              return cute::product_like(tuple, guide);
                            }));
  table.push_back(operation("sum", kFolds, {"tuple"}, "The sum of all leaves.", "sum((4,(2,3)))",
                            "9", [](const IntTuple& tuple) { return cute::sum(tuple); }));
  table.push_back(operation(
      "inner_product", kFolds, {"a", "b"}, "The sum of the products of corresponding leaves.",
      "inner_product((1,2), (3,2))", "7",
      [](const IntTuple& a, const IntTuple& b) { return cute::inner_product(a, b); }));
  table.push_back(operation(
      "max", kFolds, {"values"}, "The greatest leaf.", "max(3, (4,(9,2)))", "9",
      [](const std::vector<IntTuple>& values) { return fold(values, cute::max, heddle::max); }));
  table.push_back(operation(
      "min", kFolds, {"values"}, "The least leaf.", "min(3, (4,(9,2)))", "2",
      [](const std::vector<IntTuple>& values) { return fold(values, cute::min, heddle::min); }));
  table.push_back(operation("gcd", kFolds, {"values"}, "The greatest common divisor of all leaves.",
                            "gcd(12, (18,30))", "6", [](const std::vector<IntTuple>& values) {
                              return fold(values, cute::gcd, heddle::gcd);
                            }));
}

/// What an operation is not defined for, whatever the number of bits.
Refusal undefined(const std::string& call, std::string_view why) {
  return refuse("arithmetic.undefined", fmt::format("{} has no value: {}", call, why));
}

/// Bits of numbers in two's complement.
void add_bits(std::vector<Operation>& table) {
  const auto add = [&](const char* name, const char* second, const char* what, const char* example,
                       const char* result, Int (*apply)(const Int&, const Int&)) {
    table.push_back(operation(name, kFolds, {"a", second}, what, example, result,
                              [apply](const Int& a, const Int& b) { return apply(a, b); }));
  };
  table.push_back(operation("isqrt", kFolds, {"a"}, "The square root, rounded down.", "isqrt(24)",
                            "4", [](const Int& a) -> Result<Int> {
                              if (!known_less(a, 0)) return isqrt(a);
                              return undefined(fmt::format("isqrt({})", to_string(a)),
                                               "a square root is of a number from 0 on");
                            }));
  const auto add_shift = [&](const char* name, const char* what, const char* example,
                             const char* result, Int (*apply)(const Int&, const Int&)) {
    table.push_back(operation(name, kFolds, {"a", "places"}, what, example, result,
                              [apply, name](const Int& a, const Int& places) -> Result<Int> {
                                if (!known_less(places, 0)) return apply(a, places);
                                return undefined(
                                    fmt::format("{}({},{})", name, to_string(a), to_string(places)),
                                    "a number is shifted by 0 places or more");
                              }));
  };
  add("bit_and", "b", "The bits that both numbers have.", "bit_and(12, 10)", "8", bit_and);
  add("bit_or", "b", "The bits that either number has.", "bit_or(12, 10)", "14", bit_or);
  add("bit_xor", "b", "The bits that one of the numbers has.", "bit_xor(12, 10)", "6", bit_xor);
  add_shift("shift_left", "a * 2^places.", "shift_left(3, 4)", "48", shift_left);
  add_shift("shift_right", "a / 2^places, rounded down.", "shift_right(-5, 1)", "-3", shift_right);
}

void add_divisions(std::vector<Operation>& table) {
  table.push_back(operation("ceil_div", kFolds, {"a", "b"},
                            "Division rounding up, leaf by leaf; an integer divisor is used up "
                            "from the first mode on. By a "
                            "layout: how many copies of it cover the shape.",
                            "ceil_div((6,2), 4)", "(2,2)", [](const IntTuple& a, const Shaped& b) {
                              return ceil_div_shaped(a, b);
                            }));
  table.push_back(operation(
      "round_up", kFolds, {"a", "b"}, "The least multiple of b that is at least a, leaf by leaf.",
      "round_up((7,9), (4,8))", "(8,16)",
      [](const IntTuple& a, const IntTuple& b) { return cute::round_up(a, b); }));
  table.push_back(operation(
      "shape_div", kFolds, {"a", "b"},
      "Division of shapes; at every step one number divides the other.", "shape_div((6,(3,4)), 36)",
      "(1,(1,2))", [](const IntTuple& a, const IntTuple& b) { return cute::shape_div(a, b); }));
  table.push_back(
      operation("elem_scale", kFolds, {"a", "b"},
                "Each leaf of a multiplied by the product of the matching mode of b.",
                "elem_scale((2,3), (4,(5,2)))", "(8,30)",
                [](const IntTuple& a, const IntTuple& b) { return cute::elem_scale(a, b); }));
}

void add_nesting(std::vector<Operation>& table) {
  table.push_back(operation("congruent", kNesting, {"a", "b"}, "Whether both nest alike.",
                            "congruent((4,(2,2)), (1,(2,8)))", "true",
                            [](const Shaped& a, const Shaped& b) {
                              return cute::congruent(shape_of(a).profile(), shape_of(b).profile());
                            }));
  table.push_back(operation(
      "weakly_congruent", kNesting, {"a", "b"}, "Whether b nests as a does or more finely.",
      "weakly_congruent((4,4), (4,(2,2)))", "true", [](const Shaped& a, const Shaped& b) {
        return cute::weakly_congruent(shape_of(a).profile(), shape_of(b).profile());
      }));
  table.push_back(operation(
      "compatible", kNesting, {"a", "b"}, "Whether every coordinate of shape a is one of shape b.",
      "compatible((4,4), (4,(2,2)))", "true", [](const Shaped& a, const Shaped& b) {
        return cute::decide_compatible(shape_of(a), shape_of(b));
      }));
  table.push_back(operation("weakly_compatible", kNesting, {"a", "b"},
                            "Whether each leaf of a divides the size of the matching mode of b.",
                            "weakly_compatible((2,4), (4,(2,2)))", "true",
                            [](const Shaped& a, const Shaped& b) {
                              return cute::decide_weakly_compatible(shape_of(a), shape_of(b));
                            }));
  table.push_back(operation("evenly_divides", kNesting, {"shape", "tiler"},
                            "Whether the tiler's sizes divide the shape mode by mode.",
                            "evenly_divides((16,8), (4,8))", "true",
                            [](const Shaped& shape, const Shaped& tiler) {
                              return cute::decide_evenly_divides(shape_of(shape), shape_of(tiler));
                            }));
  table.push_back(operation(
      "repeat_like", kNesting, {"guide", "value"},
      "A tuple that nests like the guide, the value at every leaf.", "repeat_like((4,(2,2)), 7)",
      "(7,(7,7))",
      [](const Profile& guide, const Int& value) { return cute::repeat_like(guide, value); }));
}

void add_coordinates(std::vector<Operation>& table) {
  table.push_back(operation(
      "crd2idx", kCoordinates, {"coordinate", "shape", "stride"},
      "The flat coordinate within a shape; or the index that a layout, or shape and stride, gives "
      "it.",
      "crd2idx((1,(0,2)), (3,(2,3)):(1,(3,6)))", "13",
      [](const Coordinate& coordinate, const Shaped& shape,
         const std::optional<IntTuple>& stride) -> Result<IntTuple> {
        if (const auto* composed = std::get_if<cute::ComposedLayout>(&shape)) {
          return cute::evaluate(*composed, coordinate);
        }
        if (const auto* layout = std::get_if<Layout>(&shape))
          return cute::evaluate(*layout, coordinate);
        const auto& extents = std::get<IntTuple>(shape);
        if (stride) {
          HEDDLE_TRY(const Layout layout, cute::make_layout(extents, cute::to_strides(*stride)));
          return cute::evaluate(layout, coordinate);
        }
        HEDDLE_TRY(const IntTuple indices, cute::to_int_tuple(coordinate));
        HEDDLE_TRY(Int index, cute::crd2idx(indices, extents));
        return IntTuple(std::move(index));
      }));
  table.push_back(operation(
      "idx2crd", kCoordinates, {"index", "shape", "stride"},
      "The coordinate of a flat coordinate within a shape; with a layout, or a stride, (index / "
      "stride) mod "
      "extent at each leaf.",
      "idx2crd(16, (3,(2,3)))", "(1,(1,2))",
      [](const IntTuple& index, const Shaped& shape,
         const std::optional<IntTuple>& stride) -> Result<IntTuple> {
        if (stride) return cute::idx2crd(index, shape_of(shape), *stride);
        const auto* layout = std::get_if<Layout>(&shape);
        if (layout == nullptr) return cute::idx2crd(index, shape_of(shape));
        if (!layout->is_integral()) {
          return refuse("idx2crd.two_axes",
                        fmt::format("{} has strides along modes: no single number is its index",
                                    cute::to_string(*layout)));
        }
        const IntTuple strides = transform_leaves(
            layout->stride(), [](const cute::Stride& leaf) { return leaf.scale(); });
        return cute::idx2crd(index, layout->shape(), strides);
      }));
  table.push_back(
      operation("crd2crd", kCoordinates, {"coordinate", "source", "target"},
                "The coordinate in the target shape with the same flat coordinate, mode by mode "
                "where both are tuples.",
                "crd2crd(7, 18, (3,6))", "(1,2)",
                [](const IntTuple& coordinate, const IntTuple& source, const IntTuple& target) {
                  return cute::crd2crd(coordinate, source, target);
                }));
}

using Order = Result<bool> (*)(IntTupleView, IntTupleView);

void add_order(std::vector<Operation>& table, const char* name, const char* summary,
               const char* result, Order order) {
  table.push_back(operation(name, kOrders, {"a", "b"}, summary,
                            fmt::format("{}((1,0), (0,1))", name), result,
                            [order](const IntTuple& a, const IntTuple& b) { return order(a, b); }));
}

void add_orders(std::vector<Operation>& table) {
  add_order(table, "lex_less", "a before b, the first mode counting most.", "false",
            cute::lex_less);
  add_order(table, "lex_leq", "a not after b, the first mode counting most.", "false",
            cute::lex_leq);
  add_order(table, "lex_gtr", "a after b, the first mode counting most.", "true", cute::lex_gtr);
  add_order(table, "lex_geq", "a not before b, the first mode counting most.", "true",
            cute::lex_geq);
  add_order(table, "colex_less", "a before b, the last mode counting most.", "true",
            cute::colex_less);
  add_order(table, "colex_leq", "a not after b, the last mode counting most.", "true",
            cute::colex_leq);
  add_order(table, "colex_gtr", "a after b, the last mode counting most.", "false",
            cute::colex_gtr);
  add_order(table, "colex_geq", "a not before b, the last mode counting most.", "false",
            cute::colex_geq);
  add_order(table, "elem_less", "Every element of a less than that of b.", "false",
            cute::elem_less);
  add_order(table, "elem_leq", "Not elem_less(b, a).", "true", cute::elem_leq);
  add_order(table, "elem_gtr", "Every element of a greater than that of b.", "false",
            cute::elem_gtr);
  add_order(table, "elem_geq", "Not elem_less(a, b).", "true", cute::elem_geq);
}

void add_strides(std::vector<Operation>& table) {
  table.push_back(operation(
      "compact_major", kStrides, {"shape", "current=1", "major=\"col\""},
      "Compact strides from `current` on, the first leaf (\"col\") or the last (\"row\") running "
      "fastest.",
      "compact_major((4,(2,2)), 1, \"row\")", "(4,(2,1))",
      [](const IntTuple& shape, const std::optional<IntTuple>& current,
         const std::optional<std::string>& major) -> Result<IntTuple> {
        if (major && *major != "col" && *major != "row") {
          return refuse("call.type",
                        fmt::format("argument 3 of compact_major, major, is {}; \"col\" or "
                                    "\"row\" is needed",
                                    fmt::format("\"{}\"", *major)));
        }
        const bool is_row = major && *major == "row";
        return cute::compact_major(shape, current.value_or(IntTuple(Int(1))),
                                   is_row ? cute::Major::kRow : cute::Major::kColumn);
      }));
  table.push_back(operation("compact_col_major", kStrides, {"shape", "current=1"},
                            "Compact strides, the first leaf running fastest.",
                            "compact_col_major((4,(2,2)))", "(1,(4,8))",
                            [](const IntTuple& shape, const std::optional<Int>& current) {
                              return cute::compact_col_major(shape, current.value_or(1));
                            }));
  table.push_back(operation("compact_row_major", kStrides, {"shape", "current=1"},
                            "Compact strides, the last leaf running fastest.",
                            "compact_row_major((4,(2,2)))", "(4,(2,1))",
                            [](const IntTuple& shape, const std::optional<Int>& current) {
                              return cute::compact_row_major(shape, current.value_or(1));
                            }));
  table.push_back(operation("compact_order", kStrides, {"shape", "order"},
                            "Compact strides, modes of lesser order running faster.",
                            "compact_order((2,3,4,5), (1,4,3,5))", "(1,8,2,24)",
                            [](const IntTuple& shape, const IntTuple& order) {
                              return cute::compact_order(shape, order);
                            }));
}

}  // namespace

void add_tuple_operations(std::vector<Operation>& table) {
  add_folds(table);
  add_bits(table);
  add_divisions(table);
  add_nesting(table);
  add_coordinates(table);
  add_orders(table);
  add_strides(table);
}

}  // namespace heddle::notation
