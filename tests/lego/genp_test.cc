#include "heddle/lego/genp.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/expr/condition.h"
#include "heddle/expr/index_variable.h"
#include "heddle/lego/layout.h"
#include "support/lego.h"
#include "support/random_lego.h"

namespace heddle::lego {
namespace {

using test::made;
using test::row;

Int i() { return Int::variable("i"); }
Int j() { return Int::variable("j"); }
Int x() { return Int::variable("x"); }

Formula forward(Int number) { return {{"i", "j"}, {std::move(number)}}; }
Formula backward(Int row, Int column) { return {{"x"}, {std::move(row), std::move(column)}}; }

Int size_variable(const char* name) { return Int::variable(name, 1, Range::kNoHigh); }

std::string code_of(const Result<GenP>& genp) { return genp ? std::string() : genp.error().code(); }

/// Every point leads to another number in range, and back.
void expect_permutation(const GenP& genp) {
  std::vector<bool> seen(static_cast<std::size_t>(product(genp.dims()).value()));
  for (std::int64_t flat = 0; flat < product(genp.dims()).value(); ++flat) {
    const std::vector<Int> point = unflatten(genp.dims(), flat);
    const Int number = made(genp.apply(point));
    ASSERT_TRUE(number.is_constant()) << genp << " at " << flat;
    ASSERT_GE(number.value(), 0) << genp;
    ASSERT_LT(number.value(), std::ssize(seen)) << genp;
    EXPECT_FALSE(seen[static_cast<std::size_t>(number.value())]) << genp << " at " << flat;
    seen[static_cast<std::size_t>(number.value())] = true;
    EXPECT_EQ(made(genp.inv(number)), point) << genp << " at " << number;
  }
}

TEST(GenP, NamedOnesArePermutations) {
  const std::vector<std::vector<Int>> tiles = {{1, 1},  {1, 7},  {5, 5}, {4, 8}, {8, 4},   {6, 9},
                                               {12, 5}, {16, 2}, {7},    {16},   {2, 4, 8}};
  const std::vector<BuiltIn> functions = {{"reverse", {}},
                                          {"antidiag", {}},
                                          {"morton", {}},
                                          {"xor", {}},
                                          {"cyclic", {1}},
                                          {"cyclic", {-3}},
                                          {"fan", {7}},
                                          {"fan", {-1}},
                                          {"grouped", {1}},
                                          {"grouped", {4}},
                                          {"grouped", {8}},
                                          {"grouped", {100}},
                                          {"swizzle", {0, 3, 0}},
                                          {"swizzle", {2, 0, 2}},
                                          {"swizzle", {1, 1, -2}},
                                          {"swizzle", {3, 0, 3}}};
  int accepted = 0;
  for (const auto& tile : tiles) {
    for (const BuiltIn& function : functions) {
      const Result<GenP> genp = GenP::make(tile, function);
      if (!genp) {
        EXPECT_EQ(genp.error().code(), "lego.genp") << genp.error();
        continue;
      }
      ++accepted;
      EXPECT_EQ(genp->evidence(), Evidence::kConstruction);
      expect_permutation(*genp);
    }
  }
  EXPECT_GE(accepted, 90);
}

TEST(GenP, NamedOnesAreTheirPlainSelves) {
  const auto numbers = [](std::vector<Int> dims, const char* name, std::vector<Int> parameters) {
    const GenP genp = made(GenP::make(std::move(dims), BuiltIn{name, std::move(parameters)}));
    std::vector<std::int64_t> all;
    for (std::int64_t flat = 0; flat < product(genp.dims()).value(); ++flat) {
      all.push_back(made(genp.apply(unflatten(genp.dims(), flat))).value());
    }
    return all;
  };
  EXPECT_EQ(numbers({3, 3}, "antidiag", {}),
            (std::vector<std::int64_t>{0, 1, 3, 2, 4, 6, 5, 7, 8}));
  EXPECT_EQ(numbers({2, 4}, "morton", {}), (std::vector<std::int64_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(numbers({2, 4}, "xor", {}), (std::vector<std::int64_t>{0, 1, 2, 3, 5, 4, 7, 6}));
  EXPECT_EQ(numbers({2, 3}, "cyclic", {1}), (std::vector<std::int64_t>{0, 1, 2, 4, 5, 3}));
  EXPECT_EQ(numbers({7}, "fan", {3}), (std::vector<std::int64_t>{0, 3, 6, 2, 5, 1, 4}));
  EXPECT_EQ(numbers({3, 2}, "grouped", {2}), (std::vector<std::int64_t>{0, 2, 1, 3, 4, 5}));
  EXPECT_EQ(numbers({8}, "swizzle", {1, 0, 2}),
            (std::vector<std::int64_t>{0, 1, 2, 3, 5, 4, 7, 6}));
}

TEST(GenP, AntidiagIsRightWhereDoublesAreNot) {
  const std::int64_t n = 1'000'000'007;
  const GenP genp = made(GenP::make({n, n}, BuiltIn{"antidiag", {}}));
  for (const auto& [a, b] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {0, n - 1}, {n - 1, 0}, {n - 1, n - 1}, {n / 2, n / 2}, {1, n - 1}, {n - 1, 1}}) {
    const std::vector<Int> point = {a, b};
    EXPECT_EQ(made(genp.inv(made(genp.apply(point)))), point);
  }
}

TEST(GenP, NamedOnesOfSymbolicSize) {
  const Int n = size_variable("N");
  const Int m = size_variable("M");
  EXPECT_EQ(code_of(GenP::make({n, n}, BuiltIn{"antidiag", {}})), "");
  EXPECT_EQ(code_of(GenP::make({m, n}, BuiltIn{"antidiag", {}})), "assume.needed");
  EXPECT_EQ(code_of(GenP::make({m, n}, BuiltIn{"grouped", {size_variable("G")}})), "");
  EXPECT_EQ(code_of(GenP::make({m, n}, BuiltIn{"grouped", {Int::variable("G")}})), "assume.needed");
  EXPECT_EQ(code_of(GenP::make({m, n}, BuiltIn{"morton", {}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({m, 8}, BuiltIn{"xor", {}})), "");
  const GenP fan = made(GenP::make({n}, BuiltIn{"fan", {1}}));
  EXPECT_EQ(fan.inv(3).error().code(), "lego.no_inverse");

  // Instantiated, the antidiagonal's expressions are the plain numbers.
  const GenP genp = made(GenP::make({n, n}, BuiltIn{"antidiag", {}}));
  const Int number =
      made(genp.apply(std::vector<Int>{index_variable("i", n), index_variable("j", n)}));
  const std::vector<Int> back = made(genp.inv(index_variable("p", n * n)));
  for (std::int64_t a = 0; a < 5; ++a) {
    for (std::int64_t b = 0; b < 5; ++b) {
      const Int p = made(instantiate(number, {{"N", 5}, {"i", a}, {"j", b}}));
      EXPECT_EQ(made(instantiate(back[0], {{"N", 5}, {"p", p}})), Int(a));
      EXPECT_EQ(made(instantiate(back[1], {{"N", 5}, {"p", p}})), Int(b));
    }
  }
}

TEST(GenP, NamedOnesRefuse) {
  EXPECT_EQ(code_of(GenP::make({4}, BuiltIn{"hilbert", {}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({4}, BuiltIn{"reverse", {1}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({4, 5}, BuiltIn{"antidiag", {}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({4}, BuiltIn{"antidiag", {}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({6}, BuiltIn{"fan", {4}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({6, 4}, BuiltIn{"grouped", {0}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({16}, BuiltIn{"swizzle", {2, 0, 1}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({6}, BuiltIn{"swizzle", {2, 0, 2}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({16}, BuiltIn{"swizzle", {40, 20, 40}})), "lego.genp");
  EXPECT_EQ(
      code_of(GenP::make({std::int64_t{1} << 62, 1}, BuiltIn{"cyclic", {std::int64_t{1} << 62}})),
      "overflow");
}

TEST(GenP, PairIsProvedPointByPoint) {
  const GenP genp = made(GenP::make({3, 2}, forward((2 - i()) * 2 + (1 - j())),
                                    backward(2 - floor_div(x(), 2), 1 - mod(x(), 2))));
  EXPECT_EQ(genp.evidence(), Evidence::kEvaluation);
  EXPECT_EQ(genp.inverse_kind(), InverseKind::kGiven);
  EXPECT_EQ(to_string(genp), "GenP([3,2],(i,j) -> -2*i-j+5,x -> (-(x//2)+2,-(x%2)+1))");
  expect_permutation(genp);
}

TEST(GenP, WrongPairsAreRefusedWithTheCoordinate) {
  const Formula back = backward(floor_div(x(), 2), mod(x(), 2));
  const auto range = GenP::make({3, 2}, forward(2 * i() + j() + 1), back);
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code(), "lego.genp_range");
  EXPECT_EQ(range.error().witness()->coordinate, "[2,1]");
  EXPECT_EQ(range.error().witness()->found, "6");
  const auto repeated = GenP::make({3, 2}, forward(i() + j()), back);
  ASSERT_FALSE(repeated);
  EXPECT_EQ(repeated.error().code(), "lego.genp_repeated");
  EXPECT_EQ(repeated.error().message(),
            "GenP([3,2],(i,j) -> i+j,x -> (x//2,x%2)) leads [0,1] and [1,0] both to 1");
  const auto inverse = GenP::make({3, 2}, forward(3 * j() + i()), back);
  ASSERT_FALSE(inverse);
  EXPECT_EQ(inverse.error().code(), "lego.genp_inverse");
  // Figure 7 as printed: n*n - x0 where it must be n*n - 1 - x0.
  const Int number = select({x(), Predicate::kLess, 6}, x(), 9 - x());
  const Int root = isqrt(2 * number);
  const Int diagonal =
      root + select({floor_div(root * (root + 1), 2), Predicate::kAtMost, number}, 1, 0);
  const Int a = number - floor_div(diagonal * (diagonal - 1), 2);
  const Int b = diagonal - a - 1;
  const Condition upper = {x(), Predicate::kLess, 6};
  const auto printed = GenP::make({3, 3}, BuiltIn{"antidiag", {}},
                                  backward(select(upper, a, 2 - a), select(upper, b, 2 - b)));
  EXPECT_EQ(code_of(printed), "lego.genp_inverse");
}

TEST(GenP, FormulasMustFitTheTile) {
  EXPECT_EQ(code_of(GenP::make({6}, forward(i()))), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({3, 2}, Formula{{"i", "j"}, {i(), j()}})), "lego.genp");
  EXPECT_EQ(code_of(GenP::make({6}, Formula{{"i"}, {i()}}, backward(x(), x()))), "lego.genp");
}

TEST(GenP, InversesAreFound) {
  const auto kind = [](const Sizes& dims, const Formula& formula) {
    const GenP genp = made(GenP::make(dims, formula));
    EXPECT_EQ(genp.evidence(), Evidence::kEvaluation);
    expect_permutation(genp);
    return genp.inverse_kind();
  };
  EXPECT_EQ(kind({3, 4}, forward(3 * j() + i())), InverseKind::kStrided);
  EXPECT_EQ(kind({3, 4}, forward(11 - 4 * i() - j())), InverseKind::kStrided);
  EXPECT_EQ(kind({4, 4}, forward(4 * i() + 3 - j())), InverseKind::kStrided);
  EXPECT_EQ(kind({12}, Formula{{"i"}, {4 * mod(i(), 3) + floor_div(i(), 3)}}),
            InverseKind::kStrided);
  EXPECT_EQ(kind({8, 8}, forward(8 * i() + bit_xor(i(), j()))), InverseKind::kBitLinear);
  EXPECT_EQ(kind({64}, Formula{{"i"}, {bit_xor(i(), shift_right(i(), 1))}}),
            InverseKind::kBitLinear);
  EXPECT_EQ(kind({3, 3}, forward(3 * i() + mod(i() + j(), 3))), InverseKind::kTable);
}

TEST(GenP, FoundInversesAreExpressions) {
  const GenP gray = made(GenP::make({64}, Formula{{"i"}, {bit_xor(i(), shift_right(i(), 1))}}));
  const Int back = made(gray.inv(index_variable("p", 64))).front();
  for (std::int64_t p = 0; p < 64; ++p) {
    EXPECT_EQ(made(instantiate(back, {{"p", p}})), made(gray.inv(p)).front());
  }
  const GenP table = made(GenP::make({3, 3}, forward(3 * i() + mod(i() + j(), 3))));
  EXPECT_EQ(table.inv(index_variable("p", 9)).error().code(), "lego.no_inverse");
}

TEST(GenP, SymbolicPairsAreProvedRefutedOrAssumed) {
  const Int m = size_variable("M");
  const Int n = size_variable("N");
  const auto column_major =
      GenP::make({m, n}, forward(j() * m + i()), backward(mod(x(), m), floor_div(x(), m)));
  EXPECT_EQ(made(column_major).evidence(), Evidence::kSimplification);
  const auto transposed =
      GenP::make({m, n}, forward(j() * m + i()), backward(floor_div(x(), n), mod(x(), n)));
  EXPECT_EQ(code_of(transposed), "lego.genp_inverse");
  const auto found = made(GenP::make({m, n}, forward(j() * m + i())));
  EXPECT_EQ(found.evidence(), Evidence::kSimplification);
  EXPECT_EQ(found.inverse_kind(), InverseKind::kStrided);

  // Neither ranges nor samples settle this one.
  const Int wide = Int::variable("W", 5000, Range::kNoHigh);
  const auto turned =
      GenP::make({m, wide}, forward(i() * wide + mod(j() + i(), wide)),
                 backward(floor_div(x(), wide), mod(x() - floor_div(x(), wide), wide)));
  const Evidence evidence = made(turned).evidence();
  EXPECT_TRUE(evidence == Evidence::kAssumed || evidence == Evidence::kSimplification);
  const Prover believer = [](const Condition&) { return Verdict::yes("faith"); };
  if (evidence == Evidence::kAssumed) {
    EXPECT_EQ(made(GenP::make({m, wide}, made(turned).function(), made(turned).inverse(), believer))
                  .evidence(),
              Evidence::kSolver);
  }
}

TEST(GenP, LargeTilesAreLookedAtInASample) {
  const auto repeats = made(GenP::make({2000, 2000}, forward(2000 * i() + mod(j() * j(), 2000))));
  EXPECT_EQ(repeats.evidence(), Evidence::kNone);
  EXPECT_EQ(repeats.not_a_permutation()->code(), "lego.genp_repeated");
  const auto turned = made(GenP::make({2000, 2000}, forward(2000 * i() + bit_xor(j(), 15))));
  EXPECT_EQ(turned.evidence(), Evidence::kAssumed);
}

TEST(GenP, SymbolicFunctionsThatAreNoPermutationsAreFoundOut) {
  const GenP genp = made(GenP::make({size_variable("M"), size_variable("N")}, forward(i())));
  ASSERT_EQ(genp.evidence(), Evidence::kNone);
  EXPECT_EQ(genp.not_a_permutation()->code(), "lego.genp_repeated");
}

TEST(GenP, IndexMaps) {
  const auto map = std::make_shared<const form::IndexMap>(
      std::vector<Int>{4, 8}, form::FlatOrder::kFirstFastest, std::vector<Axis>{Axis::memory()},
      [](std::span<const Int> at) { return std::vector<Int>{at[0] + 4 * at[1]}; });
  const GenP genp = made(GenP::make({4, 8}, NamedMap{"(4,8):(1,4)", map}));
  EXPECT_EQ(genp.inverse_kind(), InverseKind::kStrided);
  expect_permutation(genp);
  EXPECT_EQ(to_string(genp), "GenP([4,8],(4,8):(1,4))");
  EXPECT_EQ(code_of(GenP::make({8, 4}, NamedMap{"(4,8):(1,4)", map})), "lego.genp");
}

TEST(GenP, InjectiveLayoutsHaveApplyOnly) {
  const GenP broadcast = made(GenP::make({4, 3}, forward(i())));
  const GenP even = made(GenP::make({5}, Formula{{"i"}, {2 * i()}}));
  const Layout layout = test::group({{4, 3}}, {test::order({broadcast})});
  EXPECT_TRUE(layout.is_injective_only());
  EXPECT_EQ(test::position(layout, {3, 1}), "3");
  EXPECT_EQ(test::point(layout, 3), "lego.no_inverse");
  EXPECT_EQ(test::point(test::group({{5}}, {test::order({even})}), 8), "lego.no_inverse");
  EXPECT_EQ(test::position(test::group({{5}}, {test::order({even})}), {4}), "8");
  EXPECT_EQ(evidence(layout), Evidence::kNone);

  const auto code = [](const Result<Layout>& result) {
    return result ? "" : result.error().code();
  };
  EXPECT_EQ(code(test::try_group({{12}}, {test::order({broadcast})})), "lego.genp_repeated");
  EXPECT_EQ(code(test::try_tile({{5}}, {test::order({even})})), "lego.genp_range");
  EXPECT_EQ(code(test::try_group({{5}}, {test::order({even}), test::order({row({5})})})),
            "lego.genp_range");
  EXPECT_EQ(code(Layout::expand_by({4}, {5}, test::group({{5}}, {test::order({even})}))),
            "lego.expand");
}

TEST(GenP, AMillionPointsAreEvaluated) {
  const std::int64_t n = 1024;
  const GenP genp =
      made(GenP::make({n, n}, forward(i() * n + mod(j() + 5 * i(), n)),
                      backward(floor_div(x(), n), mod(x() - 5 * floor_div(x(), n), n))));
  EXPECT_EQ(genp.evidence(), Evidence::kEvaluation);
}

}  // namespace
}  // namespace heddle::lego
