#include "heddle/lego/layout.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "heddle/expr/assumptions.h"
#include "heddle/expr/index_variable.h"
#include "heddle/lego/instantiate.h"
#include "support/lego.h"

namespace heddle::lego {
namespace {

using test::col;
using test::group;
using test::linked;
using test::made;
using test::named;
using test::order;
using test::point;
using test::position;
using test::reg;
using test::row;
using test::tile;
using test::tile_order;
using test::try_group;
using test::try_tile;

Layout figure_2() {
  return group({{6, 4}}, {order({reg({2, 2}, {2, 1}), named({3, 2}, "reverse")})});
}

Layout figure_6() {
  return group({{6, 6}}, {order({reg({2, 3, 2, 3}, {1, 3, 2, 4})}),
                          order({reg({2, 2}, {2, 1}), named({3, 3}, "antidiag")})});
}

Int variable(const char* name) { return Int::variable(name, 1, Range::kNoHigh); }

/// A world in which divisors divide: {{"M", "BM"}, …}.
Assumptions multiples(const std::vector<std::pair<const char*, const char*>>& pairs) {
  std::vector<Condition> conditions;
  for (const auto& [number, divisor] : pairs) {
    conditions.push_back({mod(variable(number), variable(divisor)), Predicate::kEqual, 0});
  }
  return made(Assumptions::make(conditions));
}

TEST(LegoLayout, Figure2) {
  EXPECT_EQ(position(figure_2(), {4, 1}), "6");
  EXPECT_EQ(point(figure_2(), 6), "[4,1]");
  EXPECT_EQ(figure_2().size(), Int(24));
}

TEST(LegoLayout, LeftToRight) {
  EXPECT_EQ(position(group({{6, 6}}, {order({reg({2, 3, 2, 3}, {1, 3, 2, 4})})}), {4, 2}), "23");
  EXPECT_EQ(position(figure_6(), {4, 2}), "15");
  EXPECT_EQ(point(figure_6(), 15), "[4,2]");
}

TEST(LegoLayout, TileByIsInterleaved) {
  const Layout sugar = tile({{2, 3}, {4, 5}}, {order({row({8, 15})})});
  const Layout plain =
      group({{2, 3}, {4, 5}}, {order({reg({2, 3, 4, 5}, {1, 3, 2, 4})}), order({row({8, 15})})});
  EXPECT_TRUE(std::ranges::equal(sugar.orders(), plain.orders()));
  EXPECT_EQ(position(sugar, {1, 2, 3, 4}), std::to_string((1 * 4 + 3) * 15 + 2 * 5 + 4));
}

TEST(LegoLayout, TileOrderByIsSeparatedFirst) {
  const Layout bricks =
      tile({{3, 3, 3}, {2, 2, 2}}, {tile_order({row({3, 3, 3}), row({2, 2, 2})})});
  EXPECT_EQ(position(bricks, {1, 2, 0, 1, 0, 1}), std::to_string((1 * 9 + 2 * 3) * 8 + 5));
  const Layout figure =
      tile({{6, 6}}, {tile_order({reg({2, 2}, {2, 1}), named({3, 3}, "antidiag")})});
  EXPECT_EQ(position(figure, {4, 2}), "15");
}

TEST(LegoLayout, Text) {
  EXPECT_EQ(to_string(figure_6()),
            "GroupBy([6,6]).OrderBy(RegP([2,3,2,3],[1,3,2,4])).OrderBy(RegP([2,2],[2,1]),"
            "GenP([3,3],antidiag))");
  EXPECT_EQ(to_string(tile({{3, 3}, {2, 2}}, {tile_order({row({3, 3}), col({2, 2})})})),
            "TileBy([3,3],[2,2]).TileOrderBy(Row(3,3),Col(2,2))");
  EXPECT_EQ(to_string(made(Layout::expand_by({3, 7}, {4, 9}, group({{4, 9}})))),
            "ExpandBy([3,7],[4,9],GroupBy([4,9]))");
}

TEST(LegoLayout, EqualityIsOfWhatWasWritten) {
  EXPECT_EQ(figure_2(), figure_2());
  EXPECT_NE(figure_2(), figure_6());
  EXPECT_NE(group({{2, 2}}, {order({row({2, 2})})}),
            group({{2, 2}}, {order({reg({2, 2}, {1, 2})})}));
  const std::unordered_set<Layout> layouts = {figure_2(), figure_6(), figure_2()};
  EXPECT_EQ(layouts.size(), 2U);
}

TEST(LegoLayout, MatmulOperandIsOneExpression) {
  const Assumptions world = multiples({{"M", "BM"}, {"K", "BK"}});
  const Int m = world.variable("M");
  const Int k = world.variable("K");
  const Int bm = world.variable("BM");
  const Int bk = world.variable("BK");
  const Layout a = tile({{floor_div(m, bm), floor_div(k, bk)}, {bm, bk}}, {order({row({m, k})})});
  const std::vector<Int> at = {Int::variable("pid_m"), Int::variable("k"), Int::variable("i"),
                               Int::variable("j")};
  const Int wanted = (at[0] * bm + at[2]) * k + at[1] * bk + at[3];
  EXPECT_EQ(made(a.apply(at)), wanted);
}

TEST(LegoLayout, OpenSizesNameWhatToAssume) {
  const Int m = variable("M");
  const Int k = variable("K");
  const Int bm = variable("BM");
  const Int bk = variable("BK");
  const auto with = [&](const Int& rows, const Int& columns) {
    return try_tile({{rows, columns}, {bm, bk}}, {order({row({m, k})})});
  };
  const auto may_be_empty = with(floor_div(m, bm), floor_div(k, bk));
  ASSERT_FALSE(may_be_empty);
  EXPECT_EQ(may_be_empty.error().code(), "assume.needed");
  EXPECT_EQ(may_be_empty.error().hint(), "try --assume 'M%BM==0', or --assume 'BM<=M'");

  const auto may_differ = with(max(floor_div(m, bm), 1), max(floor_div(k, bk), 1));
  ASSERT_FALSE(may_differ);
  EXPECT_EQ(may_differ.error().code(), "assume.needed");
  EXPECT_EQ(may_differ.error().hint(), "try --assume 'K%BK==0' --assume 'M%BM==0'");
}

TEST(LegoLayout, MatmulIdsNeedWholeGroupsOrOne) {
  const Int rows = variable("nt_m");
  const Int columns = variable("nt_n");
  const Int group_size = variable("GM");
  const auto ids = [](const Int& m, const Int& n, const Int& g) {
    return try_tile({{m, n}},
                    {tile_order({col({max(floor_div(m, g), 1), 1}), col({min(m, g), n})})});
  };
  const auto open = ids(rows, columns, group_size);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code(), "assume.needed");
  EXPECT_EQ(open.error().hint(),
            "try --assume 'nt_m%GM==0', or --assume 'nt_m<=GM', or --assume 'GM>=nt_m+1'");

  const Assumptions whole = multiples({{"nt_m", "GM"}});
  EXPECT_TRUE(ids(whole.variable("nt_m"), columns, whole.variable("GM")));
  EXPECT_TRUE(ids(8, columns, 4));
  EXPECT_TRUE(ids(3, columns, 4));
  const auto uneven = ids(12, 5, 8);
  ASSERT_FALSE(uneven);
  EXPECT_EQ(uneven.error().code(), "lego.sizes");
  EXPECT_NE(uneven.error().message().find("40"), std::string::npos);
  EXPECT_NE(uneven.error().message().find("60"), std::string::npos);
}

TEST(LegoLayout, GroupedCoversEveryCase) {
  const Layout ids = tile({{12, 5}}, {order({named({12, 5}, "grouped", {8})})});
  EXPECT_EQ(point(ids, 0), "[0,0]");
  EXPECT_EQ(point(ids, 7), "[7,0]");
  EXPECT_EQ(point(ids, 8), "[0,1]");
  EXPECT_EQ(point(ids, 40), "[8,0]");
  EXPECT_EQ(point(ids, 44), "[8,1]");
  EXPECT_EQ(point(ids, 59), "[11,4]");
}

TEST(LegoLayout, SizesMustMatch) {
  const auto refused = try_group({{6, 4}}, {order({row({5, 5})})});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "lego.sizes");
  EXPECT_EQ(refused.error().message(),
            "GroupBy([6,4]).OrderBy(Row(5,5)): OrderBy has 25 points, the layout 24");
}

TEST(LegoLayout, Coordinates) {
  EXPECT_EQ(position(figure_2(), {4}), "lego.coordinate");
  EXPECT_EQ(position(figure_2(), {6, 0}), "lego.coordinate");
  EXPECT_EQ(position(figure_2(), {-1, 0}), "lego.coordinate");
  EXPECT_EQ(point(figure_2(), 24), "lego.coordinate");
  EXPECT_EQ(point(figure_2(), -1), "lego.coordinate");
}

TEST(LegoLayout, Tiles) {
  const auto code = [](const Result<Layout>& layout) {
    return layout ? std::string() : layout.error().code();
  };
  EXPECT_EQ(code(Layout::group_by({})), "lego.tile");
  EXPECT_EQ(code(Layout::group_by({{}})), "lego.tile");
  EXPECT_EQ(code(Layout::group_by({{4, 0}})), "lego.extent");
  EXPECT_EQ(code(Layout::group_by({{-4}})), "lego.extent");
  EXPECT_EQ(code(Layout::group_by({{Int(1) * (std::int64_t{1} << 40), std::int64_t{1} << 40}})),
            "overflow");
  EXPECT_EQ(code(Layout::group_by({Sizes(2000, 1)})), "lego.tile");
  EXPECT_EQ(code(Layout::tile_by({{2, 2}, {4}})), "lego.tile");
  EXPECT_EQ(code(Layout::group_by({{2, 2}, {4}})), "");
  EXPECT_EQ(code(try_group({{4}}, {order({})})), "lego.tile");
  EXPECT_EQ(code(try_tile({{2, 2}}, {tile_order({row({2, 1}), row({2})})})), "lego.tile");
}

TEST(LegoLayout, ExpandByClips) {
  const Layout padded =
      made(Layout::expand_by({3, 7}, {4, 9}, group({{4, 9}}, {order({row({4, 9})})})));
  EXPECT_EQ(position(padded, {2, 6}), "20");
  EXPECT_EQ(position(padded, {2, 7}), "-1");
  EXPECT_EQ(position(padded, {3, 0}), "-1");
  EXPECT_EQ(point(padded, 7), "[1,0]");
  EXPECT_EQ(point(padded, 21), "lego.coordinate");
  EXPECT_EQ(padded.physical_size(), Int(21));
  EXPECT_EQ(padded.size(), Int(36));
}

TEST(LegoLayout, ExpandByOfAColumnMajorLayoutHasReversedSizes) {
  // The clipping is of physical coordinates: a column-major 4 x 9 is physically a 9 x 4.
  const Layout padded =
      made(Layout::expand_by({7, 3}, {9, 4}, group({{4, 9}}, {order({col({4, 9})})})));
  EXPECT_EQ(position(padded, {2, 6}), "20");
  EXPECT_EQ(position(padded, {0, 1}), "3");
  EXPECT_EQ(position(padded, {3, 0}), "-1");
  EXPECT_EQ(point(padded, 3), "[0,1]");
}

TEST(LegoLayout, ExpandByOfPartialTiles) {
  const Int m = variable("M");
  const Int n = variable("N");
  const Int rows = ceil_div(m, 16);
  const Int columns = ceil_div(n, 32);
  const Layout tiles = tile({{rows, columns}, {16, 32}}, {order({row({rows * 16, columns * 32})})});
  const Layout padded = made(Layout::expand_by({m, n}, {rows * 16, columns * 32}, tiles));
  const std::vector<Int> at = {index_variable("I", rows), index_variable("J", columns),
                               index_variable("i", 16), index_variable("j", 32)};
  const Int index = made(padded.apply(at));
  const Bindings inside = {{"M", 20}, {"N", 40}, {"I", 1}, {"J", 1}, {"i", 3}, {"j", 7}};
  EXPECT_EQ(made(instantiate(index, inside)), Int(19 * 40 + 39));
  const Bindings outside = {{"M", 20}, {"N", 40}, {"I", 1}, {"J", 1}, {"i", 4}, {"j", 7}};
  EXPECT_EQ(made(instantiate(index, outside)), Int(-1));
}

TEST(LegoLayout, ExpandByRefuses) {
  const auto code = [](Sizes original, Sizes extended, const Layout& layout) {
    const auto result = Layout::expand_by(std::move(original), std::move(extended), layout);
    return result ? std::string() : result.error().code();
  };
  const Layout plain = group({{4, 9}});
  EXPECT_EQ(code({3}, {4, 9}, plain), "lego.expand");
  EXPECT_EQ(code({5, 7}, {4, 9}, plain), "lego.expand");
  EXPECT_EQ(code({3, 7}, {4, 8}, plain), "lego.expand");
  EXPECT_EQ(code({0, 7}, {4, 9}, plain), "lego.extent");
  EXPECT_EQ(code({variable("M"), 7}, {4, 9}, plain), "assume.needed");
  const Layout padded = made(Layout::expand_by({3, 7}, {4, 9}, plain));
  EXPECT_EQ(code({3, 7}, {4, 9}, padded), "lego.expand");
  EXPECT_EQ(padded.order_by({row({4, 9})}).error().code(), "lego.expand");
}

TEST(LegoLayout, Instantiate) {
  const Assumptions world = multiples({{"M", "BM"}});
  const Int m = world.variable("M");
  const Int bm = world.variable("BM");
  const Layout symbolic = tile({{floor_div(m, bm)}, {bm}}, {order({named({m}, "reverse")})});
  const Layout wanted = tile({{3}, {4}}, {order({named({12}, "reverse")})});
  EXPECT_EQ(made(instantiate(symbolic, {{"M", 12}, {"BM", 4}})), wanted);
  EXPECT_EQ(instantiate(symbolic, {{"M", 13}, {"BM", 4}}).error().code(),
            "instantiate.inadmissible");
}

TEST(LegoLayout, IndexMap) {
  const form::IndexMap map = index_map(figure_2());
  EXPECT_EQ(map.order(), form::FlatOrder::kLastFastest);
  EXPECT_EQ(map.at(17), std::vector<Int>{6});
  EXPECT_EQ(map.axes().size(), 1U);
}

}  // namespace
}  // namespace heddle::lego
