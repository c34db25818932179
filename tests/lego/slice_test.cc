#include "heddle/lego/slice.h"

#include <gtest/gtest.h>

#include "heddle/emit/slice.h"
#include "heddle/expr/assumptions.h"
#include "support/lego.h"

namespace heddle::lego {
namespace {

using test::made;
using test::order;
using test::row;

constexpr std::nullopt_t kAll = std::nullopt;

TEST(LegoSlice, MatmulOperand) {
  const auto divides = [](const char* number, const char* divisor) {
    return Condition{mod(Int::variable(number), Int::variable(divisor)), Predicate::kEqual, 0};
  };
  const Assumptions world =
      made(Assumptions::make(std::vector<Condition>{divides("M", "BM"), divides("K", "BK")}));
  const auto named = [&](const char* name) { return world.variable(name); };
  const Layout a =
      test::tile({{floor_div(named("M"), named("BM")), floor_div(named("K"), named("BK"))},
                  {named("BM"), named("BK")}},
                 {order({row({named("M"), named("K")})})});
  const Int pid = Int::variable("pid_m", 0, 1000);
  const Int k = Int::variable("k", 0, 1000);
  const Slice slice = made(lego::slice(a, std::vector<SliceIndex>{pid, k, kAll, kAll}));
  ASSERT_EQ(slice.ranges.size(), 2U);
  EXPECT_EQ(slice.ranges[0].extent, named("BM"));
  EXPECT_EQ(slice.ranges[0].dimension, 2U);
  EXPECT_EQ(slice.ranges[0].position, 0U);
  EXPECT_EQ(slice.ranges[1].extent, named("BK"));
  EXPECT_EQ(slice.ranges[1].dimension, 3U);
  const Int wanted = (pid * named("BM") + slice.ranges[0].variable) * named("K") + k * named("BK") +
                     slice.ranges[1].variable;
  EXPECT_EQ(slice.index, wanted);
  // Figure 10.
  EXPECT_EQ(emit::to_string(slice),
            "K*(BM*pid_m+tl.arange(0, BM)[:, None])+BK*k+tl.arange(0, BK)[None, :]");
}

TEST(LegoSlice, OneRangeHasNoBroadcast) {
  const Layout layout = test::group({{6, 4}}, {order({row({6, 4})})});
  const Slice slice = made(lego::slice(layout, std::vector<SliceIndex>{Int(2), kAll}));
  EXPECT_EQ(emit::to_string(slice), "tl.arange(0, 4)+8");
  EXPECT_EQ(emit::broadcast_text(0, 1), "");
  EXPECT_EQ(emit::broadcast_text(1, 3), "[None, :, None]");
}

TEST(LegoSlice, RangesDoNotTakeNamesInUse) {
  const Layout layout = test::group({{6, 4}}, {order({row({6, 4})})});
  const Slice slice =
      made(lego::slice(layout, std::vector<SliceIndex>{Int::variable("r0", 0, 5), kAll}));
  EXPECT_EQ(to_string(slice.ranges[0].variable), "r1");
}

TEST(LegoSlice, ARangeOfOneValueIsZero) {
  const Layout layout = test::group({{1, 4}}, {order({row({1, 4})})});
  const Slice slice = made(lego::slice(layout, std::vector<SliceIndex>{kAll, Int(3)}));
  EXPECT_EQ(slice.index, Int(3));
  EXPECT_EQ(slice.ranges.size(), 1U);
}

TEST(LegoSlice, Refuses) {
  const Layout layout = test::group({{6, 4}});
  EXPECT_EQ(lego::slice(layout, std::vector<SliceIndex>{kAll}).error().code(), "lego.coordinate");
  EXPECT_EQ(lego::slice(layout, std::vector<SliceIndex>{Int(6), kAll}).error().code(),
            "lego.coordinate");
}

}  // namespace
}  // namespace heddle::lego
