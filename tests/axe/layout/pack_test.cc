#include "heddle/axe/pack.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/axe/canonical.h"
#include "heddle/axe/iter_intersect.h"
#include "heddle/form/recover.h"
#include "support/random_axe.h"

// Packing and intersections: examples, and their laws against plain evaluation.

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
using test::plain_map;
using test::PlainPlace;
using test::PlainPlaces;
using test::Random;
using test::Tally;

template <class T>
std::string text(const Result<T>& result) {
  return result ? to_string(*result) : result.error().code();
}

TEST(AxePack, ElementsOfTwo) {
  EXPECT_EQ(text(pack(*Layout::make({{8, 16, kM}, {16, 1, kM}}), 2)), "S[(8,8):(8@m,1@m)]");
  const Layout swizzled =
      *Layout::make({{8, 128, kM}, {128, 1, kM}}, {}, {}, *Swizzle::make(4, 3, 3));
  EXPECT_EQ(text(pack(swizzled, 2)), "SW(3,3,3) o S[(8,64):(64@m,1@m)]");
  const Layout contiguous = *Layout::make({{512, 1, kM}}, {}, {}, *Swizzle::make(3, 3, 3));
  EXPECT_EQ(text(unpack(contiguous, 2)), "SW(4,3,3) o S[(512,2):(2@m,1@m)]");
}

TEST(AxePack, OtherAxesStayAndReplicasAndOffsetsArePackedToo) {
  const Layout layout = *Layout::make({{8, 4, kLane}, {4, 1, kM}}, {{2, 8, kM}, {2, 3, kLane}},
                                      {{kM, 12}, {kLane, 5}});
  const std::string packed = "S[(8,1):(4@laneid,1@m)] + R[(2,2):(2@m,3@laneid)] + 5@laneid + 3@m";
  EXPECT_EQ(text(pack(layout, 4)), packed);
  EXPECT_EQ(text(unpack(*pack(layout, 4), 4)),
            "S[(8,1,4):(4@laneid,4@m,1@m)] + R[(2,2):(8@m,3@laneid)] + 5@laneid + 12@m");
}

TEST(AxePack, TheInnermostIndicesMayBeSeveralIters) {
  EXPECT_EQ(text(pack(*Layout::make({{4, 8, kLane}, {2, 2, kM}, {2, 1, kM}}), 4)),
            "S[(4):(8@laneid)]");
}

TEST(AxePack, ASwizzleWithinTheElementsIsInTheWay) {
  const Layout layout = *Layout::make({{512, 1, kM}}, {}, {}, *Swizzle::make(1, 2, 3));
  EXPECT_EQ(text(pack(layout, 2)), "SW(0,2,3) o S[(256):(1@m)]");
  EXPECT_EQ(text(pack(layout, 4)), "axe.pack");
  EXPECT_EQ(text(unpack(layout, 3)), "axe.pack");
  const Layout idle = *Layout::make({{8, 1, kM}}, {}, {}, *Swizzle::make(0, 3, 3));
  EXPECT_EQ(text(pack(idle, 4)), "S[(2):(1@m)]");
}

TEST(AxePack, SymbolicSizes) {
  const Int k = Int::variable("K", 1, 4096);
  const Layout layout = *Layout::make({{8, k * 8, kM}, {k * 8, 1, kM}});
  EXPECT_EQ(text(pack(layout, 8)), "S[(8,K):(K@m,1@m)]");
  EXPECT_EQ(text(pack(layout, 16)), "S[(4*K):(1@m)]");
  const Layout columns = *Layout::make({{8, 8, kLane}, {k, 1, kM}});
  EXPECT_EQ(text(pack(columns, 2)), "assume.needed");
}

TEST(AxeLaw, UnpackingMakesEachElementNConsecutiveOnes) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, AxeKind{.max_size = 64, .swizzles = true});
    const std::int64_t n = random.one_of<std::int64_t>({1, 2, 3, 4, 8});
    const Result<Layout> got = unpack(layout, n);
    const bool is_power = (n & (n - 1)) == 0;
    if (!got) return layout.swizzle() && !is_power ? kHolds : found(layout, ": ", got.error());
    std::vector<PlainPlaces> wanted;
    for (const PlainPlaces& places : plain_map(layout)) {
      for (std::int64_t y = 0; y < n; ++y) {
        PlainPlaces images;
        for (PlainPlace place : places) {
          place["m"] = place["m"] * n + y;
          if (place["m"] == 0) place.erase("m");
          images.insert(place);
        }
        wanted.push_back(images);
      }
    }
    return plain_map(*got) == wanted ? kHolds : found(layout, " by ", n, ": ", *got);
  });
}

/// Whether n consecutive indices are always n consecutive addresses from a multiple of n, and what
/// is left is a layout: decided from the points.
bool pack_exists(const Layout& layout, std::int64_t n) {
  const std::vector<PlainPlaces> map = plain_map(layout);
  const auto size = static_cast<std::int64_t>(map.size());
  if (size % n != 0) return false;
  for (std::int64_t index = 0; index < size; ++index) {
    PlainPlaces wanted;
    for (PlainPlace place : map[static_cast<std::size_t>(index / n * n)]) {
      if (place["m"] % n != 0) return false;
      place["m"] += index % n;
      if (place["m"] == 0) place.erase("m");
      wanted.insert(place);
    }
    if (wanted != map[static_cast<std::size_t>(index)]) return false;
  }
  const std::vector<Axis> named = axes(layout);
  const auto sample = [&](std::int64_t index) {
    std::vector<std::int64_t> values;
    for (const Axis& axis : named) values.push_back(shard_at(layout, index * n)[axis].value());
    return values;
  };
  const auto digits = form::recover(size / n, named.size(), sample);
  if (!digits) return false;
  return std::ranges::all_of(*digits, [](const form::Digit& digit) {
    return std::ranges::count_if(digit.stride, [](const Int& step) { return step != Int(0); }) <= 1;
  });
}

/// Most often one that can be packed.
Layout packable(Random& random, std::int64_t n) {
  const Layout layout = any_axe(random, AxeKind{.max_size = 64});
  if (random.chance(20)) return layout;
  const Layout unpacked = *unpack(layout, n);
  std::vector<Iter> shard(unpacked.shard().begin(), unpacked.shard().end());
  Coordinate offset = unpacked.offset();
  if (random.chance(8)) offset.add(kM, 1);
  if (random.chance(8)) shard[0].stride += 1;
  if (random.chance(8)) shard.back().extent = n + 1;
  const Layout changed =
      *Layout::make(shard, {unpacked.replica().begin(), unpacked.replica().end()}, offset);
  return random.chance(50) ? *canonicalize(changed) : changed;
}

TEST(AxeLaw, ALayoutPacksExactlyWhereAnotherUnpacksToIt) {
  Tally yes;
  Tally no;
  for_all_seeds([&](Random& random) -> Finding {
    const std::int64_t n = random.one_of<std::int64_t>({1, 2, 2, 3, 4, 6});
    const Layout layout = packable(random, n);
    const Result<Layout> got = pack(layout, n);
    const bool wanted = pack_exists(layout, n);
    (wanted ? yes : no).count();
    if (got.has_value() != wanted) return found(layout, " by ", n, ": ", text(got));
    if (!got) return got.error().code() == "axe.pack" ? kHolds : found(layout, ": ", got.error());
    return test::differs_as_axe(*unpack(*got, n), layout);
  });
  yes.expect_at_least(20);
  no.expect_at_least(20);
}

TEST(AxeLaw, APackedSwizzleUnpacksToTheSameMap) {
  for_all_seeds({.percent = 30}, [&](Random& random) -> Finding {
    Layout layout = any_axe(random, AxeKind{.max_size = 64, .swizzles = true});
    const std::int64_t n = std::int64_t{1} << random.between(0, 2);
    if (random.chance(60)) layout = *unpack(layout, n);
    const Result<Layout> got = pack(layout, n);
    if (!got) return kSaysNothing;
    return test::differs_as_axe(*unpack(*got, n), layout);
  });
}

TEST(AxeIterIntersect, TheCommonValues) {
  const Axis p("P");
  const auto of = [&](std::int64_t e, std::int64_t s, std::int64_t f, std::int64_t t) {
    return text(iter_intersect({e, s, p}, {f, t, p}));
  };
  EXPECT_EQ(of(128, 1, 64, 2), "(64, 2@P)");
  EXPECT_EQ(of(4, 2, 3, 3), "(2, 6@P)");
  EXPECT_EQ(of(4, 2, 4, -2), "(1, 1@P)");
  EXPECT_EQ(of(4, -2, 3, -3), "(2, -6@P)");
  EXPECT_EQ(of(4, 0, 4, 1), "(1, 1@P)");
  EXPECT_EQ(text(iter_intersect({4, 1, p}, {4, 1, Axis("F")})), "(1, 1@P)");
  const Int n = Int::variable("N", 1, 128);
  EXPECT_EQ(text(iter_intersect({n, 2, p}, {64, 4, p})), "((min(252,2*N-2))//4+1, 4@P)");
  EXPECT_EQ(text(iter_intersect({4, n, p}, {64, 4, p})), "assume.needed");
}

TEST(AxeLaw, AnIntersectionOfItersHasTheirCommonValues) {
  for_all_seeds([](Random& random) -> Finding {
    const auto any = [&] {
      return Iter{random.between(1, 12), random.between(-9, 9), random.chance(80) ? kM : kLane};
    };
    const Iter a = any();
    const Iter b = any();
    const auto values = [](const Iter& iter) {
      std::set<std::pair<std::string, std::int64_t>> result;
      for (std::int64_t i = 0; i < iter.extent.value(); ++i) {
        const std::int64_t value = i * iter.stride.value();
        result.insert({value == 0 ? "" : iter.axis.name(), value});
      }
      return result;
    };
    std::set<std::pair<std::string, std::int64_t>> wanted;
    std::ranges::set_intersection(values(a), values(b), std::inserter(wanted, wanted.end()));
    const Result<Iter> got = iter_intersect(a, b);
    if (!got) return found(a, " and ", b, ": ", got.error());
    const bool is_short = got->extent == Int(wanted.size());
    return is_short && values(*got) == wanted ? kHolds : found(a, " and ", b, ": ", *got);
  });
}

}  // namespace
}  // namespace heddle::axe
