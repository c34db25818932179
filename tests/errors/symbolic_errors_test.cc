// The texts of what is refused for symbolic sizes.

#include <gtest/gtest.h>

#include "heddle/cute/algebra.h"
#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string refusal(std::string_view text, std::string_view assumption = {}) {
  Environment environment;
  if (!assumption.empty()) {
    if (const auto assumed = environment.assume(assumption); !assumed) {
      return assumed.error().to_string();
    }
  }
  const auto value = evaluate(text, environment);
  return value ? to_string(*value) : value.error().to_string();
}

TEST(ErrorText, assume_needed) {
  EXPECT_EQ(refusal("upcast((M,K):(K,1), 8)"),
            "error assume.needed: upcast((M,K):(K,1),8): needs to know whether 8 | K\n"
            "  hint: try --assume 'K%8==0'");
  EXPECT_EQ(refusal("(M,N,2):(1,2*M,7) o (8,4):(1,16)"),
            "error assume.needed: (M,N,2):(1,2*M,7) o (8,4):(1,16): needs 8 <= M\n"
            "  8:1 runs through the left side's first mode (M) and 7//M+1 of its second (N); 8 is "
            "not a multiple of M\n"
            "  hint: try --assume 'M>=8'");
  EXPECT_EQ(refusal("(M,4):(1,S)", "S>=0"),
            "error assume.needed: the stride (1,S): needs 1 <= S\n"
            "  hint: try --assume 'S>=1'");
  EXPECT_EQ(refusal("apply((M,4):(1,M), t)", "t>=-1"),
            "error assume.needed: the flat coordinate t of several modes of (M,4):(1,M): needs 0 "
            "<= t\n"
            "  hint: try --assume 't>=0'");
}

TEST(ErrorText, assume_syntax) {
  EXPECT_EQ(refusal("M", "M"),
            "error assume.syntax: 'M' assumes nothing: a comparison is needed\n"
            "  hint: assumptions look like M%128==0, K<=M or lane in [0,32)");
  EXPECT_EQ(refusal("M", "M in 32"),
            "error assume.syntax: '32' is no interval\n"
            "  hint: assumptions look like M%128==0, K<=M or lane in [0,32)");
}

TEST(ErrorText, assume_too_late) {
  Environment environment;
  environment.bind("A", *evaluate("(M,8):(8,1)"));
  const auto assumed = environment.assume("M%8==0");
  ASSERT_FALSE(assumed);
  EXPECT_EQ(assumed.error().to_string(),
            "error assume.too_late: A holds M without this assumption\n"
            "  hint: assume first, bind then");
}

TEST(ErrorText, table_symbolic) {
  EXPECT_EQ(refusal("table((M,2):(2,1))"),
            "error table.symbolic: a table of 2*M values: the size is no number\n"
            "  hint: give a limit, or the symbols values: --assume 'M==256'");
}

}  // namespace
}  // namespace heddle::notation
