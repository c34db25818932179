#include "heddle/cute/layout.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <unordered_set>

#include "heddle/cute/manipulation.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

using test::coordinate;
using test::layout;
using test::strides;
using test::tuple;

std::string code(const Result<Layout>& refused) { return refused ? "" : refused.error().code(); }

TEST(Layout, ExampleOfTheHeader) {
  const Layout l = layout("(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(l(13), 11);
  EXPECT_EQ(l(1, 3), 11);
  EXPECT_EQ(evaluate(l, coordinate("(1,(1,1))")).value(), tuple("11"));
  EXPECT_EQ(l(16), 16);
  const std::vector<std::vector<int>> rows = {
      {0, 1, 8, 9}, {2, 3, 10, 11}, {4, 5, 12, 13}, {6, 7, 14, 15}};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(l(i, j), rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  }
}

TEST(Layout, DefaultIsOneElement) {
  EXPECT_EQ(to_string(Layout()), "1:0");
  EXPECT_EQ(Layout().size(), 1);
}

TEST(Layout, TextIsCuTesWithoutSpaces) {
  EXPECT_EQ(to_string(layout("(4, (2, 2)):(2, (1, 8))")), "(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(to_string(layout("(4):(1)")), "(4):(1)");
  EXPECT_EQ(to_string(layout("4:1")), "4:1");
  std::ostringstream stream;
  stream << layout("(4,8):(1@1,8@1@0)");
  EXPECT_EQ(stream.str(), "(4,8):(1@1,8@1@0)");
}

TEST(Layout, EqualityIsStructure) {
  EXPECT_EQ(layout("(4,2):(1,4)"), layout("(4,2):(1,4)"));
  EXPECT_NE(layout("(4,2):(1,4)"), layout("8:1"));
  EXPECT_NE(layout("(4):(1)"), layout("4:1"));
}

TEST(Layout, HashesAsItCompares) {
  std::unordered_set<Layout> set = {layout("(4,2):(1,4)"), layout("8:1"), layout("(4,2):(1,4)")};
  EXPECT_EQ(set.size(), 2U);
}

TEST(Layout, ModesAreLayouts) {
  const Layout l = layout("(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(l.mode(0), layout("4:2"));
  EXPECT_EQ(l.mode(1), layout("(2,2):(1,8)"));
  EXPECT_EQ(l.modes().size(), 2U);
  EXPECT_EQ(layout("4:2").mode(0), layout("4:2"));
}

TEST(Layout, ShapeAndStrideMustBeCongruent) {
  EXPECT_EQ(code(Layout::make(tuple("(4,2)"), strides("(1)"))), "layout.incongruent");
  EXPECT_EQ(code(Layout::make(tuple("(4,2)"), strides("1"))), "layout.incongruent");
  EXPECT_EQ(code(Layout::make(tuple("(4,(2,2))"), strides("((1,4),8)"))), "layout.incongruent");
}

TEST(Layout, ExtentsAreAtLeastOne) {
  EXPECT_EQ(code(Layout::make(tuple("(4,0)"), strides("(1,4)"))), "layout.extent");
  EXPECT_EQ(code(Layout::make(tuple("-4"), strides("1"))), "layout.extent");
}

TEST(Layout, TuplesWithoutModesHaveOneElement) {
  const Layout none = Layout::make(tuple("()"), strides("()")).value();
  EXPECT_EQ(to_string(none), "():()");
  EXPECT_EQ(none.size(), Int(1));
  EXPECT_EQ(none.rank(), 0U);
  EXPECT_EQ(none(0), Int(0));
  EXPECT_EQ(none(5), Int(0));
  EXPECT_EQ(index_map(none)(std::vector<Int>{0}), std::vector<Int>{0});
  const Layout beside = Layout::make(tuple("(4,())"), strides("(3,())")).value();
  EXPECT_EQ(beside(2), Int(6));
  EXPECT_EQ(evaluate(beside, coordinate("(2,())")).value(), tuple("6"));
  EXPECT_EQ(code(Layout::make(tuple("()"), strides("(1)"))), "layout.incongruent");
}

TEST(Layout, SizesPast64BitsAreRefused) {
  EXPECT_EQ(code(Layout::make(tuple("(4294967296,4294967296)"), strides("(0,0)"))), "overflow");
  EXPECT_EQ(code(Layout::make(tuple("(2,2)"), strides("(0,9223372036854775806)"))), "");
  EXPECT_EQ(code(Layout::make(tuple("(2,2)"), strides("(0,9223372036854775807)"))),
            "overflow");  // its cosize
  EXPECT_EQ(code(Layout::make(tuple("(2,2)"), strides("(1,9223372036854775807)"))), "overflow");
  EXPECT_EQ(code(Layout::make(tuple("3"), strides("9223372036854775807"))), "overflow");
  EXPECT_EQ(code(Layout::make(tuple("3"), strides("-9223372036854775807"))), "overflow");
}

TEST(Layout, DeepNestingIsRefused) {
  Profile profile = Profile::incomplete();
  for (int i = 0; i < 1'000'000; ++i) profile.append_tuple(1);
  profile.append_leaf();
  EXPECT_EQ(code(Layout::make(profile, {Int(1)}, {Stride(0)})), "tuple.too_deep");
}

TEST(Layout, AMillionLeaves) {
  std::vector<Int> extents(1'000'000, Int(1));
  const Layout l = make_layout(IntTuple::flat(extents)).value();
  EXPECT_EQ(l.size(), 1);
  EXPECT_EQ(to_string(coalesce(l)), "1:0");
}

TEST(Layout, StridesOfTheWholeBesideThoseOfItsParts) {
  EXPECT_EQ(code(Layout::make(tuple("(4,2)"), strides("(1@0,1@1@0)"))), "stride.mixed_axes");
  EXPECT_EQ(code(Layout::make(tuple("(4,2)"), strides("(1,1@0)"))), "stride.mixed_axes");
  EXPECT_EQ(code(Layout::make(tuple("(4,2)"), strides("(0,1@0)"))), "");
}

TEST(Evaluate, CoordinateValuedLayouts) {
  const Layout l = layout("(4,8):(1@0,1@1)");
  EXPECT_FALSE(l.is_integral());
  EXPECT_EQ(evaluate(l, coordinate("(3,5)")).value(), tuple("(3,5)"));
  EXPECT_EQ(evaluate(l, coordinate("9")).value(), tuple("(1,2)"));
  EXPECT_FALSE(l(9).is_defined());
}

TEST(Evaluate, NestedBases) {
  const Layout l = layout("((4,2),8):((1@0@0,1@1@0),1@1)");
  EXPECT_EQ(evaluate(l, coordinate("((3,1),5)")).value(), tuple("((3,1),5)"));
}

TEST(Evaluate, RefusesCoordinatesThatDoNotFit) {
  const Layout l = layout("(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(evaluate(l, coordinate("(1,1,1)")).error().code(), "coordinate.incongruent");
  EXPECT_EQ(evaluate(l, coordinate("((1,1),1)")).error().code(), "coordinate.incongruent");
  EXPECT_EQ(evaluate(l, coordinate("-1")).error().code(), "coordinate.negative");
  EXPECT_EQ(evaluate(l, coordinate("(_,1)")).error().code(), "coordinate.underscore");
  EXPECT_EQ(evaluate(layout("2:4611686018427387904"), coordinate("4")).error().code(), "overflow");
}

TEST(MakeLayout, ShapeAloneIsColumnMajor) {
  EXPECT_EQ(make_layout(tuple("(4,(2,3))")).value(), layout("(4,(2,3)):(1,(4,8))"));
  EXPECT_EQ(make_layout(tuple("(1,10)")).value(), layout("(1,10):(0,1)"));
}

TEST(MakeLayout, OfLayoutsNestsThem) {
  EXPECT_EQ(make_layout({layout("4:3"), layout("(3,2):(1,12)")}).value(),
            layout("(4,(3,2)):(3,(1,12))"));
  EXPECT_EQ(to_string(make_layout(std::vector<Layout>()).value()), "():()");
  EXPECT_EQ(make_layout({layout("4:1@0"), layout("2:1")}).error().code(), "stride.mixed_axes");
}

}  // namespace
}  // namespace heddle::cute
