// One test an error code of LEGO layouts: the whole text that the terminal shows, but for the place
// in the text. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/evaluator.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refusal;

TEST(ErrorText, lego_tile) {
  EXPECT_EQ(refusal("GroupBy([6,4]).OrderBy()"),
            "error lego.tile: OrderBy has no permutation\n"
            "  hint: OrderBy(Row(6,4))");
  EXPECT_EQ(refusal("TileBy([2,3],[2])"),
            "error lego.tile: TileBy: [2,3] has 2 dimensions, [2] has 1\n"
            "  hint: the levels of a tiling have the same dimensions");
}

TEST(ErrorText, call_type_of_an_empty_list) {
  EXPECT_EQ(refusal("GenP([],[])").substr(0, 64),
            "error call.type: argument 1 of GenP, tile, is an empty list; a l");
}

TEST(ErrorText, lego_extent) {
  EXPECT_EQ(refusal("GroupBy([0,4])"),
            "error lego.extent: GroupBy has the tile [0,4] with the size 0\n"
            "  hint: sizes are at least 1");
}

TEST(ErrorText, lego_permutation) {
  EXPECT_EQ(refusal("RegP([2,3,4],[1,3,3])"),
            "error lego.permutation: RegP([2,3,4],[1,3,3]): [1,3,3] is no permutation of 1..3: 3 "
            "occurs twice\n"
            "  hint: sigma names every dimension once, counted from 1");
  EXPECT_EQ(refusal("RegP([2,3],[1,2,3])"),
            "error lego.permutation: RegP([2,3],[1,2,3]): [1,2,3] is no permutation of 1..2: it "
            "has 3 numbers, the tile 2 dimensions\n"
            "  hint: sigma names every dimension once, counted from 1");
  EXPECT_EQ(refusal("RegP([2,2],[0,2])"),
            "error lego.permutation: RegP([2,2],[0,2]): [0,2] is no permutation of 1..2: 0 is not "
            "in 1..2\n"
            "  hint: sigma names every dimension once, counted from 1");
  EXPECT_EQ(refusal("RegP([2,2],[M,1])"),
            "error lego.permutation: a permutation of dimensions has numbers, and M is none");
}

TEST(ErrorText, lego_sizes) {
  EXPECT_EQ(
      refusal("GroupBy([6,4]).OrderBy(Row(5,5))"),
      "error lego.sizes: GroupBy([6,4]).OrderBy(Row(5,5)): OrderBy has 25 points, the layout 24\n"
      "  hint: the sizes of all permutations of a link multiply to those of the GroupBy");
}

TEST(ErrorText, lego_genp) {
  EXPECT_EQ(refusal("GenP([6,4], i -> i)"),
            "error lego.genp: GenP on [6,4]: i -> i takes 1 to 1; it should take 2 to 1");
  EXPECT_EQ(refusal("GenP([6,4],antidiag)"),
            "error lego.genp: GenP([6,4],antidiag): antidiag is for squares, and 6 by 4 is none");
  EXPECT_EQ(refusal("GenP([6],fan(2))"),
            "error lego.genp: GenP([6],fan(2)): 2 and 6 have the common divisor 2");
  EXPECT_EQ(refusal("GenP([4,6],xor)"), "error lego.genp: GenP([4,6],xor): 6 is no power of two");
  EXPECT_EQ(refusal("GenP([4,N],xor)"),
            "error lego.genp: GenP([4,N],xor): N must be a number, a power of two");
  EXPECT_EQ(refusal("GenP([6,4],antidiag_inv)"),
            "error lego.genp: antidiag_inv takes a number to a point; GenP takes a function from "
            "points to numbers first");
}

TEST(ErrorText, lego_genp_range) {
  EXPECT_EQ(
      refusal("GroupBy([3,2]).OrderBy(GenP([3,2], (i,j) -> 3*i+j), Row(1))"),
      "error lego.genp_range: GenP([3,2],(i,j) -> 3*i+j) leads [2,0] to 6, which is not in [0, 6)\n"
      "  only a GroupBy with one OrderBy of one GenP on the same tile may have a GenP that is no "
      "permutation, and nothing after it\n"
      "  witness: coordinate [2,0] maps to 6");
}

TEST(ErrorText, lego_genp_repeated) {
  EXPECT_EQ(refusal("GroupBy([3,2]).OrderBy(GenP([3,2], (i,j) -> i+j, x -> (x,0)))"),
            "error lego.genp_repeated: GenP([3,2],(i,j) -> i+j,x -> (x,0)) leads [0,1] and [1,0] "
            "both to 1\n"
            "  witness: coordinate [1,0] maps to 1");
}

TEST(ErrorText, lego_genp_inverse) {
  EXPECT_EQ(refusal("GenP([3,2], (i,j) -> 2*i+j, x -> (x//3, x%3))"),
            "error lego.genp_inverse: GenP([3,2],(i,j) -> 2*i+j,x -> (x//3,x%3)): the inverse "
            "leads 2 to [0,2], but [1,0] is what leads to 2\n"
            "  witness: coordinate [1,0] maps to 2");
  EXPECT_EQ(refusal("GenP([3,3],antidiag,reverse_inv)"),
            "error lego.genp_inverse: reverse_inv is not known to be the inverse of antidiag\n"
            "  hint: give a formula, x -> (x//3, x%3), or leave the inverse out");
}

TEST(ErrorText, lego_no_inverse) {
  EXPECT_EQ(refusal("GroupBy([8]).OrderBy(GenP([8], i -> 2*i)).inv(4)"),
            "error lego.no_inverse: GenP([8],i -> 2*i) has no inverse, and none was found\n"
            "  GenP([8],i -> 2*i) leads [4] to 8, which is not in [0, 8)");
}

TEST(ErrorText, lego_composition) {
  EXPECT_EQ(
      refusal("GroupBy([3,4]) o GroupBy([6,4]).OrderBy(Col(6,4))"),
      "error lego.composition: composition(GroupBy([3,4]),GroupBy([6,4]).OrderBy(Col(6,4))): "
      "GroupBy([3,4]) has 12 indices, and not every position of "
      "GroupBy([6,4]).OrderBy(Col(6,4)) is one\n"
      "  witness: coordinate [0,2] maps to 12; the outer layout would need a number from 0 to "
      "11\n"
      "  hint: compose(relation(A), relation(B)) has the points that stay within A's view");
}

TEST(ErrorText, lego_coordinate) {
  EXPECT_EQ(refusal("GroupBy([6,4])(6,0)"),
            "error lego.coordinate: [6,0] is no point of GroupBy([6,4]): 6 is not in [0, 6)");
  EXPECT_EQ(refusal("GroupBy([6,4])(1,2,3)"),
            "error lego.coordinate: [1,2,3] is no point of GroupBy([6,4]): it has 3 numbers, the "
            "view [6,4] has 2");
  EXPECT_EQ(refusal("GroupBy([6,4]).inv(24)"),
            "error lego.coordinate: 24 is no position of GroupBy([6,4]): they run from 0 to 23");
}

TEST(ErrorText, lego_expand) {
  EXPECT_EQ(refusal("ExpandBy([5,7],[4,9],GroupBy([4,9]))"),
            "error lego.expand: ExpandBy([5,7],[4,9],GroupBy([4,9])): the original size 5 is above "
            "the extended 4");
  EXPECT_EQ(refusal("ExpandBy([3,7],[4,8],GroupBy([4,9]))"),
            "error lego.expand: ExpandBy([3,7],[4,8],GroupBy([4,9])): the extended sizes have 32 "
            "points, the layout 36");
  EXPECT_EQ(refusal("ExpandBy([3],[4,9],GroupBy([4,9]))"),
            "error lego.expand: ExpandBy([3],[4,9],GroupBy([4,9])): 1 sizes within 2");
}

TEST(ErrorText, lego_dialect) {
  EXPECT_EQ(refusal("GroupBy([2,3]).OrderBy(RegP([2,3],[1,0]))"),
            "error lego.dialect: RegP([2,3],[1,0]) counts its dimensions from 0; in the paper's "
            "notation they count from 1\n"
            "  hint: write RegP([2,3],[2,1])");
  EXPECT_EQ(refusal("OrderBy(RegP([2,3],[2,1])).GroupBy([(2,3)])"),
            "error lego.dialect: RegP([2,3],[2,1]) counts its dimensions from 1; where the "
            "OrderBys stand in front, as in LEGO's Python, they count from 0\n"
            "  hint: write RegP([2,3],[1,0])");
  EXPECT_EQ(refusal("OrderBy(Row(36)).OrderBy(Row(6,6)).TileBy([3,3],[2,2])"),
            "error lego.dialect: 2 OrderBys in front of a TileBy: which of them work on nested "
            "tiles is not said\n"
            "  hint: in the paper's notation: TileBy(…).OrderBy(…).TileOrderBy(…), what acts first "
            "comes first");
  EXPECT_EQ(refusal("TileBy([4], OrderBy(Row(4)))"),
            "error lego.dialect: OrderBys stand within this TileBy\n"
            "  hint: write TileBy(…).OrderBy(…), what acts first comes first");
}

TEST(ErrorText, arithmetic_zero_divisor_of_a_function) {
  EXPECT_EQ(refusal("GenP([4],i -> 5//i)"),
            "error arithmetic.zero_divisor: i -> 5//i divides by zero at [0]\n"
            "  witness: coordinate [0] maps to no number");
  EXPECT_EQ(refusal("GenP([4],i -> i,x -> x//(x-1))"),
            "error arithmetic.zero_divisor: x -> x//(x-1) divides by zero at [1]\n"
            "  witness: coordinate [1] maps to no number");
  EXPECT_EQ(refusal("GenP([3000000],i -> 5//(999-i))"),
            "error assume.needed: i -> 5//(-i+999): needs -i+999 != 0");
  EXPECT_EQ(refusal("GenP([M],i -> 5//i)"),
            "error assume.needed: i -> 5//i: needs i != 0\n"
            "  it fails at M=1, i=0");
}

}  // namespace
}  // namespace heddle::notation
