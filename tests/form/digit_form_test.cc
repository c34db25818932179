#include "heddle/form/digit_form.h"

#include <gtest/gtest.h>

#include <sstream>

#include "heddle/cute/layout.h"
#include "heddle/cute/manipulation.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::form {
namespace {

using test::layout;

std::string text(const DigitForm& form) {
  std::ostringstream stream;
  stream << form;
  return stream.str();
}

TEST(DigitForm, ExamplesOfTheHeader) {
  EXPECT_EQ(text(digit_form(layout("(4,(2,2)):(2,(1,8))"))), "m: 4:2 2:1 2:8");
  EXPECT_EQ(text(digit_form(layout("(4,8):(1@0,1@1)"))), "0 1: 4:(1,0) 8:(0,1)");
  EXPECT_EQ(text(digit_form(layout("(2,2,8):(1,2,4)"))), "m: 32:1");
}

TEST(DigitForm, IsNormalWhateverTheOrderOfTheAxes) {
  const std::vector<Digit> rows = {{2, {1, 0, 0}}, {1, {7, 7, 7}}, {3, {2, 0, 0}}, {5, {0, 0, 4}}};
  const std::vector<Digit> turned = {{6, {0, 1}}, {5, {4, 0}}};
  const DigitForm a({Axis("lane"), Axis("warp"), Axis("reg")}, rows);
  const DigitForm b({Axis("reg"), Axis("lane")}, turned);
  EXPECT_EQ(a, b);
  EXPECT_EQ(text(a), "lane reg: 6:(1,0) 5:(0,4)");
  EXPECT_EQ(a.size(), Int(30));
}

TEST(DigitForm, OfOnePointHasNoDigit) {
  EXPECT_TRUE(digit_form(layout("(1,1):(3,5)")).digits().empty());
  EXPECT_EQ(digit_form(layout("4:0")).axes().size(), 0U);
}

TEST(DigitForm, RunsOnPastItsEnd) {
  const DigitForm form = digit_form(layout("(4,2):(2,1)"));
  EXPECT_EQ(form(13), (std::vector<Int>{5}));
}

TEST(DigitForm, HasTheFunctionOfTheLayout) {
  test::for_all(
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 256)}, {}}; },
      [](const test::Operands& o) -> test::Finding {
        const cute::Layout l = test::to_layout(o.layouts[0]);
        const DigitForm form = digit_form(l);
        for (Int c = 0; known_less(c, l.size()); c += 1) {
          const std::vector<Int> image = form(c);
          const Int value = image.empty() ? Int(0) : image.front();
          if (!(value == l(c))) return test::found("coordinate ", c, ": ", value);
        }
        return test::kHolds;
      });
}

}  // namespace
}  // namespace heddle::form
