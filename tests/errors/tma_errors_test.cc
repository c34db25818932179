// One test an error code of tensor maps and matrix descriptors: the whole text that the terminal
// shows. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refusal;

TEST(ErrorText, machine_memory) {
  EXPECT_EQ(refusal(R"e(tma_descriptor(S[(4,8):(1@laneid,1@m)], S[(4,8):(8@m,1@m)], 16))e"),
            R"(error machine.memory: the global layout S[(4,8):(1@laneid,1@m)] has the axis laneid)"
            "\n"
            R"(  hint: addresses of memory are on axis m)");
  EXPECT_EQ(
      refusal(
          R"e(tma_descriptor(S[(64,64):(64,1)], S[(64,64):(64@m,1@m)] + R[(2):(4096@m)], 16))e"),
      R"(error machine.memory: the shared layout S[(64,64):(64@m,1@m)] + R[(2):(4096@m)] has replicas)"
      "\n"
      R"(  hint: one place for each element is needed)");
}

TEST(ErrorText, tma_element) {
  EXPECT_EQ(refusal(R"e(tma_descriptor((64,64):(64,1), (64,64):(64,1), 12))e"),
            R"(error tma.element: no tensor map has elements of 12 bits)"
            "\n"
            R"(  hint: 8, 16, 32 and 64 bits are; pack() reads smaller elements as wider ones)");
  EXPECT_EQ(refusal(R"e(tma_descriptor((64,64):(64,1), (64,64):(64,1), "f4"))e"),
            R"(error tma.element: no tensor map has elements of the type f4)"
            "\n"
            R"(  hint: known are f16, bf16, f32, tf32, f64, f8e4m3, i8 to i64 and u8 to u64)");
}

TEST(ErrorText, tma_shapes) {
  EXPECT_EQ(refusal(R"e(tma_descriptor((64,64):(64,1), (32,64):(64,1), 16))e"),
            R"(error tma.shapes: a region of (64,64) elements is copied to one of (32,64))"
            "\n"
            R"(  hint: regions of one copy have the same shape, up to extents of 1)");
  EXPECT_EQ(refusal(R"e(tma_descriptor((128,64):(64,1), (64,128):(128,1), 16))e"),
            R"(error tma.shapes: a region of (128,64) elements is copied to one of (64,128))"
            "\n"
            R"(  hint: regions of one copy have the same shape, up to extents of 1)");
}

TEST(ErrorText, tma_digits) {
  EXPECT_EQ(
      refusal(R"e(tma_descriptor(((4,6),64):((64,512),1), ((6,4),64):((64,512),1), 16))e"),
      R"(error tma.digits: the global part has a digit 4:64 where the shared part has 6:64; neither extent divides the other)"
      "\n"
      R"(  hint: a box has one extent in both memories, so both must be cut alike)");
}

TEST(ErrorText, tma_negative) {
  EXPECT_EQ(
      refusal(R"e(tma_descriptor((8,64):(-64,1), (8,64):(64,1), 16))e"),
      R"(error tma.negative: the global part steps by -64 elements)"
      "\n"
      R"(  hint: strides of a tensor map are not negative; copy to a layout that runs the same way)");
}

TEST(ErrorText, tma_overlap) {
  EXPECT_EQ(
      refusal(R"e(tma_descriptor((8,64):(64,1), (8,64):(0,1), 16))e"),
      R"(error tma.overlap: 8 elements of the region have the same place in shared memory: its stride there is 0)"
      "\n"
      R"(  hint: broadcast when reading, not when copying)");
  EXPECT_EQ(refusal(R"e(tma_descriptor((8,64):(64,1), (8,64):(32,1), 16))e"),
            R"(error tma.overlap: two elements of the region have the place 32 in shared memory)");
}

TEST(ErrorText, tma_swizzle) {
  EXPECT_EQ(
      refusal(R"e(tma_descriptor((64,64):(64,1), Sw<2,0,4> o 0 o (64,64):(64,1), 16))e"),
      R"(error tma.swizzle: SW(0,2,4) on elements of 16 bits is no swizzle that the hardware applies)"
      "\n"
      R"(  hint: it has SW(3,1,3) (32B), SW(3,2,3) (64B), SW(3,3,3) (128B), SW(4,2,2) (128B_ATOM_32B), SW(5,1,1) (128B_ATOM_64B))");
  EXPECT_EQ(
      refusal(R"e(tma_descriptor(Sw<3,3,3> o 0 o (64,64):(64,1), (64,64):(64,1), 16))e"),
      R"(error tma.swizzle: the global layout SW(3,3,3) o S[(64,64):(64@m,1@m)] has a swizzle)"
      "\n"
      R"(  hint: a tensor map swizzles shared memory only)");
}

TEST(ErrorText, tma_contiguous) {
  EXPECT_EQ(
      refusal(R"e(tma_descriptor((64,64):(64,1), (64,64):(1,64), 16))e"),
      R"(error tma.contiguous: no 8 elements of 16 bits are contiguous in both memories and a whole part of a row)"
      "\n"
      R"(  the fastest digit of the shared part has 64 elements, 1 apart in shared memory and 64 apart in global memory)"
      "\n"
      R"(  witness: coordinate (1,0) maps to element 64 of global memory, counted from the first; its place in shared memory would need element 1)"
      "\n"
      R"(  hint: the inner dimension of a box is a multiple of 16 bytes)");
  EXPECT_EQ(
      refusal(
          R"e(tma_descriptor((64,64):(64,1), Sw<3,3,3> o 0 o (64,32):(32,1), 16, global_region=[[0,64],[0,32]]))e"),
      R"(error tma.contiguous: no 8 elements of 16 bits are contiguous in both memories and a whole part of a row)"
      "\n"
      R"(  the fastest digit of the shared part has 32 elements, 1 apart in shared memory and 1 apart in global memory)"
      "\n"
      R"(  hint: the inner dimension of a box fills the 128 bytes of the swizzle)");
}

TEST(ErrorText, tma_stride) {
  EXPECT_EQ(
      refusal(
          R"e(tma_descriptor((64,65):(65,1), (64,64):(64,1), 16, global_region=[[0,64],[0,64]]))e"),
      R"(error tma.stride: the global part steps by 65 elements, which are 130 bytes)"
      "\n"
      R"(  witness: coordinate (1,0) maps to byte 130 of the region; a tensor map would need a multiple of 16)"
      "\n"
      R"(  hint: strides of a tensor map are multiples of 16 bytes: pad the rows, or copy one row at a time)");
}

TEST(ErrorText, tma_shared_alignment) {
  EXPECT_EQ(
      refusal(
          R"e(tma_descriptor((64,64):(64,1), (64,128):(128,1), 16, shared_region=[[0,64],[32,96]]))e"),
      R"(error tma.shared_alignment: an instruction would write to byte 64 of shared memory)"
      "\n"
      R"(  hint: each instruction begins at a multiple of 128 bytes)");
}

TEST(ErrorText, tma_extent) {
  EXPECT_EQ(
      refusal(
          R"e(tma_descriptor((8589934592,128):(128,1), (64,64):(64,1), 16, global_region=[[0,64],[0,64]]))e"),
      R"(error tma.extent: dimension 1 of the tensor map has the extent 8589934592; at most 2^32 are possible)");
}

TEST(ErrorText, descriptor_major) {
  EXPECT_EQ(refusal(R"e(wgmma_descriptor(Sw<3,3,3> o 0 o (64,16):(64,1), 16, "row"))e"),
            R"(error descriptor.major: row is no major dimension)"
            "\n"
            R"(  hint: K if elements are contiguous along K, otherwise MN)");
}

TEST(ErrorText, descriptor_layout) {
  EXPECT_EQ(
      refusal(R"e(wgmma_descriptor(Sw<3,3,3> o 0 o (64,16):(1,64), 16, "K"))e"),
      R"(error descriptor.layout: the tile is no canonical K layout with the swizzle 128B: its digit 1 of extent 8 has the stride 1, not 64)"
      "\n"
      R"(  hint: the canonical digits are (8,8,16))");
}

TEST(ErrorText, descriptor_swizzle) {
  EXPECT_EQ(
      refusal(R"e(wgmma_descriptor(Sw<2,3,2> o 0 o (64,8):(1,64), 32, "MN"))e"),
      R"(error descriptor.swizzle: SW(3,2,2) on elements of 32 bits is no swizzle of wgmma, MN)"
      "\n"
      R"(  hint: on bytes, CuTe's Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3> are, and Sw<2,5,2> for MN of tcgen05)");
}

TEST(ErrorText, descriptor_shape) {
  EXPECT_EQ(refusal(R"e(wgmma_descriptor(Sw<3,3,3> o 0 o (64,64):(64,1), 16, "K"))e"),
            R"(error descriptor.shape: the tile has 64 elements along K)"
            "\n"
            R"(  hint: an instruction reads 32 bytes along K, 16 elements: slice the tile)");
  EXPECT_EQ(refusal(R"e(wgmma_descriptor((60,16):(16,1), 16, "K"))e"),
            R"(error descriptor.shape: 60 elements along MN are no multiple of 8)");
}

TEST(ErrorText, descriptor_range) {
  EXPECT_EQ(
      refusal(R"e(wgmma_descriptor(((8,8),(8,2)):((8,131072),(1,64)), 16, "K"))e"),
      R"(error descriptor.range: the stride offset is 262144 bytes; the field holds multiples of 16 below 2^18)");
  EXPECT_EQ(
      refusal(R"e(wgmma_descriptor(Sw<3,3,3> o 0 o (64,16):(64,1), 16, "K", 512))e"),
      R"(error descriptor.range: a buffer at 512 and an operand 0 bytes into it; the buffer begins at a multiple of 1024, the operand below 2^18)");
}

}  // namespace
}  // namespace heddle::notation
