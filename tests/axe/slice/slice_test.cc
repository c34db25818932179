#include "heddle/axe/slice.h"

#include <gtest/gtest.h>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/instantiate.h"
#include "heddle/expr/assumptions.h"
#include "support/random_axe.h"

namespace heddle::axe {
namespace {

using test::any_axe;
using test::AxeKind;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kLane;
using test::kM;
using test::kSaysNothing;
using test::kWarp;
using test::plain_places;
using test::PlainPlace;
using test::PlainPlaces;
using test::Random;

using Shape = std::vector<Int>;
using Region = std::vector<Interval>;

Layout made(std::vector<Iter> shard, std::vector<Iter> replica = {}, Coordinate offset = {},
            std::optional<Swizzle> swizzle = {}) {
  return *Layout::make(std::move(shard), std::move(replica), std::move(offset), std::move(swizzle));
}

std::string sliced(const Layout& layout, const Shape& shape, const Region& region) {
  const Result<Layout> result = slice(layout, shape, region);
  return result ? to_string(*result) : result.error().code();
}

// --- Examples of the literature

TEST(AxeSlice, TheExampleOfTheDefinition) {
  const Layout tiled = made({{2, 192, kM}, {8, 8, kM}, {3, 64, kM}, {8, 1, kM}});
  EXPECT_EQ(sliced(tiled, {16, 24}, {{0, 8}, {8, 24}}), "S[(8,2,8):(8@m,64@m,1@m)] + 64@m");
}

TEST(AxeSlice, AWarpsPartOfARowMajorTile) {
  // C (32,128), rows 16 to 31, columns 64 to 127.
  EXPECT_EQ(sliced(made({{4096, 1, kM}}), {32, 128}, {{16, 32}, {64, 128}}),
            "S[(16,64):(128@m,1@m)] + 2112@m");
}

TEST(AxeSlice, AllIsTheLayout) {
  EXPECT_EQ(sliced(made({{4, 5, kM}, {3, 1, kM}}), {4, 3}, {{0, 4}, {0, 3}}), "S[(4,3):(5@m,1@m)]");
}

TEST(AxeSlice, AStrideOnTwoAxesIsNone) {
  EXPECT_EQ(sliced(made({{2, 1, kWarp}, {4, 1, kLane}}), {8}, {{2, 6}}), "axe.no_slice");
}

TEST(AxeSlice, TheOffsetIsCountedOnce) {
  const Layout layout = made({{4, 8, kM}, {4, 1, kM}}, {}, {{kM, 100}, {kWarp, 3}});
  EXPECT_EQ(sliced(layout, {4, 4}, {{1, 3}, {2, 4}}), "S[(2,2):(8@m,1@m)] + 110@m + 3@warpid");
}

TEST(AxeSlice, TheDigitBeforeMayReachItsLastValue) {
  // Digit 1 of (2,4) goes from 0 to 1: both halves of [2,6) lie in the list.
  EXPECT_EQ(sliced(made({{2, 10, kM}, {4, 1, kM}}), {8}, {{2, 6}}), "S[(2,2):(8@m,1@m)] + 2@m");
}

TEST(AxeSlice, OnePointHasAUnitIter) {
  const Layout layout = made({{2, 10, kM}, {4, 1, kLane}}, {{2, 4, kWarp}});
  EXPECT_EQ(sliced(layout, {8}, {{5, 6}}), "S[(1):(1@m)] + R[(2):(4@warpid)] + 1@laneid + 10@m");
}

TEST(AxeSlice, AStepMayComeBack) {
  // Levels 1, 2, 4 with the steps 1, 5, 1: the part goes on at 4 as within a pair.
  const Layout layout = made({{2, 8, kM}, {2, 6, kM}, {2, 1, kM}});
  EXPECT_EQ(sliced(layout, {8}, {{2, 6}}), "S[(4):(1@m)] + 6@m");
}

// --- What TVM's tests expect

TEST(AxeSlice, ASwizzleStaysWithTheOffsetInside) {
  const Swizzle swizzle = *Swizzle::make(3, 3, 3);
  EXPECT_EQ(sliced(made({{512, 1, kM}}, {}, {}, swizzle), {512}, {{64, 128}}),
            "SW(3,3,3) o S[(64):(1@m)] + 64@m");
  const Layout rows = made({{8, 64, kM}, {64, 1, kM}}, {}, {}, swizzle);
  EXPECT_EQ(sliced(rows, {512}, {{64, 128}}), "SW(3,3,3) o S[(64):(1@m)] + 64@m");
  EXPECT_EQ(sliced(rows, {8, 64}, {{2, 4}, {0, 64}}), "SW(3,3,3) o S[(128):(1@m)] + 128@m");
}

TEST(AxeSlice, AFragmentOfTensorMemory) {
  const Axis wid("wid_in_wg");
  const Layout layout = made(
      {{4, 1, wid}, {2, 16, kM}, {2, 2, kM}, {8, 4, kLane}, {4, 4, kM}, {4, 1, kLane}, {2, 1, kM}});
  EXPECT_EQ(sliced(layout, {128, 32}, {{0, 128}, {16, 32}}),
            "S[(4,2,2,8,2,4,2):(1@wid_in_wg,16@m,2@m,4@laneid,4@m,1@laneid,1@m)] + 8@m");
  EXPECT_EQ(sliced(layout, {128, 32}, {{0, 128}, {0, 32}}), to_string(layout));
}

// --- Random layouts of others, decided point by point

TEST(AxeSlice, DecidedCases) {
  EXPECT_EQ(sliced(made({{8, 1, kWarp}, {8, 12, kM}, {2, 1, kLane}, {3, 1, kM}}, {}, {{kLane, 39}}),
                   {64, 6}, {{49, 61}, {5, 6}}),
            "axe.no_slice");
  EXPECT_EQ(sliced(made({{8, 32, kM}, {2, 4, kLane}, {3, 48, kM}, {4, 1, kM}}), {16, 3, 4},
                   {{15, 16}, {2, 3}, {1, 3}}),
            "S[(2):(1@m)] + 4@laneid + 321@m");
  EXPECT_EQ(sliced(made({{2, 12, kM}, {3, 3, kM}, {4, 2, kLane}, {4, 1, kM}, {2, 1, kM}}, {},
                        {{kLane, 11}}),
                   {6, 16, 2}, {{3, 5}, {3, 7}, {0, 2}}),
            "axe.no_slice");
  EXPECT_EQ(sliced(made({{2, 6, kM}, {8, 8, kM}, {8, 4, kWarp}, {4, 64, kM}}), {16, 8, 4},
                   {{13, 16}, {0, 2}, {2, 3}}),
            "S[(3,2):(8@m,4@warpid)] + 174@m");
  EXPECT_EQ(sliced(made({{4, 12, kLane}, {4, 3, kLane}, {4, 4, kM}, {4, 3, kM}}), {16, 4, 4},
                   {{13, 15}, {0, 1}, {0, 4}}),
            "S[(2,4):(3@laneid,3@m)] + 39@laneid");
  EXPECT_EQ(
      sliced(made({{3, 4, kWarp}, {3, 48, kM}, {4, 2, kM}, {2, 1, kM}}), {9, 8}, {{4, 6}, {6, 7}}),
      "S[(2):(48@m)] + 54@m + 4@warpid");
  EXPECT_EQ(sliced(made({{4, 12, kM}, {3, 48, kM}}, {{2, -3, kM}, {2, 1, kWarp}}), {4, 3},
                   {{2, 4}, {2, 3}}),
            "S[(2):(12@m)] + R[(2,2):(3@m,1@warpid)] + 117@m");
  EXPECT_EQ(
      sliced(made({{4, 1, kM}, {3, 1, kWarp}, {3, 1, kM}}), {4, 3, 3}, {{2, 3}, {2, 3}, {0, 2}}),
      "S[(2):(1@m)] + 2@m + 2@warpid");
}

// --- Shapes that do not group the layout

TEST(AxeSlice, OneRowNeedsNoGrouping) {
  // (2,3) does not cut (3,2), but one row of it is an interval of the flat index.
  const Layout layout = made({{3, 100, kM}, {2, 1, kM}});
  EXPECT_EQ(sliced(layout, {2, 3}, {{0, 1}, {0, 2}}), "S[(2):(1@m)]");
  EXPECT_EQ(sliced(layout, {2, 3}, {{1, 2}, {0, 3}}), "axe.no_slice");
  EXPECT_EQ(sliced(layout, {2, 3}, {{1, 2}, {1, 3}}), "S[(2):(1@m)] + 200@m");
}

TEST(AxeSlice, OtherPartsAreReadOffTheirPoints) {
  const Layout layout = made({{3, 100, kM}, {2, 1, kM}});
  // Indices 0, 1 and 3, 4.
  EXPECT_EQ(sliced(layout, {2, 3}, {{0, 2}, {0, 2}}), "axe.no_slice");
  // Indices 0 and 3.
  EXPECT_EQ(sliced(layout, {2, 3}, {{0, 2}, {0, 1}}), "S[(2):(101@m)]");
}

TEST(AxeSlice, TooManyPointsWithoutAGroupingAreUndecided) {
  const std::int64_t large = std::int64_t{1} << 30;
  const Layout layout = made({{3 * large, 5, kM}, {2, 1, kLane}});
  EXPECT_EQ(sliced(layout, {2 * large, 3}, {{0, large}, {0, 2}}), "axe.undecided");
}

// --- Sizes past all enumeration

TEST(AxeSlice, LargeSizes) {
  const std::int64_t huge = std::int64_t{1} << 60;
  EXPECT_EQ(sliced(made({{2, huge, kM}, {huge, 1, kM}}), {2 * huge}, {{huge / 2, huge + huge / 2}}),
            "S[(1152921504606846976):(1@m)] + 576460752303423488@m");
  // Only the middle changes: at 2^40, far from the corner.
  const std::int64_t far = std::int64_t{1} << 40;
  const Layout gap = made({{4, 2 * far, kM}, {far, 1, kM}});
  EXPECT_EQ(sliced(gap, {4 * far}, {{far, 3 * far}}),
            "S[(2,1099511627776):(2199023255552@m,1@m)] + 2199023255552@m");
  const Shape flat = {4 * far};
  const Region shifted = {{1, 2 * far + 1}};
  const Result<Layout> none = slice(gap, flat, shifted);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().witness()->coordinate, "(1099511627776)");
}

TEST(AxeSlice, LevelsThatShareNoDivisorMeetWhereCongruencesSay) {
  // 3^20 and 2^30 meet first at a place that is nowhere near.
  const std::int64_t three = 3486784401;
  const std::int64_t two = std::int64_t{1} << 30;
  const Layout layout = made({{two, 7, kM}, {three, 5, kLane}});
  // A part of 2^20 places that lies within one run, one that crosses at the middle, and one that
  // crosses elsewhere.
  EXPECT_EQ(sliced(layout, {two * three}, {{5 * three, 5 * three + 1048576}}),
            "S[(1048576):(5@laneid)] + 35@m");
  EXPECT_EQ(sliced(layout, {two * three}, {{5 * three - 1048576, 5 * three + 1048576}}),
            "axe.no_slice");
  EXPECT_EQ(sliced(layout, {two * three}, {{5 * three - 8, 5 * three + 1048576}}), "axe.no_slice");
}

// --- Laws

PlainPlaces at_point(const Layout& layout, const Shape& shape, const std::vector<Int>& point) {
  return plain_places(layout, form::flatten(shape, point).value());
}

/// The points of a region in row-major order.
std::vector<std::vector<Int>> points_of(const Region& region) {
  std::vector<std::vector<Int>> points = {{}};
  for (const Interval& interval : region) {
    std::vector<std::vector<Int>> longer;
    for (const std::vector<Int>& point : points) {
      for (std::int64_t x = interval.begin.value(); x < interval.end.value(); ++x) {
        longer.push_back(point);
        longer.back().emplace_back(x);
      }
    }
    points = std::move(longer);
  }
  return points;
}

/// Intervals that often begin and end at levels, or are whole.
Region random_region(Random& random, const Shape& shape) {
  Region region;
  for (const Int& extent : shape) {
    const std::int64_t size = extent.value();
    std::int64_t begin = random.between(0, size - 1);
    std::int64_t end = random.between(begin + 1, size);
    const std::int64_t unit = random.one_of<std::int64_t>({1, 2, 3, 4, 8});
    if (random.chance(60) && size >= unit) {
      begin = random.between(0, size / unit - 1) * unit;
      end = begin + random.between(1, (size - begin) / unit) * unit;
    }
    if (random.chance(25)) {
      begin = 0;
      end = size;
    }
    region.push_back({begin, end});
  }
  return region;
}

struct Case {
  Layout layout;
  Shape shape;
  Region region;
};

Case any_case(Random& random, const AxeKind& kind) {
  const Layout layout = any_axe(random, kind);
  const Shape shape = random.chance(75) ? test::grouping_shape(random, layout)
                                        : test::random_shape(random, size(layout).value());
  const Region region = random_region(random, shape);
  return {layout, shape, region};
}

std::string text(const Case& c) {
  std::string result = to_string(c.layout) + " shape";
  for (const Int& extent : c.shape) result += " " + to_string(extent);
  for (const Interval& i : c.region) {
    result += " [" + to_string(i.begin) + "," + to_string(i.end) + ")";
  }
  return result;
}

Finding wrong_slice(const Case& c, const Layout& got) {
  const std::vector<std::vector<Int>> points = points_of(c.region);
  if (size(got) != Int(points.size())) return found(text(c), ": ", got, " has another size");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (plain_places(got, static_cast<std::int64_t>(i)) != at_point(c.layout, c.shape, points[i])) {
      return found(text(c), ": ", got, " differs at ", i);
    }
  }
  if (*canonicalize(got) != got) return found(text(c), ": ", got, " is not in normal form");
  return kHolds;
}

TEST(AxeSliceLaw, ASliceHasThePlacesOfTheRegion) {
  for_all_seeds({.percent = 30}, [&](Random& random) -> Finding {
    const Case c = any_case(random, {.max_size = 256, .swizzles = random.chance(30)});
    const Result<Layout> got = slice(c.layout, c.shape, c.region);
    if (!got) {
      if (got.error().code() == "axe.no_slice") return kSaysNothing;
      return found(text(c), ": ", got.error());
    }
    return wrong_slice(c, *got);
  });
}

/// All lists of extents with this product, each at least 2, in order.
void each_factorization(std::int64_t n, std::vector<std::int64_t>& prefix,
                        const std::function<void(const std::vector<std::int64_t>&)>& use) {
  if (n == 1) use(prefix);
  for (std::int64_t d = 2; d <= n; ++d) {
    if (n % d != 0) continue;
    prefix.push_back(d);
    each_factorization(n / d, prefix, use);
    prefix.pop_back();
  }
}

/// Whether digits of these extents, slowest first, have the values: the stride of each is the value
/// at its level, on one axis.
bool fits(const std::vector<std::int64_t>& extents, const std::vector<PlainPlace>& values) {
  std::vector<PlainPlace> strides(extents.size());
  std::int64_t level = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = values[static_cast<std::size_t>(level)];
    if (strides[i].size() > 1) return false;
    level *= extents[i];
  }
  for (std::size_t index = 0; index < values.size(); ++index) {
    PlainPlace sum;
    auto rest = static_cast<std::int64_t>(index);
    for (std::size_t i = extents.size(); i-- > 0;) {
      for (const auto& [axis, step] : strides[i]) sum[axis] += rest % extents[i] * step;
      rest /= extents[i];
    }
    std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
    if (sum != values[index]) return false;
  }
  return true;
}

Layout shard_alone(const Layout& layout) {
  return made({layout.shard().begin(), layout.shard().end()});
}

/// f(u + b) - f(b) for all points u of the region, f being the map of a layout without replicas.
std::vector<PlainPlace> relative_values(const Case& c, const Layout& plain) {
  std::vector<PlainPlace> values;
  PlainPlace corner;
  for (const std::vector<Int>& point : points_of(c.region)) {
    PlainPlace value = *at_point(plain, c.shape, point).begin();
    if (values.empty()) corner = value;
    for (const auto& [axis, x] : corner) value[axis] -= x;
    std::erase_if(value, [](const auto& entry) { return entry.second == 0; });
    values.push_back(value);
  }
  return values;
}

/// Whether some layout without a swizzle has these values, given as differences from the first.
bool is_a_layout(const std::vector<PlainPlace>& values) {
  bool exists = false;
  std::vector<std::int64_t> prefix;
  each_factorization(
      static_cast<std::int64_t>(values.size()), prefix,
      [&](const std::vector<std::int64_t>& extents) { exists = exists || fits(extents, values); });
  return exists;
}

TEST(AxeSliceLaw, WhereASliceIsRefusedNoLayoutHasItsMap) {
  for_all_seeds({.percent = 10}, [&](Random& random) -> Finding {
    const Case c = any_case(random, {.max_size = 256});
    const Result<Layout> got = slice(c.layout, c.shape, c.region);
    if (got) return kSaysNothing;
    const std::vector<PlainPlace> values = relative_values(c, shard_alone(c.layout));
    return is_a_layout(values) ? found(text(c), ": ", got.error()) : kHolds;
  });
}

TEST(AxeSliceLaw, WhereASwizzledSliceIsRefusedNeitherFormExists) {
  test::Tally refused;
  test::Tally without;
  for_all_seeds([&](Random& random) -> Finding {
    const Case c = any_case(random, {.max_size = 256, .replicas = false, .swizzles = true});
    const Result<Layout> got = slice(c.layout, c.shape, c.region);
    const Result<Layout> plain =
        canonicalize(made({c.layout.shard().begin(), c.layout.shard().end()}, {}, c.layout.offset(),
                          c.layout.swizzle()));
    if (!plain->swizzle()) return kSaysNothing;
    if (got) {
      if (!got->swizzle()) without.count();
      return wrong_slice(c, *got);
    }
    refused.count();
    if (is_a_layout(relative_values(c, c.layout))) return found(text(c), ": ", got.error());
    const bool inner = is_a_layout(relative_values(c, shard_alone(c.layout)));
    return inner ? found(text(c), ": ", got.error()) : kHolds;
  });
  refused.expect_at_least(0.5);
  without.expect_at_least(0.5);
}

/// A layout of one dimension on one axis by the steps at its levels, which are few different
/// numbers and so come again at other levels.
Layout by_steps(Random& random) {
  std::vector<Iter> fastest_first;
  std::int64_t fallen = 0;
  const std::int64_t steps = random.between(1, 4);
  for (std::int64_t n = random.between(2, 5); n > 0; --n) {
    const std::int64_t extent = random.one_of<std::int64_t>({2, 2, 2, 3, 4, 5, 6, 7});
    const std::int64_t stride = random.between(0, steps) + fallen;
    fallen += (extent - 1) * stride;
    fastest_first.push_back({extent, stride, kM});
  }
  return made({fastest_first.rbegin(), fastest_first.rend()});
}

/// Read one place after the other: where the value is not what the digits so far make, a new digit
/// begins, if the place divides the count and is a multiple of the place before. Otherwise the
/// place is the first that no layout reaches.
std::optional<std::int64_t> first_obstacle(const std::vector<std::int64_t>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> digits;  // level and stride
  for (std::int64_t place = 1; place < count; ++place) {
    std::int64_t made = 0;
    std::int64_t rest = place;
    for (std::size_t i = digits.size(); i-- > 0;) {
      made += rest / digits[i].first * digits[i].second;
      rest %= digits[i].first;
    }
    const std::int64_t value = values[static_cast<std::size_t>(place)];
    if (!digits.empty() && made == value) continue;
    const std::int64_t last = digits.empty() ? 1 : digits.back().first;
    if (place % last != 0 || count % place != 0) return place;
    digits.emplace_back(place, value);
  }
  return std::nullopt;
}

TEST(AxeSliceLaw, TheObstacleIsTheFirstPlaceThatNoLayoutReaches) {
  test::Tally slices;
  test::Tally obstacles;
  for_all_seeds([&](Random& random) -> Finding {
    const Layout layout = by_steps(random);
    const std::int64_t all = size(layout).value();
    const std::int64_t unit = random.one_of<std::int64_t>({1, 1, 2, 3, 4, 6, 12, 30});
    if (2 * unit > all) return kSaysNothing;
    const std::int64_t begin = random.between(0, all / unit - 2) * unit;
    const std::int64_t end = begin + random.between(2, (all - begin) / unit) * unit;
    std::vector<std::int64_t> values;
    for (std::int64_t i = begin; i < end; ++i) {
      values.push_back((shard_at(layout, i) - shard_at(layout, begin))[kM].value());
    }
    const std::optional<std::int64_t> wanted = first_obstacle(values);
    const Shape shape = {all};
    const Region region = {{begin, end}};
    const Result<Layout> got = slice(layout, shape, region);
    if (got.has_value() == wanted.has_value()) return found(layout, " from ", begin, " to ", end);
    (got ? slices : obstacles).count();
    if (got) return wrong_slice({layout, shape, region}, *got);
    const std::string point = "(" + std::to_string(begin + *wanted) + ")";
    if (got.error().witness()->coordinate == point) return kHolds;
    return found(layout, ": ", got.error(), ", not at ", point);
  });
  slices.expect_at_least(20);
  obstacles.expect_at_least(20);
}

/// The witness names a point of the region and its place; a layout that goes on as the message says
/// is elsewhere.
TEST(AxeSliceLaw, TheWitnessIsAPointOfTheRegion) {
  for_all_seeds({.percent = 5}, [&](Random& random) -> Finding {
    const Case c = any_case(random, {.max_size = 256, .replicas = false});
    const Result<Layout> got = slice(c.layout, c.shape, c.region);
    if (got) return kSaysNothing;
    const std::optional<Witness>& witness = got.error().witness();
    if (!witness) return found(text(c), ": no witness");
    for (const std::vector<Int>& point : points_of(c.region)) {
      std::string name;
      for (const Int& x : point) name += (name.empty() ? "(" : ",") + to_string(x);
      if (name + ")" != witness->coordinate) continue;
      const Coordinate place = (*places(c.layout, c.shape, point)).front();
      if (to_string(place) != witness->found) return found(text(c), ": ", got.error());
      return witness->wanted == witness->found ? found(text(c), ": no contradiction") : kHolds;
    }
    return found(text(c), ": not a point of the region: ", got.error());
  });
}

/// The same layout with each extent of a digit on the way scaled far up: the slow part of a large
/// layout decides as the small one does.
TEST(AxeSliceLaw, AFastIterOfAnySizeChangesNothing) {
  for_all_seeds([&](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.replicas = false, .offsets = false});
    const Int scale = std::int64_t{1} << random.between(20, 40);
    std::vector<Iter> shard(layout.shard().begin(), layout.shard().end());
    shard.push_back({scale, 1, Axis("reg")});
    const Shape small = {size(layout)};
    const Region region = random_region(random, small);
    const Shape large = {size(layout) * scale};
    const Region scaled = {{region[0].begin * scale, region[0].end * scale}};
    const Result<Layout> wanted = slice(layout, small, region);
    const Result<Layout> got = slice(made(shard), large, scaled);
    if (wanted.has_value() != got.has_value()) return found(layout, " scaled by ", scale);
    if (!wanted) return kHolds;
    std::vector<Iter> iters(wanted->shard().begin(), wanted->shard().end());
    iters.push_back(shard.back());
    const Layout all = *canonicalize(made(iters, {}, wanted->offset()));
    return all == *got ? kHolds : found(layout, " scaled by ", scale, ": ", *got);
  });
}

/// Padding in front moves the corner to where no level divides it: the steps stay those of the
/// small layout, found by congruences instead of division.
TEST(AxeSliceLaw, OnOneDimensionACornerFarAwayChangesNothing) {
  for_all_seeds([&](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.replicas = false, .offsets = false});
    std::vector<Iter> shard(layout.shard().begin(), layout.shard().end());
    shard.insert(shard.begin(), {std::int64_t{1} << 40, 977, Axis("reg")});
    const Shape small = {size(layout)};
    const Region region = random_region(random, small);
    const Int far = size(layout) * random.between(0, std::int64_t{1} << 39);
    const Shape large = {size(layout) * (std::int64_t{1} << 40)};
    const Region moved = {{region[0].begin + far, region[0].end + far}};
    const Result<Layout> wanted = slice(layout, small, region);
    const Result<Layout> got = slice(made(shard), large, moved);
    if (wanted.has_value() != got.has_value()) return found(layout, " at ", far);
    if (!wanted) return kHolds;
    const bool same = std::ranges::equal(wanted->shard(), got->shard());
    return same ? kHolds : found(layout, " at ", far, ": ", *got);
  });
}

// --- Symbolic sizes

TEST(AxeSlice, AnUntouchedSymbolicDimension) {
  const Int m = Int::variable("M", 1, 4096);
  const Layout layout = made({{m, 64, kM}, {64, 1, kM}});
  EXPECT_EQ(sliced(layout, {m, 64}, {{0, m}, {16, 32}}), "S[(M,16):(64@m,1@m)] + 16@m");
}

TEST(AxeSlice, ASymbolicTile) {
  const Int k = Int::variable("k", 0, 15);
  const Layout rows = made({{128, 64, kM}, {64, 1, kM}});
  EXPECT_EQ(sliced(rows, {128, 64}, {{8 * k, 8 * k + 8}, {0, 64}}), "S[(512):(1@m)] + 512*k@m");
  const Layout tiles = made({{16, 512, kM}, {8, 4, kM}, {8, 64, kM}, {4, 1, kM}});
  EXPECT_EQ(sliced(tiles, {128, 32}, {{8 * k, 8 * k + 8}, {4, 12}}),
            "S[(8,2,4):(4@m,64@m,1@m)] + (512*k+64)@m");
}

TEST(AxeSlice, ASymbolicStride) {
  const Int pitch = Int::variable("K", 1, 4096);
  const Layout layout = made({{128, pitch, kM}, {64, 1, kM}});
  EXPECT_EQ(sliced(layout, {128, 64}, {{32, 64}, {16, 32}}), "S[(32,16):(K@m,1@m)] + (32*K+16)@m");
}

TEST(AxeSlice, ACrossingIntoASymbolicIter) {
  const Int m = Int::variable("M", 4, 4096);
  const Int k = Int::variable("k", 0, 2);
  const Layout layout = made({{m, 10, kM}, {8, 1, kM}});
  EXPECT_EQ(sliced(layout, {8 * m}, {{8 * k + 4, 8 * k + 12}}), "S[(2,4):(6@m,1@m)] + (10*k+4)@m");
}

TEST(AxeSlice, WhatIsNotKnownIsNamed) {
  const Int k = Int::variable("k", 0, 56);
  const Layout layout = made({{8, 10, kM}, {8, 1, kM}});
  const Shape shape = {64};
  const Region region = {{k, k + 8}};
  const Result<Layout> result = slice(layout, shape, region);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), "assume.needed");
  EXPECT_EQ(result.error().hint(), "try --assume 'k%8==0'");
}

/// Symbolic answers hold for all values: instantiated they are slices of the instances.
TEST(AxeSliceLaw, ASymbolicCornerIsRightForEachValue) {
  for_all_seeds({.percent = 20}, [&](Random& random) -> Finding {
    const Layout layout = any_axe(random);
    const Shape shape = test::grouping_shape(random, layout);
    Region region = random_region(random, shape);
    const auto j =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1));
    const std::int64_t unit = random.one_of<std::int64_t>({1, 2, 3, 4, 6, 8});
    const std::int64_t most = shape[j].value() / unit - 1;
    if (most < 0) return kSaysNothing;
    const Int k = Int::variable("k", 0, most);
    region[j] = {unit * k, unit * k + unit};
    const Result<Layout> got = slice(layout, shape, region);
    if (!got) {
      if (got.error().code() == "assume.needed" || got.error().code() == "axe.no_slice" ||
          got.error().code() == "axe.undecided") {
        return kSaysNothing;
      }
      return found(layout, ": ", got.error());
    }
    for (std::int64_t value = 0; value <= most; ++value) {
      Region numbers = region;
      numbers[j] = {unit * value, unit * value + unit};
      const Result<Layout> instance = instantiate(*got, {{"k", value}});
      if (!instance) return found(layout, ": ", instance.error());
      const Result<Layout> normal = canonicalize(*instance);
      const Case c{layout, shape, numbers};
      if (Finding wrong = wrong_slice(c, *normal)) return wrong;
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::axe
