#include "heddle/lego/equality.h"

#include <gtest/gtest.h>

#include "heddle/expr/proof.h"
#include "support/lego.h"

namespace heddle::lego {
namespace {

using test::col;
using test::group;
using test::order;
using test::row;

TEST(LegoEquality, LargeLayoutsAreRefutedAtACoordinate) {
  const Layout plain = group({{2000, 2000}}, {});
  const Verdict verdict = equal(plain, group({{2000, 2000}}, {order({col({2000, 2000})})}));
  ASSERT_TRUE(verdict.is_no()) << verdict;
  EXPECT_EQ(verdict.counterexample()->coordinate, "1");
}

TEST(LegoEquality, LargeLayoutsAreEqualOnlyByProof) {
  const Layout plain = group({{2000, 2000}}, {});
  const Verdict verdict = equal(plain, group({{2000, 2000}}, {order({row({2000, 2000})})}));
  EXPECT_TRUE(verdict.is_yes()) << verdict;
}

TEST(LegoEquality, SymbolicLayoutsAreRefutedWithSizes) {
  const Int m = Int::variable("M", 1, Range::kNoHigh);
  const Int n = Int::variable("N", 1, Range::kNoHigh);
  const Layout plain = group({{m, n}}, {});
  EXPECT_TRUE(equal(plain, group({{m, n}}, {order({row({m, n})})})).is_yes());
  const Verdict verdict = equal(plain, group({{m, n}}, {order({col({m, n})})}));
  ASSERT_TRUE(verdict.is_no()) << verdict;
  EXPECT_TRUE(verdict.counterexample().has_value());
}

}  // namespace
}  // namespace heddle::lego
