// Laws of partitions and thread-value layouts, against tensors evaluated by coordinates.

#include "heddle/cute/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/cute/product.h"
#include "heddle/cute/thread_value.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::ComposedLayout;
using cute::Coordinate;
using cute::Layout;
using cute::OffsetLayout;
using Values = std::vector<std::int64_t>;

/// A tensor of `rank` modes, a tile that divides each and the number of tiles along each: layout 0
/// is the tensor, numbers are the tile.
struct Tiling {
  Plain tensor;
  Values tile;
  Values tiles;
};

Operands tensor_and_tile(Random& random) {
  const std::int64_t rank = random.between(1, 3);
  Operands operands;
  std::vector<Plain> modes;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t tile = random.between(1, 5);
    modes.push_back(plain_leaf(tile * random.between(1, 4), random.between(-20, 90)));
    operands.numbers.push_back(tile);
  }
  operands.layouts.push_back(plain_tuple(modes));
  return operands;
}

/// Nothing where shrinking has left no tiling.
std::optional<Tiling> tiling_of(const Operands& operands) {
  Tiling tiling{operands.layouts[0], operands.numbers, {}};
  if (tiling.tensor.is_leaf() || tiling.tensor.modes.size() != tiling.tile.size()) return {};
  for (std::size_t i = 0; i < tiling.tile.size(); ++i) {
    const Plain& mode = tiling.tensor.modes[i];
    if (!mode.is_leaf() || mode.extent % tiling.tile[i] != 0) return {};
    tiling.tiles.push_back(mode.extent / tiling.tile[i]);
  }
  return tiling;
}

/// Every coordinate of a box, first mode fastest.
std::vector<Values> coordinates(const Values& box) {
  std::vector<Values> all;
  Values at(box.size(), 0);
  while (true) {
    all.push_back(at);
    std::size_t i = 0;
    while (i < box.size() && ++at[i] == box[i]) at[i++] = 0;
    if (i == box.size()) return all;
  }
}

IntTuple flat(const Values& numbers) {
  const std::vector<Int> leaves(numbers.begin(), numbers.end());
  return IntTuple::flat(leaves);
}

/// The element of the tensor at inner + tile * outer.
std::int64_t element(const Tiling& tiling, const Values& inner, const Values& outer) {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    index += (inner[i] + tiling.tile[i] * outer[i]) * tiling.tensor.modes[i].stride;
  }
  return index;
}

Values elements_of(const OffsetLayout& part) {
  Values elements = table_of(part.layout);
  for (std::int64_t& index : elements) index += part.offset.leaf().value();
  return elements;
}

TEST(LocalTile, HoldsTheElementsOfItsTile) {
  for_all(tensor_and_tile, [](const Operands& o) -> Finding {
    const auto tiling = tiling_of(o);
    if (!tiling) return kSaysNothing;
    const Layout tensor = to_layout(tiling->tensor);
    for (const Values& outer : coordinates(tiling->tiles)) {
      const Result<OffsetLayout> tile = cute::local_tile(tensor, cute::to_tiler(flat(tiling->tile)),
                                                         cute::to_coordinate(flat(outer)));
      if (!tile) return found(tile.error());
      Values wanted;
      for (const Values& inner : coordinates(tiling->tile)) {
        wanted.push_back(element(*tiling, inner, outer));
      }
      if (const Finding f = differs(elements_of(*tile), wanted)) return f;
    }
    return kHolds;
  });
}

TEST(OuterPartition, HoldsOneElementOfEveryTile) {
  for_all(tensor_and_tile, [](const Operands& o) -> Finding {
    const auto tiling = tiling_of(o);
    if (!tiling) return kSaysNothing;
    const Layout tensor = to_layout(tiling->tensor);
    for (const Values& inner : coordinates(tiling->tile)) {
      const Result<OffsetLayout> part = cute::outer_partition(
          tensor, cute::to_tiler(flat(tiling->tile)), cute::to_coordinate(flat(inner)));
      if (!part) return found(part.error());
      Values wanted;
      for (const Values& outer : coordinates(tiling->tiles)) {
        wanted.push_back(element(*tiling, inner, outer));
      }
      if (const Finding f = differs(elements_of(*part), wanted)) return f;
    }
    return kHolds;
  });
}

/// A tensor, a tile, and an order of the threads that are as many as the tile has elements.
Operands tensor_and_threads(Random& random) {
  Operands operands = tensor_and_tile(random);
  std::vector<std::size_t> order(operands.numbers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  std::vector<Plain> threads(order.size());
  std::int64_t stride = 1;
  for (const std::size_t mode : order) {
    threads[mode] = plain_leaf(operands.numbers[mode], stride);
    stride *= operands.numbers[mode];
  }
  operands.layouts.push_back(plain_tuple(threads));
  return operands;
}

TEST(LocalPartition, GivesTheThreadsAtEveryCoordinateOfTheTileItsElements) {
  for_all({.percent = 95}, tensor_and_threads, [&](const Operands& o) -> Finding {
    const auto tiling = tiling_of(o);
    if (!tiling || o.layouts[1].is_leaf()) return kSaysNothing;
    const Values threads = table(o.layouts[1]);
    const std::vector<Values> places = coordinates(tiling->tile);
    if (threads.size() != places.size() || !is_injective(o.layouts[1])) return kSaysNothing;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const Result<OffsetLayout> part =
          cute::local_partition(to_layout(tiling->tensor), to_layout(o.layouts[1]), threads[i]);
      if (!part) return found(part.error());
      Values wanted;
      for (const Values& outer : coordinates(tiling->tiles)) {
        wanted.push_back(element(*tiling, places[i], outer));
      }
      if (const Finding f = differs(elements_of(*part), wanted)) return f;
    }
    return kHolds;
  });
}

// A part of a part begins where both begin together.
TEST(LocalPartition, OfATileHoldsElementsOfThatTile) {
  for_all(tensor_and_tile, [](const Operands& o) -> Finding {
    const auto tiling = tiling_of(o);
    if (!tiling) return kSaysNothing;
    const cute::Tiler tiler = cute::to_tiler(flat(tiling->tile));
    const Layout threads = cute::make_layout(flat(tiling->tile)).value();
    for (const Values& outer : coordinates(tiling->tiles)) {
      const OffsetLayout tile =
          cute::local_tile(to_layout(tiling->tensor), tiler, cute::to_coordinate(flat(outer)))
              .value();
      std::int64_t thread = 0;
      for (const Values& inner : coordinates(tiling->tile)) {
        const Result<OffsetLayout> part = cute::local_partition(tile, threads, thread++);
        if (!part) return found(part.error());
        if (const Finding f = differs(elements_of(*part), {element(*tiling, inner, outer)}))
          return f;
      }
    }
    return kHolds;
  });
}

TEST(LocalTile, OfASwizzledTensorIsTheSwizzledTile) {
  const cute::Swizzle swizzle = cute::Swizzle::make(2, 1, 3).value();
  for_all({.percent = 30}, tensor_and_tile, [&](const Operands& o) -> Finding {
    const auto tiling = tiling_of(o);
    if (!tiling || has_negative_stride(tiling->tensor)) return kSaysNothing;
    const ComposedLayout tensor =
        ComposedLayout::make(swizzle, 5, to_layout(tiling->tensor)).value();
    for (const Values& outer : coordinates(tiling->tiles)) {
      const Result<ComposedLayout> tile = cute::local_tile(
          tensor, cute::to_tiler(flat(tiling->tile)), cute::to_coordinate(flat(outer)));
      if (!tile) return found(tile.error());
      std::int64_t c = 0;
      for (const Values& inner : coordinates(tiling->tile)) {
        const std::int64_t wanted = swizzle(5 + element(*tiling, inner, outer));
        if ((*tile)(c) != Int(wanted)) return found(*tile, " at ", c, " is not ", wanted);
        ++c;
      }
    }
    return kHolds;
  });
}

// make_layout_tv.

/// Threads and values in random orders, sometimes with gaps between the threads.
Operands threads_and_values(Random& random) {
  Operands operands;
  const auto numbered = [&](std::int64_t rank, std::int64_t most) {
    std::vector<Plain> modes(static_cast<std::size_t>(rank));
    std::vector<std::size_t> order(modes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    std::int64_t stride = random.chance(8) ? 2 : 1;
    for (const std::size_t mode : order) {
      modes[mode] = plain_leaf(random.between(1, most), stride);
      stride *= modes[mode].extent;
    }
    return plain_tuple(modes);
  };
  const std::int64_t rank = random.between(1, 3);
  operands.layouts = {numbered(rank, 6), numbered(rank, 4)};
  return operands;
}

bool is_numbering(const Plain& layout) {
  return cosize(layout) == size(layout) && is_injective(layout);
}

// Values lie side by side within a thread's block, blocks as the threads do.
TEST(MakeLayoutTv, PutsTheBlocksOfThreadsSideBySide) {
  Tally numbered;
  Tally refused;
  for_all(threads_and_values, [&](const Operands& o) -> Finding {
    const Plain& threads = o.layouts[0];
    const Plain& values = o.layouts[1];
    if (threads.is_leaf() || values.is_leaf() || threads.modes.size() != values.modes.size())
      return kSaysNothing;
    const Result<cute::TvLayout> tv = cute::make_layout_tv(to_layout(threads), to_layout(values));
    if (!tv) {
      refused.count();
      return is_numbering(threads) && is_numbering(values) ? found(tv.error()) : kHolds;
    }
    numbered.count();
    Values blocks, block, tile;
    for (std::size_t i = 0; i < threads.modes.size(); ++i) {
      blocks.push_back(threads.modes[i].extent);
      block.push_back(values.modes[i].extent);
      tile.push_back(blocks[i] * block[i]);
    }
    if (tile_shape(*tv) != flat(tile)) return found("tile ", tile_shape(*tv));
    const Values thread_at = table(threads);
    const Values value_at = table(values);
    std::int64_t t = 0;
    for (const Values& outer : coordinates(blocks)) {
      std::int64_t v = 0;
      for (const Values& inner : coordinates(block)) {
        std::int64_t wanted = 0;
        for (std::size_t i = tile.size(); i > 0; --i) {
          wanted = wanted * tile[i - 1] + inner[i - 1] + block[i - 1] * outer[i - 1];
        }
        const Int got = tv->layout(thread_at[static_cast<std::size_t>(t)],
                                   value_at[static_cast<std::size_t>(v)]);
        if (got != Int(wanted)) return found(*tv, ": ", got, " instead of ", wanted);
        ++v;
      }
      ++t;
    }
    return kHolds;
  });
  numbered.expect_at_least(60);
  refused.expect_at_least(1);
}

// owners is the inverse of the layout, and covers counts what it lists.
/// The digits of 64 elements, and perhaps copies, dealt out to threads and values.
Operands covering_layouts(Random& random) {
  std::vector<Plain> digits;
  for (std::int64_t stride = 1; stride < 64;) {
    const std::int64_t extent = std::min<std::int64_t>(64 / stride, 1 << random.between(1, 3));
    digits.push_back(plain_leaf(extent, stride));
    stride *= extent;
  }
  if (random.chance(50)) digits.push_back(plain_leaf(random.between(2, 3), 0));
  random.shuffle(digits);
  std::vector<Plain> threads = {plain_leaf(1, 0)};
  std::vector<Plain> values = threads;
  for (const Plain& digit : digits) (random.chance(50) ? threads : values).push_back(digit);
  return {{plain_tuple(threads), plain_tuple(values)}, {}};
}

TEST(Owners, AreTheCoordinatesThatMapToTheElement) {
  Tally covering;
  for_all(
      [](Random& random) {
        if (random.chance(30)) return covering_layouts(random);
        return Operands{{any_layout(random, 24), any_layout(random, 24)}, {}};
      },
      [&](const Operands& o) -> Finding {
        const Layout tv =
            cute::make_layout({to_layout(o.layouts[0]), to_layout(o.layouts[1])}).value();
        const Values threads = table(o.layouts[0]);
        const Values values = table(o.layouts[1]);
        const std::int64_t tile = 64;
        std::vector<std::vector<IntTuple>> wanted(static_cast<std::size_t>(tile));
        bool is_within = true;
        for (std::size_t v = 0; v < values.size(); ++v) {
          for (std::size_t t = 0; t < threads.size(); ++t) {
            const std::int64_t element = threads[t] + values[v];
            is_within = is_within && element >= 0 && element < tile;
            if (is_within) {
              wanted[static_cast<std::size_t>(element)].push_back(IntTuple{t, v});
            }
          }
        }
        const Verdict covers = cute::covers(tv, tile).value();
        if (!is_within) return covers.is_no() ? kHolds : found(covers);
        for (std::int64_t e = 0; e < tile; ++e) {
          if (cute::owners(tv, e).value() != wanted[static_cast<std::size_t>(e)])
            return found("owners of ", e);
        }
        const bool equally = std::ranges::all_of(wanted, [&](const auto& owners) {
          return !owners.empty() && owners.size() == wanted.front().size();
        });
        if (equally) covering.count();
        return covers.is_yes() == equally ? kHolds : found(covers);
      });
  covering.expect_at_least(20);
}

}  // namespace
}  // namespace heddle::test
