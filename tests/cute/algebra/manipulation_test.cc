#include "heddle/cute/manipulation.h"

#include <gtest/gtest.h>

#include <array>

#include "support/refusal.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

using test::code;
using test::coordinate;
using test::layout;
using test::tiler;
using test::tuple;

TEST(Manipulation, ExamplesOfTheHeader) {
  EXPECT_EQ(make_layout_right(tuple("(4,8)")).value(), layout("(4,8):(8,1)"));
  EXPECT_EQ(make_ordered_layout(tuple("(2,2,2,2)"), tuple("(0,2,3,1)")).value(),
            layout("(2,2,2,2):(1,4,8,2)"));
  EXPECT_EQ(coalesce(layout("(2,(1,6)):(1,(6,2))")), layout("12:1"));
  EXPECT_EQ(filter(layout("(9,4,2,2):(0,0,2,1)")), layout("(2,2):(2,1)"));
  EXPECT_EQ(group(layout("(2,3,5,7):(1,2,6,30)"), 0, 2).value(),
            layout("((2,3),5,7):((1,2),6,30)"));
}

TEST(Manipulation, CosizeAndSpan) {
  EXPECT_EQ(cosize(layout("(2,2):(12,16)")).value(), 29);
  EXPECT_EQ(cosize(layout("(4,2):(0,0)")).value(), 1);
  EXPECT_EQ(span(layout("4:-3")).value(), 10);
  EXPECT_EQ(span(layout("(4,2):(-3,5)")).value(), 15);
  EXPECT_EQ(coshape(layout("(4,8):(2@0,1@1)")).value(), tuple("(7,8)"));
  EXPECT_EQ(cosize(layout("(4,8):(2@0,1@1)")).value(), 56);
}

TEST(Manipulation, Get) {
  const std::array<std::size_t, 2> path = {1, 1};
  EXPECT_EQ(get(layout("(4,(3,6)):(1,(4,12))"), path).value(), layout("6:12"));
  const std::array<std::size_t, 1> past = {2};
  EXPECT_EQ(code(get(layout("(4,6):(1,4)"), past)), "layout.mode");
}

TEST(Manipulation, TakeAndSelect) {
  const Layout l = layout("(2,3,5,7):(1,2,6,30)");
  EXPECT_EQ(take(l, 1, 3).value(), layout("(3,5):(2,6)"));
  const std::array<std::size_t, 3> modes = {0, 1, 3};
  EXPECT_EQ(select(l, modes).value(), layout("(2,3,7):(1,2,30)"));
  EXPECT_EQ(code(take(l, 3, 9)), "layout.mode");
  EXPECT_EQ(code(group(l, 2, 9)), "layout.mode");
}

TEST(Manipulation, AppendPrependReplace) {
  const Layout l = layout("(2,3):(1,2)");
  EXPECT_EQ(append(l, layout("5:6")).value(), layout("(2,3,5):(1,2,6)"));
  EXPECT_EQ(append(l, 4).value(), layout("(2,3,1,1):(1,2,0,0)"));
  EXPECT_EQ(append(l, 2).value(), l);
  EXPECT_EQ(append(l, 1).value(), l);
  EXPECT_EQ(prepend(l, layout("5:6")).value(), layout("(5,2,3):(6,1,2)"));
  EXPECT_EQ(prepend(l, 3).value(), layout("(1,2,3):(0,1,2)"));
  EXPECT_EQ(replace(l, 1, layout("(5,7):(6,8)")).value(), layout("(2,(5,7)):(1,(6,8))"));
  EXPECT_EQ(code(replace(l, 2, layout("5:6"))), "layout.mode");
}

TEST(Manipulation, Zip) {
  EXPECT_EQ(zip(layout("((2,3),(5,7)):((1,2),(6,30))")).value(),
            layout("((2,5),(3,7)):((1,6),(2,30))"));
  EXPECT_EQ(zip(layout("(2,3):(1,2)"), layout("(5,7):(6,30)")).value(),
            layout("((2,5),(3,7)):((1,6),(2,30))"));
  EXPECT_EQ(code(zip(layout("(2,3):(1,2)"), layout("5:6"))), "tuple.incongruent");
}

TEST(Manipulation, CoalesceByProfile) {
  const Layout l = layout("((4,3),5):((15,1),3)");
  EXPECT_EQ(coalesce(l, tuple("(1,1)").profile()).value(), layout("((4,3),5):((15,1),3)"));
  EXPECT_EQ(coalesce(layout("(2,(1,6)):(1,(6,2))"), tuple("(1,1)").profile()).value(),
            layout("(2,6):(1,2)"));
}

TEST(Manipulation, CoalesceOfCoordinates) {
  EXPECT_EQ(coalesce(layout("(2,3):(1@0,2@0)")), layout("6:1@0"));
  EXPECT_EQ(coalesce(layout("(2,3):(1@0,1@1)")), layout("(2,3):(1@0,1@1)"));
  EXPECT_EQ(coalesce(layout("(2,3):(0,0)")), layout("6:0"));
}

TEST(Manipulation, Slice) {
  const Layout l = layout("(3,4):(4,1)");
  EXPECT_EQ(slice(coordinate("(2,_)"), l).value(), layout("(4):(1)"));
  EXPECT_EQ(slice_offset(coordinate("(2,_)"), l).value(), tuple("8"));
  EXPECT_EQ(to_string(slice(coordinate("(2,1)"), l).value()), "():()");
  EXPECT_EQ(to_string(dice(coordinate("(_,_)"), l).value()), "():()");
  const OffsetLayout both = slice_and_offset(coordinate("(_,3)"), l).value();
  EXPECT_EQ(both.layout, layout("(3):(4)"));
  EXPECT_EQ(both.offset, tuple("3"));
}

TEST(Manipulation, CoordinatesOfAnIndex) {
  const Layout l = layout("(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(get_hier_coord(l, 11).value(), tuple("(1,(1,1))"));
  EXPECT_EQ(get_flat_coord(l, 11).value(), tuple("(1,3)"));
  EXPECT_EQ(get_1d_coord(l, 11).value(), 13);
  EXPECT_EQ(code(get_hier_coord(layout("(2,10):(32,8)"), 18)), "coordinate.not_found");
}

TEST(Manipulation, TableLimit) {
  EXPECT_EQ(table(layout("(4,2):(2,1)"), 3).value().size(), 3U);
  EXPECT_EQ(table(layout("(4,2):(2,1)")).value().size(), 8U);
}

TEST(Manipulation, WithShape) {
  EXPECT_EQ(with_shape(layout("(4,6):(1,4)"), tuple("(8,3)")).value(), layout("(8,3):(1,8)"));
}

TEST(Manipulation, IdentityLayout) {
  EXPECT_EQ(make_identity_layout(tuple("(4,(2,8))")).value(),
            layout("(4,(2,8)):(1@0,(1@0@1,1@1@1))"));
}

TEST(Manipulation, FragmentLike) {
  EXPECT_EQ(make_fragment_like(layout("(8,1):(4,1)")).value(), layout("(8,(1)):(1,(0))"));
}

}  // namespace
}  // namespace heddle::cute
