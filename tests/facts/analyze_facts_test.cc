// Analyses against what Triton's own tests say (analyses.jsonl), and against its rule for shared
// layouts on 200 pairs of register layouts of its encodings (register_pairs.jsonl, written by
// register_pairs.py).

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/published_rule.h"
#include "analyze/simulation.h"
#include "heddle/analyze/optimal_swizzle.h"
#include "heddle/linear/encoding.h"
#include "support/facts.h"

namespace heddle::analyze {
namespace {

using Json = nlohmann::json;
using linear::LinearLayout;

Json row(const std::string& id) {
  for (Json& candidate : test::fact_rows("analyses.jsonl")) {
    if (candidate.at("id") == id) return candidate;
  }
  throw std::invalid_argument("no fact " + id);
}

TEST(AnalyzeFacts, TheOptimalSwizzleOfTritonsTest) {
  const Json fact = row("SWZ.Test16x256U4Mma.1");
  const LinearLayout src = test::fact_layout(fact.at("in").at("src"));
  const LinearLayout dst = test::fact_layout(fact.at("in").at("dst"));
  const Json& expect = fact.at("expect");
  const SwizzledBuffer buffer = optimal_swizzle(src, dst, fact.at("args").at("bitwidth")).value();
  EXPECT_EQ(buffer.write.wavefronts - buffer.write.ideal, expect.at("writeConflicts"));
  EXPECT_EQ(buffer.read.wavefronts - buffer.read.ideal, expect.at("readConflicts"));
  const int wanted = 1 << expect.at("log2VectorElems").get<int>();
  EXPECT_GE(std::min(buffer.write.vector_elements, buffer.read.vector_elements), wanted);
}

/// The extra wavefronts of each wavefront, and the vectors, of a fact.
void check_conflicts(const std::string& id, const linear::Encoding& registers,
                     const linear::Encoding& shared) {
  const Json fact = row(id);
  const Json& args = fact.at("args");
  const auto shape = args.at("shape").get<std::vector<std::int64_t>>();
  const BankCounts counts =
      bank_conflicts(registers, shared, shape, args.at("bitwidth")).value().counts;
  const Json& expect = fact.at("expect");
  EXPECT_EQ(counts.wavefronts, counts.ideal * (1 + expect.at("conflictsPerWavefront").get<int>()))
      << id;
  EXPECT_EQ(counts.vector_elements, 1 << expect.at("log2VectorElems").get<int>()) << id;
}

TEST(AnalyzeFacts, TheBankConflictsOfTritonsTests) {
  check_conflicts("SWZ.bankConflicts.1", linear::BlockedEncoding{{1}, {32}, {4}, {0}, {}},
                  linear::SwizzledSharedEncoding{1, 1, 1, {0}, {}});
  const auto operand = [](linear::Sizes warps, std::int64_t k_width) {
    return linear::dot_operand_of(linear::NvidiaMmaEncoding{2, 0, std::move(warps), {16, 8}, {}}, 1,
                                  k_width);
  };
  linear::NvmmaSharedEncoding bytes_32;
  bytes_32.swizzling_byte_width = 32;
  bytes_32.element_bit_width = 8;
  check_conflicts("SWZ.bankConflicts.6", operand({1, 4}, 1), bytes_32);
  linear::NvmmaSharedEncoding plain;
  check_conflicts("SWZ.bankConflicts.10", operand({2, 4}, 2), plain);
}

/// Least is best.
using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// By simulation alone.
Rank simulated(const LinearLayout& src, const LinearLayout& dst, const LinearLayout& shared,
               int bits) {
  const auto write = test::simulated_counts(make_access(src, shared, bits).value());
  const auto read = test::simulated_counts(make_access(dst, shared, bits).value());
  return {-std::min(write.vector, read.vector), -(write.vector + read.vector),
          write.wavefronts + read.wavefronts};
}

/// The coordinates that the bits of a flat output stand for.
std::vector<std::int64_t> coordinates(const LinearLayout& layout, std::uint64_t flat) {
  std::vector<std::int64_t> result;
  for (const linear::Dimension& dim : layout.out_dims()) {
    result.push_back(static_cast<std::int64_t>(flat) % dim.size());
    flat /= static_cast<std::uint64_t>(dim.size());
  }
  return result;
}

LinearLayout shared_layout(const std::vector<std::uint64_t>& bases, const LinearLayout& like) {
  linear::Bases offsets = {{"offset", {}}, {"block", {}}};
  for (const std::uint64_t base : bases) offsets[0].vectors.push_back(coordinates(like, base));
  return LinearLayout::make(offsets, like.out_dim_sizes()).value();
}

std::string text_of(const Rank& rank) {
  const auto& [least, sum, wavefronts] = rank;
  return "vectors " + std::to_string(-least) + " and " + std::to_string(least - sum) + ", " +
         std::to_string(wavefronts) + " wavefronts";
}

TEST(AnalyzeFacts, OnPairsOfTritonsEncodingsTheSwizzleIsNeverWorseThanByItsRule) {
  int pairs = 0;
  int better = 0;
  for (const Json& pair : test::fact_rows("register_pairs.jsonl")) {
    SCOPED_TRACE(pair.at("id").get<std::string>() + ": " + pair.at("note").get<std::string>());
    const LinearLayout src = test::fact_layout(pair.at("src"));
    const LinearLayout dst = test::fact_layout(pair.at("dst"));
    const int bits = pair.at("bits");
    const auto buffer = optimal_swizzle(src, dst, bits);
    ASSERT_TRUE(buffer || buffer.error().code() == "analyze.sub_byte") << buffer.error();
    const auto rule = shared_layout(test::PublishedRule(src, dst, bits).offset_bases(), src);
    ASSERT_TRUE(rule.is_invertible());
    const Rank theirs = simulated(src, dst, rule, bits);
    ++pairs;
    if (!buffer) {
      // Elements of less than a byte that no layout puts together: the rule cannot either.
      EXPECT_EQ(std::get<0>(theirs), 0);
      continue;
    }
    const Rank ours = simulated(src, dst, buffer->layout, bits);
    EXPECT_LE(ours, theirs) << "ours " << text_of(ours) << "; by the rule " << text_of(theirs);
    if (ours < theirs) ++better;
  }
  EXPECT_EQ(pairs, 200);
  RecordProperty("better", better);
  std::cout << "better than the rule on " << better << " of " << pairs << " pairs\n";
}

}  // namespace
}  // namespace heddle::analyze
