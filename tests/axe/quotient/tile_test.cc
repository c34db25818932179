#include "heddle/axe/tile.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "heddle/axe/canonical.h"

// Published examples of tiles and direct sums: TVM's tests, seed 002 and its errata.

namespace heddle::axe {
namespace {

struct Item {
  Int extent;
  Int stride;
  const char* axis;
};
struct Place {
  const char* axis;
  Int value;
};

std::vector<Iter> iters(const std::vector<Item>& items) {
  std::vector<Iter> result;
  for (const Item& item : items) result.push_back({item.extent, item.stride, Axis(item.axis)});
  return result;
}

/// A layout by its shard, replica, offset and SW(M,B,S).
Layout L(const std::vector<Item>& shard, const std::vector<Item>& replica = {},
         const std::vector<Place>& offset = {}, std::optional<std::array<int, 3>> bits = {}) {
  Coordinate origin;
  for (const Place& place : offset) origin.add(Axis(place.axis), place.value);
  std::optional<Swizzle> swizzle;
  if (bits) swizzle = *Swizzle::make((*bits)[0], (*bits)[1], (*bits)[2]);
  return *Layout::make(iters(shard), iters(replica), origin, swizzle);
}

/// The result has the map wanted, or is refused where nothing is.
void expect(const std::string& id, const Result<Layout>& got, const std::optional<Layout>& wanted) {
  if (!wanted) {
    EXPECT_FALSE(got.has_value()) << id << ": " << *got;
    if (!got) {
      EXPECT_NE(got.error().code(), "axe.undecided") << id;
    }
    return;
  }
  ASSERT_TRUE(got.has_value()) << id << ": " << got.error();
  EXPECT_TRUE(equal(*got, *wanted).is_yes()) << id << ": " << *got << " and " << *wanted;
}

std::string code(const Result<Layout>& result) {
  return result ? to_string(*result) : result.error().code();
}

std::string text(const Result<Layout>& result) {
  return result ? to_string(*result) : result.error().to_string();
}

TEST(AxeTile, Facts) {
  expect("tvm.tile.c1", tile(L({{8, 1, "m"}}), Shape{8}, L({{8, 1, "m"}}), Shape{8}),
         L({{64, 1, "m"}}));
  expect("tvm.tile_of.c2",
         tile_of(L({{8, 512, "m"}, {8, 8, "m"}, {8, 64, "m"}, {8, 1, "m"}}), Shape{64, 64},
                 L({{8, 8, "m"}, {8, 1, "m"}}), Shape{8, 8}),
         L({{8, 8, "m"}, {8, 1, "m"}}));
  expect("tvm.tile_inner_of.c3.null",
         tile_inner_of(L({{8, 64, "m"}, {2, 1, "m"}, {32, 2, "m"}}), Shape{16, 32},
                       L({{2, 1, "m"}, {4, 2, "m"}}), Shape{2, 4}),
         std::nullopt);
  expect("tvm.tile_of.c5.null",
         tile_of(L({{8, 16, "m"}, {8, 4, "laneid"}, {8, 2, "m"}, {4, 1, "laneid"}, {2, 1, "m"}}),
                 Shape{64, 64}, L({{8, 8, "m"}, {8, 1, "m"}}), Shape{8, 8}),
         std::nullopt);
  expect(
      "tvm.tile_inner_of.c5.null",
      tile_inner_of(L({{8, 16, "m"}, {8, 4, "laneid"}, {8, 2, "m"}, {4, 1, "laneid"}, {2, 1, "m"}}),
                    Shape{64, 64},
                    L({{8, 4, "laneid"}, {1, 2, "m"}, {4, 1, "laneid"}, {2, 1, "m"}}), Shape{8, 8}),
      std::nullopt);
  expect("tvm.tile.c6",
         tile(L({{8, 8, "m"}, {8, 1, "m"}}), Shape{8, 8}, L({{8, 4, "laneid"}, {4, 1, "laneid"}}),
              Shape{8, 4}),
         L({{8, 8, "m"}, {8, 4, "laneid"}, {8, 1, "m"}, {4, 1, "laneid"}}));
  expect("tvm.tile_inner_of.c6",
         tile_inner_of(L({{8, 8, "m"}, {8, 4, "laneid"}, {8, 1, "m"}, {4, 1, "laneid"}}),
                       Shape{64, 32}, L({{8, 8, "m"}, {8, 1, "m"}}), Shape{8, 8}),
         L({{8, 4, "laneid"}, {4, 1, "laneid"}}));
  expect("tvm.tile_inner_of.c6.null",
         tile_inner_of(L({{8, 8, "m"}, {8, 4, "laneid"}, {8, 1, "m"}, {4, 1, "laneid"}}),
                       Shape{64, 32}, L({{8, 4, "laneid"}, {4, 1, "laneid"}}), Shape{8, 4}),
         std::nullopt);
  expect(
      "tvm.tile.c8",
      tile(L({{8, 2, "m"}, {2, 1, "m"}}), Shape{8, 2}, L({{2, 4, "m"}, {4, 1, "m"}}), Shape{2, 4}),
      L({{8, 16, "m"}, {2, 4, "m"}, {2, 8, "m"}, {4, 1, "m"}}));
  expect("tvm.tile_of.c8",
         tile_of(L({{8, 16, "m"}, {2, 4, "m"}, {2, 8, "m"}, {4, 1, "m"}}), Shape{16, 8},
                 L({{2, 4, "m"}, {4, 1, "m"}}), Shape{2, 4}),
         L({{8, 2, "m"}, {2, 1, "m"}}));
  expect("tvm.tile_inner_of.c8.null",
         tile_inner_of(L({{8, 16, "m"}, {2, 4, "m"}, {2, 8, "m"}, {4, 1, "m"}}), Shape{16, 8},
                       L({{2, 4, "m"}, {4, 1, "m"}}), Shape{2, 4}),
         std::nullopt);
  expect("tvm.tile_of.c9",
         tile_of(L({{8, 20, "m"}, {2, 4, "m"}, {4, 5, "m"}}), Shape{16, 4},
                 L({{2, 4, "m"}, {1, 3, "m"}, {1, 1, "m"}}), Shape{2, 1}),
         L({{8, 4, "m"}, {4, 1, "m"}}));
  expect("tvm.tile_inner_of.c9",
         tile_inner_of(L({{8, 20, "m"}, {2, 4, "m"}, {4, 5, "m"}}), Shape{16, 4},
                       L({{8, 4, "m"}, {4, 1, "m"}, {1, 4, "m"}}), Shape{8, 4}),
         L({{2, 4, "m"}}));
  expect("tvm.tile_of.c10",
         tile_of(L({{64, 16, "m"}, {2, 3, "m"}, {4, 4, "m"}}), Shape{8, 16, 4},
                 L({{1, 4, "m"}, {2, 3, "m"}, {1, 1, "m"}}), Shape{1, 2, 1}),
         L({{8, 32, "m"}, {8, 4, "m"}, {4, 1, "m"}}));
  expect("tvm.tile.c11",
         tile(L({{8, 32, "m"}, {8, 4, "m"}, {4, 1, "m"}}), Shape{8, 8, 4},
              L({{8, 4, "m"}, {8, 4, "laneid"}, {1, 2, "m"}, {4, 1, "laneid"}, {2, 1, "m"}}),
              Shape{8, 8, 8}),
         L({{8, 960, "m"},
            {8, 4, "m"},
            {8, 120, "m"},
            {8, 4, "laneid"},
            {4, 30, "m"},
            {4, 1, "laneid"},
            {2, 1, "m"}}));
  expect("tvm.tile_of.sw0",
         tile_of(L({{4096, 1, "m"}}, {}, {}, {{3, 3, 3}}), Shape{4096},
                 L({{8, 64, "m"}, {64, 1, "m"}}, {}, {}, {{3, 3, 3}}), Shape{512}),
         L({{8, 1, "m"}}));
  expect("tvm.tile_of.sw0.null",
         tile_of(L({{4096, 1, "m"}}, {}, {}, {{3, 3, 3}}), Shape{4096},
                 L({{8, 1, "m"}, {1, 1, "m"}}), Shape{512}),
         std::nullopt);
  expect("tvm.tile_inner_of.sw0.null",
         tile_inner_of(L({{4096, 1, "m"}}, {}, {}, {{3, 3, 3}}), Shape{4096},
                       L({{8, 64, "m"}, {64, 1, "m"}}, {}, {}, {{3, 3, 3}}), Shape{8}),
         std::nullopt);
  expect("tvm.tile.sw3",
         tile(L({{8, 1, "m"}, {8, 8, "m"}}), Shape{8, 8}, L({{256, 1, "m"}}, {}, {}, {{3, 2, 3}}),
              Shape{8, 32}),
         L({{64, 32, "m"}, {8, 2048, "m"}, {32, 1, "m"}}, {}, {}, {{3, 2, 3}}));
  expect("tvm.tile_of.sw4a",
         tile_of(L({{16384, 1, "m"}}, {}, {}, {{3, 2, 3}}), Shape{64, 256},
                 L({{256, 1, "m"}}, {}, {}, {{3, 2, 3}}), Shape{8, 32}),
         std::nullopt);
  expect("tvm.tile_inner_of.mma",
         tile_inner_of(L({{32, 1, "laneid"}, {2, 1, "m"}}), Shape{8, 8},
                       L({{8, 4, "laneid"}, {4, 1, "laneid"}}), Shape{8, 4}),
         L({{2, 1, "m"}}));
  expect(
      "tvm.tile_inner_of.cta",
      tile_inner_of(
          L({{2, 2, "warpid"}, {8, 4, "laneid"}, {2, 1, "warpid"}, {4, 1, "laneid"}, {2, 1, "m"}}),
          Shape{16, 16}, L({{2, 2, "warpid"}, {2, 1, "warpid"}}), Shape{2, 2}),
      L({{32, 1, "laneid"}, {2, 1, "m"}}));
  expect("tvm.tile.quad",
         tile(L({{8, 4, "laneid"}}), Shape{8, 1}, L({{1, 2, "m"}, {2, 1, "m"}}), Shape{1, 2}),
         L({{8, 4, "laneid"}, {2, 1, "m"}}));
  expect("tvm.tile_of.quad",
         tile_of(L({{8, 4, "laneid"}, {2, 1, "m"}}), Shape{8, 2}, L({{1, 2, "m"}, {2, 1, "m"}}),
                 Shape{1, 2}),
         L({{8, 4, "laneid"}}));
  expect("tvm.tile_inner_of.quad",
         tile_inner_of(L({{8, 4, "laneid"}, {2, 1, "m"}}), Shape{8, 2}, L({{8, 4, "laneid"}}),
                       Shape{8, 1}),
         L({{2, 1, "m"}}));
  expect("tvm.tile_of.cta2_reg",
         tile_of(L({{2, 64, "tx"}, {8, 4, "tx"}, {2, 32, "tx"}, {4, 1, "tx"}, {2, 1, "m"}}),
                 Shape{16, 16}, L({{2, 1, "m"}}), Shape{1, 2}),
         L({{2, 64, "tx"}, {8, 4, "tx"}, {2, 32, "tx"}, {4, 1, "tx"}}));
  expect("tvm.tile_to.B",
         tile_to(L({{4, 1, "laneid"}, {2, 1, "m"}, {8, 4, "laneid"}}), Shape{16, 8}, Shape{8, 8}),
         L({{2, 2, "m"}, {4, 1, "laneid"}, {2, 1, "m"}, {8, 4, "laneid"}}));
  expect("axe.tile.inoff",
         tile(L({{2, 1, "m"}}), Shape{2}, L({{4, 1, "m"}}, {}, {{"m", 2}}), Shape{4}),
         L({{8, 1, "m"}}, {}, {{"m", 2}}));
  expect("axe.tile.outrep",
         tile(L({{2, 1, "m"}}, {{2, 2, "m"}}), Shape{2}, L({{4, 1, "m"}}), Shape{4}),
         L({{8, 1, "m"}}, {{2, 8, "m"}}));
  expect("axe.tile.inrepaxis",
         tile(L({{2, 1, "warpid"}}), Shape{2}, L({{4, 1, "m"}}, {{2, 1, "warpid"}}), Shape{4}),
         L({{2, 2, "warpid"}, {4, 1, "m"}}, {{2, 1, "warpid"}}));
  expect("axe.tile.neg", tile(L({{2, 1, "m"}}), Shape{2}, L({{4, -1, "m"}}), Shape{4}),
         L({{2, 4, "m"}, {4, -1, "m"}}));
  expect("axe.tile_of.span.null",
         tile_of(L({{4, 5, "m"}, {4, 1, "m"}}), Shape{16}, L({{4, 1, "m"}}), Shape{4}),
         std::nullopt);
  expect("axe.tile_of.off.null",
         tile_of(L({{8, 1, "m"}}, {}, {{"m", 13}}), Shape{8}, L({{4, 1, "m"}}, {}, {{"m", 2}}),
                 Shape{4}),
         std::nullopt);
  expect("paper.tile_of.3_3",
         tile_of(L({{2, 192, "m"}, {8, 8, "m"}, {3, 64, "m"}, {8, 1, "m"}}), Shape{16, 24},
                 L({{8, 8, "m"}, {8, 1, "m"}}), Shape{8, 8}),
         L({{2, 3, "m"}, {3, 1, "m"}}));
  expect(
      "rand.tile.4",
      tile(L({{4, 4, "warpid"}, {3, 1, "m"}, {2, 4, "laneid"}}, {}, {{"m", 3}}), Shape{4, 3, 2},
           L({{2, 1, "m"}, {4, 1, "laneid"}, {4, 4, "warpid"}}, {}, {{"m", -3}}), Shape{2, 4, 4}),
      L({{4, 52, "warpid"},
         {2, 1, "m"},
         {3, 2, "m"},
         {4, 1, "laneid"},
         {2, 16, "laneid"},
         {4, 4, "warpid"}},
        {}, {{"m", 3}}));
  expect("rand.tile_of.7",
         tile_of(L({{4, 1, "warpid"}, {12, 1, "m"}}), Shape{12, 4},
                 L({{4, 1, "m"}, {2, 1, "warpid"}}), Shape{4, 2}),
         std::nullopt);
  expect(
      "rand.tile_of.10",
      tile_of(L({{3, 10, "laneid"}, {4, 3, "laneid"}}), Shape{12}, L({{4, 3, "laneid"}}), Shape{4}),
      L({{3, 1, "laneid"}}));
  expect("rand.dsum.3", direct_sum(L({{3, 2, "laneid"}}), Shape{3}, L({{2, 32, "m"}}), Shape{2}),
         L({{3, 2, "laneid"}, {2, 32, "m"}}));
}

TEST(AxeTile, AGridOfTiles) {
  // Seed 002, section 3.3.
  EXPECT_EQ(text(tile(L({{2, 3, "m"}, {3, 1, "m"}}), Shape{2, 3}, L({{8, 8, "m"}, {8, 1, "m"}}),
                      Shape{8, 8})),
            "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]");
}

TEST(AxeTile, TheSumThatIsNoTile) {
  // Seed 002, F.4, with the errata: a direct sum makes 16:1 of A = (2,2):(8,2), B = (2,2):(4,1).
  const Layout a = L({{2, 8, "m"}, {2, 2, "m"}});
  const Layout b = L({{2, 4, "m"}, {2, 1, "m"}});
  const Layout whole = L({{16, 1, "m"}});
  expect("sum", direct_sum(a, Shape{2, 2}, b, Shape{2, 2}), whole);
  expect("left", direct_sum_left_of(whole, Shape{4, 4}, b, Shape{2, 2}), a);
  expect("right", direct_sum_right_of(whole, Shape{4, 4}, a, Shape{2, 2}), b);
  EXPECT_EQ(code(tile_of(whole, Shape{4, 4}, b, Shape{2, 2})), "axe.not_a_tile");
  EXPECT_EQ(code(tile_inner_of(whole, Shape{4, 4}, a, Shape{2, 2})), "axe.not_a_tile");
}

TEST(AxeTile, TheInnerPartIsASuffixOfEachBlock) {
  // Errata on algorithm 3: an interleaving in any order is no tile.
  EXPECT_EQ(code(tile_of(L({{2, 1, "m"}, {2, 2, "m"}}), Shape{4}, L({{2, 1, "m"}}), Shape{2})),
            "axe.not_a_tile");
}

TEST(AxeTile, AContiguousListIsSplit) {
  // Errata on algorithm 3, which refuses it.
  EXPECT_EQ(text(tile_of(L({{16, 1, "m"}}), Shape{16}, L({{4, 1, "m"}}), Shape{4})),
            "S[(4):(1@m)]");
}

TEST(AxeTile, TheScaleIsThatOfReplicaAndOffsetToo) {
  // Errata on F.3.
  const Layout a = L({{2, 1, "m"}}, {{2, 2, "m"}}, {{"m", 5}});
  const Layout b = L({{4, 1, "m"}}, {{2, 4, "m"}}, {{"m", 3}});
  EXPECT_EQ(text(tile(a, Shape{2}, b, Shape{4})),
            "S[(2,4):(8@m,1@m)] + R[(2,2):(16@m,4@m)] + 43@m");
  const Layout tiled = *tile(a, Shape{2}, b, Shape{4});
  expect("outer", tile_of(tiled, Shape{8}, b, Shape{4}), a);
  expect("inner", tile_inner_of(tiled, Shape{8}, a, Shape{2}), b);
}

TEST(AxeTile, AReplicaMayHideInALongerOne) {
  // 0..7 = {0,4} + {0..3}, and {0,2} + {0,1} + {0,4}.
  expect("list",
         direct_sum_left_of(L({{1, 1, "m"}}, {{8, 1, "m"}}), Shape{1},
                            L({{1, 1, "m"}}, {{4, 1, "m"}}), Shape{1}),
         L({{1, 1, "m"}}, {{2, 4, "m"}}));
  // 0..4 = {0..3} + {0,1} overlaps.
  expect("overlap",
         direct_sum_left_of(L({{1, 1, "m"}}, {{5, 1, "m"}}), Shape{1},
                            L({{1, 1, "m"}}, {{2, 1, "m"}}), Shape{1}),
         L({{1, 1, "m"}}, {{4, 1, "m"}}));
  EXPECT_EQ(code(direct_sum_left_of(L({{1, 1, "m"}}, {{5, 1, "m"}}), Shape{1},
                                    L({{1, 1, "m"}}, {{2, 5, "m"}}), Shape{1})),
            "axe.not_a_direct_sum");
}

TEST(AxeTile, AReplicaOfMillionsIsTakenApartByItsList) {
  const std::int64_t many = std::int64_t{1} << 40;
  expect("list", tile_of(L({{4, 1, "m"}}, {{many, 4, "m"}}), Shape{4}, L({{4, 1, "m"}}), Shape{4}),
         L({{1, 1, "m"}}, {{many, 1, "m"}}));
}

TEST(AxeTile, SwizzledSides) {
  // The right side fills whole periods.
  const Layout atom = L({{8, 64, "m"}, {64, 1, "m"}}, {}, {}, {{3, 3, 3}});
  EXPECT_EQ(text(tile(L({{4, 1, "m"}}), Shape{4, 1}, atom, Shape{8, 64})),
            "SW(3,3,3) o S[(4,8,64):(512@m,64@m,1@m)]");
  // The left side swizzles tiles of 16.
  const Layout grid = L({{8, 8, "m"}, {8, 1, "m"}}, {}, {}, {{0, 3, 3}});
  EXPECT_EQ(text(tile(grid, Shape{8, 8}, L({{16, 1, "m"}}), Shape{1, 16})),
            "SW(4,3,3) o S[(8,8,16):(128@m,16@m,1@m)]");
  const Layout tiled = *tile(grid, Shape{8, 8}, L({{16, 1, "m"}}), Shape{1, 16});
  expect("outer", tile_of(tiled, Shape{8, 128}, L({{16, 1, "m"}}), Shape{1, 16}), grid);
  expect("inner", tile_inner_of(tiled, Shape{8, 128}, grid, Shape{8, 8}), L({{16, 1, "m"}}));
  // Less than a period on the left does not keep apart from the swizzle: 1 3 2, 4 6 5, 7 9 8.
  EXPECT_EQ(code(tile(L({{3, 1, "m"}}), Shape{3}, L({{3, 1, "m"}}, {}, {{"m", 1}}, {{0, 1, 1}}),
                      Shape{3})),
            "axe.swizzle_mixed");
}

TEST(AxeTile, TooManySwizzledPlacesAreUndecided) {
  const Layout atom = L({{2100, 1, "m"}}, {}, {{"m", 1}}, {{0, 2, 2}});
  EXPECT_EQ(code(tile(L({{2100, 1, "m"}}), Shape{2100}, atom, Shape{2100})), "axe.undecided");
}

TEST(AxeTile, SymbolicSizes) {
  const Int m = Int::variable("M", 1, 1 << 20);
  const Layout row = L({{m, 1, "m"}});
  const Layout tile8 = L({{8, 1, "m"}});
  const Layout tiled = *tile(row, Shape{m}, tile8, Shape{8});
  EXPECT_EQ(text(tiled), "S[(M,8):(8@m,1@m)]");
  EXPECT_EQ(text(tile_of(tiled, Shape{m * 8}, tile8, Shape{8})), "S[(M):(1@m)]");
  EXPECT_EQ(text(tile_inner_of(tiled, Shape{m * 8}, row, Shape{m})), "S[(8):(1@m)]");
  EXPECT_EQ(text(tile(tile8, Shape{8}, row, Shape{m})), "S[(8,M):(M@m,1@m)]");
  EXPECT_EQ(code(tile_of(row, Shape{m}, tile8, Shape{8})), "assume.needed");
}

// TVM's tests call tx what others call warpid and laneid.
TEST(AxeTile, TheProductIsReadOnTheThreadAxesOfTheGivenSide) {
  const Axis tx("tx");
  const Axis warp("warpid");
  const Axis lane("laneid");
  const Layout product = *Layout::make({{2, 64, tx}, {8, 4, tx}, {2, 32, tx}, {4, 1, tx}});
  const Layout grid = *Layout::make({{2, 2, warp}, {2, 1, warp}});
  const Layout quad = *Layout::make({{8, 4, lane}, {4, 1, lane}});
  const Shape whole = {16, 8};
  EXPECT_EQ(text(tile_of(product, whole, quad, Shape{8, 4})), "S[(4):(1@warpid)]");
  EXPECT_EQ(text(tile_inner_of(product, whole, grid, Shape{2, 2})), "S[(32):(1@laneid)]");
  const Layout warps = *Layout::make({{4, 1, warp}, {32, 1, lane}});
  EXPECT_EQ(text(tile_of(warps, Shape{128}, *Layout::make({{32, 1, tx}}), Shape{32})),
            "S[(4):(1@tx)]");
  const Layout groups = *Layout::make({{2, 128, tx}, {128, 1, tx}});
  EXPECT_EQ(
      text(tile_of(groups, Shape{256}, *Layout::make({{128, 1, Axis("tid_in_wg")}}), Shape{128})),
      "S[(2):(1@wgid)]");
  // tx 40 is lane 8 of warp 1: no tile of lanes steps over the warps.
  const Layout across = *Layout::make({{4, 20, tx}});
  EXPECT_EQ(code(tile_of(across, Shape{4}, *Layout::make({{2, 20, lane}}), Shape{2})), "axe.split");
}

}  // namespace
}  // namespace heddle::axe
