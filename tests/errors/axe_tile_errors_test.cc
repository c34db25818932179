// One test an error code of tiles and direct sums of Axe layouts: the whole text that the terminal
// shows. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "heddle/axe/tile.h"
#include "support/random_axe.h"
#include "support/refusal.h"

namespace heddle::axe {
namespace {

using test::kM;
using test::refusal;

Layout made_at(std::vector<Iter> shard, std::vector<Iter> replica = {}, const Int& offset = 0,
               std::optional<Swizzle> swizzle = {}) {
  return *Layout::make(std::move(shard), std::move(replica), {{kM, offset}}, std::move(swizzle));
}

TEST(ErrorText, axe_ranks) {
  const Layout row = made_at({{8, 1, kM}});
  EXPECT_EQ(refusal(tile(row, Shape{8}, row, Shape{2, 4})),
            "error axe.ranks: tile: the shapes (8) and (2,4) have 1 and 2 dimensions\n"
            "  hint: both shapes have the same number of dimensions; extents of 1 fill up");
}

TEST(ErrorText, axe_shape_divisibility) {
  EXPECT_EQ(
      refusal(tile_of(made_at({{16, 1, kM}}), Shape{2, 8}, made_at({{6, 1, kM}}), Shape{2, 3})),
      "error axe.shape_divisibility: tile_of(S[(16):(1@m)], (2,8), S[(6):(1@m)], (2,3)): the "
      "extent 8 of dimension 1 is no multiple of 3");
  EXPECT_EQ(refusal(tile_to(made_at({{6, 1, kM}}), Shape{4, 16}, Shape{2, 3})),
            "error axe.shape_divisibility: tile_to(S[(6):(1@m)], (4,16), (2,3)): the extent 16 of "
            "dimension 1 is no multiple of 3");
}

TEST(ErrorText, axe_not_a_tile) {
  const Layout grid = made_at({{4, 5, kM}, {4, 1, kM}});
  const Layout row = made_at({{4, 1, kM}});
  EXPECT_EQ(refusal(tile_of(grid, Shape{16}, row, Shape{4})),
            "error axe.not_a_tile: S[(4,4):(5@m,1@m)] of shape (16) is not C (x) S[(4):(1@m)] with "
            "shape (4) for any C\n"
            "  in dimension 0 the outer iter (4, 5@m) steps by 5, no multiple of 4, the span of "
            "the inner side on axis m\n"
            "  witness: coordinate (4) maps to 5@m from the first place; a tile would need a "
            "multiple of 4@m");
  EXPECT_EQ(refusal(tile_of(made_at({{16, 1, kM}}), Shape{4, 4}, made_at({{2, 4, kM}, {2, 1, kM}}),
                            Shape{2, 2})),
            "error axe.not_a_tile: S[(16):(1@m)] of shape (4,4) is not C (x) S[(2,2):(4@m,1@m)] "
            "with shape (2,2) for any C\n"
            "  in dimension 0 the outer iter (2, 8@m) steps by 8, no multiple of 6, the span of "
            "the inner side on axis m\n"
            "  witness: coordinate (2,0) maps to 8@m from the first place; a tile would need a "
            "multiple of 6@m");
  EXPECT_EQ(
      refusal(
          tile_of(made_at({{8, 1, kM}}, {}, 13), Shape{8}, made_at({{4, 1, kM}}, {}, 2), Shape{4})),
      "error axe.not_a_tile: S[(8):(1@m)] + 13@m of shape (8) is not C (x) S[(4):(1@m)] + 2@m with "
      "shape (4) for any C\n"
      "  the offsets on axis m differ by 11, no multiple of 4, the span of the inner side there\n"
      "  witness: coordinate (0) maps to 13@m; a tile would need 2@m and a multiple of 4@m");
  EXPECT_EQ(
      refusal(
          tile_of(made_at({{3, 1, kM}, {2, 3, kM}}), Shape{6}, made_at({{2, 1, kM}}), Shape{2})),
      "error axe.not_a_tile: S[(3,2):(1@m,3@m)] of shape (6) is not C (x) S[(2):(1@m)] with shape "
      "(2) for any C\n"
      "  in dimension 0 the inner part of (6) is S[(2):(3@m)], but the inner side has S[(2):(1@m)] "
      "there\n"
      "  witness: coordinate (1) maps to 3@m from the first place; the inner side would need 1@m");
  EXPECT_EQ(refusal(tile_of(made_at({{4, 6, kM}, {6, 2, kM}}), Shape{6, 4}, made_at({{2, 1, kM}}),
                            Shape{1, 2})),
            "error axe.not_a_tile: S[(4,6):(6@m,2@m)] of shape (6,4) is not C (x) "
            "S[(1,2):(1@m,1@m)] with shape (1,2) for any C\n"
            "  it has no blocks of iters for the extents (6,1,2,2) of both sides\n"
            "  the canonical shard list is S[(4,6):(6@m,2@m)]\n"
            "  a block needs 2 of the iter (3, 4@m), and of 2 and 3 neither divides the other\n"
            "  witness: coordinate 5 to 6 maps to a step of -4@m; a block would need a step of "
            "2@m, as from 1 to 2");
  EXPECT_EQ(
      refusal(tile_of(made_at({{4, 1, kM}}, {{2, 4, kM}, {3, 3, kM}}), Shape{4}, row, Shape{4})),
      "error axe.not_a_tile: S[(4):(1@m)] + R[(2,3):(4@m,3@m)] of shape (4) is not C (x) "
      "S[(4):(1@m)] with shape (4) for any C\n"
      "  on axis m the replica at 3 is in no copy of {0} that begins at a multiple of 4 within the "
      "replicas");
  EXPECT_EQ(refusal(tile_inner_of(made_at({{16, 1, kM}}), Shape{4, 4},
                                  made_at({{2, 8, kM}, {2, 2, kM}}), Shape{2, 2})),
            "error axe.not_a_tile: S[(16):(1@m)] of shape (4,4) is not S[(2,2):(8@m,2@m)] (x) C "
            "with shape (2,2) for any C\n"
            "  the span of a tile is the product of both sides': on axis m it is 16, no multiple "
            "of 11, the outer side's");
  EXPECT_EQ(
      refusal(tile_inner_of(made_at({{8, 1, kM}}), Shape{8}, made_at({{4, 3, kM}}), Shape{4})),
      "error axe.not_a_tile: S[(8):(1@m)] of shape (8) is not S[(4):(3@m)] (x) C with shape "
      "(4) for any C\n"
      "  the span of a tile is the product of both sides': on axis m it is 8, no multiple of "
      "10, the outer side's");
  const Swizzle swizzle = *Swizzle::make(0, 1, 1);
  EXPECT_EQ(refusal(tile_of(made_at({{8, 1, kM}}, {}, 0, swizzle), Shape{8}, made_at({{4, 1, kM}}),
                            Shape{4})),
            "error axe.not_a_tile: SW(0,1,1) o S[(8):(1@m)] of shape (8) is not C (x) S[(4):(1@m)] "
            "with shape (4) for any C\n"
            "  its places do not repeat those of the inner side\n"
            "  witness: coordinate (2) maps to 3@m; C, read off elsewhere, would need 2@m");
}

TEST(ErrorText, axe_not_a_direct_sum) {
  EXPECT_EQ(
      refusal(
          direct_sum_left_of(made_at({{16, 1, kM}}), Shape{16}, made_at({{4, 2, kM}}), Shape{4})),
      "error axe.not_a_direct_sum: S[(16):(1@m)] of shape (16) is not C + S[(4):(2@m)] with shape "
      "(4) for any C\n"
      "  in dimension 0 the right part of (16) is S[(4):(1@m)], but the right side has "
      "S[(4):(2@m)] there\n"
      "  witness: coordinate (1) maps to 1@m from the first place; the right side would need 2@m");
  EXPECT_EQ(refusal(direct_sum_right_of(made_at({{4, 1, kM}}, {{5, 1, kM}}), Shape{4},
                                        made_at({{2, 2, kM}}, {{2, 5, kM}}), Shape{2})),
            "error axe.not_a_direct_sum: S[(4):(1@m)] + R[(5):(1@m)] of shape (4) is not "
            "S[(2):(2@m)] + R[(2):(5@m)] + C with shape (2) for any C\n"
            "  on axis m the replica at 0 is in no copy of {0,5} within the replicas");
}

TEST(ErrorText, axe_swizzle_mixed) {
  const Layout swizzled = made_at({{3, 1, kM}}, {}, 1, *Swizzle::make(0, 1, 1));
  EXPECT_EQ(refusal(tile(made_at({{3, 1, kM}}), Shape{3}, swizzled, Shape{3})),
            "error axe.swizzle_mixed: tile(S[(3):(1@m)], (3), SW(0,1,1) o S[(3):(1@m)] + 1@m, (3)) "
            "is not a layout: the swizzle of one side would have to act on the other's part\n"
            "  witness: coordinate (2) maps to 2@m; a layout without a swizzle would need 5@m\n"
            "  hint: a swizzled right side needs a left one that steps by whole periods of the "
            "swizzle; a swizzled left side needs a right one that fills 2^k places");
}

TEST(ErrorText, axe_undecided_product) {
  const Layout swizzled = made_at({{2100, 1, kM}}, {}, 1, *Swizzle::make(0, 2, 2));
  EXPECT_EQ(refusal(tile(made_at({{2100, 1, kM}}), Shape{2100}, swizzled, Shape{2100})),
            "error axe.undecided: tile(S[(2100):(1@m)], (2100), SW(0,2,2) o S[(2100):(1@m)] + 1@m, "
            "(2100)): one side's swizzle and the other side's part do not keep apart, and the "
            "places are too many to look for another layout\n"
            "  up to 1048576 places are evaluated");
  const Layout sum = made_at({{4, 1, kM}}, {{2, 9, kM}}, 0, *Swizzle::make(0, 1, 1));
  EXPECT_EQ(refusal(direct_sum_left_of(sum, Shape{4}, made_at({{2, 1, kM}}), Shape{2})),
            "error axe.undecided: direct_sum_left_of(SW(0,1,1) o S[(4):(1@m)] + R[(2):(9@m)], (4), "
            "S[(2):(1@m)], (2)): replicas and swizzles leave several sums open");
}

}  // namespace
}  // namespace heddle::axe
