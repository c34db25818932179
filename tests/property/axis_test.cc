// Laws of inverses, products and divides with strides along several axes.

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/cute/divide.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/product.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::Basis;
using cute::Layout;
using cute::Stride;

/// A layout of up to five modes with strides along up to three axes, which are nested or not.
Layout axis_layout(Random& random, bool may_nest) {
  const bool is_nested = may_nest && random.chance(30);
  const std::vector<std::vector<std::size_t>> flat = {{0}, {1}, {2}};
  const std::vector<std::vector<std::size_t>> nested = {{0}, {1, 0}, {1, 2}};
  IntTuple::Leaves extents;
  cute::StrideTuple::Leaves strides;
  for (std::int64_t modes = random.between(1, 5); modes > 0; --modes) {
    const auto axis = static_cast<std::size_t>(random.between(0, 2));
    const Basis basis = Basis::make((is_nested ? nested : flat)[axis]).value();
    constexpr std::int64_t kScales[] = {0, 1, 1, 1, 2, 2, 3, 4, 4, 6, 8};
    extents.push_back(random.between(1, 4));
    strides.push_back(Stride(kScales[random.between(0, 10)], basis));
  }
  return cute::make_layout(IntTuple::flat(extents), cute::StrideTuple::flat(strides)).value();
}

IntTuple image(const Layout& layout, std::int64_t index) {
  return cute::evaluate(layout, cute::Coordinate(cute::Index(Int(index)))).value();
}

std::vector<IntTuple> images(const Layout& layout) {
  std::vector<IntTuple> all;
  for (std::int64_t i = 0; i < layout.size().value(); ++i) all.push_back(image(layout, i));
  return all;
}

std::set<std::string> distinct(const Layout& layout) {
  std::set<std::string> all;
  for (const IntTuple& one : images(layout)) all.insert((std::ostringstream() << one).str());
  return all;
}

bool is_injective(const Layout& layout) { return distinct(layout).size() == images(layout).size(); }

TEST(AxisInverse, FromTheLeftReadsBackEveryCoordinate) {
  for_all_seeds({.percent = 30}, [](Random& random) -> Finding {
    const Layout layout = axis_layout(random, /*may_nest=*/true);
    if (layout.is_integral()) return kSaysNothing;
    const Result<Layout> back = cute::left_inverse(layout);
    if (!back) return kSaysNothing;
    const std::vector<IntTuple> all = images(layout);
    const bool tells_apart = is_injective(layout);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto read = cute::evaluate(*back, cute::to_coordinate(all[i]));
      if (!read) return found(layout, " ", *back, " at ", all[i], ": ", read.error());
      const std::int64_t again = read->leaf().value();
      if (again >= static_cast<std::int64_t>(all.size())) return found(*back, " leaves ", layout);
      if (all[static_cast<std::size_t>(again)] != all[i]) return found(layout, ", ", *back);
      if (tells_apart && again != static_cast<std::int64_t>(i)) return found(layout, ", ", *back);
    }
    return kHolds;
  });
}

TEST(AxisInverse, FromTheRightIsReadBackByTheLayout) {
  for_all_seeds({.percent = 50}, [](Random& random) -> Finding {
    const Layout layout = axis_layout(random, /*may_nest=*/false);
    if (layout.is_integral()) return kSaysNothing;
    const Result<Layout> back = cute::right_inverse(layout);
    if (!back) return found(layout, ": ", back.error());
    const std::vector<IntTuple> all = images(layout);
    const std::vector<IntTuple> coordinates = images(*back);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const auto coordinate = static_cast<std::size_t>(coordinates[i].leaf().value());
      std::int64_t rest = static_cast<std::int64_t>(i);
      for (std::size_t axis = 0; axis < back->rank(); ++axis) {
        const std::int64_t size = back->mode(axis).size().value();
        if (all[coordinate].mode(axis).leaf().value() != rest % size) {
          return found(layout, ", ", *back, " at ", i);
        }
        rest /= size;
      }
    }
    return kHolds;
  });
}

TEST(AxisProduct, CopiesDoNotMeet) {
  for_all_seeds({.percent = 20}, [](Random& random) -> Finding {
    const Layout block = axis_layout(random, /*may_nest=*/true);
    if (block.is_integral() || !is_injective(block)) return kSaysNothing;
    const IntTuple shape = IntTuple{random.between(1, 3), random.between(1, 4)};
    const Layout tiler = random.chance(50) ? cute::make_layout(shape).value()
                                           : cute::make_layout_right(shape).value();
    const Result<Layout> product = cute::logical_product(block, tiler);
    if (!product) return kSaysNothing;
    if (product->mode(0) != block) return found(*product, " does not begin with ", block);
    return is_injective(*product) ? kHolds : found(block, " by ", tiler, ": ", *product);
  });
}

TEST(AxisDivide, TakesEveryElementOnceAndTheTileFirst) {
  for_all_seeds({.percent = 5}, [](Random& random) -> Finding {
    const Layout tile = axis_layout(random, /*may_nest=*/false);
    constexpr std::int64_t kExtents[] = {2, 3, 4, 6, 8, 12};
    const auto extent = [&] { return Int(kExtents[random.between(0, 5)]); };
    const IntTuple shape = IntTuple::flat(std::vector<Int>{extent(), extent(), extent()});
    if (tile.is_integral() || !is_injective(tile)) return kSaysNothing;
    const Layout whole = cute::make_identity_layout(shape).value();
    const Result<Layout> divided = cute::logical_divide(whole, tile);
    if (!divided) return kSaysNothing;
    if (divided->size() != whole.size() || distinct(*divided) != distinct(whole)) {
      return found(shape, " by ", tile, ": ", *divided);
    }
    const Layout first = divided->mode(0);
    if (first.size() != tile.size()) return found(shape, " by ", tile, ": ", *divided);
    for (std::int64_t i = 0; i < tile.size().value(); ++i) {
      const IntTuple got = image(first, i);
      const IntTuple wanted = image(tile, i);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Int of_tile = axis < wanted.rank() ? wanted.mode(axis).leaf() : Int(0);
        const Int of_part = axis < got.rank() ? got.mode(axis).leaf() : Int(0);
        if (of_tile != of_part) return found(shape, " by ", tile, ": ", *divided);
      }
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
