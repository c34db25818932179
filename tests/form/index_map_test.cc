#include "heddle/form/index_map.h"

#include <gtest/gtest.h>

#include "heddle/cute/layout.h"
#include "support/text.h"

namespace heddle::form {
namespace {

IndexMap row_by_column(FlatOrder order) {
  return IndexMap({4, 8}, order, {Axis::memory()},
                  [](std::span<const Int> i) { return std::vector<Int>{i[0] * 8 + i[1]}; });
}

TEST(IndexMap, FirstIndexFastest) {
  const IndexMap map = row_by_column(FlatOrder::kFirstFastest);
  EXPECT_EQ(map.size(), Int(32));
  EXPECT_EQ(map.indices(5), (std::vector<Int>{1, 1}));
  EXPECT_EQ(map.at(5), (std::vector<Int>{9}));
}

TEST(IndexMap, LastIndexFastest) {
  const IndexMap map = row_by_column(FlatOrder::kLastFastest);
  EXPECT_EQ(map.indices(5), (std::vector<Int>{0, 5}));
  EXPECT_EQ(map.at(9), (std::vector<Int>{9}));
}

TEST(IndexMap, OfALayoutIsItsFunction) {
  const cute::Layout layout = test::layout("(4,(2,3)):(2,(1,8))");
  const IndexMap map = cute::index_map(layout);
  EXPECT_EQ(map.order(), FlatOrder::kFirstFastest);
  EXPECT_EQ(std::vector<Int>(map.extents().begin(), map.extents().end()), (std::vector<Int>{4, 6}));
  ASSERT_EQ(map.axes().size(), 1U);
  EXPECT_EQ(map.axes()[0], Axis::memory());
  for (int c = 0; c < 24; ++c) EXPECT_EQ(map.at(c), (std::vector<Int>{layout(c)}));
}

TEST(IndexMap, OfACoordinateLayoutHasAnAxisForEachMode) {
  const IndexMap map = cute::index_map(test::layout("(4,8):(1@0,1@1)"));
  ASSERT_EQ(map.axes().size(), 2U);
  EXPECT_EQ(map.axes()[0].name(), "0");
  EXPECT_EQ(map.axes()[1].name(), "1");
  EXPECT_EQ(map.at(9), (std::vector<Int>{1, 2}));
}

}  // namespace
}  // namespace heddle::form
