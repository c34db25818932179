// Programs below the roof of their machine.

#include "heddle/draw/roofline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/refusal.h"

namespace heddle::draw {
namespace {

using test::code;

const Roof kRoof = {120e9, 30e9};

TEST(Roofline, MemoryBindsToTheLeftOfTheRidge) {
  EXPECT_EQ(attainable(kRoof, 1), 30e9);
  EXPECT_EQ(attainable(kRoof, 4), 120e9);
  EXPECT_EQ(attainable(kRoof, 64), 120e9);
}

TEST(Roofline, ShareIsTheLeastTimeDividedByTheTime) {
  EXPECT_DOUBLE_EQ(share_of_roof(kRoof, {"copy", 1e9, 30e9, 2}), 0.5);
  EXPECT_DOUBLE_EQ(share_of_roof(kRoof, {"product", 120e9, 1e9, 4}), 0.25);
}

RC_GTEST_PROP(Roofline, ShareIsThatOfTheSlowerOfOperationsAndBytes, ()) {
  const auto number = [] { return static_cast<double>(*rc::gen::inRange(1, 1 << 30)); };
  const Roof roof{number(), number()};
  const MeasuredProgram program{"", number(), number(), number()};
  const double least = std::max(program.operations / roof.operations, program.bytes / roof.bytes);
  RC_ASSERT(std::abs(share_of_roof(roof, program) * program.seconds / least - 1) < 1e-12);
}

/// The values of an attribute of the dots in the plot.
std::vector<double> values_of(const std::string& svg, const std::string& attribute) {
  std::vector<double> values;
  for (std::size_t at = svg.find(attribute); at != std::string::npos;
       at = svg.find(attribute, at + 1)) {
    values.push_back(std::strtod(svg.c_str() + at + attribute.size(), nullptr));
  }
  return values;
}

TEST(Roofline, EqualRatiosAreEqualDistances) {
  const std::string svg =
      to_svg({"", kRoof, {{"a", 1e9, 4e9, 1}, {"b", 2e9, 4e9, 1}, {"c", 4e9, 4e9, 1}}}).value();
  const std::vector<double> x = values_of(svg, "cx=\"");
  const std::vector<double> y = values_of(svg, "cy=\"");
  // A dot in the plot and one in the list for each program.
  ASSERT_EQ(x.size(), 6U);
  EXPECT_NEAR(x[2] - x[0], x[4] - x[2], 0.2);
  EXPECT_NEAR(y[2] - y[0], y[4] - y[2], 0.2);
  EXPECT_LT(x[0], x[2]);
  EXPECT_GT(y[0], y[2]);
}

TEST(Roofline, NamesAreTextInTheDrawing) {
  const std::string svg = to_svg({"<b>", kRoof, {{"<script>", 1e9, 4e9, 1}}}).value();
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("&lt;b&gt;"), std::string::npos);
}

TEST(Roofline, RefusesNumbersThatAreNotGreaterThanZero) {
  EXPECT_EQ(code(to_svg({"", kRoof, {}})), "draw.roofline");
  EXPECT_EQ(code(to_svg({"", kRoof, {{"a", 1, 1, 0}}})), "draw.roofline");
  EXPECT_EQ(code(to_svg({"", kRoof, {{"a", 0, 1, 1}}})), "draw.roofline");
  EXPECT_EQ(code(to_svg({"", kRoof, {{"a", 1e20, 1, 1e-9}}})), "draw.roofline");
  EXPECT_EQ(code(to_terminal({"", {0, 1}, {{"a", 1, 1, 1}}})), "draw.roofline");
  EXPECT_EQ(code(to_terminal({"", {1, std::nan("")}, {{"a", 1, 1, 1}}})), "draw.roofline");
}

}  // namespace
}  // namespace heddle::draw
