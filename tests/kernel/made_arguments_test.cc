// Arguments that are made: what indexes something is inside of it, and rules are obeyed.

#include "heddle/kernel/made_arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/meaning.h"
#include "heddle/notation/kernel.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

Kernel made_of(std::string_view text) { return notation::parse_kernel(text, "").value(); }

/// The least and the greatest element of a parameter.
struct Reach {
  double least;
  double greatest;
};
Reach reach(const Array& array) {
  std::vector<double> all;
  for (const std::uint64_t element : array.elements) {
    const Number number = decode(array.type, element);
    all.push_back(number.is_real ? number.real : static_cast<double>(number.integer));
  }
  return {*std::ranges::min_element(all), *std::ranges::max_element(all)};
}

TEST(MadeArguments, OfGatherAreIndicesOfWhatIsGathered) {
  const Kernel kernel = made_of(
      "kernel f(S: f32[P,8], I: i32[M], D: f32[M,8]) launch cta 1, threads 32 {\n"
      "  shared i: i32[4]\n  for k in M // 4 {\n    copy(i, I[4*k : +4])\n"
      "    gather(D[4*k : +4, :], S, i, axis=0)\n  }\n}");
  const auto arguments = made_arguments(kernel, {{"P", 5}, {"M", 64}}).value();
  EXPECT_EQ(reach(arguments[1]).least, 0);
  EXPECT_EQ(reach(arguments[1]).greatest, 4);
  EXPECT_EQ(refusal(run(kernel, arguments)), "not refused");
}

TEST(MadeArguments, OfLetsArePagesOfWhatTheyIndex) {
  const Kernel kernel = made_of(
      "kernel f(table: i32[M], Pool: f32[T,8], Out: f32[16*M,8]) launch cta M, threads 32 {\n"
      "  let page = table[bx]\n  copy(Out[16*bx : +16, :], Pool[16*page : +16, :])\n}");
  const auto arguments = made_arguments(kernel, {{"T", 64}, {"M", 100}}).value();
  EXPECT_EQ(reach(arguments[0]).least, 0);
  EXPECT_EQ(reach(arguments[0]).greatest, 3);
  EXPECT_EQ(refusal(run(kernel, arguments)), "not refused");
}

TEST(MadeArguments, OfScatterAreEachOnce) {
  const Kernel kernel = made_of(
      "kernel f(S: f32[M], I: i32[M], D: f32[P]) launch cta 1, threads 32 {\n"
      "  scatter(D[0 : +64], S[0 : +32], I[0 : +32], axis=0)\n}");
  const auto arguments = made_arguments(kernel, {{"P", 64}, {"M", 32}}).value();
  const std::set<std::uint64_t> distinct(arguments[1].elements.begin(),
                                         arguments[1].elements.end());
  EXPECT_EQ(distinct.size(), 32U);
  EXPECT_LT(reach(arguments[1]).greatest, 64);
  EXPECT_EQ(refusal(run(kernel, arguments)), "not refused");
}

TEST(MadeArguments, FollowRules) {
  const Kernel kernel =
      made_of("kernel f(X: f32[64], I: i32[64], eps: f32) launch cta 1, threads 32 { X[0] = eps }");
  DataRules rules;
  rules.values["eps"] = 0.25;
  rules.ranges["X"] = {2, 3};
  rules.ranges["I"] = {-2, 2};
  const auto arguments = made_arguments(kernel, {}, rules).value();
  EXPECT_EQ(reach(arguments[2]).least, 0.25);
  EXPECT_GE(reach(arguments[0]).least, 2);
  EXPECT_LT(reach(arguments[0]).greatest, 3);
  EXPECT_EQ(reach(arguments[1]).least, -2);
  EXPECT_EQ(reach(arguments[1]).greatest, 1);
  EXPECT_EQ(refusal(made_arguments(kernel, {}, {.values = {{"ep", 1}}})),
            "error kernel.arguments: the value of ep: f has no such parameter; it has X, I, eps");
  EXPECT_EQ(refusal(made_arguments(kernel, {}, {.values = {{"I", 0.5}}})),
            "error kernel.argument: 0.5 is not a number of type i32, from -2147483648 to "
            "2147483647, which is needed for I");
  for (const double outside : {0x1p31, -0x1p31 - 1, 0x1p63, 1e300, HUGE_VAL, std::nan("")}) {
    EXPECT_TRUE(refusal(made_arguments(kernel, {}, {.values = {{"I", outside}}}))
                    .starts_with("error kernel.argument"));
  }
  EXPECT_TRUE(made_arguments(kernel, {}, {.values = {{"I", 0x1p31 - 1}}}));
  EXPECT_TRUE(made_arguments(kernel, {}, {.ranges = {{"I", {0, 0x1p31}}}}));
  EXPECT_FALSE(made_arguments(kernel, {}, {.ranges = {{"I", {0, 0x1p31 + 1}}}}));
  EXPECT_EQ(refusal(made_arguments(kernel, {}, {.values = {{"eps", 1e39}}})),
            "error kernel.argument: 1e+39 is not a number of type f32, which is needed for eps");
  EXPECT_EQ(refusal(made_arguments(kernel, {}, {.ranges = {{"I", {4, 4}}}})),
            "error kernel.argument: the range of I, from 4 to below 4, is empty");
}

}  // namespace
}  // namespace heddle::kernel
