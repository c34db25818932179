// Bank conflicts: known cases, and equality with a plain simulation on random accesses.

#include "heddle/analyze/banks.h"

#include <gtest/gtest.h>

#include "analyze/random_layouts.h"
#include "analyze/simulation.h"
#include "heddle/cute/composed_layout.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::analyze {
namespace {

using test::Finding;
using test::kHolds;
using test::kSaysNothing;
using test::Operands;
using test::Random;

std::vector<std::int64_t> lane_bytes(std::int64_t stride) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t lane = 0; lane < kWarpLanes; ++lane) bytes.push_back(lane * stride);
  return bytes;
}

std::vector<std::int64_t> wavefronts(const std::vector<Phase>& phases) {
  std::vector<std::int64_t> result;
  for (const Phase& phase : phases) result.push_back(phase.wavefronts);
  return result;
}

using Counts = std::vector<std::int64_t>;

TEST(BankPhases, StridesOfWordsCollideByTheirPowersOfTwo) {
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(4), 4).value()), Counts{1});
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(8), 4).value()), Counts{2});
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(12), 4).value()), Counts{1});
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(128), 4).value()), Counts{32});
}

TEST(BankPhases, OneWordIsReadOnceForAllLanes) {
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(0), 4).value()), Counts{1});
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(1), 1).value()), Counts{1});
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(2), 2).value()), Counts{1});
}

TEST(BankPhases, WideAccessesGoByHalfAndQuarterWarps) {
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(8), 8).value()), (Counts{1, 1}));
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(16), 16).value()), (Counts{1, 1, 1, 1}));
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(64), 16).value()), (Counts{4, 4, 4, 4}));
  EXPECT_EQ(wavefronts(bank_phases(lane_bytes(136), 8).value()), (Counts{1, 1}));
}

TEST(BankPhases, ConflictsNameBankWordsAndLanes) {
  const Phase phase = bank_phases(lane_bytes(64), 4).value().front();
  EXPECT_EQ(phase.wavefronts, 16);
  ASSERT_EQ(phase.conflicts.size(), 2U);
  EXPECT_EQ(phase.conflicts[1].bank, 16);
  EXPECT_EQ(phase.conflicts[1].words.front(), (TouchedWord{16, {1}}));
  EXPECT_EQ(phase.conflicts[1].words.back(), (TouchedWord{496, {31}}));
}

TEST(BankPhases, RefusesWhatNoWarpDoes) {
  EXPECT_EQ(bank_phases(std::vector<std::int64_t>(33), 4).error().code(), "analyze.lanes");
  EXPECT_EQ(bank_phases({}, 4).error().code(), "analyze.lanes");
  EXPECT_EQ(bank_phases(lane_bytes(4), 6).error().code(), "analyze.access_bytes");
  EXPECT_EQ(bank_phases(lane_bytes(4), 12).error().code(), "analyze.machine");
  EXPECT_EQ(bank_phases(lane_bytes(4), 8).error().code(), "analyze.unaligned");
  EXPECT_EQ(bank_phases(lane_bytes(-4), 4).error().code(), "analyze.unaligned");
}

BankCounts counts_of(std::string_view tv, std::string_view shared, int bits,
                     int max_bits = kMaxAccessBits) {
  return bank_conflicts(cute::index_map(test::layout(tv)), cute::index_map(test::layout(shared)),
                        bits, max_bits)
      .value()
      .counts;
}

TEST(BankConflicts, ColumnsOfARowMajorTileCollideUnlessPadded) {
  // Thread t reads row t of 32 x 32 floats: together the threads read a column.
  EXPECT_EQ(counts_of("(32,32):(1,32)", "(32,32):(32,1)", 32, 32),
            (BankCounts{1, 32, 32, 1024, 32}));
  EXPECT_EQ(counts_of("(32,32):(1,32)", "(32,32):(32,1)", 32), (BankCounts{4, 128, 8, 256, 32}));
  EXPECT_EQ(counts_of("(32,32):(1,32)", "(32,32):(33,1)", 32), (BankCounts{1, 32, 32, 32, 32}));
}

TEST(BankConflicts, VectorsAreFoundInAnyOrderOfTheValues) {
  EXPECT_EQ(counts_of("(32,8):(8,1)", "256:1", 16), (BankCounts{8, 128, 1, 4, 4}));
  EXPECT_EQ(counts_of("(32,(2,4)):(8,(4,1))", "256:1", 16), (BankCounts{8, 128, 1, 4, 4}));
  // At address 4 + 8t no vector of 8 elements is aligned.
  const Access shifted{32, 4, 16, [] {
                         std::vector<std::int64_t> addresses;
                         for (int v = 0; v < 4; ++v)
                           for (int t = 0; t < 32; ++t) addresses.push_back(4 + 8 * t + v);
                         return addresses;
                       }()};
  EXPECT_EQ(bank_conflicts(shifted).value().counts.vector_elements, 4);
  EXPECT_EQ(bank_conflicts(shifted, 32).value().counts.vector_elements, 2);
}

TEST(BankConflicts, SwizzledAtomOf128BytesIsFreeOfConflictsForRowsOf16Bytes) {
  const auto access = cute::index_map(test::layout("(32,8):(1,64)"));
  const auto shared = cute::index_map(test::composed("Sw<3,3,3> o 0 o (64,64):(64,1)"));
  const BankReport report = bank_conflicts(access, shared, 16).value();
  EXPECT_EQ(report.counts, (BankCounts{8, 128, 1, 4, 4}));
  const auto plain = cute::index_map(test::layout("(64,64):(64,1)"));
  const BankReport worse = bank_conflicts(access, plain, 16).value();
  EXPECT_EQ(worse.counts, (BankCounts{8, 128, 1, 32, 4}));
  EXPECT_EQ(worse.phases(worse.worst()).front().conflicts.front().words.size(), 8U);
}

TEST(BankConflicts, ElementsOfLessThanAByteMustPairUp) {
  EXPECT_EQ(counts_of("(32,8):(8,1)", "256:1", 4), (BankCounts{8, 32, 1, 1, 1}));
  const auto access = cute::index_map(test::layout("(32,8):(1,32)"));
  const auto shared = cute::index_map(test::layout("256:1"));
  EXPECT_EQ(bank_conflicts(access, shared, 4).error().code(), "analyze.sub_byte");
  EXPECT_EQ(bank_conflicts(access, shared, 6).error().code(), "analyze.element_bits");
  EXPECT_EQ(bank_conflicts(access, shared, 256).error().code(), "analyze.element_bits");
}

/// Any access: a strided one of random layouts, sometimes swizzled.
Access strided_access(Random& random) {
  const int bits = 8 << random.between(0, 4);
  while (true) {
    const std::int64_t threads = random.chance(70) ? 32 : random.between(1, 80);
    const auto lane = test::positive_layout(random, threads);
    const auto value = test::positive_layout(random, 16);
    const std::int64_t scale = random.one_of<std::int64_t>({1, 1, 2, 4, 8, 16});
    Access access{test::size(lane), test::size(value), bits, {}};
    for (std::int64_t v = 0; v < access.values; ++v) {
      for (std::int64_t t = 0; t < access.threads; ++t) {
        access.addresses.push_back(test::evaluate(lane, t) * scale + test::evaluate(value, v));
      }
    }
    return access;
  }
}

Finding agrees(const Access& access, int max_bits = kMaxAccessBits) {
  const auto report = bank_conflicts(access, max_bits);
  const test::SimulatedCounts wanted = test::simulated_counts(access, max_bits);
  if (wanted.vector == 0) {
    return report ? test::found("not refused") : kHolds;
  }
  if (!report) return test::found("refused: ", report.error());
  const BankCounts& got = report->counts;
  if (got.vector_elements == wanted.vector && got.requests == wanted.requests &&
      got.wavefronts == wanted.wavefronts)
    return kHolds;
  return test::found("vectors of ", got.vector_elements, ", ", got.requests, " requests, ",
                     got.wavefronts, " wavefronts; simulated ", wanted.vector, ", ",
                     wanted.requests, ", ", wanted.wavefronts);
}

TEST(BankConflicts, OfStridedAccessesAreThoseOfTheSimulation) {
  test::for_all_seeds(
      [](Random& random) { return agrees(strided_access(random), 8 << random.between(0, 4)); });
}

TEST(BankConflicts, PhasesAddUpToTheWavefronts) {
  test::for_all_seeds([](Random& random) -> Finding {
    const auto report = bank_conflicts(strided_access(random));
    if (!report) return kSaysNothing;
    for (std::size_t request = 0; request < report->requests.size(); ++request) {
      std::int64_t sum = 0;
      for (const Phase& phase : report->phases(request)) {
        sum += phase.wavefronts;
        if ((phase.wavefronts > 1) == phase.conflicts.empty())
          return test::found("conflicts do not fit ", phase.wavefronts, " wavefronts");
      }
      if (sum != report->wavefronts[request]) return test::found(sum, " by phases");
    }
    return kHolds;
  });
}

TEST(BankConflicts, OfLinearLayoutsAreThoseOfTheSimulationByRankToo) {
  test::Tally several;
  test::for_all_seeds([&](Random& random) -> Finding {
    const int size = static_cast<int>(random.between(5, 10));
    const auto registers = test::random_registers(random, size, random.chance(40));
    const auto shared = test::random_shared(random, size, random.chance(60));
    const int bits = 1 << random.between(2, 7);
    const Access access = make_access(registers, shared, bits).value();
    if (const Finding finding = agrees(access)) return finding;
    const auto counts = bank_counts(register_offsets(registers, shared).value(), bits);
    const auto report = bank_conflicts(access);
    if (counts.has_value() != report.has_value()) return test::found("one of the two is refused");
    if (!counts) return kHolds;
    if (counts->wavefronts > counts->ideal) several.count();
    if (*counts == report->counts) return kHolds;
    return test::found("by rank ", counts->vector_elements, " ", counts->requests, " ",
                       counts->wavefronts, " ", counts->ideal, "; counted ",
                       report->counts.vector_elements, " ", report->counts.requests, " ",
                       report->counts.wavefronts, " ", report->counts.ideal);
  });
  several.expect_at_least(20);
}

}  // namespace
}  // namespace heddle::analyze
