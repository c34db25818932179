// Which lanes machines serve together, as the documents list them, and bank conflicts on machines
// with other waves and banks against a plain simulation.

#include "heddle/analyze/served_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "heddle/analyze/banks.h"
#include "heddle/analyze/conversion.h"
#include "heddle/form/machine.h"
#include "support/law.h"

namespace heddle::analyze {
namespace {

using test::Finding;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

using Lanes = std::vector<std::int64_t>;
using LaneGroups = std::vector<Lanes>;

Lanes runs(std::initializer_list<std::pair<std::int64_t, std::int64_t>> ranges) {
  Lanes lanes;
  for (const auto& [first, last] : ranges) {
    for (std::int64_t lane = first; lane <= last; ++lane) lanes.push_back(lane);
  }
  return lanes;
}

LaneGroups neighbours_of(std::int64_t lanes, std::int64_t together) {
  LaneGroups groups;
  for (std::int64_t first = 0; first < lanes; first += together) {
    groups.push_back(runs({{first, first + together - 1}}));
  }
  return groups;
}

LaneGroups groups_of(std::string_view machine, std::int64_t bytes,
                     Direction direction = Direction::kRead) {
  const Serving served = *serving(machine);
  return served.rule(bytes, direction)->phases(served.warp_lanes());
}

TEST(ServedLanes, OfNvidiaAreNeighbours) {
  EXPECT_EQ(groups_of("sm_90", 2), neighbours_of(32, 32));
  EXPECT_EQ(groups_of("sm_80", 8), neighbours_of(32, 16));
  EXPECT_EQ(groups_of("sm_100a", 16, Direction::kWrite), neighbours_of(32, 8));
}

TEST(ServedLanes, OfCdna3AreThoseOfComposableKernel) {
  EXPECT_EQ(groups_of("gfx942", 16),
            (LaneGroups{runs({{0, 3}, {20, 23}}), runs({{4, 7}, {16, 19}}),
                        runs({{8, 11}, {28, 31}}), runs({{12, 15}, {24, 27}}),
                        runs({{32, 35}, {52, 55}}), runs({{36, 39}, {48, 51}}),
                        runs({{40, 43}, {60, 63}}), runs({{44, 47}, {56, 59}})}));
  EXPECT_EQ(groups_of("MI300X", 16, Direction::kWrite), neighbours_of(64, 8));
  EXPECT_EQ(groups_of("gfx90a", 8), neighbours_of(64, 16));
  EXPECT_EQ(groups_of("cdna1", 4), neighbours_of(64, 32));
}

TEST(ServedLanes, OfCdna4AreThoseOfHipKittens) {
  EXPECT_EQ(
      groups_of("gfx950", 16),
      (LaneGroups{runs({{0, 3}, {12, 15}, {20, 27}}), runs({{4, 11}, {16, 19}, {28, 31}}),
                  runs({{32, 35}, {44, 47}, {52, 59}}), runs({{36, 43}, {48, 51}, {60, 63}})}));
  EXPECT_EQ(groups_of("gfx950", 8), neighbours_of(64, 32));
  EXPECT_EQ(groups_of("gfx950", 8, Direction::kWrite), neighbours_of(64, 16));
  // ds_read_b96.
  EXPECT_EQ(serving("gfx950")->rule(12).error().code(), "analyze.machine");
  EXPECT_EQ(serving("gfx950")->rule(8)->banks, 64);
  EXPECT_EQ(serving("gfx950")->rule(8, Direction::kWrite)->banks, 32);
}

TEST(ServedLanes, TakeTheBanksOfTheirMachine) {
  for (const char* name : {"sm_90", "gfx908", "gfx90a", "gfx942", "gfx950"}) {
    const form::MachineMemory* memory = form::find_machine(name)->memory("shared");
    ASSERT_NE(memory, nullptr) << name;
    EXPECT_EQ(serving(name)->rule(4)->banks, memory->banks->value) << name;
    EXPECT_EQ(kBankBytes, memory->bank_bytes->value) << name;
  }
}

TEST(ServedLanes, OfAPartOfAWarpAreAmongIt) {
  EXPECT_EQ(serving("gfx942")->rule(16)->phases(22),
            (LaneGroups{runs({{0, 3}, {20, 21}}), runs({{4, 7}, {16, 19}}), runs({{8, 11}}),
                        runs({{12, 15}})}));
}

TEST(ServedLanes, OfOtherMachinesAreRefused) {
  EXPECT_EQ(serving("gfx1100").error().code(), "analyze.machine");
  EXPECT_EQ(serving("").error().code(), "analyze.machine");
  EXPECT_EQ(serving("gfx950")->rule(4, Direction::kWrite).error().code(), "analyze.machine");
  EXPECT_EQ(Serving().rule(32).error().code(), "analyze.machine");
}

/// The wavefronts of one instruction, by sets of words.
std::int64_t plain_wavefronts(const Lanes& bytes_of_lanes, std::int64_t bytes,
                              const LaneGroups& groups, std::int64_t banks) {
  std::int64_t wavefronts = 0;
  for (const Lanes& lanes : groups) {
    std::map<std::int64_t, std::set<std::int64_t>> words_of_bank;
    std::size_t most = 0;
    for (const std::int64_t lane : lanes) {
      for (std::int64_t byte = 0; byte < bytes; ++byte) {
        const std::int64_t word = (bytes_of_lanes[static_cast<std::size_t>(lane)] + byte) / 4;
        words_of_bank[word % banks].insert(word);
        most = std::max(most, words_of_bank[word % banks].size());
      }
    }
    wavefronts += static_cast<std::int64_t>(most);
  }
  return wavefronts;
}

TEST(BankPhases, OfEveryMachineAreThoseOfTheSimulation) {
  test::for_all_seeds([](Random& random) -> Finding {
    const Serving served = *serving(
        random.one_of<std::string_view>({"sm_90", "gfx908", "gfx90a", "gfx942", "gfx950"}));
    const std::int64_t bytes = random.one_of<std::int64_t>({1, 2, 4, 8, 12, 16});
    const Direction direction = random.chance(50) ? Direction::kRead : Direction::kWrite;
    Lanes addresses;
    const std::int64_t lanes =
        random.chance(70) ? served.warp_lanes() : random.between(1, served.warp_lanes());
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      addresses.push_back(bytes * random.between(0, 63) * random.one_of<std::int64_t>({1, 8, 64}));
    }
    const auto phases = bank_phases(addresses, static_cast<int>(bytes), served, direction);
    const auto rule = served.rule(bytes, direction);
    if (phases.has_value() != rule.has_value()) return test::found("refused");
    if (!phases) return kSaysNothing;
    LaneGroups groups;
    std::int64_t sum = 0;
    for (const Phase& phase : *phases) {
      groups.push_back(phase.lanes);
      sum += phase.wavefronts;
    }
    if (groups != rule->phases(lanes)) return test::found("other phases");
    const std::int64_t wanted = plain_wavefronts(addresses, bytes, groups, rule->banks);
    return sum == wanted ? kHolds : test::found(sum, " wavefronts, simulated ", wanted);
  });
}

TEST(BankConflicts, OfWavesOf64LanesAreCountedByTheirMachine) {
  // Lane t reads 16 bytes of row t, rows of 128 bytes: all lanes begin in bank 0.
  Access access{64, 8, 16, {}, 64};
  for (std::int64_t value = 0; value < 8; ++value) {
    for (std::int64_t lane = 0; lane < 64; ++lane) access.addresses.push_back(64 * lane + value);
  }
  EXPECT_EQ(bank_conflicts(access, 128, *serving("gfx942"))->counts,
            (BankCounts{8, 128, 1, 64, 8}));
  EXPECT_EQ(bank_conflicts(access, 128, *serving("gfx950"))->counts,
            (BankCounts{8, 128, 1, 32, 4}));
  EXPECT_EQ(bank_conflicts(access).error().code(), "analyze.lanes");
  EXPECT_EQ(bank_conflicts(access, 128, *serving("gfx950"), Direction::kWrite).error().code(),
            "analyze.machine");
}

TEST(ConversionClass, OfWavesOf64LanesHasNoBufferForWarpsOf32) {
  const linear::AmdMfmaEncoding mfma{
      .warps_per_cta = {1, 1}, .instr_shape = {32, 32, 8}, .is_transposed = true};
  const linear::Sizes shape{32, 32};
  const auto result = linear::to_linear_layout(mfma, shape).value();
  // The operand with 4 neighbours is dealt out as the transposed result is.
  const auto four = linear::to_linear_layout(linear::dot_operand_of(mfma, 0, 4), shape).value();
  EXPECT_EQ(conversion_class(result, four, 16)->kind, ConversionClass::kNone);
  const auto eight = linear::to_linear_layout(linear::dot_operand_of(mfma, 0, 8), shape).value();
  const auto moved = conversion_class(result, eight, 16);
  ASSERT_TRUE(moved) << moved.error();
  EXPECT_EQ(moved->kind, ConversionClass::kWarp);
  EXPECT_FALSE(moved->buffer);
  EXPECT_NE(to_string(*moved).find("memory  not counted: 64 lanes a warp; a warp has 32"),
            std::string::npos);
  const auto on_gfx942 = conversion_class(result, eight, 16, {*serving("gfx942")});
  ASSERT_TRUE(on_gfx942->buffer);
  EXPECT_TRUE(on_gfx942->buffer->write.is_conflict_free());
  EXPECT_TRUE(on_gfx942->buffer->read.is_conflict_free());
}

/// A layout (register, lane) -> 2048 elements, whose bits are random and distinct.
linear::LinearLayout random_bits_of_registers(Random& random, int lane_bits, std::string out_dim) {
  std::vector<std::int64_t> bits;
  for (int bit = 0; bit < 11; ++bit) bits.push_back(std::int64_t{1} << bit);
  linear::Bases bases = {{"register", {}}, {"lane", {}}};
  const auto take = [&](std::size_t dim) {
    const auto at =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bits.size()) - 1));
    bases[dim].vectors.push_back({bits[at]});
    bits.erase(bits.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (int bit = 0; bit < 3; ++bit) take(0);
  for (int bit = 0; bit < lane_bits; ++bit) take(1);
  const linear::NamedSizes outs = {{std::move(out_dim), 2048}};
  return linear::LinearLayout::make(bases, outs).value();
}

linear::LinearLayout plain_memory() { return linear::identity_1d(2048, "offset", "dim0").value(); }

TEST(BankCounts, OverGf2AreThoseOfTheSimulationOnEveryMachine) {
  test::for_all_seeds([](Random& random) -> Finding {
    const Served served{
        *serving(random.one_of<std::string_view>({"sm_90", "gfx908", "gfx942", "gfx950"})),
        random.chance(50) ? Direction::kRead : Direction::kWrite};
    const bool is_wave = served.serving.warp_lanes() == 64;
    const auto lane_bits = static_cast<int>(random.between(is_wave ? 6 : 1, is_wave ? 6 : 5));
    const auto registers = random_bits_of_registers(random, lane_bits, "dim0");
    const auto offsets = register_offsets(registers, plain_memory(), served.serving.warp_lanes());
    if (!offsets) return test::found(offsets.error());
    const int bits = random.one_of<int>({8, 16, 32, 64});
    const auto counts = bank_counts(*offsets, bits, kMaxAccessBits, served);
    const auto access =
        make_access(registers, plain_memory(), bits, {}, served.serving.warp_lanes());
    if (!access) return test::found(access.error());
    const auto report = bank_conflicts(*access, kMaxAccessBits, served.serving, served.direction);
    if (counts.has_value() != report.has_value()) return test::found("refused");
    if (!counts) return kSaysNothing;
    return *counts == report->counts ? kHolds : test::found("other counts");
  });
}

TEST(OptimalSwizzle, OfWavesOf64LanesIsAtLeastAsGoodAsNone) {
  test::for_all_seeds([](Random& random) -> Finding {
    const ServedMove move{*serving(random.one_of<std::string_view>({"gfx90a", "gfx942"}))};
    const auto src = random_bits_of_registers(random, 6, "dim0");
    const auto dst = random_bits_of_registers(random, 6, "dim0");
    const auto best = optimal_swizzle(src, dst, 32, move);
    const auto none = buffer_costs(src, dst, plain_memory(), 32, move);
    if (!best || !none) return kSaysNothing;
    // Wider vectors first, then fewer wavefronts.
    const auto cost = [](const SwizzledBuffer& one) {
      const int write = one.write.vector_bits;
      const int read = one.read.vector_bits;
      return std::tuple(-std::min(write, read), -(write + read),
                        one.write.wavefronts + one.read.wavefronts);
    };
    return cost(*best) <= cost(*none) ? kHolds : test::found("worse than none");
  });
}

}  // namespace
}  // namespace heddle::analyze
