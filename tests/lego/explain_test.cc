#include "heddle/lego/explain.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/lego.h"

namespace heddle::lego {
namespace {

using test::col;
using test::group;
using test::made;
using test::named;
using test::order;
using test::reg;

TEST(LegoExplain, TheHeaderSaysWhatIsExplained) {
  const Layout layout = group({{6, 4}}, {order({col({6, 4})})});
  const Explanation explanation = made(explain_apply(layout, std::vector<Int>{4, 1}));
  ASSERT_EQ(explanation.steps.size(), 2U);
  EXPECT_EQ(explanation.steps[0].text, "4*4+1 = 17");
  EXPECT_EQ(explanation.steps[1].text,
            "17 is [4,1] in 6 x 4. Laid down as [1,4] in 4 x 6: 1*6+4 = 10.");
  EXPECT_EQ(explanation.result.text, "10");
}

TEST(LegoExplain, EveryExplanationEndsAtWhatIsExplained) {
  const Layout layout = group(
      {{6, 4}}, {order({reg({2, 2}, {2, 1}), named({3, 2}, "reverse")}), order({col({6, 4})})});
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      const std::vector<Int> point = {i, j};
      const Int position = made(layout.apply(point));
      EXPECT_EQ(made(explain_apply(layout, point)).result.text, to_string(position));
      EXPECT_EQ(made(explain_inv(layout, position)).result.text, to_string(point));
    }
  }
}

TEST(LegoExplain, RefusesWhatCannotBeEvaluated) {
  const Layout layout = group({{6, 4}});
  EXPECT_EQ(explain_apply(layout, std::vector<Int>{6, 0}).error(),
            layout.apply(std::vector<Int>{6, 0}).error());
  EXPECT_EQ(explain_inv(layout, 24).error(), layout.inv(24).error());
}

TEST(LegoExplain, ALayoutIsDescribedInSentences) {
  EXPECT_EQ(description(group({{6, 4}})),
            "A LEGO layout of a view of 6 x 4. Positions are its flat indices, the last dimension "
            "fastest.");
  EXPECT_EQ(description(group({{2, 2}}, {order({named({2, 2}, "antidiag")})})),
            "A LEGO layout of a view of 2 x 2. Its flat index is taken as a point of 2 x 2 and "
            "reordered. That it is a bijection is proved by construction.");
}

}  // namespace
}  // namespace heddle::lego
