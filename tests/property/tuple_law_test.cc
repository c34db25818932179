// Laws of tuples, coordinates and integers, against naive trees and 128-bit arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "heddle/core/tuple.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using test::one_layout;

using cute::Layout;

Operands two_nestings(Random& random) {
  const Plain a = any_layout(random);
  return {{a, random.chance(50) ? renested(random, a) : any_layout(random)}, {}};
}

IntTuple shape_of(const Plain& layout) { return to_layout(layout).shape(); }

bool same_nesting(const Plain& a, const Plain& b) {
  if (a.modes.size() != b.modes.size()) return false;
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    if (!same_nesting(a.modes[i], b.modes[i])) return false;
  }
  return true;
}

std::size_t depth_of(const Plain& a) {
  if (a.is_leaf()) return 0;
  std::size_t deepest = 0;
  for (const Plain& mode : a.modes) deepest = std::max(deepest, depth_of(mode));
  return deepest + 1;
}

/// The tree of the tuple, by way of its modes only.
Plain tree(IntTupleView tuple) {
  if (tuple.is_leaf()) return plain_leaf(tuple.leaf().value(), 0);
  std::vector<Plain> modes;
  for (const IntTupleView mode : tuple.modes()) modes.push_back(tree(mode));
  return plain_tuple(std::move(modes));
}

Plain extents_only(Plain a) {
  a.stride = 0;
  for (Plain& mode : a.modes) mode = extents_only(mode);
  return a;
}

TEST(Tuple, ModesMakeTheTreeAgain) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    return tree(shape_of(o.layouts[0])) == extents_only(o.layouts[0]) ? kHolds
                                                                      : found("another tree");
  });
}

TEST(Tuple, LeavesAreThoseOfTheTree) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const IntTuple shape = shape_of(o.layouts[0]);
    std::vector<std::int64_t> got;
    for (const Int& leaf : shape.leaves()) got.push_back(leaf.value());
    std::vector<std::int64_t> wanted;
    for (const Plain& leaf : leaves(o.layouts[0])) wanted.push_back(leaf.extent);
    return differs(got, wanted);
  });
}

TEST(Tuple, RankAndDepthAreThoseOfTheTree) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const IntTuple shape = shape_of(o.layouts[0]);
    const std::size_t rank = o.layouts[0].is_leaf() ? 1 : o.layouts[0].modes.size();
    if (shape.rank() != rank) return found("rank ", shape.rank());
    if (shape.depth() != depth_of(o.layouts[0])) return found("depth ", shape.depth());
    for (std::size_t i = 0; i < o.layouts[0].modes.size(); ++i) {
      if (shape.mode(i) != shape_of(o.layouts[0].modes[i])) return found("mode ", i);
    }
    return kHolds;
  });
}

TEST(Tuple, FlattenThenUnflattenIsTheTuple) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const IntTuple shape = shape_of(o.layouts[0]);
    const IntTuple flat = cute::flatten(shape.view());
    if (flat.depth() > 1) return found(flat);
    const Result<IntTuple> again = cute::unflatten(flat, shape.profile());
    if (!again) return found(again.error());
    return *again == shape ? kHolds : found(*again);
  });
}

TEST(Tuple, CongruenceIsTheSameTree) {
  for_all(two_nestings, [](const Operands& o) -> Finding {
    const IntTuple a = shape_of(o.layouts[0]);
    const IntTuple b = shape_of(o.layouts[1]);
    const bool wanted = same_nesting(o.layouts[0], o.layouts[1]);
    return cute::congruent(a.profile(), b.profile()) == wanted ? kHolds
                                                               : found("congruent = ", !wanted);
  });
}

TEST(Tuple, EqualityIsTheSameTreeAndLeaves) {
  for_all(two_nestings, [](const Operands& o) -> Finding {
    const IntTuple a = shape_of(o.layouts[0]);
    const IntTuple b = shape_of(o.layouts[1]);
    const bool wanted = extents_only(o.layouts[0]) == extents_only(o.layouts[1]);
    if ((a == b) != wanted) return found("== is ", !wanted);
    return !wanted || std::hash<IntTuple>()(a) == std::hash<IntTuple>()(b) ? kHolds : found("hash");
  });
}

TEST(Tuple, CompatibilityIsThatOfTheTrees) {
  for_all(two_nestings, [](const Operands& o) -> Finding {
    const bool wanted = compatible(o.layouts[0], o.layouts[1]);
    const bool got = cute::compatible(shape_of(o.layouts[0]), shape_of(o.layouts[1]));
    return got == wanted ? kHolds : found("compatible = ", got);
  });
}

// Coordinates.

TEST(Evaluation, AtAFlatCoordinateIsThePlainOne) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    const std::int64_t n = size(o.layouts[0]);
    if (layout.size() != Int(n)) return found("size ", layout.size());
    for (std::int64_t c = 0; c < 2 * n; ++c) {  // also past the end
      if (layout(c) != Int(evaluate(o.layouts[0], c)))
        return found("coordinate ", c, ": ", layout(c));
    }
    return kHolds;
  });
}

TEST(Evaluation, AtANestedCoordinateIsThatAtItsFlatOne) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    Finding wrong;
    std::int64_t flat = 0;
    cute::for_each_coordinate(layout.shape(), [&](const IntTuple& c) {
      const Result<IntTuple> got = cute::evaluate(layout, cute::to_coordinate(c));
      const std::int64_t wanted = evaluate(o.layouts[0], flat);
      if (!got || *got != IntTuple(Int(wanted)))
        wrong = found("coordinate ", c, " should be ", wanted);
      if (flat_coordinate(c, o.layouts[0]) != flat)
        wrong = found("coordinate ", c, " is number ", flat);
      ++flat;
      return !wrong;
    });
    if (wrong) return wrong;
    return flat == size(o.layouts[0]) ? kHolds : found("met ", flat, " coordinates");
  });
}

TEST(Evaluation, TableListsEveryIndex) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const auto rows = cute::table(to_layout(o.layouts[0]));
    if (!rows) return found(rows.error());
    std::vector<std::int64_t> got;
    for (const IntTuple& index : *rows) got.push_back(index.leaf().value());
    return differs(got, table(o.layouts[0]));
  });
}

TEST(Coordinates, Crd2idxUndoesIdx2crd) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const IntTuple shape = shape_of(o.layouts[0]);
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const Result<IntTuple> coordinate = cute::idx2crd(IntTuple(Int(c)), shape);
      if (!coordinate) return found(coordinate.error());
      if (coordinate->profile() != shape.profile()) return found(*coordinate);
      if (flat_coordinate(*coordinate, o.layouts[0]) != c) return found(c, " became ", *coordinate);
      const Result<Int> again = cute::crd2idx(*coordinate, shape);
      if (!again || *again != Int(c)) return found(*coordinate, " did not become ", c);
    }
    return kHolds;
  });
}

// Mode by mode where both shapes are tuples, which then have one rank; else by the flat coordinate.
TEST(Coordinates, Crd2crdKeepsTheFlatCoordinateOfEachMode) {
  for_all(two_nestings, [](const Operands& o) -> Finding {
    const IntTuple source = shape_of(o.layouts[0]);
    const IntTuple target = shape_of(o.layouts[1]);
    const bool by_mode = !source.is_leaf() && !target.is_leaf();
    for (std::int64_t c = 0; c < size(o.layouts[0]); ++c) {
      const IntTuple coordinate = cute::idx2crd(IntTuple(Int(c)), source).value();
      const Result<IntTuple> r = cute::crd2crd(coordinate, source, target);
      if (by_mode && source.rank() != target.rank()) {
        return !r && r.error().code() == "tuple.incongruent" ? kHolds : found("other ranks");
      }
      if (by_mode) {
        for (std::size_t i = 0; r && i < source.rank(); ++i) {
          const auto mode = cute::crd2crd(coordinate.mode(i), source.mode(i), target.mode(i));
          if (!mode || *mode != r->mode(i)) return found(coordinate, " became ", *r);
        }
      } else if (!r || flat_coordinate(*r, o.layouts[1]) != c) {
        return found("coordinate ", coordinate);
      }
    }
    return kHolds;
  });
}

TEST(Coordinates, ColexicographicOrderIsTheFlatOne) {
  const auto operands = [](Random& random) {
    return Operands{{any_layout(random)}, {random.between(1, 300), random.between(1, 300)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const IntTuple shape = shape_of(o.layouts[0]);
    const std::int64_t x = o.numbers[0] % size(o.layouts[0]);
    const std::int64_t y = o.numbers[1] % size(o.layouts[0]);
    const IntTuple a = cute::idx2crd(IntTuple(Int(x)), shape).value();
    const IntTuple b = cute::idx2crd(IntTuple(Int(y)), shape).value();
    if (cute::colex_less(a, b) != Result<bool>(x < y)) return found(a, " < ", b);
    if (cute::colex_leq(a, b) != Result<bool>(x <= y)) return found(a, " <= ", b);
    if (cute::colex_gtr(a, b) != Result<bool>(x > y)) return found(a, " > ", b);
    if (cute::colex_geq(a, b) != Result<bool>(x >= y)) return found(a, " >= ", b);
    bool less = true;
    bool lex = false;
    bool decided = false;
    for (std::size_t i = 0; i < a.leaves().size(); ++i) {
      const std::int64_t p = a.leaves()[i].value();
      const std::int64_t q = b.leaves()[i].value();
      less = less && p < q;
      if (!decided && p != q) lex = p < q;
      decided = decided || p != q;
    }
    if (cute::elem_less(a, b) != Result<bool>(less)) return found("elem_less ", a, b);
    if (cute::lex_less(a, b) != Result<bool>(lex)) return found("lex_less ", a, b);
    return cute::lex_geq(a, b) == Result<bool>(!lex) ? kHolds : found("lex_geq ", a, b);
  });
}

TEST(CompactOrder, LesserOrdersRunFasterAndOfEqualOnesTheFirst) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random);
    Operands o{{plain_tuple(leaves(a))}, {}};
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < o.layouts[0].modes.size(); ++i)
      order.push_back(static_cast<std::int64_t>(i));
    random.shuffle(order);
    const std::int64_t shared = random.between(1, 3);
    for (const std::int64_t n : order) o.numbers.push_back(3 * (n / shared) + 1);
    return o;
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const std::vector<Plain> modes = leaves(o.layouts[0]);
    if (o.layouts[0].is_leaf() || modes.size() != o.numbers.size()) return kSaysNothing;
    std::vector<Int> order;
    for (const std::int64_t n : o.numbers) order.emplace_back(n);
    const auto strides = cute::compact_order(shape_of(o.layouts[0]), IntTuple::flat(order));
    if (!strides) return found(strides.error());
    for (std::size_t i = 0; i < modes.size(); ++i) {
      std::int64_t wanted = 1;
      for (std::size_t j = 0; j < modes.size(); ++j) {
        const bool first = o.numbers[j] == o.numbers[i] && j < i;
        if (o.numbers[j] < o.numbers[i] || first) wanted *= modes[j].extent;
      }
      if (modes[i].extent > 1 && strides->leaves()[i] != Int(wanted)) return found(*strides);
    }
    return kHolds;
  });
}

TEST(MakeLayoutLike, IsCompactInTheOrderOfTheStrides) {
  for_all([](Random& random) { return Operands{{positive_layout(random)}, {}}; },
          [](const Operands& o) -> Finding {
            const Layout layout = to_layout(o.layouts[0]);
            const Result<Layout> r = cute::make_layout_like(layout);
            if (!r) return found(r.error());
            if (r->shape() != layout.shape()) return found(*r, " has another shape");
            const std::vector<Plain> before = leaves(o.layouts[0]);
            const std::vector<Plain> after = leaves(to_plain(*r));
            std::int64_t moving = 1;
            for (std::size_t i = 0; i < before.size(); ++i) {
              if (before[i].extent == 1) continue;
              if ((before[i].stride == 0) != (after[i].stride == 0))
                return found(*r, ": stride ", i);
              if (before[i].stride != 0) moving *= before[i].extent;
              for (std::size_t j = 0; j < before.size(); ++j) {
                const bool faster = before[j].stride < before[i].stride && before[j].extent > 1;
                if (faster && after[j].stride >= after[i].stride)
                  return found(*r, ": ", j, " before ", i);
              }
            }
            return cosize(to_plain(*r)) == moving ? kHolds : found(*r, " has gaps");
          });
}

TEST(WithShape, IsTheSameFunctionInAnotherShape) {
  for_all(two_nestings, [](const Operands& o) -> Finding {
    if (size(o.layouts[0]) != size(o.layouts[1])) return kSaysNothing;
    const Result<Layout> r = cute::with_shape(to_layout(o.layouts[0]), shape_of(o.layouts[1]));
    if (!r) return kSaysNothing;
    if (!compatible(o.layouts[1], to_plain(*r))) return found(*r);
    return differs(table_of(*r), table(o.layouts[0]));
  });
}

TEST(Measures, CosizeAndSpanAreThoseOfTheImage) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    const std::vector<std::int64_t> values = table(o.layouts[0]);
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    if (cute::span(layout) != Result<Int>(*greatest - *least + 1)) return found("span");
    // With negative strides cosize counts |stride|, as CuTe: the span all the same.
    return cute::cosize(layout) == Result<Int>(*greatest - *least + 1) ? kHolds : found("cosize");
  });
}

// Int against 128-bit integers.

__extension__ typedef __int128 Wide;  // NOLINT: -Wpedantic knows no 128-bit type

Operands two_numbers(Random& random) {
  const auto number = [&random]() -> std::int64_t {
    switch (random.between(0, 3)) {
      case 0:
        return random.between(-12, 12);
      case 1:
        return random.between(-4000000000, 4000000000);
      case 2:
        return std::numeric_limits<std::int64_t>::max() - random.between(0, 3);
      default:
        return std::numeric_limits<std::int64_t>::min() + random.between(0, 3);
    }
  };
  return {{}, {number(), number()}};
}

Finding agrees(const char* operation, const Int& got, Wide wanted) {
  const bool fits = wanted >= std::numeric_limits<std::int64_t>::min() &&
                    wanted <= std::numeric_limits<std::int64_t>::max();
  if (!fits) return got.is_defined() ? found(operation, " gave ", got, " past 64 bits") : kHolds;
  return got == Int(static_cast<std::int64_t>(wanted)) ? kHolds : found(operation, " gave ", got);
}

TEST(IntArithmetic, IsExactOrUndefined) {
  for_all(two_numbers, [](const Operands& o) -> Finding {
    const Int a = o.numbers[0];
    const Int b = o.numbers[1];
    const Wide x = o.numbers[0];
    const Wide y = o.numbers[1];
    if (Finding f = agrees("+", a + b, x + y)) return f;
    if (Finding f = agrees("-", a - b, x - y)) return f;
    if (Finding f = agrees("*", a * b, x * y)) return f;
    if (Finding f = agrees("unary -", -a, -x)) return f;
    if (Finding f = agrees("min", min(a, b), std::min(x, y))) return f;
    if (Finding f = agrees("max", max(a, b), std::max(x, y))) return f;
    return agrees("abs", abs(a), x < 0 ? -x : x);
  });
}

TEST(IntArithmetic, DivisionIsEuclidean) {
  for_all(two_numbers, [](const Operands& o) -> Finding {
    const Int a = o.numbers[0];
    const Int b = o.numbers[1];
    if (o.numbers[1] == 0) {
      const bool defined = floor_div(a, b).is_defined() || mod(a, b).is_defined();
      return defined ? found("division by 0 is defined") : kHolds;
    }
    const Wide x = o.numbers[0];
    const Wide y = o.numbers[1];
    const Wide magnitude = y < 0 ? -y : y;
    const Wide remainder = (x % magnitude + magnitude) % magnitude;
    if (Finding f = agrees("mod", mod(a, b), remainder)) return f;
    return agrees("floor_div", floor_div(a, b), (x - remainder) / y);
  });
}

TEST(IntArithmetic, CeilDivIsTheLeastQuotientThatCovers) {
  for_all(two_numbers, [](const Operands& o) -> Finding {
    if (o.numbers[1] < 1) return kSaysNothing;
    const Wide x = o.numbers[0];
    const Wide y = o.numbers[1];
    const Wide wanted = x >= 0 ? (x + y - 1) / y : -(-x / y);
    return agrees("ceil_div", ceil_div(Int(o.numbers[0]), Int(o.numbers[1])), wanted);
  });
}

TEST(IntArithmetic, PredicatesAreCertain) {
  for_all(two_numbers, [](const Operands& o) -> Finding {
    const std::int64_t x = o.numbers[0];
    const std::int64_t y = o.numbers[1];
    if (known_equal(x, y) != (x == y)) return found("known_equal");
    if (known_less(x, y) != (x < y)) return found("known_less");
    if (known_at_most(x, y) != (x <= y)) return found("known_at_most");
    const bool divides = x == 0 ? y == 0 : static_cast<Wide>(y) % x == 0;
    return known_divides(x, y) == divides ? kHolds : found("known_divides");
  });
}

TEST(ShapeMod, HasTheCoordinatesOfTheFirstElements) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random, 64);
    return Operands{{a},
                    {random.chance(70) ? tile_of(random, size(a)).extent : random.between(1, 80)}};
  };
  for_all({.percent = 40}, operands, [](const Operands& o) -> Finding {
    const IntTuple shape = shape_of(o.layouts[0]);
    const Int count = o.numbers[0];
    const auto part = cute::shape_mod(shape, IntTuple(count));
    if (!part)
      return part.error().code() == "shape_mod.divisibility" ? kSaysNothing : found(part.error());
    const Int kept = min(count, cute::size(shape));
    if (cute::size(*part) != kept) return found(*part);
    for (std::int64_t i = 0; i < kept.value(); ++i) {
      const IntTuple index(i);
      if (*cute::idx2crd(index, *part) != *cute::idx2crd(index, shape))
        return found(*part, " at ", i);
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
