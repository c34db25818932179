#include "heddle/form/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace heddle::form {
namespace {

using Ints = std::vector<Int>;

std::string code(const Result<Table>& table) { return table ? "" : table.error().code(); }

Table grid() { return make_table({2, 2}, {Axis::memory()}, {0, 1, 4, 5}).value(); }

TEST(Table, IsAMapInRowMajorOrder) {
  const IndexMap map = index_map(grid());
  EXPECT_EQ(map.size(), 4);
  EXPECT_EQ(map(Ints{1, 0}), Ints{4});
  EXPECT_EQ(map.at(2), Ints{4});
  EXPECT_FALSE(map(Ints{2, 0}).front().is_defined());
}

TEST(Table, ComesBackFromItsMap) { EXPECT_EQ(table_of(index_map(grid())).value(), grid()); }

TEST(Table, OfAFirstFastestMapIsRowMajorToo) {
  const IndexMap map({2, 3}, FlatOrder::kFirstFastest, {Axis::memory()},
                     [](std::span<const Int> at) { return Ints{at[0] + 10 * at[1]}; });
  EXPECT_EQ(to_string(table_of(map).value()), "[[0,10,20],[1,11,21]]");
}

TEST(Table, PrintsPointsOfSeveralAxesAsLists) {
  const Table table = make_table({2}, {Axis("lane"), Axis("reg")}, {0, 1, 2, -3}).value();
  std::ostringstream stream;
  stream << table;
  EXPECT_EQ(stream.str(), "[[0,1],[2,-3]]");
  EXPECT_EQ(index_map(table)(Ints{1}), (Ints{2, -3}));
}

TEST(Table, OfNoExtentsIsOnePoint) {
  EXPECT_EQ(to_string(make_table({}, {Axis::memory()}, {7}).value()), "7");
  EXPECT_EQ(index_map(make_table({}, {Axis::memory()}, {7}).value()).at(0), Ints{7});
}

TEST(Table, Refusals) {
  EXPECT_EQ(code(make_table({2, 2}, {Axis::memory()}, {0, 1, 2})), "table.shape");
  EXPECT_EQ(code(make_table({2, 0}, {Axis::memory()}, {})), "table.shape");
  EXPECT_EQ(code(make_table({2}, {}, {})), "table.shape");
  EXPECT_EQ(code(make_table({kMaxTable + 1}, {Axis::memory()}, {})), "table.too_large");
  EXPECT_EQ(
      code(make_table(std::vector<std::int64_t>(9, std::int64_t{1} << 60), {Axis::memory()}, {})),
      "table.too_large");
  const auto of = [](const Int& extent, const Int& value) {
    return code(table_of(IndexMap({extent}, FlatOrder::kFirstFastest, {Axis::memory()},
                                  [value](std::span<const Int>) { return Ints{value}; })));
  };
  EXPECT_EQ(of(Int::variable("n", 1, 9), 0), "assume.needed");
  EXPECT_EQ(of(4, Int::variable("n")), "assume.needed");
  EXPECT_EQ(of(4, Int(std::numeric_limits<std::int64_t>::max()) + 1), "overflow");
  EXPECT_EQ(of(kMaxTable + 1, 0), "table.too_large");
}

}  // namespace
}  // namespace heddle::form
