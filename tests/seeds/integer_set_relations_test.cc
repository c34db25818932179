// Seed 000, "Modeling Layout Abstractions Using Integer Set Relations": the CuTe layouts of
// sections 1 to 4 and Table 2, with the relations printed there evaluated at every point.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "heddle/cute/algebra.h"
#include "heddle/cute/explain.h"
#include "heddle/form/recover.h"
#include "heddle/map/complement.h"
#include "support/contract.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using cute::composition;
using cute::Layout;
using Values = std::vector<std::int64_t>;

/// Floor division and its remainder, as the relations mean them.
std::int64_t div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
std::int64_t mod(std::int64_t a, std::int64_t b) { return a - b * div(a, b); }

using Relation = std::function<std::int64_t(std::int64_t)>;

/// The layout has `size` points and maps each as the relation.
void expect_mapping(const Layout& l, std::int64_t size, const Relation& relation) {
  ASSERT_EQ(l.size(), size) << l;
  for (std::int64_t c = 0; c < size; ++c) EXPECT_EQ(l(c), relation(c)) << l << " at " << c;
}

void expect_right_inverse(const Layout& l, const Layout& r) {
  for (std::int64_t i = 0; i < r.size().value(); ++i) EXPECT_EQ(l(r(i)), i);
}

void expect_left_inverse(const Layout& l, const Layout& r) {
  for (std::int64_t c = 0; c < l.size().value(); ++c) EXPECT_EQ(r(l(c)), c) << r;
}

TEST(Seed000, Section1_RowMajorExample) {
  const Layout l = layout("(3,4):(4,1)");
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(l(i, j), 4 * i + j);
  }
}

TEST(Seed000, Section2_1_SixteenPoints) { EXPECT_EQ(layout("(4,2,2):(2,1,8)").size(), 16); }

TEST(Seed000, Section2_1_Figure1CoordinateMapping) {
  const IntTuple shape = tuple("(4,2,2)");
  for (std::int64_t c = 0; c < 16; ++c) {
    const IntTuple wanted{Int(c % 4), Int(c / 4 % 2), Int(c / 8)};
    EXPECT_EQ(cute::idx2crd(IntTuple(Int(c)), shape).value(), wanted);
  }
}

TEST(Seed000, Section2_1_1_CompatibleShapes) {
  const Layout h = layout("(4,(2,2)):(2,(1,8))");
  EXPECT_TRUE(cute::compatible(tuple("16"), h.shape()));
  EXPECT_TRUE(cute::compatible(tuple("(4,4)"), h.shape()));
  EXPECT_TRUE(cute::compatible(tuple("(4,4)"), tuple("(4,(2,2))")));
  EXPECT_FALSE(cute::compatible(tuple("(2,8)"), h.shape()));
}

TEST(Seed000, Section2_1_2_ComplementExample) {
  const Layout h = layout("(4,2):(1,16)");
  const Layout r = cute::complement(h, tuple("32")).value();
  EXPECT_EQ(r, layout("4:4"));
  const Values all = table_of(layout("(4,2,4):(1,16,4)"));
  EXPECT_EQ(table_of(cute::make_layout({h, r}).value()), all);
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), 32U);
  EXPECT_EQ(*std::max_element(all.begin(), all.end()), 31);
}

TEST(Seed000, Section3_4_LayoutMapping) {
  const auto relation = [](std::int64_t c) {
    return 7 + 2 * c + 6 * div(c, 8) + 7 * div(-1 - c, 4);
  };
  expect_mapping(layout("(4,(2,2)):(2,(1,8))"), 16, relation);
  expect_mapping(layout("(4,2,2):(2,1,8)"), 16, relation);
}

TEST(Seed000, Section3_4_IndexMappingOfTheFlattenedLayout) {
  const Layout l = layout("(4,2,2):(2,1,8)");
  cute::for_each_coordinate(l.shape(), [&](const IntTuple& c) {
    const auto at = [&](std::size_t i) { return c.leaves()[i].value(); };
    const IntTuple wanted(Int(2 * at(0) + at(1) + 8 * at(2)));
    EXPECT_EQ(cute::evaluate(l, cute::to_coordinate(c)).value(), wanted);
    return true;
  });
}

TEST(Seed000, Section3_4_IndexMappingInTheShape4x4) {
  const Layout l = layout("(4,(2,2)):(2,(1,8))");
  for (std::int64_t c0 = 0; c0 < 4; ++c0) {
    for (std::int64_t c1 = 0; c1 < 4; ++c1) {
      EXPECT_EQ(l(c0, c1), -3 + 2 * c0 + 4 * c1 + 3 * mod(1 + c1, 2));
    }
  }
}

TEST(Seed000, Section3_5_ShapeAndStridesFromTheMappingAlone) {
  const auto mapping = [](std::int64_t c) {
    return Values{7 + 2 * c + 6 * div(c, 8) + 7 * div(-1 - c, 4)};
  };
  const auto digits = form::recover(16, 1, mapping).value();
  ASSERT_EQ(digits.size(), 3U);
  EXPECT_EQ(digits[0], (form::Digit{4, {2}}));
  EXPECT_EQ(digits[1], (form::Digit{2, {1}}));
  EXPECT_EQ(digits[2], (form::Digit{2, {8}}));
}

TEST(Seed000, Section3_6_LayoutMappingOfF) {
  const Layout f = layout("(2,2):(2,1)");
  expect_mapping(f, 4, [](std::int64_t c) { return -c + 3 * div(1 + c, 2); });
  EXPECT_EQ(table_of(f), (Values{0, 2, 1, 3}));
}

TEST(Seed000, Section3_6_PromotionPastTheEndOfG) {
  const Layout g = layout("(2,1):(1,80)");
  const Layout f = layout("(2,2):(2,1)");
  EXPECT_EQ(composition(g, f).value(), layout("(2,2):(80,1)"));
  EXPECT_EQ(table_of(composition(g, f).value()), (Values{0, 80, 1, 81}));
  EXPECT_EQ(composition(layout("(2,2):(1,80)"), f).value(), layout("(2,2):(80,1)"));
}

// Relational composition is defined at 0 and 2 only.
TEST(Seed000, Section3_6_CoordinatesThatLeaveG) {
  const Layout f = layout("(2,2):(2,1)");
  const auto outside = cute::domain_overflow(layout("(2,1):(1,80)"), f).value();
  ASSERT_EQ(outside.size(), 2U);
  EXPECT_EQ(flat_coordinate(outside[0], to_plain(f)), 1);
  EXPECT_EQ(flat_coordinate(outside[1], to_plain(f)), 3);
}

TEST(Seed000, Section3_6_ByModeComposition) {
  const Layout g = layout("(2,2):(1,80)");
  EXPECT_EQ(composition(g, layout("2:2")).value(), layout("2:80"));
  EXPECT_EQ(composition(g, layout("2:1")).value(), layout("2:1"));
  EXPECT_EQ(composition(g, layout("(2,2):(2,1)")).value(), layout("(2,2):(80,1)"));
}

TEST(Seed000, Section3_6_ComplementFillStepByStep) {
  const Layout h = layout("(2,2):(1,5)");
  const Values range = table_of(h);
  EXPECT_EQ(std::set<std::int64_t>(range.begin(), range.end()),
            (std::set<std::int64_t>{0, 1, 5, 6}));
  EXPECT_EQ(cute::cosize(layout("(2,2,2):(1,5,2)")).value(), 9);  // where the second gap begins
  EXPECT_EQ(cute::complement_fill(h, 20).value(), layout("(2,3):(2,9)"));
}

TEST(Seed000, Section3_6_InverseExample) {
  const Layout r = cute::inverse(layout("(4,2,2):(2,1,8)")).value();
  EXPECT_EQ(r, layout("(2,4,2):(4,1,8)"));
  for (std::int64_t c0 = 0; c0 < 2; ++c0) {
    for (std::int64_t c1 = 0; c1 < 4; ++c1) {
      for (std::int64_t c2 = 0; c2 < 2; ++c2) EXPECT_EQ(r(c0, c1, c2), 4 * c0 + c1 + 8 * c2);
    }
  }
}

TEST(Seed000, Section3_6_RightInverseOfALayoutWithGaps) {
  const Layout h = layout("(2,2):(1,8)");
  expect_mapping(h, 4, [](std::int64_t c) { return -3 + 4 * c + 3 * mod(1 + c, 2); });
  EXPECT_EQ(cute::right_inverse(h).value(), layout("2:1"));
  EXPECT_EQ(cute::inverse(h).error().code(), "inverse.not_bijective");
}

TEST(Seed000, Section3_6_RightInverseIsTrivialWhereTheGapBeginsAt1) {
  EXPECT_EQ(cute::right_inverse(layout("4:2")).value(), layout("1:0"));
}

TEST(Seed000, Section3_6_LeftInverseOfALayoutWithGaps) {
  const Layout h = layout("(2,2):(1,8)");
  expect_left_inverse(h, cute::left_inverse(h).value());
}

TEST(Seed000, Section4_1_SwizzleActsOnSixteenPoints) { EXPECT_EQ(swizzle("Sw<1,2,1>").size(), 16); }

TEST(Seed000, Section4_2_BinarySwizzleMapping) {
  const cute::Swizzle w = swizzle("Sw<1,2,1>");
  for (std::int64_t c = 0; c < 16; ++c) {
    const std::int64_t c0 = c / 8;  // the highest bit first
    const std::int64_t c1 = c / 4 % 2;
    EXPECT_EQ(w(c), 8 * c0 + 4 * ((c0 + c1) % 2) + c % 4);
  }
}

/// The bits of c, highest first: equation 11.
Values lexicographic_bits(std::int64_t c, int n) {
  Values bits;
  for (int k = n - 1; k >= 0; --k) bits.push_back(c >> k & 1);
  return bits;
}

std::int64_t from_lexicographic_bits(const Values& bits) {
  std::int64_t c = 0;
  for (const std::int64_t bit : bits) c = 2 * c + bit;
  return c;
}

/// Algorithm 1 as it is printed.
Values binary_swizzle_mapping(int b, int m, int s, const Values& c) {
  const int n = b + m + std::abs(s);
  const Values y = lexicographic_bits(((std::int64_t{1} << b) - 1) << (m + std::max(s, 0)), n);
  Values i;
  for (int j = 0; j < n; ++j) {
    const auto from = static_cast<std::size_t>(j - s);
    const bool inside = s >= 0 ? j - s >= 0 : j - s < n;
    const auto own = c[static_cast<std::size_t>(j)];
    i.push_back(inside ? (c[from] * y[from] + own) % 2 : own);
  }
  return i;
}

TEST(Seed000, Algorithm1AndEquation14_LayoutMappingOfEverySmallSwizzle) {
  for (int b = 0; b <= 3; ++b) {
    for (int m = 0; m <= 2; ++m) {
      for (int s = -4; s <= 4; ++s) {
        const auto swizzle = cute::Swizzle::make(b, m, s);
        if (!swizzle) continue;  // |S| is below B
        const int n = b + m + std::abs(s);
        for (std::int64_t c = 0; c < std::int64_t{1} << n; ++c) {
          const Values bits = binary_swizzle_mapping(b, m, s, lexicographic_bits(c, n));
          EXPECT_EQ((*swizzle)(c), from_lexicographic_bits(bits)) << *swizzle << " at " << c;
        }
      }
    }
  }
}

TEST(Seed000, Equation15_LayoutMapping) {
  const cute::Swizzle w = swizzle("Sw<1,2,1>");
  for (std::int64_t c = 0; c < 16; ++c) EXPECT_EQ(w(c), c - mod(c, 8) + mod(c + 4 * div(c, 8), 8));
}

TEST(Seed000, Section4_3_SwizzleIsAnInvolution) {
  const cute::Swizzle w = swizzle("Sw<1,2,1>");
  for (std::int64_t c = 0; c < 16; ++c) EXPECT_EQ(w(w(c)), c);
}

TEST(Seed000, Section6_ShuffleBeyondLayouts) {
  const auto shuffle = [](std::int64_t c) { return Values{mod(-3 * c, 16)}; };
  const auto digits = form::recover(16, 1, shuffle);
  ASSERT_FALSE(digits.has_value());
  EXPECT_EQ(digits.error().code(), "recover.no_layout");
}

// In CuTe's terms the swizzled linear layout is Swizzle<2,0,-2>: (t, w) -> (t, t xor w).
TEST(Seed000, Table1_SwizzledLinearLayoutAsASwizzle) {
  const cute::Swizzle w = swizzle("Sw<2,0,-2>");
  for (std::int64_t t = 0; t < 4; ++t) {
    for (std::int64_t v = 0; v < 4; ++v) EXPECT_EQ(w(t + 4 * v), t + 4 * (t ^ v));
  }
}

TEST(Seed000, Table2_LayoutMapping) {
  expect_mapping(layout("(4,2,2):(2,1,8)"), 16,
                 [](std::int64_t c) { return 7 + 2 * c + 6 * div(c, 8) + 7 * div(-1 - c, 4); });
}

TEST(Seed000, Table2_Inverse) {
  const Layout r = cute::inverse(layout("(4,2,2):(2,1,8)")).value();
  EXPECT_EQ(r, layout("(2,4,2):(4,1,8)"));
  expect_mapping(r, 16, [](std::int64_t c) { return -3 * c + 4 * div(c, 8) + 7 * div(1 + c, 2); });
}

// The printed left inverse is one of several: those numbers, and ours, satisfy the law.
TEST(Seed000, Table2_LeftInverse) {
  const Layout h = layout("(4,2,2):(4,2,32)");
  const Layout printed = layout("(2,2,4,2,2):(16,4,1,32,8)");
  expect_mapping(printed, 64, [](std::int64_t c) {
    return 2 * c - 7 * div(c, 4) + 28 * div(c, 16) - 56 * div(c, 32) + 14 * mod(c, 2);
  });
  expect_left_inverse(h, printed);
  expect_left_inverse(h, cute::left_inverse(h).value());
}

TEST(Seed000, Table2_RightInverse) {
  const Layout h = layout("(4,8,2):(8,1,33)");
  const Layout r = cute::right_inverse(h).value();
  EXPECT_EQ(r, layout("(8,4):(4,1)"));
  expect_mapping(r, 32, [](std::int64_t c) { return 31 + 4 * c + 31 * div(-1 - c, 8); });
  expect_right_inverse(h, r);
}

// CuTe's (2,2):(2,10) leaves holes, so complement() refuses it; the seed's answer is the maximal
// filling.
TEST(Seed000, Table2_Complement_2x2_1_5_in_20) {
  const Layout h = layout("(2,2):(1,5)");
  const Layout r = cute::complement_fill(h, 20).value();
  EXPECT_EQ(r, layout("(2,3):(2,9)"));
  expect_mapping(r, 6, [](std::int64_t c) { return 2 * c + 5 * div(c, 2); });
  EXPECT_EQ(cute::complement(h, tuple("20")).error().code(), "complement.holes");
}

TEST(Seed000, Table2_Complement_4x2_1_16_in_32) {
  const Layout r = cute::complement(layout("(4,2):(1,16)"), tuple("32")).value();
  EXPECT_EQ(r, layout("4:4"));
  EXPECT_EQ(cute::complement_fill(layout("(4,2):(1,16)"), 32).value(), r);
  expect_mapping(r, 4, [](std::int64_t c) { return 4 * c; });
}

TEST(Seed000, Table2_Complement_2x2_2_10_in_20) {
  const Layout h = layout("(2,2):(2,10)");
  const Layout r = cute::complement_fill(h, 20).value();
  EXPECT_EQ(r, cute::flatten(layout("((2,2),2):((1,4),18)")));
  expect_mapping(r, 8, [](std::int64_t c) { return -1 + 2 * c + 10 * div(c, 4) + mod(1 + c, 2); });
  EXPECT_EQ(cute::complement(h, tuple("20")).error().code(), "complement.holes");
}

TEST(Seed000, Table2_Complement_2x2_1_4_in_20) {
  const Layout h = layout("(2,2):(1,4)");
  const Layout r = cute::complement_fill(h, 20).value();
  EXPECT_EQ(r, layout("(2,3):(2,8)"));
  EXPECT_EQ(cute::complement(h, tuple("20")).value(), r);
  expect_mapping(r, 6, [](std::int64_t c) { return -2 + 4 * c + 2 * mod(1 + c, 2); });
}

TEST(Seed000, Table2_Composition_2x2_o_2x2) {
  const Layout r = composition(layout("(2,2):(1,80)"), layout("(2,2):(2,1)")).value();
  EXPECT_EQ(r, layout("(2,2):(80,1)"));
  expect_mapping(r, 4, [](std::int64_t c) { return -79 * c + 159 * div(1 + c, 2); });
}

TEST(Seed000, Table2_Composition_4x6x8x10_o_6_12) {
  const Layout r = composition(layout("(4,6,8,10):(2,3,5,7)"), layout("6:12")).value();
  EXPECT_EQ(r, layout("(2,3):(9,5)"));
  expect_mapping(r, 6, [](std::int64_t c) { return -4 * c + 13 * div(1 + c, 2); });
}

TEST(Seed000, Table2_Composition_4x2x8_o_3_3) {
  const Layout r = composition(layout("(4,2,8):(3,12,97)"), layout("3:3")).value();
  EXPECT_EQ(r, layout("3:9"));
  expect_mapping(r, 3, [](std::int64_t c) { return 9 * c; });
}

TEST(Seed000, Table2_Composition_Nested) {
  const Layout r =
      composition(layout("((4,2),(2,4)):((2,16),(1,8))"), layout("((4,8),2):((16,1),8)")).value();
  EXPECT_EQ(r, layout("((4,(4,2)),2):((8,(2,16)),1)"));
  expect_mapping(r, 64, [](std::int64_t c) {
    return 30 + 8 * c + 8 * div(c, 16) - 31 * div(c, 32) + 30 * div(-1 - c, 4);
  });
}

TEST(Seed000, Table2_Composition_WithTheIdentity) {
  const Layout r = composition(layout("(4,2,2):(2,1,8)"), layout("16:1")).value();
  EXPECT_EQ(r, layout("(4,2,2):(2,1,8)"));
}

TEST(Seed000, Table2_Swizzle_1_2_1) {
  const cute::Swizzle w = swizzle("Sw<1,2,1>");
  for (std::int64_t c = 0; c < 16; ++c)
    EXPECT_EQ(w(c), c - mod(c, 8) + mod(c + 4 * div(c, 8), 8)) << c;
}

TEST(Seed000, Table2_Swizzle_1_2_minus_1) {
  const cute::Swizzle w = swizzle("Sw<1,2,-1>");
  for (std::int64_t c = 0; c < 16; ++c) {
    EXPECT_EQ(w(c), -7 + 2 * mod(c, 8) + mod(7 + c - 2 * mod(c, 4), 16)) << c;
  }
}

// Section 2.1.2 and the contract of the errata: any layout that fills the gaps is a complement.
TEST(Seed000, Section2_1_2_WhatIsAComplement) {
  const auto asked = [](std::string_view h, std::string_view r, std::int64_t target) {
    return map::is_complement(layout(h), layout(r), target).value().answer();
  };
  EXPECT_EQ(asked("(4,2):(1,16)", "4:4", 32), Answer::kYes);
  EXPECT_EQ(asked("(4,2):(1,16)", "(2,2):(4,8)", 32), Answer::kYes);
  EXPECT_EQ(asked("(4,2):(1,16)", "3:4", 32), Answer::kNo);
  // Table 2's complements keep it; CuTe's answer to the first leaves a hole.
  EXPECT_EQ(asked("(2,2):(1,5)", "(2,3):(2,9)", 20), Answer::kYes);
  EXPECT_EQ(asked("(2,2):(1,5)", "(2,2):(2,10)", 20), Answer::kNo);
  EXPECT_EQ(asked("(2,2):(2,10)", "((2,2),2):((1,4),18)", 20), Answer::kYes);
  EXPECT_EQ(asked("(2,2):(1,4)", "(2,3):(2,8)", 20), Answer::kYes);
}

// Algorithm 4 on the example of section 3.6: where each gap begins and ends, and what fills it.
TEST(Seed000, Algorithm4_StepByStep) {
  const Explanation explanation = cute::explain_complement_fill(layout("(2,2):(1,5)"), 20);
  std::vector<std::string> gaps;
  for (const Explanation& step : explanation.steps) {
    if (step.title.text.starts_with("gap at ")) gaps.push_back(step.title.text + ": " + step.text);
  }
  EXPECT_EQ(gaps, (std::vector<std::string>{
                      "gap at 2: up to 5: floor(5/2) = 2 copies of all so far, 2 apart",
                      "gap at 9: past the last number: ceil(20/9) = 3 copies of all so far, 9 "
                      "apart"}));
}

}  // namespace
}  // namespace heddle::test
