#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "distribute/distribution_access.h"
#include "distribute/plain.h"
#include "distribute/plan_access.h"
#include "heddle/distribute/plan.h"
#include "heddle/distribute/run.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/refusal.h"

namespace heddle::distribute {
namespace {

using axe::Mesh;
using axe::Placement;
using axe::Placements;
using test::Finding;
using test::for_all_seeds;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

const Arithmetic kSums = {.combine =
                              [](std::span<std::byte> into, std::span<const std::byte> from) {
                                for (std::size_t i = 0; i < into.size(); i += sizeof(Element)) {
                                  Element a = 0;
                                  Element b = 0;
                                  std::memcpy(&a, &into[i], sizeof a);
                                  std::memcpy(&b, &from[i], sizeof b);
                                  a += b;
                                  std::memcpy(&into[i], &a, sizeof a);
                                }
                              },
                          .divide = {}};

/// The memories of all devices of a plan.
struct Machine {
  std::map<std::int64_t, std::vector<Element>> sources;
  std::map<std::int64_t, std::vector<Element>> destinations;

  std::map<std::int64_t, DeviceMemory> memories(const Plan& plan) {
    std::map<std::int64_t, DeviceMemory> all;
    for (const std::int64_t device : plan.devices()) {
      destinations[device].resize(std::size_t(plan.to().memory(device)), Element{-1});
      all[device] = {.source = std::as_bytes(std::span(sources[device])),
                     .destination = std::as_writable_bytes(std::span(destinations[device]))};
    }
    return all;
  }
};

/// Runs a plan and compares what every device has with what its spec says.
Finding run_and_compare(const Plan& plan, const Spec& from, const Spec& to) {
  Machine machine;
  for (const std::int64_t device : plan.from().devices()) {
    machine.sources[device] = plain_source(from, device);
  }
  const Result<void> ran = run(plan, machine.memories(plan), kSums);
  if (!ran) return test::found(from, " to ", to, ": ", ran.error());
  for (const std::int64_t device : to.mesh.devices()) {
    std::vector<Element> wanted;
    for (const std::int64_t flat : plain_elements(to, device)) {
      wanted.push_back(plain_value(from, to, flat, device));
    }
    if (machine.destinations[device] != wanted) {
      return test::found(from, " to ", to, ": device ", device, " has something else, by\n",
                         to_string(plan));
    }
  }
  return kHolds;
}

Finding hold_plan(Random& random) {
  const Pair pair = random_pair(random);
  const Result<Distribution> from = Distribution::make(pair.from.sharding());
  const Result<Distribution> to = Distribution::make(pair.to.sharding());
  if (!from) return test::found(pair, ": ", from.error());
  if (!to) return test::found(pair, ": ", to.error());
  const Topology topology = random_topology(random, pair);
  const Result<Plan> plan = redistribute(*from, *to, kBits, {.topology = topology});
  if (!plan) return test::found(pair, ": ", plan.error());
  if (const Verdict verdict = is_complete(*plan); !verdict.is_yes()) {
    return test::found(pair, ": ", verdict, "\n", to_string(*plan));
  }
  const Traffic moved = traffic(*plan);
  const Traffic bound = *lower_bound(*from, *to, kBits, topology);
  const bool is_flat = topology.bandwidth.empty();
  if (moved.by_link.front() != bound.by_link.front() || moved.total < bound.total ||
      (is_flat && moved.total != bound.total) || moved.most_in < bound.most_in ||
      moved.most_out < bound.most_out || moved.seconds < bound.seconds * (1 - 1e-9)) {
    return test::found(pair, ": moves other bytes than the bound says\n", to_string(*plan));
  }
  return run_and_compare(*plan, pair.from, pair.to);
}

TEST(Redistribute, GivesEveryDeviceWhatItsSpecSaysInAsFewBytesAsThereCanBe) {
  for_all_seeds(hold_plan);
}

// ---- layouts ----

Finding hold_layouts(Random& random) {
  const std::int64_t size = random.one_of<std::int64_t>({6, 8, 12, 16, 24, 36, 48});
  const std::vector<Int> shape = test::random_shape(random, size);
  const OnDevices from = on_devices(random_layout(random, size), shape);
  const OnDevices to = on_devices(random_layout(random, size), shape);
  if (!from.distribution || !to.distribution) return test::found(from.layout, " or ", to.layout);
  const Result<Plan> plan = redistribute(*from.distribution, *to.distribution, kBits);
  if (!plan) return test::found(from.layout, " to ", to.layout, ": ", plan.error());
  if (!is_complete(*plan).is_yes())
    return test::found(from.layout, " to ", to.layout, ": ", to_string(*plan));
  if (traffic(*plan).total != lower_bound(plan->from(), plan->to(), kBits)->total) {
    return test::found(from.layout, " to ", to.layout, " is not at the bound: ", to_string(*plan));
  }
  Machine machine{from.memories(Element{-2}), {}};
  const Result<void> ran = run(*plan, machine.memories(*plan));
  if (!ran) return test::found(from.layout, " to ", to.layout, ": ", ran.error());
  for (const auto& [device, places] : to.plain) {
    for (const auto& [place, index] : places) {
      if (machine.destinations[device][std::size_t(place)] == index) continue;
      return test::found(from.layout, " to ", to.layout, ": device ", device, " place ", place);
    }
  }
  return kHolds;
}

TEST(Redistribute, PutsEveryElementOfALayoutInItsPlaces) { for_all_seeds(hold_layouts); }

// ---- the bound ----

/// What every device of a small machine knows: sums of the terms in a set, as bits of a mask.
using Knowledge = std::vector<std::uint64_t>;

/// All sums that a device can make of those it has: of sets that do not meet.
std::uint64_t closed(std::uint64_t sums, int terms) {
  for (bool grows = true; grows;) {
    grows = false;
    for (int a = 1; a < 1 << terms; ++a) {
      for (int b = 1; b < 1 << terms; ++b) {
        const std::uint64_t both = std::uint64_t{1} << (a | b);
        const bool has = (sums >> a & 1) != 0 && (sums >> b & 1) != 0 && (a & b) == 0;
        grows = grows || (has && (sums & both) == 0);
        if (has) sums |= both;
      }
    }
  }
  return sums;
}

/// The least number of messages after which all that want the sum of all terms have it, found by
/// breadth-first search through all that can be sent.
int least_messages(const Knowledge& start, const std::set<std::size_t>& wanters, int terms) {
  const std::uint64_t all = std::uint64_t{1} << ((1 << terms) - 1);
  std::set<Knowledge> seen = {start};
  std::vector<Knowledge> front = {start};
  for (int messages = 0;; ++messages) {
    std::vector<Knowledge> next;
    for (const Knowledge& state : front) {
      if (std::ranges::all_of(wanters, [&](std::size_t w) { return (state[w] & all) != 0; })) {
        return messages;
      }
      for (std::size_t from = 0; from < state.size(); ++from) {
        for (int sum = 1; sum < 1 << terms; ++sum) {
          if ((state[from] >> sum & 1) == 0) continue;
          for (std::size_t to = 0; to < state.size(); ++to) {
            Knowledge after = state;
            after[to] = closed(after[to] | std::uint64_t{1} << sum, terms);
            if (seen.insert(after).second) next.push_back(std::move(after));
          }
        }
      }
    }
    front = std::move(next);
  }
}

/// One element, whose terms and whose wanters are given by device.
Distribution one_element(const Mesh& mesh, const std::set<std::size_t>& devices) {
  std::vector<Block> blocks;
  for (const std::size_t device : devices) {
    blocks.push_back({std::int64_t(device), {{0, 1}}, axe::Layout()});
  }
  return *DistributionAccess::make(mesh, {1}, blocks, {}, false);
}

TEST(LowerBound, IsTheLeastNumberOfMessagesOfAllPlans) {
  for (const std::int64_t devices : {2, 3, 4}) {
    const Mesh mesh = *Mesh::make({devices});
    for (std::uint64_t want = 1; want < std::uint64_t{1} << devices; ++want) {
      std::set<std::size_t> wanters;
      for (std::size_t i = 0; i < std::size_t(devices); ++i) {
        if ((want >> i & 1) != 0) wanters.insert(i);
      }
      // One value, held by some.
      for (std::uint64_t hold = 1; hold < std::uint64_t{1} << devices; ++hold) {
        std::set<std::size_t> holders;
        Knowledge start(std::size_t(devices), 0);
        for (std::size_t i = 0; i < start.size(); ++i) {
          if ((hold >> i & 1) == 0) continue;
          holders.insert(i);
          start[i] = 1 << 1;
        }
        const auto bound =
            lower_bound(one_element(mesh, holders), one_element(mesh, wanters), kBits);
        EXPECT_EQ(bound->total, 4 * least_messages(start, wanters, 1)) << hold << " " << want;
      }
    }
  }
}

TEST(LowerBound, OfASumIsTheLeastNumberOfMessagesOfAllPlans) {
  // Terms on the first devices of a machine of four, wanted by any of them.
  for (const std::int64_t terms : {2, 3}) {
    const Mesh holders = *Mesh::make({terms}, {"x"});
    const Mesh all = *Mesh::make({4}, {"x"});
    axe::Sharding partial{Placements{Placement::partial()}};
    partial.mesh = holders;
    partial.shape = std::vector<Int>{1};
    const Distribution from = *Distribution::make(partial);
    Knowledge start(4, 0);
    for (int i = 0; i < terms; ++i) start[std::size_t(i)] = std::uint64_t{1} << (1 << i);
    for (std::uint64_t want = 1; want < 16; ++want) {
      std::set<std::size_t> wanters;
      for (std::size_t i = 0; i < 4; ++i) {
        if ((want >> i & 1) != 0) wanters.insert(i);
      }
      const auto bound = lower_bound(from, one_element(all, wanters), kBits);
      EXPECT_EQ(bound->total, 4 * least_messages(start, wanters, int(terms)))
          << terms << " " << want;
    }
  }
}

// ---- proofs ----

TEST(IsComplete, SaysNoWhereATransferIsLeftOutOrComesTwice) {
  test::Tally changed;
  for_all_seeds({.one_in = 4}, [&](Random& random) -> Finding {
    const Pair pair = random_pair(random);
    const Plan plan = *plan_of(pair.from, pair.to);
    std::vector<Step> steps(plan.steps().begin(), plan.steps().end());
    if (steps.empty()) return kSaysNothing;
    std::vector<Transfer>& transfers =
        random.one_of(steps).transfers.empty()
            ? steps[0].transfers
            : steps[std::size_t(random.between(0, std::int64_t(steps.size()) - 1))].transfers;
    const auto which = random.between(0, std::int64_t(transfers.size()) - 1);
    const bool doubles = random.chance(50);
    if (doubles) {
      transfers.insert(transfers.begin() + which, transfers[std::size_t(which)]);
    } else {
      transfers.erase(transfers.begin() + which);
    }
    changed.count();
    const Verdict verdict = is_complete(PlanAccess::with_steps(plan, steps));
    if (verdict.is_no()) return kHolds;
    return test::found(pair, ": ", doubles ? "twice " : "without ", which, "\n", to_string(plan));
  });
  changed.expect_at_least(15);
}

// ---- names and texts ----

Spec on_four(Placements placements, Numbers shape = {8, 4}) {
  return {*Mesh::make({4}, {"x"}), std::move(placements), std::move(shape)};
}
Spec on_two_by_two(Placements placements) {
  return {*Mesh::make({2, 2}, {"x", "y"}), std::move(placements), {8, 4}};
}

std::vector<std::string> collectives(const Spec& from, const Spec& to) {
  std::vector<std::string> names;
  const Plan plan = *plan_of(from, to);
  for (const Step& step : plan.steps()) {
    if (step.collective != Collective::kLocal) names.emplace_back(name(step.collective));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Redistribute, NamesTheCollectives) {
  const Placement shard0 = Placement::shard(0);
  const Placement shard1 = Placement::shard(1);
  const Placement replicate = Placement::replicate();
  const Placement partial = Placement::partial();
  EXPECT_EQ(collectives(on_four({replicate}), on_four({shard0})), Names{});
  EXPECT_EQ(collectives(on_four({shard0}), on_four({replicate})), Names{"all-gather"});
  EXPECT_EQ(collectives(on_four({shard0}), on_four({shard1})), Names{"all-to-all"});
  EXPECT_EQ(collectives(on_four({partial}), on_four({shard0})), Names{"reduce-scatter"});
  EXPECT_EQ(collectives(on_four({partial}), on_four({replicate})),
            (Names{"reduce-scatter", "all-gather"}));
  EXPECT_EQ(collectives(on_two_by_two({shard0, replicate}), on_two_by_two({replicate, replicate})),
            Names{"all-gather"});
  EXPECT_EQ(collectives(on_two_by_two({shard0, shard1}), on_two_by_two({shard1, shard0})),
            Names{"permute"});
  const Spec one{*Mesh::make({1}, {"x"}), {replicate}, {8, 4}};
  const Spec last{*Mesh::make({1}, {"x"}, {3}), {replicate}, {8, 4}};
  EXPECT_EQ(collectives(one, on_four({replicate})), Names{"broadcast"});
  EXPECT_EQ(collectives(one, on_four({shard0})), Names{"scatter"});
  EXPECT_EQ(collectives(on_four({shard0}), one), Names{"gather"});
  EXPECT_EQ(collectives(on_four({partial}), one), Names{"reduce"});
  EXPECT_EQ(collectives(one, last), Names{"permute"});
}

TEST(Redistribute, SaysWhatEachStepMoves) {
  const auto plan = plan_of(on_four({Placement::shard(0)}), on_four({Placement::replicate()}));
  EXPECT_EQ(to_string(*plan),
            "local       32 bytes on 4 devices\n"
            "all-gather  1 group of 4: 32 bytes from one device to another, 384 bytes in all\n"
            "moves       384 bytes, at most 96 into and 96 out of a device\n"
            "at least    384 bytes, 96 into and 96 out of a device");
}

TEST(Redistribute, SpreadsWhatReplicasSend) {
  const Mesh mesh = *Mesh::make({3, 3}, {"X", "Z"});
  const Placement shard = Placement::shard(0);
  const Placement whole = Placement::replicate();
  const auto plan = plan_of({mesh, {shard, whole}, {9}}, {mesh, {whole, shard}, {9}});
  // Six devices lack a third of 12 bytes, which each of three others has.
  EXPECT_EQ(traffic(*plan).total, 72);
  EXPECT_EQ(traffic(*plan).most_out, 12);
}

TEST(Redistribute, SendsOverSlowLinksOnce) {
  const Spec from{
      *Mesh::make({2, 4}, {"node", "gpu"}), {Placement::partial(), Placement::partial()}, {16, 4}};
  Spec to = from;
  to.placements = {Placement::replicate(), Placement::replicate()};
  const auto plan = plan_of(from, to, {.bandwidth = {{"node", 50e9}, {"gpu", 400e9}}, .mesh = {}});
  // Each node gets the 256 bytes once as terms or sums, whatever its 4 devices want.
  EXPECT_EQ(traffic(*plan).by_link.front(), std::pair(std::string("node"), std::int64_t{512}));
  EXPECT_EQ(lower_bound(plan->from(), plan->to(), kBits, plan->topology())->by_link,
            traffic(*plan).by_link);
  EXPECT_TRUE(is_complete(*plan).is_yes());
}

TEST(Distribution, CutsAPartThatIsNoBoxIntoBoxes) {
  const axe::Layout layout = *axe::Layout::make(
      {{2, 2, Axis::memory()}, {2, 1, axe::device_axis()}, {2, 1, Axis::memory()}});
  const axe::Sharded sharded{layout, *Mesh::make({2}), {8}, {}};
  EXPECT_EQ(to_string(*Distribution::make(sharded)),
            "device 0   [0,2) and [4,6)\ndevice 1   [2,4) and [6,8)");
}

// ---- refusals ----

TEST(Redistribute, RefusesWhatItCannotDo) {
  const Spec four = on_four({Placement::shard(0)});
  const Spec partial = on_four({Placement::partial()});
  EXPECT_EQ(test::code(plan_of(four, on_four({Placement::shard(0)}, {4, 8}))), "distribute.shapes");
  EXPECT_EQ(test::code(plan_of(four, partial)), "distribute.partial");
  EXPECT_EQ(test::code(plan_of(on_four({Placement::partial("max")}), partial)),
            "distribute.partial");
  EXPECT_EQ(test::code(plan_of(four, four, {.bandwidth = {{"z", 1}}})), "distribute.topology");
  EXPECT_EQ(test::code(plan_of(four, four, {.bandwidth = {{"x", 0}}})), "distribute.topology");
  const Distribution whole = *Distribution::make(four.sharding());
  EXPECT_EQ(test::code(redistribute(whole, whole, 0)), "distribute.bits");
  const Mesh mesh = *Mesh::make({4}, {"x"});
  const Distribution none = *DistributionAccess::make(mesh, {8, 4}, {}, {}, false);
  EXPECT_EQ(test::code(redistribute(none, whole, kBits)), "distribute.device");
}

TEST(Redistribute, TakesTermsFromAsFewNodesAsHaveThemAll) {
  // Nodes {0,3} and {4,7} have all four terms together, and each term is on two nodes.
  const Spec from{*Mesh::make({4, 2}), {Placement::partial(), Placement::replicate()}, {8, 8}};
  const Spec to{*Mesh::make({1}, {}, {16}), {Placement::replicate()}, {8, 8}};
  Topology topology{
      .bandwidth = {{"node", 50e9}, {"gpu", 400e9}},
      .mesh = Mesh::make({5, 2}, {"node", "gpu"}, {0, 3, 2, 1, 4, 7, 6, 5, 16, 17}).value()};
  const auto plan = plan_of(from, to, topology);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(traffic(*plan).by_link.front(),
            lower_bound(plan->from(), plan->to(), kBits, topology)->by_link.front());
  EXPECT_TRUE(is_complete(*plan).is_yes());
}

TEST(Redistribute, GivesSharesThatDifferByOneElement) {
  const auto plan = plan_of(on_four({Placement::partial()}, {63, 45}),
                            on_four({Placement::replicate()}, {63, 45}));
  EXPECT_EQ(traffic(*plan).most_in, lower_bound(plan->from(), plan->to(), kBits)->most_in);
}

TEST(Redistribute, RefusesSizesAndCutsThatCannotBeCounted) {
  const std::int64_t large = std::int64_t{1} << 32;
  EXPECT_EQ(test::code(plan_of(on_four({Placement::shard(0)}, {large + 1, large}),
                               on_four({Placement::shard(1)}, {large + 1, large}))),
            "overflow");
  EXPECT_EQ(test::code(plan_of(on_four({Placement::shard(0, 300000000)}, {2000000001}),
                               on_four({Placement::replicate()}, {2000000001}))),
            "distribute.too_large");
}

TEST(Redistribute, RefusesADestinationWithTwoElementsInOnePlace) {
  const auto onto = [](const std::vector<axe::Iter>& iters) {
    const Mesh mesh = *Mesh::make({4});
    const axe::Layout packed = *axe::Layout::make({{4, 1, Axis::memory()}});
    const axe::Layout layout = *axe::Layout::make(iters);
    const Distribution from = *Distribution::make(axe::Sharded{packed, mesh, {4}, {}});
    const Distribution to = *Distribution::make(axe::Sharded{layout, mesh, {4}, {}});
    EXPECT_EQ(test::code(redistribute(to, from, kBits)), "");
    return test::code(redistribute(from, to, kBits));
  };
  EXPECT_EQ(onto({{4, 0, Axis::memory()}}), "distribute.overlap");
  EXPECT_EQ(onto({{4, 0, axe::device_axis()}}), "distribute.overlap");
  EXPECT_EQ(onto({{2, 1, axe::device_axis()}, {2, 1, axe::device_axis()}}), "distribute.overlap");
  EXPECT_EQ(onto({{2, 0, Axis::memory()}, {2, 1, axe::device_axis()}}), "distribute.overlap");
  EXPECT_EQ(onto({{2, 1, axe::device_axis()}, {2, 2, axe::device_axis()}}), "");
}

TEST(Distribution, TakesValuesThatArePartialOverAPartOfAnAxis) {
  axe::ShardySpec spec{.mesh_name = "", .dims = std::vector<axe::ShardyDimension>(1)};
  spec.unreduced = {{"x", 1, 2}};
  axe::Sharding sharding{spec};
  sharding.mesh = *Mesh::make({4}, {"x"});
  sharding.shape = std::vector<Int>{4};
  const Distribution made = *Distribution::make(sharding);
  ASSERT_EQ(made.partial().size(), 1U);
  EXPECT_EQ(made.mesh().extents()[*made.mesh().axis(made.partial()[0].axis)], 2);
  EXPECT_EQ(Distribution::make(*axe::place(sharding)), made);
}

TEST(Distribution, RefusesValuesThatArePartialOverAnAxisThatIsNotThere) {
  axe::Sharded sharded = *axe::dtensor(*Mesh::make({2}, {"x"}), {Placement::partial()}, {4});
  sharded.mesh = *Mesh::make({2}, {"y"});
  EXPECT_EQ(test::code(Distribution::make(sharded)), "distribute.partial");
}

TEST(Distribution, RefusesOtherAxesAndDevices) {
  const auto made = [](const axe::Layout& layout, const Mesh& mesh) {
    return test::code(Distribution::make(axe::Sharded{layout, mesh, {axe::size(layout)}, {}}));
  };
  const Mesh two = *Mesh::make({2});
  EXPECT_EQ(made(*axe::Layout::make({{4, 1, Axis("laneid")}}), two), "distribute.axes");
  EXPECT_EQ(made(*axe::Layout::make({{4, 1, axe::device_axis()}}), two), "distribute.device");
  EXPECT_EQ(made(*axe::Layout::make({{std::int64_t{1} << 20, 1, axe::device_axis()}}), two),
            "distribute.too_large");
  EXPECT_EQ(made(*axe::Layout::make({{Int::variable("n", 1, 9), 1, Axis::memory()}}), two),
            "distribute.symbolic");
}

}  // namespace
}  // namespace heddle::distribute
