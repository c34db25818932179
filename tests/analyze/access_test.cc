// Accesses of Triton's layouts: where the paddings of a shared layout put them, and what is
// refused.

#include "heddle/analyze/access.h"

#include <gtest/gtest.h>

#include <vector>

#include "heddle/expr/proof.h"
#include "heddle/linear/encoding_counts.h"

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

}  // namespace
}  // namespace heddle::analyze
