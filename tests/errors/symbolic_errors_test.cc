// The texts of what is refused for symbolic sizes, and for tensors that count.

#include <gtest/gtest.h>

#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/expr/assumptions.h"
#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string refusal_where(std::string_view text, std::string_view assumption = {}) {
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
  EXPECT_EQ(refusal_where("upcast((M,K):(K,1), 8)"),
            "error assume.needed: upcast((M,K):(K,1),8): needs to know whether 8 | K\n"
            "  hint: try --assume 'K%8==0'");
  EXPECT_EQ(refusal_where("(M,N,2):(1,2*M,7) o (8,4):(1,16)"),
            "error assume.needed: (M,N,2):(1,2*M,7) o (8,4):(1,16): needs 8 <= M\n"
            "  8:1 runs through the left side's first mode (M) and 7//M+1 of its second (N); 8 is "
            "not a multiple of M\n"
            "  hint: try --assume 'M>=8'");
  EXPECT_EQ(refusal_where("(M,4):(1,S)", "S>=-5"),
            "error assume.needed: the stride (1,S): needs to know whether 0 <= S\n"
            "  hint: try --assume 'S>=0'");
  EXPECT_EQ(refusal_where("complement((2,4):(1,S),64)", "S>=0"),
            "error assume.needed: complement of (2,4):(1,S): needs 1 <= S\n"
            "  hint: try --assume 'S>=1'");
  EXPECT_EQ(refusal_where("apply((M,4):(1,M), t)", "t>=-1"),
            "error assume.needed: the flat coordinate t of several modes of (M,4):(1,M): needs 0 "
            "<= t\n"
            "  hint: try --assume 't>=0'");
}

TEST(ErrorText, divisors_are_proved_to_be_none_of_zero) {
  const std::string needed =
      "error assume.needed: 5 // x: needs x != 0\n"
      "  hint: try --assume 'x>=1'";
  EXPECT_EQ(refusal_where("(5//x)*x + 5%x == 5", "x>=0"), needed);
  EXPECT_EQ(refusal_where("5 // x", "x>=-3, x<5"), needed);
  EXPECT_EQ(refusal_where("if x != y then 5 // (x-y) else 0", "x>=0, y>=0"),
            "select(x==y,0,5//(x-y))");
  EXPECT_EQ(refusal_where("if 0 < x then 5 // x else 0", "x>=-3, x<5"), "select(x<1,0,5//x)");
  EXPECT_EQ(refusal_where("if x == 0 then 1 else 5 // x", "x>=-3, x<5"), "select(x==0,1,5//x)");
  EXPECT_EQ(refusal_where("if x < 2 then 5 // x else 0", "x>=0"), needed);
  EXPECT_EQ(refusal_where("(5//x)*x + 5%x", "x>=1"), "5");
  // What a function divides by is known where it is called.
  EXPECT_EQ(refusal_where("GroupBy([4]).OrderBy(GenP([4], i -> i//(i+1)+i, p -> p))[2]"), "2");
}

TEST(ErrorText, arithmetic_undefined) {
  EXPECT_EQ(refusal_where("isqrt(-1)"),
            "error arithmetic.undefined: isqrt(-1) has no value: a square root is of a number from "
            "0 on");
  EXPECT_EQ(refusal_where("shift_left(1, -1)"),
            "error arithmetic.undefined: shift_left(1,-1) has no value: a number is shifted by 0 "
            "places or more");
  EXPECT_EQ(refusal_where("shift_right(1, n)", "n>=-9, n<0").substr(0, 28),
            "error arithmetic.undefined: ");
  EXPECT_EQ(refusal_where("shift_left(1, 70)"),
            "error overflow: the result of shift_left does not fit into 64 bits");
}

TEST(ErrorText, long_formulas_are_cut_in_the_middle) {
  std::string sum = "x";
  for (int i = 1; i < 400; ++i) sum += " + y" + std::to_string(i);
  std::string names = "x>=0";
  for (int i = 1; i < 400; ++i) names += ", y" + std::to_string(i) + ">=0";
  const std::string text = refusal_where("5 // (" + sum + ")", names);
  EXPECT_EQ(text.substr(0, 21), "error assume.needed: ");
  EXPECT_LT(text.size(), 1500U);
  EXPECT_NE(text.find(" … "), std::string::npos);
}

TEST(ErrorText, assume_contradiction) {
  const std::string refused = "error assume.contradiction: the assumptions contradict each other: ";
  EXPECT_EQ(refusal_where("M", "M%8==0, M<8"), refused + "no M from 1 to 7 has M%8 == 0");
  EXPECT_EQ(refusal_where("M", "M%4==1, M%2==0"), refused + "M%4 is 1, and M%2 == 0");
  EXPECT_EQ(refusal_where("M", "M<=4, M>=5"), refused + "M would be at least 5 and at most 4");
}

TEST(ErrorText, assume_unsupported) {
  EXPECT_EQ(refusal_where("M", "M*N<=100"),
            "error assume.unsupported: cannot assume M*N <= 100\n"
            "  hint: an assumption bounds a variable (M>=1, K<=2*M, M==128), fixes a remainder "
            "(M%8==4) or says what divides it (N%K==0)");
  EXPECT_EQ(refusal_where("M", "M!=5"),
            "error assume.unsupported: cannot assume M != 5: only an end of a range can be left "
            "out\n"
            "  hint: assume M<5 or M>5");
}

TEST(ErrorText, assume_syntax) {
  EXPECT_EQ(refusal_where("M", "M"),
            "error assume.syntax: 'M' assumes nothing: a comparison is needed\n"
            "  hint: assumptions look like M%128==0, K<=M or lane in [0,32)");
  EXPECT_EQ(refusal_where("M", "M in 32"),
            "error assume.syntax: '32' is no interval\n"
            "  hint: assumptions look like M%128==0, K<=M or lane in [0,32)");
  EXPECT_EQ(refusal_where("M", "M%128=0"),
            "error assume.syntax: 'M%128=0' has a single '=' in it\n"
            "  hint: write == for \"is equal to\"");
  EXPECT_EQ(refusal_where("M", "M%8==0 && K>=1"),
            "error assume.syntax: 'M%8==0 && K>=1' has '&&' in it\n"
            "  hint: separate assumptions with commas: M%8==0, K<=M");
  EXPECT_EQ(refusal_where("M", "M%8==0 and K>=1"),
            "error assume.syntax: 'M%8==0 and K>=1' has 'and' in it\n"
            "  hint: separate assumptions with commas: M%8==0, K<=M");
  EXPECT_EQ(refusal_where("M", "?%8==0"),
            "error assume.syntax: nothing can be assumed of '?', which has no name\n"
            "  hint: give the number a name: assume M % 8 == 0");
}

TEST(ErrorText, assume_too_late) {
  Environment environment;
  environment.bind("A", *evaluate("(M,8):(8,1)"));
  const auto assumed = environment.assume("M%8==0");
  ASSERT_FALSE(assumed);
  EXPECT_EQ(assumed.error().to_string(),
            "error assume.too_late: A holds M without this assumption\n"
            "  hint: write the assumption above 'A = …'");
}

TEST(ErrorText, instantiate_inadmissible) {
  const std::vector<Condition> conditions{{8, Predicate::kDivides, Int::variable("M")},
                                          {Int::variable("M"), Predicate::kAtMost, 64}};
  const Int m = Assumptions::make(conditions).value().variable("M");
  const auto refusal_of = [&](std::int64_t value) {
    return instantiate(m + 1, {{"M", value}}).error().to_string();
  };
  const std::string refused = "error instantiate.inadmissible: M=";
  EXPECT_EQ(refusal_of(12), refused + "12 contradicts what is assumed: M%8 is 0");
  EXPECT_EQ(refusal_of(72), refused + "72 contradicts what is assumed: 8 <= M <= 64");
}

TEST(ErrorText, tensor_origin) {
  EXPECT_EQ(
      refusal_where("coalesce(counting_iter(5) o (2,4):(1,2))"),
      "error tensor.origin: counting_iter(5) does not count from 0, and a layout alone would\n"
      "  hint: layout(TENSOR) is the layout alone; a partition, or the tensor applied to a "
      "coordinate, counts from its beginning");
}

TEST(ErrorText, table_symbolic) {
  EXPECT_EQ(refusal_where("table((M,2):(2,1))"),
            "error table.symbolic: a table of 2*M values: the size is no number\n"
            "  hint: give a limit, limit=16, or the symbols values: --assume 'M==256'");
}

}  // namespace
}  // namespace heddle::notation
