// Laws of the products (seed 004, definition 4.1) and of tile_to_shape.

#include "heddle/cute/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using test::unpacked;

using cute::Layout;
using cute::Tiler;

Operands block_and_tiler(Random& random) {
  const Plain block =
      random.chance(80) ? injective_layout(random, 24) : positive_layout(random, 24);
  const Plain tiler = random.chance(70) ? compact_layout(random, 16) : positive_layout(random, 16);
  return {{block, tiler}, {}};
}

TEST(LogicalProduct, IsTheBlockAndItsComplementAfterTheTiler) {
  for_all({.percent = 40}, block_and_tiler, [&](const Operands& o) -> Finding {
    const Result<Layout> r =
        cute::logical_product(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    return check_product(o.layouts[0], o.layouts[1], to_plain(*r));
  });
}

TEST(LogicalProduct, RefusalIsThatOfComplementOrComposition) {
  for_all(block_and_tiler, [](const Operands& o) -> Finding {
    const Result<Layout> r =
        cute::logical_product(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (r) return kSaysNothing;
    const std::optional<Plain> room =
        free_positions(o.layouts[0], size(o.layouts[0]) * cosize(o.layouts[1]));
    if (!room || !composition_exists(*room, o.layouts[1])) return kHolds;
    return found(to_string(*room), " o B exists, yet ", r.error());
  });
}

TEST(LogicalProduct, CopiesNeverMeet) {
  const auto operands = [](Random& random) {
    return Operands{{positive_layout(random, 24), injective_layout(random, 16)}, {}};
  };
  for_all({.percent = 30}, operands, [&](const Operands& o) -> Finding {
    if (!is_injective(o.layouts[1])) return kSaysNothing;
    const Result<Layout> r =
        cute::logical_product(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    const std::vector<std::int64_t> block = table(o.layouts[0]);
    const std::set<std::int64_t> distinct(block.begin(), block.end());
    std::set<std::int64_t> taken;
    for (const std::int64_t copy : table_of(r->mode(1))) {
      for (const std::int64_t index : distinct) {
        if (!taken.insert(copy + index).second) return found(*r, ": copies meet at ", copy + index);
      }
    }
    return kHolds;
  });
}

// Where block and tiler are compact, the copies fill [0, size(A) * size(B)) without meeting.
TEST(LogicalProduct, OfCompactLayoutsIsCompact) {
  const auto operands = [](Random& random) {
    return Operands{{compact_layout(random, 24), compact_layout(random, 16)}, {}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    if (!admissible_2_5(o.layouts[0], size(o.layouts[0])) ||
        !admissible_2_5(o.layouts[1], size(o.layouts[1]))) {
      return kSaysNothing;
    }
    const Result<Layout> r =
        cute::logical_product(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return found(r.error());
    std::vector<std::int64_t> values = table_of(*r);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != static_cast<std::int64_t>(i)) return found(*r, " misses or repeats ", i);
    }
    return kHolds;
  });
}

/// The modes of a layout, with modes 1:0 appended up to `rank`; a single mode stays whole.
std::vector<Layout> padded_modes(const Layout& layout, std::size_t rank, bool whole) {
  std::vector<Layout> modes = whole ? std::vector<Layout>{layout} : layout.modes();
  modes.resize(std::max(rank, modes.size()));
  return modes;
}

template <class Product>
Finding check_interleaved(const Operands& o, Product product, bool block_first, Tally& given) {
  const Layout block = to_layout(o.layouts[0]);
  const Layout tiler = to_layout(o.layouts[1]);
  const Result<Layout> r = product(block, tiler);
  const Result<Layout> both = cute::logical_product(block, tiler);
  if (!both) return r ? found("gave ", *r) : kHolds;
  if (!r) return found("logical_product exists, yet ", r.error());
  given.count();
  const std::size_t rank = std::max(block.rank(), tiler.rank());
  const std::vector<Layout> blocks = padded_modes(block, rank, o.layouts[0].is_leaf());
  const std::vector<Layout> copies = padded_modes(both->mode(1), rank, o.layouts[1].is_leaf());
  if (r->rank() != rank) return found(*r, " has another rank than ", rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const Plain first = to_plain(block_first ? blocks[i] : copies[i]);
    const Plain second = to_plain(block_first ? copies[i] : blocks[i]);
    const Finding wrong = differs(table_of(r->mode(i)), table(plain_tuple({first, second})));
    if (wrong) return found(*r, ", mode ", i, ": ", *wrong);
  }
  return kHolds;
}

TEST(BlockedProduct, PairsEachModeOfTheBlockWithThatOfTheCopies) {
  Tally given;
  for_all(block_and_tiler, [&](const Operands& o) {
    const auto product = [](const Layout& a, const Layout& b) {
      return cute::blocked_product(a, b);
    };
    return check_interleaved(o, product, true, given);
  });
  given.expect_at_least(30);
}

TEST(RakedProduct, PairsEachModeOfTheCopiesWithThatOfTheBlock) {
  Tally given;
  for_all(block_and_tiler, [&](const Operands& o) {
    const auto product = [](const Layout& a, const Layout& b) { return cute::raked_product(a, b); };
    return check_interleaved(o, product, false, given);
  });
  given.expect_at_least(30);
}

TEST(ZippedTiledAndFlatProduct, RearrangeTheModesOfLogicalProduct) {
  const auto operands = [](Random& random) {
    const Plain a = injective_layout(random, 24);
    Operands o{{a}, {}};
    for (std::size_t i = 0; i < a.modes.size(); ++i) {
      if (!random.chance(75)) break;
      o.layouts.push_back(compact_layout(random, 6));
    }
    return o;
  };
  for_all({.percent = 20}, operands, [&](const Operands& o) -> Finding {
    const std::size_t count = o.layouts.size() - 1;
    if (o.layouts[0].is_leaf() || count == 0 || count > o.layouts[0].modes.size())
      return kSaysNothing;
    const Layout block = to_layout(o.layouts[0]);
    std::vector<Tiler> leaves;
    for (std::size_t i = 1; i <= count; ++i)
      leaves.push_back(Tiler(cute::Tile(to_layout(o.layouts[i]))));
    const Tiler tiler = Tiler::of(leaves);
    const Result<Layout> product = cute::logical_product(block, tiler);
    const Result<Layout> zipped = cute::zipped_product(block, tiler);
    if (!product) return zipped ? found("zipped gave ", *zipped) : kHolds;
    if (!zipped) return found(zipped.error());
    std::vector<Layout> blocks;
    std::vector<Layout> copies;
    for (std::size_t i = 0; i < product->rank(); ++i) {
      const Layout mode = product->mode(i);
      if (i < count) blocks.push_back(mode.mode(0));
      copies.push_back(i < count ? mode.mode(1) : mode);
    }
    const Layout tile = cute::make_layout(blocks).value();
    const Layout pair = cute::make_layout({tile, cute::make_layout(copies).value()}).value();
    if (*zipped != pair) return found(*zipped, ", wanted ", pair);
    std::vector<Layout> modes = {tile};
    const std::vector<Layout> rests = unpacked(copies);
    modes.insert(modes.end(), rests.begin(), rests.end());
    const Result<Layout> tiled = cute::tiled_product(block, tiler);
    if (!tiled || *tiled != cute::make_layout(modes).value()) return found("tiled_product differs");
    modes = unpacked(blocks);
    modes.insert(modes.end(), rests.begin(), rests.end());
    const Result<Layout> flat = cute::flat_product(block, tiler);
    if (!flat || *flat != cute::make_layout(modes).value()) return found("flat_product differs");
    return kHolds;
  });
}

Operands block_and_counts(Random& random) {
  const Plain block = random.chance(70) ? compact_layout(random, 24) : injective_layout(random, 24);
  Operands o{{block}, {}};
  const std::size_t rank = block.is_leaf() ? 1 : block.modes.size();
  for (std::size_t i = 0; i < rank; ++i) o.numbers.push_back(random.between(1, 4));
  return o;
}

/// The top-level extents of the block times the counts.
std::optional<IntTuple> shape_of_counts(const Operands& o) {
  const std::vector<Plain> modes =
      o.layouts[0].is_leaf() ? std::vector<Plain>{o.layouts[0]} : o.layouts[0].modes;
  if (modes.size() != o.numbers.size()) return std::nullopt;
  std::vector<Int> extents;
  for (std::size_t i = 0; i < modes.size(); ++i) extents.push_back(size(modes[i]) * o.numbers[i]);
  return IntTuple::flat(extents);
}

TEST(TileToShape, HasTheShapeAndBeginsWithTheBlock) {
  for_all({.percent = 60}, block_and_counts, [&](const Operands& o) -> Finding {
    const std::optional<IntTuple> shape = shape_of_counts(o);
    if (!shape) return kSaysNothing;
    const Result<Layout> r = cute::tile_to_shape(to_layout(o.layouts[0]), *shape);
    if (!r) return kSaysNothing;
    const Plain result = to_plain(*r);
    const Plain block = o.layouts[0].is_leaf() ? plain_tuple({o.layouts[0]}) : o.layouts[0];
    if (result.modes.size() != block.modes.size()) return found(*r, " has another rank");
    for (std::size_t i = 0; i < block.modes.size(); ++i) {
      const std::int64_t extent = shape->leaves()[i].value();
      if (size(result.modes[i]) != extent) return found(*r, ": mode ", i, " is not ", extent);
      for (std::int64_t c = 0; c < size(block.modes[i]); ++c) {
        const std::int64_t wanted = evaluate(block.modes[i], c);
        if (evaluate(result.modes[i], c) != wanted) return found(*r, ": mode ", i, " at ", c);
      }
    }
    return kHolds;
  });
}

TEST(TileToShape, OfACompactBlockIsCompact) {
  for_all(block_and_counts, [](const Operands& o) -> Finding {
    const std::optional<IntTuple> shape = shape_of_counts(o);
    if (!shape || !admissible_2_5(o.layouts[0], size(o.layouts[0]))) return kSaysNothing;
    const Result<Layout> r = cute::tile_to_shape(to_layout(o.layouts[0]), *shape);
    if (!r) return found(r.error());
    std::vector<std::int64_t> values = table_of(*r);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != static_cast<std::int64_t>(i)) return found(*r, " misses or repeats ", i);
    }
    return kHolds;
  });
}

TEST(TileToShape, RefusesShapesThatTheBlockDoesNotDivide) {
  const auto operands = [](Random& random) {
    return Operands{{compact_layout(random, 24)}, {random.between(1, 30)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const Plain& block = o.layouts[0];
    if (!admissible_2_5(block, size(block))) return kSaysNothing;
    std::vector<Int> extents;
    const std::vector<Plain> modes = block.is_leaf() ? std::vector<Plain>{block} : block.modes;
    for (const Plain& mode : modes) extents.push_back(size(mode));
    extents[0] = o.numbers[0];
    const bool divides = o.numbers[0] % size(modes[0]) == 0;
    const Result<Layout> r = cute::tile_to_shape(to_layout(block), IntTuple::flat(extents));
    if (r.has_value() == divides) return kHolds;
    if (r) return found("gave ", *r);
    return found(r.error());
  });
}

}  // namespace
}  // namespace heddle::test
