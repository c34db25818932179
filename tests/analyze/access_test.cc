// Accesses of Triton's layouts: where the paddings of a shared layout put them, and what is
// refused.

#include "heddle/analyze/access.h"

#include <gtest/gtest.h>

#include <vector>

#include "heddle/expr/proof.h"
#include "heddle/linear/encoding_counts.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::analyze {
namespace {

using linear::LinearLayout;
using Padding = linear::PaddedSharedEncoding::Padding;

/// Lane i of 32 holds element i * stride of a vector.
LinearLayout lanes(std::int64_t stride) {
  const LinearLayout layout = linear::strided_1d(32, stride, "lane", "dim0").value();
  return (linear::identity_1d(1, "register", "dim0") * layout).value();
}

LinearLayout in_order(std::int64_t size) {
  return linear::identity_1d(size, "offset", "dim0").value();
}

TEST(Access, PaddingsSpreadTheOffsets) {
  const linear::PaddedSharedEncoding padded{.paddings = {{4, 2}, {16, 8}}};
  const Access access = make_access(lanes(2), in_order(64), 32, padded.paddings).value();
  for (std::int64_t lane = 0; lane < kWarpLanes; ++lane) {
    EXPECT_EQ(access.address(lane, 0), linear::padded_offset(padded, 2 * lane).value());
  }
}

TEST(Access, OffsetMapSpreadsSymbolicOffsetsAsConstantOnes) {
  const linear::PaddedSharedEncoding padded{.paddings = {{4, 2}, {16, 8}}};
  const form::IndexMap map = offset_map(in_order(64), padded.paddings).value();
  const std::vector<Int> element = {Int::variable("e", 0, 63)};
  const Int symbolic = map(element).front();
  for (std::int64_t offset = 0; offset < 64; ++offset) {
    const std::vector<Int> point = {Int(offset)};
    const std::int64_t wanted = linear::padded_offset(padded, offset).value();
    EXPECT_EQ(map(point).front(), Int(wanted));
    EXPECT_EQ(instantiate(symbolic, {{"e", offset}}).value(), Int(wanted)) << symbolic;
  }
}

TEST(Access, PaddingsThatAreNoneAreRefused) {
  const std::vector<Padding> nowhere = {{0, 1}};
  EXPECT_EQ(make_access(lanes(1), in_order(32), 32, nowhere).error().code(), "encoding.sizes");
  EXPECT_EQ(offset_map(in_order(32), nowhere).error().code(), "encoding.sizes");
}

TEST(Access, AddressesStayFarBelow64Bits) {
  const std::int64_t far = std::int64_t{1} << 40;
  EXPECT_TRUE(make_access(lanes(far), in_order(32 * far), 32));
  const std::vector<Padding> wide = {{1, far}};
  EXPECT_EQ(make_access(lanes(far), in_order(32 * far), 32, wide).error().code(), "overflow");
  const std::int64_t too_far = std::int64_t{1} << 50;
  EXPECT_EQ(make_access(lanes(too_far), in_order(32 * too_far), 32).error().code(),
            "analyze.too_large");
}

/// A row of 32 elements in a column-major tile of 32 x 32: 32 columns apart, not one word apart.
TEST(Access, ATileLiesInItsMemoryRowByRow) {
  const cute::TvLayout row{test::layout("(32,1):(1,0)"), cute::to_tiler(IntTuple{1, 32})};
  const form::IndexMap memory = cute::index_map(test::layout("(32,32):(1,32)"));
  const Access access = make_access(access_of_tile(row, memory).value(), memory, 32).value();
  for (std::int64_t thread = 0; thread < 32; ++thread)
    EXPECT_EQ(access.address(thread, 0), 32 * thread);
}

/// A tile of up to three modes, each with a step, in a memory that it divides.
test::Finding touches_its_elements_by_coordinates(test::Random& random) {
  std::vector<std::int64_t> extents, steps, strides;
  std::vector<cute::Tiler> tiles;
  std::vector<IntTuple> sizes;
  std::vector<cute::StrideTuple> memory_strides;
  std::int64_t size = 1;
  const std::int64_t rank = random.between(1, 3);
  for (std::int64_t i = 0; i < rank; ++i) {
    extents.push_back(random.between(1, 6));
    steps.push_back(random.chance(50) ? 1 : random.between(1, 3));
    strides.push_back(random.between(0, 40));
    const cute::Layout tile =
        cute::make_layout(IntTuple(extents.back()), cute::StrideTuple(cute::Stride(steps.back())))
            .value();
    tiles.emplace_back(steps.back() == 1 ? cute::Tile(extents.back()) : cute::Tile(tile));
    sizes.emplace_back(extents.back() * steps.back() * random.between(1, 3));
    memory_strides.emplace_back(cute::Stride(strides.back()));
    size *= extents.back();
  }
  std::int64_t threads = random.between(1, size);
  while (size % threads != 0) --threads;
  const cute::TvLayout tv{cute::make_layout(IntTuple{threads, size / threads}).value(),
                          cute::Tiler::of(tiles)};
  const form::IndexMap memory = cute::index_map(
      cute::make_layout(IntTuple::of(sizes), cute::StrideTuple::of(memory_strides)).value());
  const auto map = access_of_tile(tv, memory);
  if (!map) return test::found(map.error());
  const auto access = make_access(*map, memory, 32);
  if (!access) return test::found(access.error());
  for (std::int64_t element = 0; element < size; ++element) {
    std::int64_t rest = element;
    std::int64_t wanted = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      wanted += rest % extents[i] * steps[i] * strides[i];
      rest /= extents[i];
    }
    const std::int64_t address = access->address(element % threads, element / threads);
    if (address != wanted)
      return test::found(to_string(tv), ": element ", element, " at ", address, ", not ", wanted);
  }
  return test::kHolds;
}

TEST(Access, OfATileTouchesItsElementsCoordinateByCoordinate) {
  test::for_all_seeds(touches_its_elements_by_coordinates);
}

TEST(Access, RefusesATileThatDoesNotDivideTheMemory) {
  const auto code = [](const cute::Tiler& tiler, std::string_view memory) {
    const cute::TvLayout tv{test::layout("(4,2):(2,1)"), tiler};
    const auto map = access_of_tile(tv, cute::index_map(test::layout(memory)));
    return map ? std::string() : map.error().code();
  };
  EXPECT_EQ(code(cute::to_tiler(IntTuple{4, 2}), "(4,3):(1,4)"), "analyze.tile");
  EXPECT_EQ(code(cute::to_tiler(IntTuple{4, 2}), "8:1"), "analyze.tile");
  EXPECT_EQ(code(cute::to_tiler(IntTuple{4, 2}), "(8,4,3):(1,8,32)"), "");
  EXPECT_EQ(code(cute::to_tiler(IntTuple(8)), "(4,6):(1,4)"), "");
  EXPECT_EQ(code(cute::to_tiler(IntTuple(8)), "(4,5):(1,4)"), "analyze.tile");
}

}  // namespace
}  // namespace heddle::analyze
