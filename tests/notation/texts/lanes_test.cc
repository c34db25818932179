// The lanes of encodings: as many as the text of an encoding says, for every family.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "heddle/linear/encoding.h"
#include "heddle/notation/triton.h"
#include "support/facts.h"

namespace heddle::notation {
namespace {

/// The lanes that the text states, or that the instruction of its family has; nullopt for those
/// that say nothing of lanes.
std::optional<std::int64_t> stated_lanes(const std::string& text) {
  std::smatch found;
  if (std::regex_search(text, found, std::regex(R"(threadsPerWarp ?= ?\[?([0-9, ]+))"))) {
    std::int64_t lanes = 1;
    const std::string list = found[1];
    const std::regex number("[0-9]+");
    for (std::sregex_iterator each(list.begin(), list.end(), number), end; each != end; ++each) {
      lanes *= std::stoll(each->str());
    }
    return lanes;
  }
  if (text.find("amd_mfma") != std::string::npos) return 64;
  const bool has_32 =
      text.find("amd_wmma") != std::string::npos || text.find("nvidia_mma") != std::string::npos;
  return has_32 ? std::optional<std::int64_t>(32) : std::nullopt;
}

/// The kind of an encoding that has a layout, if its lanes were compared with those stated.
std::optional<std::string> compared_kind(const std::string& text, std::int64_t size) {
  const auto encoding = parse_encoding(text);
  const auto lanes = stated_lanes(text);
  if (!encoding || !encoding->is_distributed()) return std::nullopt;
  const linear::Sizes shape(encoding->rank(), size);
  const auto layout = linear::to_linear_layout(*encoding, shape);
  if (!layout || !lanes) return std::nullopt;
  EXPECT_EQ(layout->in_dim_size("lane").value(), *lanes) << text;
  return encoding->kind();
}

TEST(Lanes, OfEveryEncodingInTheCorpusAreThoseThatItStates) {
  std::set<std::string> kinds;
  for (const auto& row : test::fact_rows("corpus/triton.jsonl")) {
    if (row.at("k") != "attr") continue;
    for (const std::int64_t size : {1, 16, 64}) {
      if (const auto kind = compared_kind(row.at("t"), size)) kinds.insert(*kind);
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"amd_mfma", "amd_wmma", "blocked", "dot_op", "dpas",
                                          "nvidia_mma", "slice"}));
}

/// Every number of lanes for every size of Intel's instructions, in results, operands and slices.
TEST(Lanes, OfIntelsEncodingsAreThoseThatTheyState) {
  int compared = 0;
  for (const int lanes : {1, 2, 4, 8, 16, 32, 64}) {
    for (const int execution : {8, 16}) {
      for (const int ops : {1, 2, 4}) {
        const std::string dpas =
            "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = " +
            std::to_string(execution) + ", opsPerChan = " + std::to_string(ops) +
            ", threadsPerWarp = " + std::to_string(lanes) +
            ", warpsPerCTA = [2, 1], repCluster = [1, 1]}>";
        const std::string block =
            "#ttig.subgroup_2d_block<{warpsPerCTA = [2, 1], instrShape = [8, " +
            std::to_string(execution) + "], numBlocks = " + std::to_string(ops) +
            ", order = [1, 0], kWidth = 1, " + "threadsPerWarp = " + std::to_string(lanes) + "}>";
        for (const std::string& text :
             {dpas, block, "#ttg.dot_op<{opIdx = 0, parent = " + dpas + ", kWidth = 0}>",
              "#ttg.dot_op<{opIdx = 1, parent = " + dpas + ", kWidth = 0}>",
              "#ttg.slice<{dim = 0, parent = " + dpas + "}>"}) {
          if (compared_kind(text, 64)) ++compared;
        }
      }
    }
  }
  EXPECT_GE(compared, 80);
}

}  // namespace
}  // namespace heddle::notation
