#pragma once

// Memory traffic once more, as plainly as possible: sets of words and bytes, and neighbours looked
// for among all values. It is the second opinion of the tests and shares no code with the library.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "heddle/analyze/access.h"

namespace heddle::test {

/// The wavefronts of one instruction.
[[nodiscard]] inline std::int64_t simulated_wavefronts(const std::vector<std::int64_t>& lane_bytes,
                                                       int bytes) {
  const std::size_t together = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  std::int64_t wavefronts = 0;
  for (std::size_t first = 0; first < lane_bytes.size(); first += together) {
    std::map<std::int64_t, std::set<std::int64_t>> words_of_bank;
    for (std::size_t lane = first; lane < std::min(first + together, lane_bytes.size()); ++lane) {
      for (int byte = 0; byte < bytes; ++byte) {
        const std::int64_t word = (lane_bytes[lane] + byte) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
    wavefronts += static_cast<std::int64_t>(most);
  }
  return wavefronts;
}

struct SimulatedCounts {
  std::int64_t vector = 0;
  std::int64_t requests = 0;
  std::int64_t wavefronts = 0;
};

/// The widest vectors found by trying; vector 0 where there are none of whole bytes.
[[nodiscard]] inline SimulatedCounts simulated_counts(const analyze::Access& access,
                                                      int max_bits = 128) {
  const auto same = [&](std::int64_t v, std::int64_t u, std::int64_t distance) {
    for (std::int64_t t = 0; t < access.threads; ++t) {
      if (access.address(t, v) + distance != access.address(t, u)) return false;
    }
    return true;
  };
  std::vector<std::int64_t> values;
  for (std::int64_t v = 0; v < access.values; ++v) {
    if (std::ranges::none_of(values, [&](std::int64_t u) { return same(u, v, 0); }))
      values.push_back(v);
  }
  for (std::int64_t vector = max_bits / access.element_bits; vector * access.element_bits >= 8;
       vector /= 2) {
    std::vector<std::int64_t> firsts;
    std::set<std::int64_t> covered;
    for (const std::int64_t v : values) {
      bool is_first = true;
      for (std::int64_t t = 0; t < access.threads; ++t)
        is_first = is_first && access.address(t, v) % vector == 0;
      std::set<std::int64_t> members;
      for (std::int64_t distance = 0; is_first && distance < vector; ++distance) {
        for (const std::int64_t u : values) {
          if (same(v, u, distance)) members.insert(u);
        }
      }
      if (!is_first || static_cast<std::int64_t>(members.size()) != vector) continue;
      firsts.push_back(v);
      covered.insert(members.begin(), members.end());
    }
    if (covered.size() != values.size()) continue;
    SimulatedCounts counts{vector, 0, 0};
    for (std::int64_t warp = 0; warp * 32 < access.threads; ++warp) {
      for (const std::int64_t v : firsts) {
        std::vector<std::int64_t> bytes;
        for (std::int64_t t = warp * 32; t < std::min(warp * 32 + 32, access.threads); ++t)
          bytes.push_back(access.address(t, v) * access.element_bits / 8);
        ++counts.requests;
        counts.wavefronts +=
            simulated_wavefronts(bytes, static_cast<int>(vector) * access.element_bits / 8);
      }
    }
    return counts;
  }
  return {};
}

}  // namespace heddle::test
