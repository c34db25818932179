#include "heddle/map/shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "core/text.h"
#include "heddle/core/exact.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxShards = 1024;

bool is_empty(const axe::Shard& shard) {
  for (const auto& [begin, end] : shard.box) {
    if (begin == end) return true;
  }
  return false;
}

/// `[c0, c1] -> [gpuid = 1, m = 8*(c0 - 3) + (c1 - 0)] : 3 <= c0 < 6 and 0 <= c1 < 8`.
Result<std::string> piece_of(const axe::Shard& shard) {
  std::vector<std::string> names;
  std::vector<std::string> terms;
  std::vector<std::string> conditions;
  std::int64_t stride = 1;
  for (std::size_t dim = shard.box.size(); dim-- > 0;) {
    const auto& [begin, end] = shard.box[dim];
    names.insert(names.begin(), fmt::format("c{}", dim));
    const std::int64_t shift = begin - (shard.first.empty() ? 0 : shard.first[dim]);
    terms.push_back(fmt::format("{}*({} - {})", stride, names.front(), shift));
    conditions.push_back(fmt::format("{} <= {} < {}", begin, names.front(), end));
    const auto next = exact::multiply(stride, shard.extents[dim]);
    if (!next) return refuse("overflow", "the elements of a shard are more than 64 bits count");
    stride = *next;
  }
  if (names.empty()) return fmt::format("[] -> [gpuid = {}, m = 0]", shard.device);
  return fmt::format("[{}] -> [gpuid = {}, m = {}] : {}", fmt::join(names, ", "), shard.device,
                     fmt::join(terms, " + "), fmt::join(conditions, " and "));
}

}  // namespace

Result<IntegerRelation> relation(std::span<const axe::Shard> shards, const Limits& limits) {
  if (shards.size() > kMaxShards) {
    return refuse("relation.too_large",
                  fmt::format("uneven shards on {}; a relation of them has up to {}",
                              counted(shards.size(), "device"), kMaxShards));
  }
  std::vector<std::string> pieces;
  for (const axe::Shard& shard : shards) {
    if (is_empty(shard)) continue;
    HEDDLE_TRY(pieces.emplace_back(), piece_of(shard));
  }
  return IntegerRelation::parse(fmt::format("{{ {} }}", fmt::join(pieces, "; ")), limits);
}

}  // namespace heddle::map
