#include "heddle/core/profile.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Profile nested(std::size_t depth) {
  Profile profile = Profile::incomplete();
  for (std::size_t i = 0; i < depth; ++i) profile.append_tuple(1);
  profile.append_leaf();
  return profile;
}

TEST(Profile, NodesOfTheHeader) {
  const std::vector<Profile::Node> nodes = {3, 0, 3, 0, 0};  // (4,(2,2))
  const Profile profile = Profile::from_nodes(nodes);
  EXPECT_EQ(profile.rank(), 2U);
  EXPECT_EQ(profile.depth(), 2U);
  EXPECT_EQ(profile.leaf_count(), 3U);
}

TEST(Profile, Leaf) {
  const Profile leaf;
  EXPECT_TRUE(leaf.is_leaf());
  EXPECT_EQ(leaf.rank(), 1U);
  EXPECT_EQ(leaf.depth(), 0U);
  EXPECT_EQ(leaf.leaf_count(), 1U);
}

TEST(Profile, EmptyTuple) {
  const Profile empty = Profile::flat(0);
  EXPECT_FALSE(empty.is_leaf());
  EXPECT_EQ(empty.rank(), 0U);
  EXPECT_EQ(empty.leaf_count(), 0U);
}

TEST(Profile, ModesSkipWholeSubtrees) {
  Profile profile = Profile::incomplete();
  profile.append_tuple(3);
  profile.append(Profile::flat(2).view());
  profile.append_leaf();
  profile.append(nested(4).view());
  std::vector<std::size_t> depths;
  for (const ProfileView mode : profile.view().modes()) depths.push_back(mode.depth());
  EXPECT_EQ(depths, (std::vector<std::size_t>{1, 0, 4}));
}

TEST(Profile, EqualityIsTheSameNesting) {
  EXPECT_EQ(Profile::flat(2), Profile::flat(2));
  EXPECT_NE(Profile::flat(2), Profile::flat(3));
  EXPECT_NE(Profile::flat(1), Profile());
}

// No operation on a profile recurses: a million levels are measured and refused, not a crash.
TEST(Profile, AMillionLevelsAreMeasured) {
  const Profile deep = nested(1'000'000);
  EXPECT_EQ(deep.depth(), 1'000'000U);
  EXPECT_EQ(deep.leaf_count(), 1U);
  EXPECT_EQ(check_depth(deep).error().code(), "tuple.too_deep");
}

TEST(Profile, DepthLimitIsInclusive) {
  EXPECT_TRUE(check_depth(nested(kMaxDepth)).has_value());
  EXPECT_FALSE(check_depth(nested(kMaxDepth + 1)).has_value());
}

}  // namespace
}  // namespace heddle
