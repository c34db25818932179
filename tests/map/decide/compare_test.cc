// Where two layouts differ, and one layout in every notation.

#include "heddle/map/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/map/show.h"
#include "support/any_layout.h"
#include "support/law.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;

cute::Layout plain(const IntTuple& shape, const cute::StrideTuple& stride) {
  return cute::make_layout(shape, stride).value();
}

TEST(Compare, FindsEveryPointThatDiffers) {
  for_all_seeds([](Random& random) -> Finding {
    const auto a = test::to_layout(test::any_layout(random, 24));
    form::Table other = form::table_of(view(a).value().index_map()).value();
    std::int64_t changed = 0;
    for (std::int64_t& value : other.values) {
      if (!random.chance(20)) continue;
      value += 1;
      ++changed;
    }
    const auto comparison = compare(a, other);
    if (!comparison) return found(a, ": ", comparison.error());
    if (std::ssize(comparison->differences) != changed || comparison->different != changed) {
      return found(a, " and ", other);
    }
    const View whole = view(a).value();
    for (const Difference& difference : comparison->differences) {
      if (images(whole, difference.point).value() != difference.a) return found(a, " and ", other);
    }
    return comparison->verdict.is_yes() == (changed == 0) ? kHolds : found(a, " and ", other);
  });
}

TEST(Compare, PointsHaveEveryIndexOfTheLayout) {
  const auto comparison = compare(plain({2, 1}, {1, 0}), plain({2, 1}, {3, 0})).value();
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].point, (std::vector<Int>{1, 0}));
  const auto& counterexample = comparison.verdict.counterexample();
  ASSERT_TRUE(counterexample && counterexample->numbers && counterexample->numbers->point);
  EXPECT_EQ(counterexample->numbers->point->coordinate.numbers, (std::vector<std::int64_t>{1, 0}));
  // A picture has no place for an index of one value.
  ASSERT_TRUE(comparison.views);
  EXPECT_EQ(comparison.views->a.extents, (std::vector<Int>{2}));
}

TEST(Compare, CountsAllAndListsTheFirst) {
  const auto many = compare(plain(1 << 16, 1), plain(1 << 16, 2)).value();
  EXPECT_EQ(many.different, (1 << 16) - 1);
  EXPECT_EQ(many.differences.size(), 4096U);
  EXPECT_EQ(many.differences.front().point.front(), Int(1));
}

TEST(Compare, LeavesOutWhatCannotBeComparedPointByPoint) {
  const auto sizes = compare(plain(4, 1), plain(6, 1)).value();
  EXPECT_TRUE(sizes.verdict.is_no());
  EXPECT_FALSE(sizes.views);
  const auto large = compare(plain(1 << 21, 1), plain(1 << 21, 2)).value();
  EXPECT_TRUE(large.verdict.is_no());
  EXPECT_FALSE(large.views);
  EXPECT_TRUE(large.differences.empty());
}

/// The verdict counts (dim0,dim1) as one number; what each point has is no list of differences
/// then.
TEST(Compare, ListsNoPointsOnOtherAxes) {
  const AnyLayout bits = test::layout_of_text(
      R"({"ins":[["c0",[[1,0],[0,1],[2,0]]]],"outs":[["dim0",4],["dim1",2]]})");
  const auto flattened = compare(plain(8, 1), bits).value();
  EXPECT_TRUE(flattened.verdict.is_no());
  EXPECT_TRUE(flattened.differences.empty());
  const auto tensors =
      compare(test::layout_of_text("(4,2):(1@0,0)"), test::layout_of_text("(4,2):(1@0,1@1)"))
          .value();
  EXPECT_TRUE(tensors.verdict.is_no());
  EXPECT_TRUE(tensors.differences.empty());
}

TEST(Compare, GivesUpInTime) {
  DecideOptions options;
  options.limits.time = std::chrono::milliseconds(0);
  const auto comparison = compare(plain(1 << 20, 1), plain(1 << 20, 2), options).value();
  EXPECT_FALSE(comparison.views);
}

TEST(Show, HasARowForEverySystem) {
  const auto all = show(plain({4, 8}, {8, 1}));
  ASSERT_EQ(all.size(), systems().size());
  for (const Notation& shown : all) {
    ASSERT_TRUE(shown.converted) << shown.converted.error();
    const bool is_itself = shown.system == System::kCute;
    EXPECT_EQ(shown.same.has_value(), !is_itself);
    EXPECT_TRUE(is_itself || shown.same->is_yes()) << *shown.same;
  }
}

/// A conversion is the same map under its reading, whatever the axes of the layout are called.
TEST(Show, RefutesNoConversionOfItsOwn) {
  const std::vector<std::string> axes = {"m", "laneid", "warpid", "reg", "tx", "P", "bx"};
  for_all_seeds({.one_in = 10}, [&](Random& random) -> Finding {
    std::map<std::string, std::int64_t> reached;
    std::vector<std::string> extents;
    std::vector<std::string> strides;
    for (std::int64_t k = random.between(1, 4); k > 0; --k) {
      const std::string axis = random.one_of(axes);
      std::int64_t& stride = reached.try_emplace(axis, 1).first->second;
      const std::int64_t extent = std::int64_t{1} << random.between(1, 3);
      extents.push_back(std::to_string(extent));
      strides.push_back(fmt::format("{}@{}", stride, axis));
      stride *= extent;
    }
    const std::string text =
        fmt::format("S[({}):({})]", fmt::join(extents, ","), fmt::join(strides, ","));
    for (const Notation& shown : show(test::layout_of_text(text))) {
      if (shown.same && shown.same->is_no()) {
        return found(text, " as ", name(shown.system), ": ", *shown.same);
      }
    }
    return kHolds;
  });
}

TEST(Show, LeavesOutLongTables) {
  const auto all = show(plain(1 << 24, 1));
  const auto table = std::ranges::find(all, System::kTable, &Notation::system);
  ASSERT_FALSE(table->converted);
  EXPECT_EQ(table->converted.error().code(), "table.too_large");
}

}  // namespace
}  // namespace heddle::map
