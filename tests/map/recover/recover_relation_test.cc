// Layouts recovered from integer set relations: of any size, and with several images.

#include <gtest/gtest.h>

#include <sstream>

#include "heddle/map/recover.h"
#include "heddle/map/relations.h"
#include "support/any_layout.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::map {
namespace {

using test::relation_of;

std::string strided(std::string_view text) {
  const auto layout = recover_strided(relation_of(text));
  return layout ? cute::to_string(*layout) : layout.error().code();
}

std::string axe_of(std::string_view text) {
  const auto layout = recover_axe(relation_of(text));
  return layout ? axe::to_string(layout->layout) : layout.error().code();
}

TEST(RecoverRelation, Strided) {
  EXPECT_EQ(strided("{ [c] -> [2c] : 0 <= c < 8 }"), "8:2");
  EXPECT_EQ(strided("{ [i, j] -> [8i + j] : 0 <= i < 4 and 0 <= j < 8 }"), "(4,8):(8,1)");
  EXPECT_EQ(strided("{ [c] -> [floor(c/3) + 2*(c mod 3)] : 0 <= c < 6 }"), "(3,2):(2,1)");
  EXPECT_EQ(strided("{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }"), "recover.no_layout");
}

TEST(RecoverRelation, HugeOnesAreDecidedWithoutLookingAtPoints) {
  EXPECT_EQ(strided("{ [c] -> [floor(c/1024) + 2097152*(c mod 1024)] : 0 <= c < 2147483648 }"),
            "(1024,2097152):(2097152,1)");
  EXPECT_EQ(strided("{ [c] -> [c + floor(c/2147483647)] : 0 <= c < 2147483648 }"),
            "recover.no_layout");
}

TEST(RecoverRelation, AxeWithCopies) {
  EXPECT_EQ(axe_of("{ [c] -> [w, m] : m = c and 0 <= w <= 1 and 0 <= c < 4 }"),
            "S[(4):(1@m)] + R[(2):(1@w)]");
  EXPECT_EQ(axe_of("{ [i, j] -> [w, m] : m = 8i + j and exists(r: w = 5 + 4r and 0 <= r <= 1) and "
                   "0 <= i < 4 and 0 <= j < 8 }"),
            "S[(32):(1@m)] + R[(2):(4@w)] + 5@w");
  EXPECT_EQ(axe_of("{ [c] -> [w, m] : 0 <= w <= c and m = 0 and 0 <= c < 2 }"), "recover.no_axe");
  EXPECT_EQ(axe_of("{ [c] -> [w, m] : w = m and 0 <= m <= 1 and 0 <= c < 2 }"), "recover.no_axe");
}

TEST(RecoverRelation, TheRelationOfALayoutIsThatLayout) {
  test::for_all_seeds({.one_in = 100}, [](test::Random& random) -> test::Finding {
    const cute::Layout original = to_layout(test::any_layout(random, 48));
    const auto relation = map::relation(AnyLayout(original));
    if (!relation) return test::found(relation.error());
    const auto recovered = recover_strided(*relation);
    if (!recovered) return test::found(original, ": ", recovered.error());
    const auto wanted = recover_strided(original);
    if (*recovered == *wanted) return test::kHolds;
    return test::found(cute::to_string(*recovered), " for ", original);
  });
}

}  // namespace
}  // namespace heddle::map
