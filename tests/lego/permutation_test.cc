#include "heddle/lego/permutation.h"

#include <gtest/gtest.h>

#include "support/lego.h"

namespace heddle::lego {
namespace {

using Sigma = std::vector<std::int64_t>;

TEST(RegP, InterleavingIsThePapersSigma) {
  EXPECT_EQ(interleaving(3, 2), (Sigma{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(interleaving(2, 3), (Sigma{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(inverse(Sigma{5, 2, 4, 3, 1}), (Sigma{5, 2, 4, 3, 1}));
  EXPECT_EQ(inverse(Sigma{3, 1, 2}), (Sigma{2, 3, 1}));
}

TEST(RegP, Sugar) {
  EXPECT_EQ(to_string(test::row({4, 8})), "Row(4,8)");
  EXPECT_EQ(to_string(test::col({4, 8})), "Col(4,8)");
  EXPECT_EQ(to_string(test::reg({4, 8}, {2, 1})), "RegP([4,8],[2,1])");
  // Not reversed dims, as the seed prints them.
  EXPECT_EQ(test::position(test::group({{2, 3}}, {test::order({test::col({2, 3})})}), {1, 2}), "5");
  EXPECT_EQ(test::position(test::group({{2, 3}}, {test::order({test::col({2, 3})})}), {1, 0}), "1");
}

TEST(RegP, AppliesAndInverts) {
  const RegP turned = *RegP::make({2, 3, 2, 3}, {1, 3, 2, 4});
  EXPECT_EQ(turned.physical_dims(), (Sizes{2, 2, 3, 3}));
  for (std::int64_t flat = 0; flat < 36; ++flat) {
    const std::vector<Int> point = unflatten(turned.dims(), flat);
    const Int number = turned.apply(point);
    const Sizes laid_down = {point[0], point[2], point[1], point[3]};
    EXPECT_EQ(number, flatten(turned.physical_dims(), laid_down));
    EXPECT_EQ(turned.inv(number), point);
  }
}

TEST(RegP, Refuses) {
  const auto message = [](Sizes dims, Sigma sigma) {
    const auto result = RegP::make(std::move(dims), std::move(sigma));
    return result ? std::string() : result.error().code() + ": " + result.error().message();
  };
  EXPECT_EQ(
      message({2, 3}, {1, 1}),
      "lego.permutation: RegP([2,3],[1,1]): [1,1] is not a permutation of 1..2: 1 occurs twice");
  EXPECT_EQ(
      message({2, 3}, {0, 1}),
      "lego.permutation: RegP([2,3],[0,1]): [0,1] is not a permutation of 1..2: 0 is not in 1..2");
  EXPECT_EQ(message({2, 3}, {1}),
            "lego.permutation: RegP([2,3],[1]): [1] is not a permutation of 1..2: it has 1 number, "
            "the tile 2 dimensions");
  EXPECT_EQ(message({}, {}).substr(0, 9), "lego.tile");
  EXPECT_EQ(message({0}, {1}).substr(0, 11), "lego.extent");
}

TEST(Flat, IsRowMajor) {
  const Sizes sizes = {2, 3, 4};
  EXPECT_EQ(flatten(sizes, std::vector<Int>{1, 2, 3}), Int(23));
  EXPECT_EQ(unflatten(sizes, 17), (std::vector<Int>{1, 1, 1}));
}

}  // namespace
}  // namespace heddle::lego
