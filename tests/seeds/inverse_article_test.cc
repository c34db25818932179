// Seed 003, "CuTe Inverse Layout": every number in it.

#include <gtest/gtest.h>

#include "heddle/cute/inverse.h"
#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/text.h"

namespace heddle::test {
namespace {

const char* const kLayout = "(8,16,4):(64,1,16)";
const char* const kInverse = "(16,4,8):(8,128,1)";

TEST(Seed003, Example_SizeIs512) { EXPECT_EQ(layout(kLayout).size(), 512); }

TEST(Seed003, Example_SortedLayout) {
  EXPECT_EQ(cute::sort(layout(kLayout)).value(), layout("(16,4,8):(1,16,64)"));
}

TEST(Seed003, Example_InverseByTheFormula) {
  EXPECT_EQ(cute::inverse(layout(kLayout)).value(), layout(kInverse));
}

TEST(Seed003, Example_InverseCoalesced) {
  EXPECT_EQ(cute::coalesce(layout(kInverse)), layout("(64,8):(8,1)"));
}

TEST(Seed003, Example_RightInverseComputedByCuTe) {
  EXPECT_EQ(to_string(cute::right_inverse(layout(kLayout)).value()), "(64,8):(8,1)");
  EXPECT_EQ(to_string(cute::coalesce(cute::right_inverse(layout(kLayout)).value())),
            "(64,8):(8,1)");
}

TEST(Seed003, Introduction_InverseOfTheLayoutIsTheIdentity) {
  const Plain original = to_plain(layout(kLayout));
  const Plain inverse = to_plain(layout(kInverse));
  for (std::int64_t x = 0; x < 512; ++x) {
    EXPECT_EQ(evaluate(inverse, evaluate(original, x)), x);
    EXPECT_EQ(evaluate(original, evaluate(inverse, x)), x);
  }
}

// d(i)' = M(0)' … M(i-1)': what makes the sorted layout of a compact one a column-major walk.
TEST(Seed003, CuTeInverseLayout_SortedStridesAreTheProductsOfTheExtentsBefore) {
  const cute::Layout sorted = cute::sort(layout(kLayout)).value();
  EXPECT_EQ(sorted, cute::make_layout_left(sorted.shape()).value());
}

}  // namespace
}  // namespace heddle::test
