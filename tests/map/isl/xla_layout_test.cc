#include "heddle/map/xla_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heddle/map/shards.h"
#include "support/law.h"
#include "support/random.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;

using Indices = std::vector<std::int64_t>;

/// The offset as XLA defines it: the index in the order of memory, cut by one tile after the other.
std::int64_t plain_offset(const XlaLayout& layout, const Indices& shape, const Indices& point) {
  Indices extents;
  Indices index;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto dim = static_cast<std::size_t>(layout.minor_to_major[i]);
    extents.push_back(shape[dim]);
    index.push_back(point[dim]);
  }
  for (const Indices& tile : layout.tiles) {
    std::size_t at = extents.size() - tile.size();
    Indices sizes;
    Indices within;
    for (const std::int64_t size : tile) {
      if (size == XlaLayout::kCombined) {
        index[at + 1] += index[at] * extents[at + 1];
        extents[at + 1] *= extents[at];
        index.erase(index.begin() + static_cast<std::ptrdiff_t>(at));
        extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(at));
        continue;
      }
      sizes.push_back(size);
      within.push_back(index[at] % size);
      index[at] /= size;
      extents[at] = (extents[at] + size - 1) / size;
      ++at;
    }
    extents.insert(extents.end(), sizes.begin(), sizes.end());
    index.insert(index.end(), within.begin(), within.end());
  }
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) offset = offset * extents[i] + index[i];
  return offset;
}

TEST(XlaLayoutLaw, OffsetsAreThoseOfTheTiledArray) {
  for_all_seeds({.percent = 20}, [](Random& random) -> Finding {
    XlaLayout layout;
    Indices shape;
    for (std::int64_t n = random.between(1, 3); n > 0; --n) {
      layout.minor_to_major.push_back(std::ssize(shape));
      shape.push_back(random.between(1, 9));
    }
    random.shuffle(layout.minor_to_major);
    for (std::int64_t n = random.between(0, 2); n > 0; --n) {
      Indices& tile = layout.tiles.emplace_back();
      for (std::int64_t k = random.between(1, std::ssize(shape)); k > 0; --k) {
        tile.push_back(k > 1 && random.chance(20) ? XlaLayout::kCombined : random.between(1, 4));
      }
      // What a tile combines is missing for the next one.
      if (layout.tiles.size() == 2 && std::ranges::count(layout.tiles[0], XlaLayout::kCombined) > 0)
        tile = {tile.back()};
    }
    const std::vector<Int> extents(shape.begin(), shape.end());
    const Result<AnyLayout> got = offsets(layout, extents);
    if (!got) return found(layout, ": ", got.error());
    const Result<form::IndexMap> map = index_map(*got);
    if (!map) return found(layout, ": ", map.error());
    Indices point(shape.size(), 0);
    while (true) {
      const std::vector<Int> at(point.begin(), point.end());
      const Result<std::vector<std::vector<Int>>> image = evaluate(*got, at);
      const Int wanted = plain_offset(layout, shape, point);
      if (!image) return found(layout, ": ", image.error());
      if (image->size() != 1 || image->front().front() != wanted) {
        return found(layout, ", ", *got, ": wanted ", wanted);
      }
      std::size_t i = 0;
      while (i < shape.size() && ++point[i] == shape[i]) point[i++] = 0;
      if (i == shape.size()) return kHolds;
    }
  });
}

TEST(XlaLayout, IsAsDocumented) {
  const std::vector<Int> even = {16, 256};
  EXPECT_EQ(to_string(*offsets({{1, 0}, {{8, 128}}}, even)),
            "((8,2),(128,2)):((128,2048),(1,1024))");
  const std::vector<Int> padded = {10, 128};
  EXPECT_EQ(system_of(*offsets({{1, 0}, {{8, 128}}}, padded)), System::kRelation);
  const std::vector<Int> combined = {2, 7, 8, 11, 10};
  EXPECT_EQ(to_string(*offsets({{4, 3, 2, 1, 0}, {{-1, -1, 2, -1, 5}}}, combined)),
            "(2,7,(2,4),11,(5,2)):(6160,880,(5,220),20,(1,10))");
  const std::vector<Int> cube = {4, 4, 4};
  EXPECT_EQ(offsets({{2, 1, 0}, {{-1, -1, 4}, {2, 2, 2}}}, cube).error().code(), "xla.layout");
  EXPECT_EQ(to_string(XlaLayout{{1, 0}, {{8, 128}, {2, 1}}, "S(1)"}), "{1,0:T(8,128)(2,1)S(1)}");
}

TEST(Shards, AreThePiecesOfARelation) {
  const axe::Placements placements = {axe::Placement::shard(0), axe::Placement::replicate()};
  const axe::Sharding sharding{placements, *axe::Mesh::make({4, 2}, {}, {7, 6, 5, 4, 3, 2, 1, 0}),
                               std::vector<Int>{10, 3}};
  const auto shards = axe::shards_of(sharding);
  ASSERT_TRUE(shards);
  const Result<IntegerRelation> got = relation(*shards);
  ASSERT_TRUE(got) << got.error();
  for (std::int64_t row = 0; row < 10; ++row) {
    for (std::int64_t column = 0; column < 3; ++column) {
      const std::vector<Int> point = {row, column};
      const Int place = row % 3 * 3 + column;
      const std::int64_t first = 7 - row / 3 * 2;
      const std::vector<std::vector<Int>> wanted = {{first - 1, place}, {first, place}};
      EXPECT_EQ(*images(*got, point), wanted) << row << " " << column;
    }
  }
}

}  // namespace
}  // namespace heddle::map
