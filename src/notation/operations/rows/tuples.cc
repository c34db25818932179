// Operations on nested integer tuples.

#include <fmt/format.h>

#include "heddle/cute/int_tuple.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

using cute::Coordinate;
using cute::Layout;

constexpr const char* kFolds = "tuples";

IntTuple shape_of(const LayoutOrTuple& shaped) {
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

Result<IntTuple> ceil_div_shaped(const IntTuple& a, const LayoutOrTuple& b) {
  if (const auto* tuple = std::get_if<IntTuple>(&b)) return cute::ceil_div(a, *tuple);
  if (const auto* layout = std::get_if<Layout>(&b)) {
    HEDDLE_TRY(const Layout rest, cute::complement(*layout, a));
    return rest.shape();
  }
  return refuse("call.type", "ceil_div needs a plain layout or a tuple as its divisor");
}

void add_folds(const Rows& add) {
  add({.call = "rank(x)",
       .summary = "The number of modes; 1 for an integer.",
       .example = {"rank((4,(2,2)))", "2"}},
      [](const LayoutOrTuple& x) { return Int(shape_of(x).rank()); });
  add({.call = "depth(x)",
       .summary = "How deeply tuples nest; 0 for an integer.",
       .example = {"depth((4,(2,2)))", "2"}},
      [](const LayoutOrTuple& x) { return Int(shape_of(x).depth()); });
  add({.call = "size(x)",
       .summary = "The number of elements of a shape or layout.",
       .example = {"size((4,(2,2)):(2,(1,8)))", "16"}},
      [](const LayoutOrTuple& x) { return cute::size(shape_of(x)); });
  add({.call = "product(tuple)",
       .summary = "The product of all leaves.",
       .example = {"product((4,(2,2)))", "16"}},
      cute::product);
  add({.call = "product_each(tuple)",
       .summary = "The products of the modes.",
       .example = {"product_each((4,(2,3)))", "(4,6)"}},
      cute::product_each);
  add({.call = "product_like(tuple, guide)",
       .summary = "The products of the parts at the leaves of the guide.",
       .example = {"product_like(((2,3),(4,(5,6))), (0,(0,0)))", "(6,(4,30))"}},
      cute::product_like);
  add({.call = "sum(tuple)",
       .summary = "The sum of all leaves.",
       .example = {"sum((4,(2,3)))", "9"}},
      cute::sum);
  add({.call = "inner_product(a, b)",
       .summary = "The sum of the products of corresponding leaves.",
       .example = {"inner_product((1,2), (3,2))", "7"}},
      cute::inner_product);
  add({.call = "max(values)",
       .summary = "The greatest leaf.",
       .example = {"max(3, (4,(9,2)))", "9"}},
      [](const std::vector<IntTuple>& values) { return fold(values, cute::max, heddle::max); });
  add({.call = "min(values)", .summary = "The least leaf.", .example = {"min(3, (4,(9,2)))", "2"}},
      [](const std::vector<IntTuple>& values) { return fold(values, cute::min, heddle::min); });
  add({.call = "gcd(values)",
       .summary = "The greatest common divisor of all leaves.",
       .example = {"gcd(12, (18,30))", "6"}},
      [](const std::vector<IntTuple>& values) { return fold(values, cute::gcd, heddle::gcd); });
}

/// The refusal of arguments for which an operation is undefined in any number of bits.
Refusal undefined(const std::string& call, std::string_view why) {
  return refuse("arithmetic.undefined", fmt::format("{} has no value: {}", call, why));
}

/// A shift; numbers are in two's complement.
auto shifted(std::string_view name, Int (*shift)(const Int&, const Int&)) {
  return [=](const Int& a, const Int& places) -> Result<Int> {
    if (!known_less(places, 0)) return shift(a, places);
    return undefined(fmt::format("{}({},{})", name, to_string(a), to_string(places)),
                     "a number is shifted by 0 places or more");
  };
}

void add_bits(const Rows& add) {
  add({.call = "isqrt(a)",
       .summary = "The square root, rounded down.",
       .example = {"isqrt(24)", "4"}},
      [](const Int& a) -> Result<Int> {
        if (!known_less(a, 0)) return isqrt(a);
        return undefined(fmt::format("isqrt({})", to_string(a)),
                         "a square root is of a number from 0 on");
      });
  add({.call = "bit_and(a, b)",
       .summary = "The bits that both numbers have.",
       .example = {"bit_and(12, 10)", "8"}},
      bit_and);
  add({.call = "bit_or(a, b)",
       .summary = "The bits that either number has.",
       .example = {"bit_or(12, 10)", "14"}},
      bit_or);
  add({.call = "bit_xor(a, b)",
       .summary = "The bits that one of the numbers has.",
       .example = {"bit_xor(12, 10)", "6"}},
      bit_xor);
  add({.call = "shift_left(a, places)",
       .summary = "a * 2^places.",
       .example = {"shift_left(3, 4)", "48"}},
      shifted("shift_left", shift_left));
  add({.call = "shift_right(a, places)",
       .summary = "a / 2^places, rounded down.",
       .example = {"shift_right(-5, 1)", "-3"}},
      shifted("shift_right", shift_right));
}

void add_divisions(const Rows& add) {
  add({.call = "ceil_div(a, b)",
       .summary = "Division rounding up, leaf by leaf; an integer divisor is used up from the "
                  "first mode on. By a layout: how many copies of it cover the shape.",
       .example = {"ceil_div((6,2), 4)", "(2,2)"}},
      ceil_div_shaped);
  add({.call = "round_up(a, b)",
       .summary = "The least multiple of b that is at least a, leaf by leaf.",
       .example = {"round_up((7,9), (4,8))", "(8,16)"}},
      cute::round_up);
  add({.call = "shape_div(a, b)",
       .summary = "Division of shapes; at every step one number divides the other.",
       .example = {"shape_div((6,(3,4)), 36)", "(1,(1,2))"}},
      cute::shape_div);
  add({.call = "shape_mod(a, b)",
       .summary = "What the first b elements of the shape a take of each mode.",
       .example = {"shape_mod((3,6,2,8), 9)", "(3,3,1,1)"}},
      cute::shape_mod);
  add({.call = "elem_scale(a, b)",
       .summary = "Each leaf of a multiplied by the product of the matching mode of b.",
       .example = {"elem_scale((2,3), (4,(5,2)))", "(8,30)"}},
      cute::elem_scale);
}

/// A question about two shapes, or about their profiles.
template <class Answer, class Part>
auto of_shapes(Answer (*holds)(Part, Part)) {
  return [holds](const LayoutOrTuple& a, const LayoutOrTuple& b) {
    const IntTuple first = shape_of(a);
    const IntTuple second = shape_of(b);
    if constexpr (std::is_same_v<Part, ProfileView>) {
      return holds(first.profile(), second.profile());
    } else {
      return holds(first, second);
    }
  };
}

void add_nesting(const Rows& add) {
  add({.call = "congruent(a, b)",
       .summary = "Whether both nest alike.",
       .example = {"congruent((4,(2,2)), (1,(2,8)))", "true"}},
      of_shapes(cute::congruent));
  add({.call = "weakly_congruent(a, b)",
       .summary = "Whether b nests as a does or more finely.",
       .example = {"weakly_congruent((4,4), (4,(2,2)))", "true"}},
      of_shapes(cute::weakly_congruent));
  add({.call = "compatible(a, b)",
       .summary = "Whether every coordinate of shape a is one of shape b.",
       .example = {"compatible((4,4), (4,(2,2)))", "true"}},
      of_shapes(cute::decide_compatible));
  add({.call = "weakly_compatible(a, b)",
       .summary = "Whether each leaf of a divides the size of the matching mode of b.",
       .example = {"weakly_compatible((2,4), (4,(2,2)))", "true"}},
      of_shapes(cute::decide_weakly_compatible));
  add({.call = "evenly_divides(shape, tiler)",
       .summary = "Whether the tiler's sizes divide the shape mode by mode.",
       .example = {"evenly_divides((16,8), (4,8))", "true"}},
      of_shapes(cute::decide_evenly_divides));
  add({.call = "repeat_like(guide, value)",
       .summary = "A tuple that nests like the guide, the value at every leaf.",
       .example = {"repeat_like((4,(2,2)), 7)", "(7,(7,7))"}},
      cute::repeat_like);
}

void add_coordinates(const Rows& add) {
  add({.call = "crd2idx(coordinate, shape, stride)",
       .summary = "The flat coordinate within a shape; or the index that a layout, or shape and "
                  "stride, gives it.",
       .example = {"crd2idx((1,(0,2)), (3,(2,3)):(1,(3,6)))", "13"}},
      [](const Coordinate& coordinate, const LayoutOrTuple& shape,
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
      });
  add({.call = "idx2crd(index, shape, stride)",
       .summary = "The coordinate of a flat coordinate within a shape; with a layout, or a stride, "
                  "(index / stride) mod extent at each leaf.",
       .example = {"idx2crd(16, (3,(2,3)))", "(1,(1,2))"}},
      [](const IntTuple& index, const LayoutOrTuple& shape,
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
      });
  add({.call = "crd2crd(coordinate, source, target)",
       .summary = "The coordinate in the target shape with the same flat coordinate, mode by mode "
                  "where both are tuples.",
       .example = {"crd2crd(7, 18, (3,6))", "(1,2)"}},
      cute::crd2crd);
}

struct TupleOrder {
  const char* name;
  const char* summary;
  const char* result;
  Result<bool> (*holds)(IntTupleView, IntTupleView);
};

void add_orders(const Rows& add) {
  constexpr TupleOrder kOrdering[] = {
      {"lex_less", "a before b, the first mode counting most.", "false", cute::lex_less},
      {"lex_leq", "a not after b, the first mode counting most.", "false", cute::lex_leq},
      {"lex_gtr", "a after b, the first mode counting most.", "true", cute::lex_gtr},
      {"lex_geq", "a not before b, the first mode counting most.", "true", cute::lex_geq},
      {"colex_less", "a before b, the last mode counting most.", "true", cute::colex_less},
      {"colex_leq", "a not after b, the last mode counting most.", "true", cute::colex_leq},
      {"colex_gtr", "a after b, the last mode counting most.", "false", cute::colex_gtr},
      {"colex_geq", "a not before b, the last mode counting most.", "false", cute::colex_geq},
      {"elem_less", "Every element of a less than that of b.", "false", cute::elem_less},
      {"elem_leq", "Not elem_less(b, a).", "true", cute::elem_leq},
      {"elem_gtr", "Every element of a greater than that of b.", "false", cute::elem_gtr},
      {"elem_geq", "Not elem_less(a, b).", "true", cute::elem_geq},
  };
  for (const auto& [name, summary, result, holds] : kOrdering) {
    add({.call = fmt::format("{}(a, b)", name),
         .summary = summary,
         .example = {fmt::format("{}((1,0), (0,1))", name), result}},
        holds);
  }
}

void add_strides(const Rows& add) {
  add({.call = "compact_major(shape, current=1, major=\"col\")",
       .summary = "Compact strides from `current` on, the first leaf (\"col\") or the last "
                  "(\"row\") running fastest.",
       .example = {"compact_major((4,(2,2)), 1, \"row\")", "(4,(2,1))"}},
      [](const IntTuple& shape, const IntTuple& current,
         const std::string& major) -> Result<IntTuple> {
        const bool is_row = major == "row";
        if (!is_row && major != "col") {
          return refuse("call.type",
                        fmt::format("argument 3 of compact_major, major, is \"{}\"; \"col\" or "
                                    "\"row\" is needed",
                                    major));
        }
        return cute::compact_major(shape, current,
                                   is_row ? cute::Major::kRow : cute::Major::kColumn);
      });
  add({.call = "compact_col_major(shape, current=1)",
       .summary = "Compact strides, the first leaf running fastest.",
       .example = {"compact_col_major((4,(2,2)))", "(1,(4,8))"}},
      cute::compact_col_major);
  add({.call = "compact_row_major(shape, current=1)",
       .summary = "Compact strides, the last leaf running fastest.",
       .example = {"compact_row_major((4,(2,2)))", "(4,(2,1))"}},
      cute::compact_row_major);
  add({.call = "compact_order(shape, order)",
       .summary = "Compact strides, modes of lesser order running faster.",
       .example = {"compact_order((2,3,4,5), (1,4,3,5))", "(1,8,2,24)"}},
      cute::compact_order);
}

}  // namespace

void add_tuple_operations(std::vector<Operation>& table) {
  add_folds({table, kFolds});
  add_bits({table, kFolds});
  add_divisions({table, kFolds});
  add_nesting({table, "nesting"});
  add_coordinates({table, "coordinates"});
  add_orders({table, "orders"});
  add_strides({table, "compact strides"});
}

}  // namespace heddle::notation
