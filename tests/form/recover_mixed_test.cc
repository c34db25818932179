#include "heddle/form/recover_mixed.h"

#include <gtest/gtest.h>

namespace heddle::form {
namespace {

using Values = std::vector<std::int64_t>;

Result<MixedMap> recover_from(const Values& shape,
                              const std::function<std::int64_t(std::int64_t)>& f) {
  return recover_mixed(shape, 1, [&](std::int64_t c) { return Values{f(c)}; });
}

TEST(RecoverMixed, ExampleOfTheHeader) {
  const Values values{0, 1, 2, 3, 5, 4, 7, 6};
  const auto map =
      recover_from({8}, [&](std::int64_t c) { return values[static_cast<std::size_t>(c)]; });
  EXPECT_EQ(map.value().swizzle, (SwizzleBits{1, 0, 2}));
  EXPECT_EQ(map.value().strided.modes.front(), (std::vector<Digit>{{8, {1}}}));
}

TEST(RecoverMixed, PlainLayoutsHaveNoSwizzle) {
  const auto map = recover_from({6, 2}, [](std::int64_t c) { return 5 * c; }).value();
  EXPECT_EQ(map.swizzle, SwizzleBits{});
  EXPECT_EQ(map.strided.modes.size(), 2U);
}

TEST(RecoverMixed, SharedMemoryAtom) {
  const SwizzleBits swizzle{3, 3, 3};
  const auto map =
      recover_from({8, 64}, [&](std::int64_t c) { return swizzle(c % 8 * 64 + c / 8); });
  EXPECT_EQ(map.value().swizzle, swizzle);
}

TEST(RecoverMixed, ExtentsThatAreNoPowersOfTwo) {
  const SwizzleBits swizzle{2, 1, 3};
  const auto map =
      recover_from({12, 10}, [&](std::int64_t c) { return swizzle(7 + c % 12 * 10 + c / 12); });
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->swizzle, swizzle);
  EXPECT_EQ(map->strided.offset.front(), 7);
}

TEST(RecoverMixed, RefusesWhatNoSwizzleMakesStrided) {
  const auto refused = recover_from({16}, [](std::int64_t c) { return c * c; });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "recover.no_mixed");
  EXPECT_EQ(refused.error().witness()->wanted_by, "a layout without a swizzle");
}

TEST(RecoverMixed, OnTheAxisThatIsSwizzled) {
  const SwizzleBits swizzle{1, 0, 1};
  const auto map =
      recover_mixed(Values{4, 3}, 2, [&](std::int64_t c) { return Values{c / 4, swizzle(c % 4)}; });
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->axis, 1U);
  EXPECT_EQ(map->swizzle, swizzle);
}

TEST(RecoverMixed, HugeSizesAreVerifiedByTheCaller) {
  const SwizzleBits swizzle{3, 4, 20};
  const auto f = [&](std::int64_t c) { return Values{swizzle(c)}; };
  RecoverMixedOptions options;
  const Values shape{std::int64_t{1} << 40};
  EXPECT_EQ(recover_mixed(shape, 1, f, options).error().code(), "recover.too_large");
  options.verify = [](const MixedMap&) { return true; };
  EXPECT_EQ(recover_mixed(shape, 1, f, options).value().swizzle, swizzle);
}

}  // namespace
}  // namespace heddle::form
