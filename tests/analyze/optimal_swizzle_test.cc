// Optimal swizzles: known ones, the promise of the header on random layouts, and never worse than
// Triton's rule.

#include "heddle/analyze/optimal_swizzle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "analyze/random_layouts.h"
#include "analyze/simulation.h"
#include "support/law.h"

namespace heddle::analyze {
namespace {

using linear::LinearLayout;
using test::Finding;
using test::kHolds;
using test::Operands;
using test::Random;

LinearLayout registers(const linear::Bases& bases, const linear::NamedSizes& outs) {
  return LinearLayout::make(bases, outs).value();
}

/// Least is best: the objective in its order.
using Rank = std::tuple<int, int, std::int64_t>;
Rank rank_of(const SwizzledBuffer& buffer) {
  const int write = buffer.write.vector_elements;
  const int read = buffer.read.vector_elements;
  return {-std::min(write, read), -(write + read),
          buffer.write.wavefronts + buffer.read.wavefronts};
}

std::string text_of(const SwizzledBuffer& buffer) {
  std::ostringstream stream;
  stream << "write " << buffer.write.vector_elements << " elements " << buffer.write.wavefronts
         << "/" << buffer.write.ideal << ", read " << buffer.read.vector_elements << " elements "
         << buffer.read.wavefronts << "/" << buffer.read.ideal << "\n"
         << buffer.layout;
  return stream.str();
}

TEST(OptimalSwizzle, OfATransposeOfRowsOfHalvesIsFreeOfConflicts) {
  // 32 x 8 lanes pieces of 8 along a row, against pieces of 8 along a column.
  const auto rows = registers({{"register", {{0, 1}, {0, 2}, {0, 4}}},
                               {"lane", {{0, 8}, {0, 16}, {0, 32}, {1, 0}, {2, 0}}},
                               {"warp", {{4, 0}, {8, 0}}}},
                              {{"dim0", 16}, {"dim1", 64}});
  const auto pairs = registers({{"register", {{0, 1}, {8, 0}, {0, 8}}},
                                {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
                                {"warp", {{0, 16}, {0, 32}}}},
                               {{"dim0", 16}, {"dim1", 64}});
  const SwizzledBuffer buffer = optimal_swizzle(rows, pairs, 16).value();
  EXPECT_EQ(buffer.write.vector_elements, 8);
  EXPECT_EQ(buffer.read.vector_elements, 2);
  EXPECT_TRUE(buffer.write.is_conflict_free()) << text_of(buffer);
  EXPECT_TRUE(buffer.read.is_conflict_free()) << text_of(buffer);
  EXPECT_EQ(buffer.bytes, 2048);
}

TEST(OptimalSwizzle, OfOneLayoutWithItselfIsWideAndFree) {
  const auto rows = registers({{"register", {{1}, {2}}}, {"lane", {{4}, {8}, {16}, {32}, {64}}}},
                              {{"dim0", 128}});
  const SwizzledBuffer buffer = optimal_swizzle(rows, rows, 32).value();
  EXPECT_EQ(buffer.write, (BankCounts{4, 128, 1, 4, 4}));
  EXPECT_EQ(buffer.read, buffer.write);
}

TEST(OptimalSwizzle, HasTheNumbersThatTheSimulationCounts) {
  test::for_all_seeds([](Random& random) -> Finding {
    const int size = static_cast<int>(random.between(5, 10));
    const auto src = test::random_registers(random, size, random.chance(40));
    const auto dst = test::random_registers(random, size, random.chance(40));
    const int bits = 1 << random.between(3, 7);
    const auto buffer = optimal_swizzle(src, dst, bits);
    if (!buffer) return test::found("refused: ", buffer.error());
    if (!buffer->layout.is_invertible()) return test::found("not invertible");
    const auto written = test::simulated_counts(make_access(src, buffer->layout, bits).value());
    const auto read = test::simulated_counts(make_access(dst, buffer->layout, bits).value());
    if (written.vector == buffer->write.vector_elements &&
        written.wavefronts == buffer->write.wavefronts &&
        read.vector == buffer->read.vector_elements && read.wavefronts == buffer->read.wavefronts)
      return kHolds;
    return test::found(text_of(*buffer));
  });
}

TEST(OptimalSwizzle, NoRandomLayoutIsBetter) {
  test::Tally close;
  test::for_all_seeds([&](Random& random) -> Finding {
    const int size = static_cast<int>(random.between(5, 8));
    const bool mixed = random.chance(30);
    const auto src = test::random_registers(random, size, mixed);
    const auto dst = test::random_registers(random, size, mixed);
    const int bits = 1 << random.between(3, 7);
    const SwizzledBuffer best = optimal_swizzle(src, dst, bits).value();
    for (int attempt = 0; attempt < 15; ++attempt) {
      const auto shared = test::random_shared(random, size, random.chance(50));
      const auto other = buffer_costs(src, dst, shared, bits);
      if (!other) continue;
      if (rank_of(*other) == rank_of(best)) close.count();
      if (rank_of(*other) < rank_of(best))
        return test::found("found ", text_of(best), "\nbetter is ", text_of(*other), "\nsrc\n", src,
                           "\ndst\n", dst);
    }
    return kHolds;
  });
  close.expect_at_least(10);
}

TEST(OptimalSwizzle, OfAccessesToPartsOfATileIsForTheWholeTile) {
  const auto row =
      registers({{"register", {}}, {"lane", {{1}, {2}, {4}, {8}, {16}}}}, {{"dim0", 1024}});
  const auto column =
      registers({{"register", {}}, {"lane", {{32}, {64}, {128}, {256}, {512}}}}, {{"dim0", 1024}});
  const SwizzledBuffer buffer = optimal_swizzle(row, column, 32).value();
  EXPECT_TRUE(buffer.layout.is_invertible());
  EXPECT_EQ(buffer.write, (BankCounts{1, 32, 1, 1, 1}));
  EXPECT_EQ(buffer.read, buffer.write);
}

/// Calls visit with every invertible shared layout of 2^bits elements.
template <class Visit>
void for_each_shared(int bits, linear::Bases& bases, std::vector<bool> reached, Visit visit) {
  auto& columns = bases[0].vectors;
  if (static_cast<int>(columns.size()) == bits) {
    visit(LinearLayout::make(bases, linear::NamedSizes{{"dim0", std::int64_t{1} << bits}}).value());
    return;
  }
  for (std::size_t column = 1; column < reached.size(); ++column) {
    if (reached[column]) continue;
    std::vector<bool> more = reached;
    for (std::size_t other = 0; other < reached.size(); ++other) {
      if (reached[other]) more[other ^ column] = true;
    }
    columns.push_back({static_cast<std::int64_t>(column)});
    for_each_shared(bits, bases, more, visit);
    columns.pop_back();
  }
}

TEST(OptimalSwizzle, IsTheBestOfAllLayoutsOfSixteenElements) {
  Random random(test::property_seed());
  // Six rounds have each size of elements with tensors of each kind.
  for (int round = 0; round < 6; ++round) {
    // Of 64 and 128 bits, so that 16 elements are more than the banks hold in one row.
    const int bits = 64 << (round % 2);
    const int lane_bits = static_cast<int>(random.between(1, 3));
    const auto src = test::random_registers(random, 4, round % 3 == 0, lane_bits);
    const auto dst = test::random_registers(random, 4, round % 3 == 0, lane_bits);
    const SwizzledBuffer best = optimal_swizzle(src, dst, bits).value();
    linear::Bases bases = {{"offset", {}}, {"block", {}}};
    std::vector<bool> reached(16);
    reached[0] = true;
    for_each_shared(4, bases, reached, [&](const LinearLayout& shared) {
      const SwizzledBuffer other = buffer_costs(src, dst, shared, bits).value();
      ASSERT_GE(rank_of(other), rank_of(best)) << text_of(best) << "\nbetter is " << text_of(other);
    });
  }
}

TEST(OptimalSwizzle, RefusesWhatSharedMemoryCannotDo) {
  const auto one =
      registers({{"register", {{1}}}, {"lane", {{2}}}, {"block", {{4}}}}, {{"dim0", 8}});
  const auto other =
      registers({{"register", {{4}}}, {"lane", {{2}}}, {"block", {{1}}}}, {{"dim0", 8}});
  EXPECT_EQ(optimal_swizzle(one, other, 32).error().code(), "analyze.across_ctas");
  const auto flat = registers({{"register", {{1}}}, {"lane", {{2}, {4}}}}, {{"dim0", 8}});
  EXPECT_EQ(optimal_swizzle(one, flat, 32).error().code(), "analyze.across_ctas");
  const auto other_tensor = registers({{"register", {{1}}}, {"lane", {{2}}}}, {{"dim0", 4}});
  EXPECT_EQ(optimal_swizzle(flat, other_tensor, 32).error().code(), "analyze.dims");
  EXPECT_EQ(optimal_swizzle(flat, flat, 24).error().code(), "analyze.element_bits");
  const auto lanes = registers({{"register", {}}, {"lane", {{1}, {2}, {4}}}}, {{"dim0", 8}});
  EXPECT_EQ(optimal_swizzle(lanes, flat, 4).error().code(), "analyze.sub_byte");
}

}  // namespace
}  // namespace heddle::analyze
