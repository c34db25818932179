#include "heddle/axe/threads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/axe/canonical.h"
#include "heddle/axe/hardware.h"
#include "heddle/form/recover.h"
#include "support/random_axe.h"
#include "support/refusal.h"

// Thread axes: examples, and the laws of unify_threads, split_threads, to_psum (the same division
// on another axis), storage and scope against plain evaluation.

namespace heddle::axe {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::plain_map;
using test::PlainPlace;
using test::PlainPlaces;
using test::Random;
using test::Tally;
using test::text_or_code;

Iter on(std::int64_t extent, std::int64_t stride, const char* axis) {
  return {extent, stride, Axis(axis)};
}

Layout sharded(std::vector<Iter> shard) { return *Layout::make(std::move(shard)); }

TEST(AxeThreads, WarpsAndLanesAreThreadsOfACta) {
  const Layout layout =
      sharded({on(2, 2, "wgid"), on(2, 1, "wgid"), on(4, 32, "tid_in_wg"), on(32, 1, "tid_in_wg")});
  EXPECT_EQ(text_or_code(unify_threads(layout)), "S[(512):(1@tx)]");
  EXPECT_EQ(text_or_code(unify_threads(sharded({on(4, 1, "warp"), on(32, 1, "lane")}))),
            "S[(128):(1@tx)]");
}

TEST(AxeThreads, OffsetsAndReplicasAreScaledToo) {
  const Layout layout = *Layout::make({on(4, 1, "warpid"), on(16, 1, "laneid")},
                                      {on(2, 4, "warpid"), on(2, 8, "laneid")},
                                      {{Axis("warpid"), 5}, {Axis("laneid"), 3}});
  EXPECT_EQ(text_or_code(unify_threads(layout)),
            "S[(4,16):(32@tx,1@tx)] + R[(2,2):(128@tx,8@tx)] + 163@tx");
}

TEST(AxeThreads, TheWarpgroupStaysInScopeWarpgroup) {
  const Layout layout = sharded({on(2, 1, "wgid"), on(4, 1, "wid_in_wg"), on(32, 1, "laneid")});
  EXPECT_EQ(text_or_code(unify_threads(layout, Scope::kWarpgroup)),
            "S[(2,128):(1@wgid,1@tid_in_wg)]");
  EXPECT_EQ(text_or_code(unify_threads(layout)), "S[(256):(1@tx)]");
  const Layout warps = sharded({on(4, 1, "warpid"), on(32, 1, "laneid")});
  EXPECT_EQ(text_or_code(unify_threads(warps, Scope::kWarpgroup)), "axe.unify");
}

TEST(AxeThreads, AnAxisOfOneNameOnly) {
  EXPECT_EQ(text_or_code(unify_threads(sharded({on(2, 1, "tx"), on(2, 1, "laneid")}))),
            "axe.scope");
  EXPECT_EQ(text_or_code(unify_threads(sharded({on(2, 1, "lane"), on(2, 1, "laneid")}))),
            "axe.scope");
  EXPECT_EQ(text_or_code(unify_threads(sharded({on(4, 0, "tx"), on(2, 1, "laneid")}))),
            "S[(4,2):(0@m,1@tx)]");
  EXPECT_EQ(text_or_code(
                split_threads(sharded({on(2, 1, "tx"), on(2, 1, "warpid")}), ThreadSplit::kWarp)),
            "axe.scope");
}

TEST(AxeThreads, ASwizzleKeepsItsBits) {
  const Layout layout = *Layout::make({on(4, 1, "warpid"), on(32, 1, "laneid")}, {}, {},
                                      *Swizzle::make(0, 2, 3, true, Axis("laneid")));
  EXPECT_EQ(text_or_code(unify_threads(layout)), "SW(0,2,3)@tx o S[(128):(1@tx)]");
  EXPECT_EQ(text_or_code(split_threads(*unify_threads(layout), ThreadSplit::kWarp)),
            to_string(layout));
  const Layout wide = *Layout::make({on(4, 1, "warpid"), on(32, 1, "laneid")}, {}, {},
                                    *Swizzle::make(0, 3, 3, true, Axis("laneid")));
  EXPECT_EQ(text_or_code(unify_threads(wide)), "axe.unify");
}

TEST(AxeThreads, ThreadsSplitIntoWarpsAndLanes) {
  const auto split = [](std::vector<Iter> shard, const char* name) {
    return text_or_code(split_threads(sharded(std::move(shard)), *thread_split_named(name)));
  };
  EXPECT_EQ(split({on(128, 1, "tx")}, "warp"), "S[(4,32):(1@warpid,1@laneid)]");
  EXPECT_EQ(split({on(2, 64, "tx"), on(8, 4, "tx"), on(2, 32, "tx"), on(4, 1, "tx"), on(2, 1, "m")},
                  "warp"),
            "S[(2,8,2,4,2):(2@warpid,4@laneid,1@warpid,1@laneid,1@m)]");
  EXPECT_EQ(split({on(512, 1, "tx")}, "warpgroup"), "S[(4,128):(1@wgid,1@tid_in_wg)]");
  EXPECT_EQ(split({on(128, 1, "tid_in_wg"), on(16, 1, "m")}, "tid"),
            "S[(4,32,16):(1@wid_in_wg,1@laneid,1@m)]");
  EXPECT_EQ(split({on(6, 8, "tx")}, "warp"), "axe.split");
  EXPECT_EQ(split({on(4, 1, "warpid")}, "warp"), "S[(4):(1@warpid)]");
}

TEST(AxeThreads, TheOffsetTakesPartInTheCarry) {
  const auto split = [](std::vector<Iter> shard, std::int64_t offset) {
    return text_or_code(split_threads(*Layout::make(std::move(shard), {}, {{Axis("tx"), offset}}),
                                      ThreadSplit::kWarp));
  };
  EXPECT_EQ(split({on(16, 1, "tx")}, 48), "S[(16):(1@laneid)] + 16@laneid + 1@warpid");
  EXPECT_EQ(split({on(16, 1, "tx")}, 49), "axe.split");
  EXPECT_EQ(split({on(64, -1, "tx")}, 63),
            "S[(2,32):(-1@warpid,-1@laneid)] + 31@laneid + 1@warpid");
  EXPECT_EQ(split({on(64, -1, "tx")}, 62), "axe.thread_range");
}

TEST(AxeThreads, SymbolicSizesSplitWhereItIsKnown) {
  const Int warps = Int::variable("W", 1, 32);
  const Layout layout = sharded({{warps * 32, 1, Axis("tx")}});
  EXPECT_EQ(text_or_code(split_threads(layout, ThreadSplit::kWarp)),
            "S[(W,32):(1@warpid,1@laneid)]");
  EXPECT_EQ(text_or_code(unify_threads(*split_threads(layout, ThreadSplit::kWarp))),
            "S[(32*W):(1@tx)]");
  const Int any = Int::variable("N", 1, 1024);
  EXPECT_EQ(text_or_code(split_threads(sharded({{any, 1, Axis("tx")}}), ThreadSplit::kWarp)),
            "assume.needed");
}

TEST(AxeThreads, StorageIsWhatAThreadHolds) {
  const Layout layout = *Layout::make(
      {on(2, 2, "m"), on(8, 4, "laneid"), on(8, 4, "m"), on(4, 1, "laneid"), on(2, 1, "m")},
      {on(2, 4, "warpid"), on(2, 64, "m")}, {{Axis("warpid"), 5}, {Axis("m"), 7}});
  EXPECT_EQ(text_or_code(storage(layout)), "S[(2,8,2):(2@m,4@m,1@m)] + R[(2):(64@m)] + 7@m");
  EXPECT_EQ(text_or_code(storage(sharded({on(4, 1, "laneid")}))), "S[(1):(1@m)]");
}

std::string scope_text(const Result<std::optional<std::pair<Scope, Scope>>>& result) {
  if (!result) return result.error().code();
  if (!*result) return "none";
  return std::string(to_string((*result)->first)) + " " + std::string(to_string((*result)->second));
}

TEST(AxeThreads, TheScopeGoesFromTheInnermostToTheOutermost) {
  const auto of = [](std::vector<const char*> names) {
    std::vector<Iter> iters;
    for (const char* name : names) iters.push_back(on(2, 1, name));
    return scope_text(scope(sharded(iters)));
  };
  EXPECT_EQ(of({"laneid", "m"}), "thread warp");
  EXPECT_EQ(of({"m"}), "none");
  EXPECT_EQ(of({"gpuid", "m"}), "none");
  EXPECT_EQ(of({"warpid", "laneid"}), "thread cta");
  EXPECT_EQ(of({"wid_in_wg", "laneid", "wgid", "cbx", "cby"}), "thread cluster");
  EXPECT_EQ(of({"tx", "bx", "by"}), "thread kernel");
  EXPECT_EQ(of({"laneid", "wgid"}), "axe.scope");
  EXPECT_EQ(of({"tx", "laneid"}), "axe.scope");
  EXPECT_EQ(scope_text(scope(*Layout::make({on(4, 1, "m")}, {on(2, 1, "laneid")}))), "thread warp");
  EXPECT_EQ(scope_text(scope(*Layout::make({on(4, 1, "laneid")}, {}, {{Axis("warpid"), 3}}))),
            "thread cta");
}

/// The scope by what the axes count, one bit a step: no step twice by different axes, none left
/// out.
TEST(AxeLaw, ScopesAreChainsOfSteps) {
  Tally chains;
  const AxisTable table = AxisTable::hardware();
  for_all_seeds([&](Random& random) -> Finding {
    const std::vector<std::string> names = {"laneid", "warpid", "wgid", "tid_in_wg", "wid_in_wg",
                                            "tx",     "cbx",    "bx",   "cluster",   "m"};
    std::vector<Iter> iters;
    for (std::int64_t n = random.between(1, 4); n > 0; --n) {
      iters.push_back({2, 1, Axis(random.one_of(names))});
    }
    const Layout layout = sharded(iters);
    std::map<int, std::set<std::pair<int, int>>> takers;  // of each step by one scope
    for (const Axis& axis : axes(layout)) {
      const AxisInfo info = *table.find(axis);
      if (info.kind != AxisKind::kThread) continue;
      const int inner = static_cast<int>(info.inner);
      const int outer = static_cast<int>(info.outer);
      for (int step = inner; step < outer; ++step) takers[step].insert({inner, outer});
    }
    bool is_chain = true;
    for (const auto& [step, pairs] : takers) is_chain = is_chain && pairs.size() == 1;
    if (!takers.empty()) {
      const int steps = takers.rbegin()->first - takers.begin()->first + 1;
      is_chain = is_chain && steps == static_cast<int>(takers.size());
    }
    const auto result = scope(layout, table);
    if (result.has_value() != is_chain) return found(layout, ": ", scope_text(result));
    if (!is_chain) return kHolds;
    chains.count();
    if (takers.empty() != !result->has_value()) return found(layout, ": ", scope_text(result));
    if (takers.empty()) return kHolds;
    const bool is_right = static_cast<int>((*result)->first) == takers.begin()->first &&
                          static_cast<int>((*result)->second) == takers.rbegin()->first + 1;
    return is_right ? kHolds : found(layout, ": ", scope_text(result));
  });
  chains.expect_at_least(20);
}

struct Part {
  const char* name;
  std::int64_t weight;
  std::int64_t count;  // of values it may have
};

const std::vector<std::vector<Part>> kSystems = {
    {{"laneid", 1, 32}, {"warpid", 32, 16}},
    {{"lane", 1, 32}, {"warp", 32, 16}},
    {{"tid_in_wg", 1, 128}, {"wgid", 128, 4}},
    {{"laneid", 1, 32}, {"wid_in_wg", 32, 4}, {"wgid", 128, 4}},
    {{"tx", 1, 1024}},
};

/// Iters on axes of one of these systems and on m, most of them within what the axes have.
Layout thread_layout(Random& random, const std::vector<Part>& system) {
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  Coordinate offset;
  for (const Part& part : system) {
    std::int64_t room = part.count;
    std::int64_t step = 1;
    for (std::int64_t n = random.between(0, 2); n > 0; --n) {
      const std::int64_t extent = random.one_of<std::int64_t>({1, 2, 2, 3, 4, 4, 8, 16});
      if (step * extent > room) break;
      Iter iter = {extent, step, Axis(part.name)};
      if (random.chance(10)) {
        offset.add(iter.axis, (extent - 1) * step);
        iter.stride = -step;
      }
      (random.chance(75) ? shard : replica).push_back(iter);
      step *= extent;
    }
    if (random.chance(20)) offset.add(Axis(part.name), random.between(0, room / step - 1) * step);
    if (random.chance(4)) offset.add(Axis(part.name), random.between(-3, 3));
  }
  if (random.chance(50)) shard.push_back({random.between(1, 3), 1, Axis::memory()});
  random.shuffle(shard);
  return *Layout::make(shard, replica, offset);
}

TEST(AxeLaw, UnifiedThreadsAreTheWeightedSumsOfTheirParts) {
  Tally unified;
  for_all_seeds([&](Random& random) -> Finding {
    const std::vector<Part>& system = random.one_of(kSystems);
    const Layout layout = thread_layout(random, system);
    bool is_within = true;
    std::vector<PlainPlaces> wanted;
    for (const PlainPlaces& places : plain_map(layout)) {
      PlainPlaces images;
      for (PlainPlace place : places) {
        std::int64_t thread = 0;
        for (const Part& part : system) {
          const auto entry = place.find(part.name);
          if (entry == place.end()) continue;
          const bool is_bounded =
              std::string(part.name) == "laneid" || std::string(part.name) == "lane" ||
              std::string(part.name) == "wid_in_wg" || std::string(part.name) == "tid_in_wg";
          is_within = is_within && entry->second >= 0;
          is_within = is_within && (!is_bounded || entry->second < part.count);
          thread += part.weight * entry->second;
          place.erase(entry);
        }
        if (thread != 0) place["tx"] = thread;
        images.insert(place);
      }
      wanted.push_back(images);
    }
    const Result<Layout> got = unify_threads(layout);
    if (got.has_value() != is_within) return found(layout, ": ", text_or_code(got));
    if (!got)
      return got.error().code() == "axe.thread_range" ? kHolds : found(layout, text_or_code(got));
    unified.count();
    return plain_map(*got) == wanted ? kHolds : found(layout, " to ", *got);
  });
  unified.expect_at_least(50);
}

TEST(AxeLaw, SplittingUnifiedThreadsGivesTheirPartsBack) {
  for_all_seeds({.percent = 50}, [&](Random& random) -> Finding {
    const bool is_warp = random.chance(50);
    const Layout layout = thread_layout(random, kSystems[is_warp ? 0 : 2]);
    const Result<Layout> unified = unify_threads(layout);
    if (!unified) return kSaysNothing;
    const Result<Layout> back =
        split_threads(*unified, is_warp ? ThreadSplit::kWarp : ThreadSplit::kWarpgroup);
    if (!back) return found(layout, " and ", *unified, ": ", back.error());
    return test::differs_as_axe(*back, layout);
  });
}

// What follows decides the existence of a split layout from the map's points alone.

using Pair = std::pair<std::int64_t, std::int64_t>;
using Numbers = std::set<std::int64_t>;

/// Whether the numbers, of which the least is 0, are a sum of progressions: all of them tried.
bool is_sum(const Numbers& wanted, const Numbers& reached) {
  if (wanted == reached) return true;
  for (const std::int64_t stride : wanted) {
    if (stride == 0) continue;
    Numbers sum = reached;
    for (std::int64_t step = stride; step <= *wanted.rbegin(); step += stride) {
      bool is_within = true;
      for (const std::int64_t point : reached) {
        is_within = is_within && wanted.contains(point + step);
        sum.insert(point + step);
      }
      if (!is_within) break;
      if (sum != reached && is_sum(wanted, sum)) return true;
    }
  }
  return false;
}

bool is_replica_list(const std::set<Pair>& pairs) {
  Numbers highs;
  Numbers lows;
  for (const auto& [high, low] : pairs) {
    highs.insert(high);
    lows.insert(low);
  }
  if (pairs.size() != highs.size() * lows.size()) return false;
  const auto from_zero = [](const Numbers& numbers) {
    Numbers result;
    for (const std::int64_t number : numbers) result.insert(number - *numbers.begin());
    return result;
  };
  return is_sum(from_zero(highs), {0}) && is_sum(from_zero(lows), {0});
}

/// Whether some layout has the map t -> (t div unit, t mod unit) of the axis.
bool split_exists(const Layout& layout, const char* axis, std::int64_t unit) {
  std::vector<std::set<Pair>> images;
  for (const PlainPlaces& places : plain_map(layout)) {
    std::set<Pair> image;
    for (const PlainPlace& place : places) {
      const auto entry = place.find(axis);
      const std::int64_t thread = entry == place.end() ? 0 : entry->second;
      image.insert({thread / unit, thread % unit});
    }
    images.push_back(image);
  }
  if (!is_replica_list(images[0])) return false;
  std::vector<Pair> moves;
  for (const std::set<Pair>& image : images) {
    // The least pairs need not correspond, but under a move they do.
    const Pair move = {image.begin()->first - images[0].begin()->first,
                       image.begin()->second - images[0].begin()->second};
    std::set<Pair> moved;
    for (const auto& [high, low] : images[0]) moved.insert({high + move.first, low + move.second});
    if (moved != image) return false;
    moves.push_back(move);
  }
  // Other axes as they are, so that recovery sees the whole map; replicas there do not matter.
  const Layout plain = sharded({layout.shard().begin(), layout.shard().end()});
  const std::vector<Axis> named = axes(plain);
  const auto sample = [&](std::int64_t index) {
    const Pair& move = moves[static_cast<std::size_t>(index)];
    std::vector<std::int64_t> values = {move.first, move.second};
    const Coordinate at = shard_at(plain, index);
    for (const Axis& other : named) {
      if (other.name() != axis) values.push_back(at[other].value());
    }
    return values;
  };
  const std::size_t count = sample(0).size();
  const auto digits = form::recover(static_cast<std::int64_t>(moves.size()), count, sample);
  if (!digits) return false;
  return std::ranges::all_of(*digits, [](const form::Digit& digit) {
    return std::ranges::count_if(digit.stride, [](const Int& n) { return n != Int(0); }) <= 1;
  });
}

/// Iters of one axis whose strides divide, are multiples of, or just miss the unit.
Layout splittable(Random& random, const char* axis, std::int64_t unit) {
  const auto stride = [&]() -> std::int64_t {
    const std::int64_t power = std::int64_t{1} << random.between(0, 7);
    std::int64_t result = random.chance(75) ? unit / 16 * power / 4 : random.between(1, 3 * unit);
    if (random.chance(8)) result = unit + unit / 2;
    return random.chance(12) ? -result : result;
  };
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  std::int64_t lowest = 0;
  for (std::int64_t n = random.between(1, 3); n > 0; --n) {
    const bool is_other = random.chance(20);
    const Iter iter = {random.one_of<std::int64_t>({1, 2, 2, 3, 4, 6, 8}),
                       std::max(stride(), -3 * unit), is_other ? Axis::memory() : Axis(axis)};
    if (!is_other)
      lowest += std::min<std::int64_t>(0, iter.stride.value() * (iter.extent.value() - 1));
    shard.push_back(iter);
  }
  for (std::int64_t n = random.chance(50) ? random.between(1, 2) : 0; n > 0; --n) {
    const Iter iter = {random.between(1, 4), stride(), Axis(axis)};
    lowest += std::min<std::int64_t>(0, iter.stride.value() * (iter.extent.value() - 1));
    replica.push_back(iter);
  }
  const std::int64_t offset =
      random.chance(50) ? 0 : random.one_of<std::int64_t>({unit / 2, unit, unit - 1, 5});
  return *Layout::make(shard, replica, {{Axis(axis), offset - lowest}});
}

Finding splits_where_it_can(const Layout& layout, const Result<Layout>& got, const char* axis,
                            std::int64_t unit, const char* high, const char* low,
                            const std::string& code, Tally& yes, Tally& no) {
  const bool wanted = split_exists(layout, axis, unit);
  (wanted ? yes : no).count();
  if (got.has_value() != wanted)
    return found(layout, ": ", got ? to_string(*got) : got.error().to_string());
  if (!got) return got.error().code() == code ? kHolds : found(layout, ": ", got.error());
  std::vector<PlainPlaces> images;
  for (const PlainPlaces& places : plain_map(layout)) {
    PlainPlaces image;
    for (PlainPlace place : places) {
      const std::int64_t thread = place.contains(axis) ? place[axis] : 0;
      place.erase(axis);
      if (thread / unit != 0) place[high] = thread / unit;
      if (thread % unit != 0) place[low] = thread % unit;
      image.insert(place);
    }
    images.push_back(image);
  }
  return plain_map(*got) == images ? kHolds : found(layout, " to ", *got);
}

TEST(AxeLaw, ThreadsSplitExactlyWhereALayoutHasTheMap) {
  Tally yes;
  Tally no;
  for_all_seeds([&](Random& random) -> Finding {
    const Layout layout = splittable(random, "tx", 32);
    return splits_where_it_can(layout, split_threads(layout, ThreadSplit::kWarp), "tx", 32,
                               "warpid", "laneid", "axe.split", yes, no);
  });
  yes.expect_at_least(20);
  no.expect_at_least(20);
}

TEST(AxeLaw, ColumnsBecomeBanksExactlyWhereALayoutHasTheMap) {
  Tally yes;
  Tally no;
  for_all_seeds([&](Random& random) -> Finding {
    const Layout layout = splittable(random, "F", 512);
    return splits_where_it_can(layout, to_psum(layout), "F", 512, "Bank", "F", "axe.psum", yes, no);
  });
  yes.expect_at_least(20);
  no.expect_at_least(20);
}

TEST(AxeLaw, TheWitnessOfARefusedSplitBreaksIt) {
  for_all_seeds({.percent = 10}, [&](Random& random) -> Finding {
    const Layout layout = splittable(random, "tx", 32);
    const Result<Layout> got = split_threads(layout, ThreadSplit::kWarp);
    if (got || !got.error().witness() || !layout.replica().empty()) return kSaysNothing;
    const Witness& witness = *got.error().witness();
    const PlainPlaces places = test::plain_places(layout, std::stoll(witness.coordinate));
    const auto entry = places.begin()->find("tx");
    const std::int64_t thread = entry == places.begin()->end() ? 0 : entry->second;
    const std::string start = std::to_string(thread) + "@tx, which is ";
    return witness.found.starts_with(start) ? kHolds : found(layout, ": ", got.error());
  });
}

}  // namespace
}  // namespace heddle::axe
