// Laws of the divides (seed 004, definition 2.22, and CuTe's over-covering).

#include "heddle/cute/divide.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/cute/manipulation.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using test::unpacked;

using cute::Layout;
using cute::Tiler;

/// A tile for `a`: usually one that divides it, sometimes of several modes, sometimes arbitrary.
Plain tile_for(Random& random, const Plain& a) {
  if (random.chance(60)) return tile_of(random, size(a));
  if (random.chance(50)) return injective_layout(random, 16);
  return plain_leaf(random.between(1, 12), random.between(1, 4));
}

Operands layout_and_tile(Random& random) {
  const Plain a = positive_layout(random, 144);
  return {{a, tile_for(random, a)}, {}};
}

// R = A' o (B, complement(B, size(A'))) where A' is A with at most one mode rounded up.
TEST(LogicalDivide, IsTheLayoutAfterTheTileAndItsComplement) {
  Tally given;
  Tally over_covering;
  for_all(layout_and_tile, [&](const Operands& o) -> Finding {
    const Result<Layout> r = cute::logical_divide(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    given.count();
    if (r->size() != Int(size(o.layouts[0]))) over_covering.count();
    return check_divide(o.layouts[0], o.layouts[1], to_plain(*r));
  });
  given.expect_at_least(40);
  over_covering.expect_at_least(2);
}

TEST(LogicalDivide, CoversEveryElement) {
  for_all(layout_and_tile, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::logical_divide(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!r) return kSaysNothing;
    const std::vector<std::int64_t> got = table_of(*r);
    for (const std::int64_t index : table(o.layouts[0])) {
      if (std::find(got.begin(), got.end(), index) == got.end())
        return found(*r, " never reaches ", index);
    }
    return kHolds;
  });
}

// Where (B, complement) is a bijection onto A's coordinates and the composition exists, so does the
// divide.
TEST(LogicalDivide, ExistsWhereTheTileDividesTheLayout) {
  for_all({.percent = 20}, layout_and_tile, [&](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    if (!admissible_2_5(o.layouts[1], size(a))) return kSaysNothing;
    const Plain both = plain_tuple({o.layouts[1], *cute_complement(o.layouts[1], size(a))});
    if (!composition_exists(a, both)) return kSaysNothing;
    const Result<Layout> r = cute::logical_divide(to_layout(a), to_layout(o.layouts[1]));
    if (!r) return found(r.error());
    return check_composition(a, both, to_plain(*r));
  });
}

/// A layout of at least one top-level mode and a tile for some of the first modes.
Operands layout_and_tiles(Random& random) {
  const Plain a = positive_layout(random, 144);
  Operands o{{a}, {}};
  for (const Plain& mode : a.modes) {
    if (!random.chance(75)) break;
    o.layouts.push_back(tile_for(random, mode));
  }
  return o;
}

struct ByMode {
  Layout layout;
  std::vector<Layout> tiles;
  Tiler tiler;
};

/// The operands as the operations want them; nothing where they do not go together (after
/// shrinking).
std::optional<ByMode> by_mode(const Operands& o) {
  const std::size_t tiles = o.layouts.size() - 1;
  if (o.layouts[0].is_leaf() || tiles == 0 || tiles > o.layouts[0].modes.size())
    return std::nullopt;
  std::vector<Layout> layouts;
  std::vector<Tiler> tiler;
  for (std::size_t i = 1; i <= tiles; ++i) {
    layouts.push_back(to_layout(o.layouts[i]));
    tiler.push_back(Tiler(cute::Tile(layouts.back())));
  }
  return ByMode{to_layout(o.layouts[0]), layouts, Tiler::of(tiler)};
}

TEST(LogicalDivide, ByModeDividesEachModeApart) {
  for_all({.percent = 20}, layout_and_tiles, [&](const Operands& o) -> Finding {
    const std::optional<ByMode> operands = by_mode(o);
    if (!operands) return kSaysNothing;
    const Result<Layout> r = cute::logical_divide(operands->layout, operands->tiler);
    std::vector<Layout> modes = operands->layout.modes();
    for (std::size_t i = 0; i < operands->tiles.size(); ++i) {
      const Result<Layout> mode = cute::logical_divide(modes[i], operands->tiles[i]);
      if (!mode) return r ? found("gave ", *r, " though mode ", i, " is refused") : kHolds;
      modes[i] = *mode;
    }
    if (!r) return found("every mode divides, yet ", r.error());
    const Layout wanted = cute::make_layout(modes).value();
    return *r == wanted ? kHolds : found(*r, ", wanted ", wanted);
  });
}

struct Pieces {
  std::vector<Layout> tiles;
  std::vector<Layout> rests;
};

Pieces pieces_of(const Layout& divided, std::size_t tiles) {
  Pieces pieces;
  for (std::size_t i = 0; i < divided.rank(); ++i) {
    if (i >= tiles) {
      pieces.rests.push_back(divided.mode(i));
    } else {
      pieces.tiles.push_back(divided.mode(i).mode(0));
      pieces.rests.push_back(divided.mode(i).mode(1));
    }
  }
  return pieces;
}

Finding expect_same(const Result<Layout>& got, const std::vector<Layout>& modes) {
  if (!got) return found(got.error());
  const Layout wanted = cute::make_layout(modes).value();
  return *got == wanted ? kHolds : found(*got, ", wanted ", wanted);
}

TEST(ZippedTiledAndFlatDivide, RearrangeTheModesOfLogicalDivide) {
  for_all({.percent = 20}, layout_and_tiles, [&](const Operands& o) -> Finding {
    const std::optional<ByMode> operands = by_mode(o);
    if (!operands) return kSaysNothing;
    const auto& [layout, tiles, tiler] = *operands;
    const Result<Layout> divided = cute::logical_divide(layout, tiler);
    const Result<Layout> zipped = cute::zipped_divide(layout, tiler);
    if (!divided) return zipped ? found("zipped gave ", *zipped) : kHolds;
    const Pieces pieces = pieces_of(*divided, tiles.size());
    const Layout tile = cute::make_layout(pieces.tiles).value();
    if (Finding f = expect_same(zipped, {tile, cute::make_layout(pieces.rests).value()})) return f;
    const std::vector<Layout> rests = unpacked(pieces.rests);
    std::vector<Layout> modes = {tile};
    modes.insert(modes.end(), rests.begin(), rests.end());
    if (Finding f = expect_same(cute::tiled_divide(layout, tiler), modes)) return f;
    modes = unpacked(pieces.tiles);
    modes.insert(modes.end(), rests.begin(), rests.end());
    return expect_same(cute::flat_divide(layout, tiler), modes);
  });
}

TEST(LogicalDivide, ASizeStandsForTheFirstSoManyElements) {
  const auto operands = [](Random& random) {
    return Operands{{positive_layout(random, 144)}, {random.between(1, 16)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    if (o.layouts[0].is_leaf()) return kSaysNothing;
    const Layout line = to_layout(plain_leaf(o.numbers[0], 1));
    const Tiler size = Tiler{Tiler(cute::Tile(Int(o.numbers[0])))};
    const Tiler tile = Tiler{Tiler(cute::Tile(line))};
    const Result<Layout> by_size = cute::logical_divide(a, size);
    const Result<Layout> by_tile = cute::logical_divide(a, tile);
    if (by_size.has_value() != by_tile.has_value()) return found("one is refused");
    if (!by_size) return kHolds;
    if (by_size->shape() != by_tile->shape()) return found(*by_size, " and ", *by_tile);
    return differs(table_of(*by_size), table_of(*by_tile));
  });
}

TEST(LogicalDivide, UnderscoreKeepsTheMode) {
  for_all([](Random& random) { return Operands{{positive_layout(random, 144)}, {}}; },
          [](const Operands& o) -> Finding {
            const Layout a = to_layout(o.layouts[0]);
            if (o.layouts[0].is_leaf()) return kSaysNothing;
            const Result<Layout> r = cute::logical_divide(a, Tiler{Tiler(cute::Tile(cute::_))});
            if (!r) return found(r.error());
            return *r == a ? kHolds : found(*r);
          });
}

// The tile takes at most `size` elements of the shape, and divides it.
TEST(DomainDistribute, GivesATileThatDividesTheShape) {
  const auto operands = [](Random& random) {
    return Operands{{positive_layout(random, 256)}, {random.between(1, 64)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const IntTuple shape = to_layout(o.layouts[0]).shape();
    const Result<Layout> r = cute::domain_distribute(shape, o.numbers[0]);
    if (!r) return found(r.error());
    const Plain tile = to_plain(*r);
    if (size(tile) > o.numbers[0]) return found(*r, " has too many elements");
    if (size(o.layouts[0]) % size(tile) != 0) return found(*r, " does not divide");
    if (!is_injective(tile)) return found(*r, " is not injective");
    for (const std::int64_t c : table(tile)) {
      if (c < 0 || c >= size(o.layouts[0])) return found(*r, " leaves the shape at ", c);
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
