// The whole text of the error codes of pictures; see cute_errors_test.cc. That of draw.path, which
// knows files, is among the tests of the command.

#include <gtest/gtest.h>

#include "heddle/draw/linear.h"
#include "heddle/draw/operation.h"
#include "heddle/draw/tv.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::layout;
using test::refusal;

TEST(ErrorText, draw_color) {
  EXPECT_EQ(refusal(picture(layout("4:1"), {.modulus = 99})),
            "error draw.color: colours go by the index modulo 1 to 32, not modulo 99");
}

TEST(ErrorText, draw_too_large) {
  EXPECT_EQ(refusal(picture(layout("(4096,4096):(4096,1)"), {.max_cells = kMaxCells + 1})),
            "error draw.too_large: (4096,4096):(4096,1) has 16777216 elements, and a picture at "
            "most 1048576 cells\n"
            "  hint: draw a part of it: a slice, as in slice((_,0), L), or one tile of a divide, "
            "as in slice(((_,_),(0,0)), tiled) after tiled = zipped_divide(L, (64,64))");
}

TEST(ErrorText, draw_symbolic) {
  const Int n = Int::variable("N", 1, 4096);
  const cute::Layout symbolic = cute::make_layout({2, n}, {n, 1}).value();
  const std::string wanted =
      "error draw.symbolic: a picture shows numbers, and N of (2,N):(N,1) has no value\n"
      "  hint: give every size a value: --assume 'N==256'";
  EXPECT_EQ(refusal(picture(symbolic)), wanted);
  EXPECT_EQ(refusal(tv_picture(symbolic, {8, 8})), wanted);
  EXPECT_EQ(refusal(inferred_tile(symbolic)), wanted);
  const cute::Tiler whole = cute::Tiler(cute::Tile(layout("2:1")));
  EXPECT_EQ(refusal(picture(AppliedOperation{"composition", symbolic, whole, symbolic})), wanted);
  const cute::Tiler by_mode = cute::to_tiler(IntTuple{2, n});
  EXPECT_EQ(refusal(picture(
                AppliedOperation{"zipped_divide", layout("(4,4)"), by_mode, layout("(4,4)")})),
            "error draw.symbolic: a picture shows numbers, and N of <2,N> has no value\n"
            "  hint: give every size a value: --assume 'N==256'");
  const cute::ComposedLayout shifted =
      cute::ComposedLayout::make(cute::Swizzle(), n, layout("4:1")).value();
  EXPECT_EQ(refusal(picture(shifted)).substr(0, 57),
            "error draw.symbolic: a picture shows numbers, and N of Sw");
}

TEST(ErrorText, draw_slice) {
  const linear::LinearLayout lanes = linear::identity_1d(8, "lane", "dim0").value();
  EXPECT_EQ(refusal(tensor_picture(lanes, {.slice = {{"warp", 1}}})),
            "error draw.slice: this view has no dimension warp to slice: there are dim0 (size 8)");
  EXPECT_EQ(refusal(hardware_picture(lanes, {.slice = {{"lane", 8}}})),
            "error draw.slice: lane=8 is outside lane: coordinates are 0 to 7");
}

TEST(ErrorText, draw_tv) {
  EXPECT_EQ(refusal(tv_picture(layout("(4,2):(1,4)"), {2, 2})),
            "error draw.tv: (4,2):(1,4) leads out of the tile of 2 x 2 = 4 elements\n"
            "  witness: coordinate (0,1) maps to 4; the tile would need 0 to 3\n"
            "  hint: give the sizes of the tile: --tile MxN");
}

}  // namespace
}  // namespace heddle::draw
