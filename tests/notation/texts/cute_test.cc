#include "heddle/notation/cute.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::notation {
namespace {

TEST(ParseCute, ReadsPlainLayouts) {
  EXPECT_EQ(cute::to_string(parse_cute("(8,64):(64,1)").value()), "(8,64):(64,1)");
  EXPECT_EQ(cute::to_string(parse_cute(" ( _4 , (2, 2) ) : (_2,(_1,8)) ").value()),
            "(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(cute::to_string(parse_cute("(4,8)").value()), "(4,8):(1,4)");
  EXPECT_EQ(cute::to_string(parse_cute("12").value()), "12:1");
}

TEST(ParseCute, RefusesComposedLayoutsWithAHint) {
  const auto layout = parse_cute("Sw<3,4,3> o 0 o (8,64):(64,1)");
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code(), "call.type");
  EXPECT_EQ(layout.error().message(), "the text is a composed layout; a layout is needed");
  EXPECT_EQ(layout.error().hint(), "parse_layout() reads composed layouts too");
  EXPECT_TRUE(layout.error().span());
}

TEST(ParseLayout, ReadsBothKinds) {
  EXPECT_TRUE(
      std::holds_alternative<cute::ComposedLayout>(*parse_layout("S<3,4,3> o 0 o (8,4):(1,8)")));
  EXPECT_TRUE(std::holds_alternative<cute::Layout>(*parse_layout("(8,4):(1,8)")));
}

TEST(ParseIntTuple, KeepsNesting) {
  const std::vector<IntTuple> inner = {IntTuple{9, 4, 3}};
  EXPECT_EQ(*parse_int_tuple("(4,((9,4,3)))"), (IntTuple{4, IntTuple::of(inner)}));
  EXPECT_EQ(*parse_int_tuple("4"), IntTuple(4));
  EXPECT_EQ(*parse_int_tuple("(4)"), IntTuple{4});
  EXPECT_EQ(parse_int_tuple("(4,_)").error().code(), "call.type");
}

TEST(ParseCoordinate, ReadsUnderscores) {
  EXPECT_EQ(*parse_coordinate("(1,(0,_))"), (cute::Coordinate{1, cute::Coordinate{0, cute::_}}));
  EXPECT_EQ(*parse_coordinate("_"), cute::Coordinate(cute::_));
  EXPECT_EQ(*parse_coordinate("(1,2)"), (cute::Coordinate{1, 2}));
}

TEST(ParseTiler, ReadsBothSpellings) {
  EXPECT_EQ(cute::to_string(*parse_tiler("<8:4,(2,4):(1,8),16,_>")), "<8:4,(2,4):(1,8),16,_>");
  EXPECT_EQ(cute::to_string(*parse_tiler("[(4,2):(1,4);_]")), "<(4,2):(1,4),_>");
  EXPECT_EQ(cute::to_string(*parse_tiler("(4,8)")), "<4,8>");
  EXPECT_EQ(cute::to_string(*parse_tiler("8:2")), "8:2");
}

TEST(ParseSwizzle, ReadsEverySpelling) {
  const cute::Swizzle expected = *cute::Swizzle::make(3, 4, 3);
  for (const std::string_view text : {"Sw<3,4,3>", "S<3,4,3>", "Swizzle<3, 4, 3>"}) {
    EXPECT_EQ(*parse_swizzle(text), expected) << text;
  }
  EXPECT_EQ(parse_swizzle("Sw<3,4,1>").error().code(), "swizzle.parameters");
  EXPECT_EQ(parse_swizzle("4:1").error().code(), "call.type");
}

TEST(Parse, WhatIsPrintedIsReadAgain) {
  for (const std::string_view text : {"(4,(2,2)):(2,(1,8))", "4:-1", "(4):(1)", "(4,2):(1@0,8@1@1)",
                                      "Sw<1,4,-1> o 52 o ((8,7,6)):((6,48,1))"}) {
    const auto layout = parse_layout(text);
    ASSERT_TRUE(layout) << text;
    EXPECT_EQ(std::visit([](const auto& any) { return cute::to_string(any); }, *layout), text);
  }
}

}  // namespace
}  // namespace heddle::notation
