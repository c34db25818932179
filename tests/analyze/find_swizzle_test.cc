// Swizzles and paddings found for CuTe layouts.

#include "heddle/analyze/find_swizzle.h"

#include <gtest/gtest.h>

#include "analyze/simulation.h"
#include "heddle/cute/thread_value.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::analyze {
namespace {

form::IndexMap access(std::string_view tv) { return cute::index_map(test::layout(tv)); }

SwizzleSearch found(std::string_view layout, const std::vector<form::IndexMap>& accesses,
                    int bits) {
  return find_swizzle(test::layout(layout), accesses, bits).value();
}

TEST(FindSwizzle, RowsOf16BytesNeedTheSwizzleOf128Bytes) {
  const SwizzleSearch search = found("(64,64):(64,1)", {access("(32,8):(1,64)")}, 16);
  EXPECT_EQ(wavefronts_of(search.plain), 32);
  EXPECT_EQ(to_string(search.swizzled_layout()), "Sw<3,3,3> o 0 o (64,64):(64,1)");
  EXPECT_EQ(search.swizzled.counts.front(), (BankCounts{8, 128, 1, 4, 4}));
  ASSERT_TRUE(search.padded);
  EXPECT_EQ(to_string(search.padded->layout), "(64,64):(72,1)");
  EXPECT_EQ(search.padded->wavefronts(), 4);
  ASSERT_TRUE(search.linear);
  EXPECT_TRUE(search.linear->read.is_conflict_free());
}

TEST(FindSwizzle, ATransposeOfFloatsIsWrittenByRowsAndReadByColumns) {
  const SwizzleSearch search =
      found("(32,32):(32,1)", {access("(32,1):(32,0)"), access("(32,1):(1,0)")}, 32);
  EXPECT_EQ(wavefronts_of(search.plain), 33);
  EXPECT_EQ(to_string(search.swizzled_layout()), "Sw<5,0,5> o 0 o (32,32):(32,1)");
  EXPECT_EQ(search.swizzled.wavefronts(), 2);
  EXPECT_EQ(to_string(search.padded->layout), "(32,32):(33,1)");
  EXPECT_EQ(search.padded->wavefronts(), 2);
}

TEST(FindSwizzle, WhatIsFreeOfConflictsStaysAsItIs) {
  const SwizzleSearch search = found("(32,32):(32,1)", {access("(32,1):(32,0)")}, 32);
  EXPECT_EQ(to_string(search.swizzled_layout()), "(32,32):(32,1)");
  EXPECT_GT(search.swizzles_tried, 50);
  EXPECT_GT(search.paddings_tried, 31);
}

TEST(FindSwizzle, ATileThatIsNoPowerOfTwoHasTheSwizzlesOfItsPart) {
  // 96 x 24 floats: 2304 = 9 * 256 elements, so swizzles of at most 8 bits.
  const SwizzleSearch search = found("(96,24):(24,1)", {access("(32,1):(1,0)")}, 32);
  EXPECT_LE(search.swizzled.wavefronts(), wavefronts_of(search.plain));
  const std::set<std::int64_t> reached = [&] {
    std::set<std::int64_t> indices;
    const auto map = cute::index_map(search.swizzled_layout());
    for (std::int64_t i = 0; i < 96 * 24; ++i) indices.insert(map.at(i).front().value());
    return indices;
  }();
  EXPECT_EQ(reached.size(), 96U * 24U);
  EXPECT_EQ(*reached.rbegin(), 96 * 24 - 1);
  EXPECT_FALSE(search.linear);
}

TEST(FindSwizzle, NoSwizzleThatFitsIsBetter) {
  // Once more by hand: all parameters, the composed layout evaluated by its index map.
  const cute::Layout layout = test::layout("(16,32):(32,1)");
  for (const char* tv : {"(32,2):(1,32)", "((4,8),2):((32,1),16)", "((8,4),4):((2,64),16)"}) {
    const std::vector<form::IndexMap> accesses = {access(tv)};
    const SwizzleSearch search = find_swizzle(layout, accesses, 32).value();
    for (int bits = 0; bits <= 4; ++bits) {
      for (int base = 0; base <= 9; ++base) {
        for (int shift = -9; shift <= 9; ++shift) {
          const auto swizzle = cute::Swizzle::make(bits, base, shift);
          if (!swizzle || swizzle->size() > 512) continue;
          const auto composed = cute::composition(*swizzle, layout).value();
          const auto touched = make_access(accesses[0], cute::index_map(composed), 32).value();
          EXPECT_GE(test::simulated_counts(touched).wavefronts, search.swizzled.wavefronts())
              << tv << " under " << to_string(composed);
        }
      }
    }
  }
}

/// Of a map that is given by its values alone the swizzles are those of the strided layout.
TEST(FindSwizzle, OfAMapIsThatOfTheLayout) {
  const cute::Layout layout = test::layout("(32,32):(32,1)");
  const std::vector<form::IndexMap> accesses = {access("(32,1):(32,0)"), access("(32,1):(1,0)")};
  const SwizzleSearch strided = find_swizzle(layout, accesses, 32).value();
  const SwizzleSearch plain = find_swizzle(index_map(layout), accesses, 32).value();
  EXPECT_EQ(plain.plain, strided.plain);
  EXPECT_EQ(to_string(plain.swizzled.layout), "Sw<5,0,5>");
  EXPECT_EQ(plain.swizzled.counts, strided.swizzled.counts);
  EXPECT_EQ(plain.swizzles_tried, strided.swizzles_tried);
  ASSERT_TRUE(plain.linear);
  EXPECT_EQ(plain.linear->read, strided.linear->read);
}

/// Lanes that read 16 bytes each, and columns of pairs: without regard to the vectors a swizzle of
/// single elements takes the fewest wavefronts.
TEST(FindSwizzle, KeepsVectorsUnlessItMaySplitThem) {
  const cute::Layout layout = test::layout("(32,32):(32,1)");
  const std::vector<form::IndexMap> accesses = {access("(32,4):(1,32)"), access("(32,1):(1,0)")};
  const SwizzleSearch kept = find_swizzle(layout, accesses, 32).value();
  EXPECT_EQ(kept.swizzled.counts[0].vector_bits, 128);
  EXPECT_TRUE(given_up(kept, kept.swizzled).empty());
  ASSERT_TRUE(kept.splitting);
  const SwizzleSearch split = find_swizzle(layout, accesses, 32, Splitting::kMaySplit).value();
  EXPECT_EQ(split.swizzled.layout, kept.splitting->layout);
  EXPECT_LT(split.swizzled.wavefronts(), kept.swizzled.wavefronts());
  EXPECT_FALSE(split.splitting);
  EXPECT_EQ(given_up(split, split.swizzled),
            std::vector<std::string>{"access 1 has vectors of 32 bits instead of 128"});
}

/// The fragments of an MMA, 4 bytes a lane, are rows of 16 bytes for ldmatrix.
TEST(FindSwizzle, KeepsTheRowsOfLdmatrix) {
  const std::vector<form::IndexMap> accesses = {access("((4,8),2):((128,1),64)"),
                                                access("(32,1):(1,0)")};
  const SwizzleSearch search = find_swizzle(test::layout("(64,64):(64,1)"), accesses, 16).value();
  EXPECT_EQ(search.has_matrix_rows, (std::vector<bool>{true, false}));
  EXPECT_GE(search.swizzled.layout.base(), 3);
}

TEST(FindSwizzle, RefusesWhatItCannotTry) {
  const std::vector<form::IndexMap> outside = {access("(32,4):(4,1)")};
  const auto refused = find_swizzle(test::layout("(8,8):(8,1)"), outside, 32);
  EXPECT_EQ(refused.error().code(), "analyze.outside");
}

}  // namespace
}  // namespace heddle::analyze
