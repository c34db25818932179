#include "heddle/form/index_map.h"

#include <gtest/gtest.h>

#include "heddle/expr/proof.h"
#include "heddle/linear/linear_layout.h"
#include "support/random_linear.h"

namespace heddle::linear {
namespace {

using test::any_linear;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::layout_of;
using test::plain_apply;
using test::points;
using test::Random;

std::vector<Int> coordinates(const NamedSizes& point) {
  std::vector<Int> values;
  for (const auto& [name, value] : point) values.emplace_back(value);
  return values;
}

std::vector<Int> variables(const LinearLayout& layout) {
  std::vector<Int> values;
  for (const Dimension& in : layout.in_dims()) {
    values.push_back(Int::variable(in.name, 0, in.size() - 1));
  }
  return values;
}

TEST(LinearIndexMap, HasTheBoxAndTheAxes) {
  const auto map = index_map(
      layout_of({{"lane", {{0, 1}, {2, 0}}}, {"warp", {{1, 0}}}}, {{"dim0", 4}, {"dim1", 2}}));
  EXPECT_EQ(std::vector<Int>(map.extents().begin(), map.extents().end()), (std::vector<Int>{4, 2}));
  EXPECT_EQ(map.order(), form::FlatOrder::kFirstFastest);
  EXPECT_EQ(std::vector<Axis>(map.axes().begin(), map.axes().end()),
            (std::vector<Axis>{Axis("dim0"), Axis("dim1")}));
  EXPECT_EQ(map.at(7), (std::vector<Int>{3, 1}));
}

TEST(LinearIndexMap, IsTheLayoutAtEveryPoint) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 6);
    const auto map = index_map(layout);
    for (const NamedSizes& point : points(layout.in_dim_sizes())) {
      if (map(coordinates(point)) != coordinates(plain_apply(layout, point))) return found(layout);
    }
    return kHolds;
  });
}

// The expressions for symbolic coordinates have the layout's value at every point.
TEST(LinearIndexMap, IsTheLayoutAtSymbolicPoints) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 4);
    const std::vector<Int> expressions = index_map(layout)(variables(layout));
    for (const NamedSizes& point : points(layout.in_dim_sizes())) {
      Bindings bindings;
      for (const auto& [name, value] : point) bindings.emplace(name, value);
      std::vector<Int> values;
      for (const Int& expression : expressions) {
        values.push_back(instantiate(expression, bindings).value());
      }
      if (values != coordinates(plain_apply(layout, point))) {
        return found(expressions.front(), " in\n", layout);
      }
    }
    return kHolds;
  });
}

TEST(LinearIndexMap, RunsOfBitsAreShifts) {
  const auto map = index_map(
      layout_of({{"t", {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {0, 4}}}}, {{"row", 4}, {"column", 8}}));
  const std::vector<Int> t = {Int::variable("t", 0, 31)};
  EXPECT_EQ(to_string(map(t)[0]), "(t//4)%4");
  EXPECT_EQ(to_string(map(t)[1]), "4*(t//16)+t%4");
}

TEST(LinearIndexMap, BitsThatMeetAreXored) {
  const auto map = index_map(layout_of({{"row", {{1, 1}, {2, 2}}}, {"column", {{0, 1}, {0, 2}}}},
                                       {{"bank", 4}, {"word", 4}}));
  const std::vector<Int> point = {Int::variable("row", 0, 3), Int::variable("column", 0, 3)};
  EXPECT_EQ(to_string(map(point)[0]), "row");
  EXPECT_EQ(to_string(map(point)[1]), "bit_xor(column,row)");
}

TEST(LinearIndexMap, APointOutsideTheBoxHasNoImage) {
  const auto map = index_map(identity_1d(4, "x", "y").value());
  for (const std::int64_t outside : {-1, 4}) {
    EXPECT_FALSE(map(std::vector<Int>{outside}).front().is_defined());
  }
}

TEST(LinearIndexMap, SixtyTwoBits) {
  const auto map = index_map(identity_1d(std::int64_t{1} << 62, "x", "y").value());
  const std::int64_t last = (std::int64_t{1} << 62) - 1;
  EXPECT_EQ(map(std::vector<Int>{last}).front(), Int(last));
  const Int x = Int::variable("x", 0, last);
  EXPECT_EQ(map(std::vector<Int>{x}).front(), x);
}

}  // namespace
}  // namespace heddle::linear
