// Copies whose tensor maps are known.

#include <gtest/gtest.h>

#include "machine/tma/copies.h"
#include "support/refusal.h"

namespace heddle::machine {
namespace {

using test::value;

std::string lines(std::initializer_list<const char*> parts) {
  std::string text;
  for (const char* part : parts) text += (text.empty() ? "" : "\n") + std::string(part);
  return text;
}

// Seed 002, appendix F.4: the 2 x 2 quadrants of a 4 x 4 matrix, which no tiling describes, are a
// strided box in global memory. Elements of 8 bytes make its rows long enough.
TEST(Tma, AStridedBoxIsTheDirectSumOfItsStrides) {
  EXPECT_EQ(value("tma_descriptor(S[(2,2,2,2):(8,4,2,1)], S[(2,2,2,2):(8,2,4,1)], 64)"),
            lines({"1 instruction of 128 bytes", "  tensor map  UINT64, rank 4, swizzle NONE",
                   "    address   global + 0", "    extents   (2,2,2,2)",
                   "    strides   (32,16,64) bytes", "    box       (2,2,2,2)",
                   "  copy        box at (0, 0, 0, 0) -> shared + 0",
                   "  needs       global address: a multiple of 16; shared address: of 128"}));
}

// The atoms of the seed's section 3.4 are 8 rows of the swizzle's span; a box takes as many atoms
// as lie behind one another.
TEST(Tma, ABoxTakesAllAtomsThatLieBehindOneAnother) {
  const auto tile = value(
      "tma_descriptor((256,256):(256,1), mma_shared_layout(16, 128, (128,128)), \"f16\", "
      "shared_shape=[128,128], global_region=[[128,256],[0,128]])");
  EXPECT_EQ(tile,
            lines({"1 instruction of 32768 bytes", "  tensor map  FLOAT16, rank 3, swizzle 128B",
                   "    address   global + 0", "    extents   (256,256,2)",
                   "    strides   (512,128) bytes", "    box       (64,128,2)",
                   "  copy        box at (0, 128, 0) -> shared + 0",
                   "  needs       global address: a multiple of 16; shared address: of 1024"}));
}

TEST(Tma, ABoxLeavesGapsToLoops) {
  EXPECT_EQ(value("tma_descriptor((8,128):(128,1), S[(8,2,64):(64,1024,1)], 16, "
                  "shared_shape=[8,128])"),
            lines({"2 instructions of 1024 bytes", "  tensor map  UINT16, rank 2, swizzle NONE",
                   "    address   global + 0", "    extents   (128,8)", "    strides   (256) bytes",
                   "    box       (64,8)", "  for         i0 < 2",
                   "  copy        box at (64*i0, 0) -> shared + 2048*i0",
                   "  needs       global address: a multiple of 16; shared address: of 128"}));
}

// The first element of the region is 2 bytes past a multiple of 16: the address stays, the
// coordinate moves.
TEST(Tma, ABeginningWithinAPieceIsACoordinate) {
  const auto copy = tma_descriptor({.layout = *axe::Layout::make({{64, 1, Axis::memory()}}, {},
                                                                 [] {
                                                                   axe::Coordinate offset;
                                                                   offset.add(Axis::memory(), 9);
                                                                   return offset;
                                                                 }())},
                                   {.layout = *axe::Layout::make({{64, 1, Axis::memory()}})},
                                   *tma_element("f16"));
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->map.base, 16);
  EXPECT_EQ(copy->coordinates.front(), 1);
  EXPECT_EQ(copy->map.dims.front().extent, 65);
}

TEST(Tma, SwizzlesThatChangeNothingAreNone) {
  const auto copy = value(
      "tma_descriptor((4,32):(32,1), SW(3,3,3) o S[(4,16):(16,1)], 16, "
      "global_region=[[0,4],[0,16]])");
  EXPECT_NE(copy.find("swizzle NONE"), std::string::npos) << copy;
}

TEST(Tma, LinearLayoutsAndEncodingsAreMemoryToo) {
  const auto shared =
      "tensor<128x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
      "elementBitWidth = 16}>>";
  const auto copy = value("tma_descriptor((128,64):(64,1), " + std::string(shared) + ", 16)");
  EXPECT_NE(copy.find("rank 2, swizzle 128B"), std::string::npos) << copy;
}

TEST(Tma, NothingOverflows) {
  EXPECT_EQ(
      test::refused("tma_descriptor((4,64):(2305843009213693952,1), (4,64):(64,1), 64)").code(),
      "overflow");
  EXPECT_EQ(test::refused("tma_descriptor((4,64):(1099511627776,1), (4,64):(64,1), 64)").code(),
            "tma.stride");
}

}  // namespace
}  // namespace heddle::machine
