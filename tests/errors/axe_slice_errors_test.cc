// One test an error code of slices of Axe layouts: the whole text that the terminal shows. A test
// has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "heddle/axe/slice.h"
#include "heddle/axe/tile.h"
#include "support/random_axe.h"

namespace heddle::axe {
namespace {

using test::kM;

using Region = std::vector<Interval>;

std::string refusal(const Layout& layout, const Shape& shape, const Region& region) {
  const Result<Layout> result = slice(layout, shape, region);
  return result ? "not refused" : result.error().to_string();
}

Layout shard(std::vector<Iter> shard, std::optional<Swizzle> swizzle = {}) {
  return *Layout::make(std::move(shard), {}, {}, std::move(swizzle));
}

/// Two warps of four lanes.
Layout warps() { return shard({{2, 1, Axis("warpid")}, {4, 1, Axis("laneid")}}); }

/// Four rows of four, 10 apart.
Layout rows(std::optional<Swizzle> swizzle = {}) {
  return shard({{4, 10, kM}, {4, 1, kM}}, std::move(swizzle));
}

TEST(ErrorText, axe_region) {
  EXPECT_EQ(refusal(warps(), {8}, {{2, 9}}),
            "error axe.region: slice(S[(2,4):(1@warpid,1@laneid)], (8), ((2,9))): the interval "
            "[2,9) of dimension 0 leaves [0,8)");
  EXPECT_EQ(refusal(warps(), {2, 4}, {{0, 2}, {3, 3}}),
            "error axe.region: slice(S[(2,4):(1@warpid,1@laneid)], (2,4), ((0,2),(3,3))): the "
            "interval [3,3) of dimension 1 is empty");
  EXPECT_EQ(refusal(warps(), {8}, {{-1, 4}}),
            "error axe.region: slice(S[(2,4):(1@warpid,1@laneid)], (8), ((-1,4))): the interval "
            "[-1,4) of dimension 0 leaves [0,8)");
}

TEST(ErrorText, axe_no_slice) {
  EXPECT_EQ(refusal(warps(), {8}, {{2, 6}}),
            "error axe.no_slice: slice(S[(2,4):(1@warpid,1@laneid)], (8), ((2,6))): no layout has "
            "this map\n"
            "  place 2 from the corner (2): the stride there would be -2@laneid + 1@warpid, on 2 "
            "axes at once\n"
            "  witness: coordinate (4) maps to 1@warpid");
  EXPECT_EQ(refusal(rows(), {16}, {{3, 9}}),
            "error axe.no_slice: slice(S[(4,4):(10@m,1@m)], (16), ((3,9))): no layout has this "
            "map\n"
            "  place 3 from the corner (3): the step changes, and 3 is no multiple of 2, where the "
            "step changed before\n"
            "  witness: coordinate (6) maps to 12@m; a layout would need 18@m");
  EXPECT_EQ(refusal(rows(), {16}, {{0, 6}}),
            "error axe.no_slice: slice(S[(4,4):(10@m,1@m)], (16), ((0,6))): no layout has this "
            "map\n"
            "  place 4 from the corner (0): the step changes, and 4 does not divide 6\n"
            "  witness: coordinate (4) maps to 10@m; a layout would need 4@m");
}

TEST(AxeSliceText, APartThatTheShapeDoesNotGroup) {
  EXPECT_EQ(refusal(shard({{3, 100, kM}, {2, 1, kM}}), {2, 3}, {{0, 2}, {0, 2}}),
            "error axe.no_slice: slice(S[(3,2):(100@m,1@m)], (2,3), ((0,2),(0,2))): no layout has "
            "this map\n"
            "  place 3 from the corner (0,0): the step changes, and 3 does not divide 4\n"
            "  witness: coordinate (1,1) maps to 200@m; a layout would need 102@m");
  const std::int64_t large = std::int64_t{1} << 30;
  EXPECT_EQ(refusal(shard({{3 * large, 5, kM}, {2, 1, kM}}), {2 * large, 3}, {{0, large}, {0, 2}}),
            "error axe.undecided: slice(S[(3221225472,2):(5@m,1@m)], (2147483648,3), "
            "((0,1073741824),(0,2))): its 2147483648 points are too many to list (at most "
            "1048576)");
}

TEST(AxeSliceText, ASwizzleIsNamed) {
  EXPECT_EQ(refusal(rows(*Swizzle::make(0, 1, 3)), {16}, {{3, 9}}),
            "error axe.no_slice: slice(SW(0,1,3) o S[(4,4):(10@m,1@m)], (16), ((3,9))): no layout "
            "under SW(0,1,3) has this map\n"
            "  place 3 from the corner (3): the step changes, and 3 is no multiple of 2, where the "
            "step changed before\n"
            "  nor has a layout without a swizzle\n"
            "  witness: coordinate (6) maps to 12@m before the swizzle; a layout would need 18@m");
}

TEST(AxeSliceText, RanksDiffer) {
  EXPECT_EQ(refusal(warps(), {8}, {{2, 4}, {1, 2}}),
            "error axe.ranks: slice(S[(2,4):(1@warpid,1@laneid)], (8), ((2,4),(1,2))): the region "
            "has 2 intervals, the shape 1 dimensions");
}

TEST(AxeSliceText, WhatIsNotKnown) {
  const Layout layout = shard({{8, 10, kM}, {8, 1, kM}});
  const Int k = Int::variable("k", 0, 29);
  EXPECT_EQ(refusal(layout, {64}, {{k, k + 8}}),
            "error assume.needed: slice(S[(8,8):(10@m,1@m)], (64), ((k,k+8))): needs 8 | k\n"
            "  hint: try --assume 'k%8==0'");
  EXPECT_EQ(refusal(layout, {64}, {{k, k + 9}}),
            "error assume.needed: slice(S[(8,8):(10@m,1@m)], (64), ((k,k+9))): needs to know "
            "whether k%8 == 0\n"
            "  hint: try --assume 'k==0'");
  EXPECT_EQ(refusal(layout, {64}, {{0, k + 1}}),
            "error assume.needed: slice(S[(8,8):(10@m,1@m)], (64), ((0,k+1))): needs 8 | (k+1)\n"
            "  hint: try --assume 'k%8==7'");
  EXPECT_EQ(refusal(layout, {64}, {{8, k + 8}}),
            "error assume.needed: slice(S[(8,8):(10@m,1@m)], (64), ((8,k+8))): needs 9 <= k+8\n"
            "  hint: try --assume 'k>=1'");
  EXPECT_EQ(refusal(shard({{8, k, kM}, {8, 1, kM}}), {64}, {{4, 12}}),
            "error assume.needed: slice(S[(8,8):(k@m,1@m)], (64), ((4,12))): needs to know whether "
            "1 == k-7\n"
            "  hint: try --assume 'k==8'");
}

}  // namespace
}  // namespace heddle::axe
