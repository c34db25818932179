// One test an error code of partitions, tiled copies and tiled MMAs: the whole text that the
// terminal shows.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refusal;

TEST(ErrorText, partition_coordinate) {
  EXPECT_EQ(refusal("local_tile((8,6):(1,8), (4,2), (2,0))"),
            "error partition.coordinate: the coordinate 2 is not one of the 2 of a mode of "
            "((4,2),(2,3)):((1,8),(4,16))\n"
            "  the part is picked by ((_,_),(2,0))");
}

TEST(ErrorText, partition_thread) {
  EXPECT_EQ(refusal("partition_C(SM80_16x8x16_F32F16F16F32_TN, (16,8), 32)"),
            "error partition.thread: 32 is not one of the thread indices 0 to 31 of "
            "(32,1,1,1):(1,0,0,0)");
}

// What is only not known is not denied.
TEST(ErrorText, assume_needed_of_threads_and_elements) {
  Environment symbols;
  ASSERT_TRUE(symbols.assume("t>=0"));
  ASSERT_TRUE(symbols.assume("B>=1"));
  const auto refused = [&](std::string_view text) {
    const Result<Value> value = evaluate(text, symbols);
    return value ? "not refused" : value.error().to_string();
  };
  EXPECT_EQ(refused("thread_slice(SM80_16x8x16_F32F16F16F32_TN, t)"),
            "error assume.needed: thread t of (32,1,1,1):(1,0,0,0): needs t < 32\n"
            "  hint: try --assume 't<32'");
  EXPECT_EQ(refused("partition_S(make_tiled_copy(universal_copy(128, 16), 32, (1,8)), (32,8), t)"),
            "error assume.needed: thread t of the tiled copy: needs t < 32\n"
            "  hint: try --assume 't<32'");
  EXPECT_EQ(refused("local_partition((64,6), 32, t)"),
            "error assume.needed: thread t of 32:1: needs t < 32\n"
            "  hint: try --assume 't<32'");
  EXPECT_EQ(refused("universal_copy(B, 16)"),
            "error assume.needed: universal_copy(B,16): needs 16 | B\n"
            "  hint: try --assume 'B%16==0'");
  EXPECT_EQ(refused("owners((4,8), (3,0), (t,8))"),
            "error assume.needed: the coordinate (3,0) in a tile of (t,8): needs 3 < t\n"
            "  hint: try --assume 't>3'");
}

TEST(ErrorText, table_symbolic_of_thread_value_layouts) {
  Environment symbols;
  ASSERT_TRUE(symbols.assume("M>=1"));
  const auto refused = [&](std::string_view text) {
    const Result<Value> value = evaluate(text, symbols);
    return value ? "not refused" : value.error().to_string();
  };
  EXPECT_EQ(refused("owners((4,8), M)"),
            "error table.symbolic: who holds element M cannot be listed: it is no number\n"
            "  hint: give the symbols values");
  EXPECT_EQ(refused("owners((4,8), (M,0), (4,8))"),
            "error table.symbolic: who holds element (M,0) cannot be listed: it has no place\n"
            "  hint: give the symbols values");
  EXPECT_EQ(
      refused("covers((4,8), M)"),
      "error table.symbolic: the elements of a tile of M cannot be listed: that is no number\n"
      "  hint: give the symbols values");
  EXPECT_EQ(refused("fact_morphism((2,3), M)"),
            "error morphism.place: alpha(1) = M is symbolic; a place is a number\n"
            "  hint: give the symbols values");
}

TEST(ErrorText, tv_not_bijective) {
  EXPECT_EQ(refusal("make_layout_tv((4,8):(1,8), (2,1))"),
            "error tv.not_bijective: make_layout_tv: the threads (4,8):(1,8) are not numbered from "
            "0 on without gaps\n"
            "  of 32 numbers only those below 4 are met in order\n"
            "  hint: the layout gives each coordinate its number, by strides that leave out none, "
            "such as (4,8):(8,1)");
}

TEST(ErrorText, tv_rank) {
  EXPECT_EQ(refusal("owners((4,8,2), 0)"),
            "error tv.rank: (4,8,2):(1,4,32) is no thread-value layout: it has 3 modes, not two\n"
            "  hint: its modes are the threads and the values: ((4,8),(2,2)):((32,1),(16,8))");
}

TEST(ErrorText, tv_too_large) {
  EXPECT_EQ(refusal("covers((4096,1024), 4096)"),
            "error tv.too_large: (4096,1024):(1,4096) has 4194304 threads times values; at most "
            "1048576 are listed");
}

TEST(ErrorText, tv_outside) {
  EXPECT_EQ(refusal("make_tiled_copy_impl(universal_copy(16, 16), (32,4), (8,8))"),
            "error tv.outside: (32,4):(1,32) leaves a tile of 64 elements: it reaches element 127");
}

TEST(ErrorText, mma_atom_shape) {
  EXPECT_EQ(refusal("mma_atom_of((16,8), 32:1, (32,4), (32,2), (32,4))"),
            "error mma_atom.shape: the shape (16,8) of an MMA atom is not three sizes (M,N,K)");
}

TEST(ErrorText, mma_atom_threads) {
  EXPECT_EQ(refusal("mma_atom_of((1,1,4), 2:1, (1,4), (1,4), (1,1))"),
            "error mma_atom.threads: the layout (1,4):(0,1) of operand A does not have a mode for "
            "the 2 threads 2:1 and one for their values");
}

TEST(ErrorText, mma_atom_operand) {
  EXPECT_EQ(refusal("mma_atom_of((16,8,32), 32:1, ((4,8),(8,2)):((128,1),(16,8)), "
                    "((4,8),8):((32,1),8), ((4,8),(2,2)):((32,1),(16,8)))"),
            "error mma_atom.operand: the layout ((4,8),8):((32,1),8) does not share out the 8 x 32 "
            "elements of operand B\n"
            "  element 0 is held once, element 32 2 times");
}

TEST(ErrorText, tiled_mma_rank) {
  EXPECT_EQ(refusal("make_tiled_mma(UniversalFMA, (2,2,2,2))"),
            "error tiled_mma.rank: the atom layout (2,2,2,2):(1,2,4,8) has 4 modes; M, N and K are "
            "three");
}

TEST(ErrorText, tiled_mma_threads) {
  EXPECT_EQ(refusal("make_tiled_mma(UniversalFMA, (2,2):(1,0))"),
            "error tiled_mma.threads: the threads (1,2,2,1):(0,1,0,0) do not each have an index of "
            "their own, or leave gaps that copies of them do not fill\n"
            "  hint: an atom layout such as (2,2,1):(1,2,0) numbers the atoms 0, 1, 2, 3");
}

TEST(ErrorText, tiled_mma_operand) {
  EXPECT_EQ(refusal("thrfrg_C(UniversalFMA, 16)"),
            "error tiled_mma.operand: operand C has two modes; 16:1 has one");
}

TEST(ErrorText, tiled_mma_tile) {
  EXPECT_EQ(
      refusal("layoutA_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1,1,1), <8,_,_>))"),
      "error tiled_mma.tile: the atoms of all threads, 16 x 16, do not divide the tile 8 x 16 of "
      "operand A\n"
      "  the permuted operand ((8,1),(16,1)):((1,0),(8,0)) has 128 elements; the atoms cover 256\n"
      "  hint: a permutation's size must be a multiple of the atoms', and so must be its fastest "
      "mode");
}

TEST(ErrorText, copy_atom_threads) {
  EXPECT_EQ(refusal("copy_atom(SM75_U16x8_LDSM_T, 64)"),
            "error copy_atom.threads: the destination layout ((4,2),(1,2,4)):((4,1),(1,2,16)) does "
            "not have a mode for the 32 threads 32:1 and one for their values");
}

TEST(ErrorText, copy_atom_reference) {
  EXPECT_EQ(refusal("copy_atom_of(1:0, (1,4), (1,4), (1,4):(0,2))"),
            "error copy_atom.reference: the reference (1,4):(0,2) does not number the elements of "
            "(1,4):(0,1)\n"
            "  it numbers 1 in order, and 4 are met");
}

TEST(ErrorText, copy_atom_bits) {
  EXPECT_EQ(refusal("universal_copy(128, 48)"),
            "error copy_atom.bits: 128 bits are no whole number of values of 48 bits");
}

TEST(ErrorText, tiled_copy_atom) {
  EXPECT_EQ(refusal("make_tiled_copy(universal_copy(128, 16), (4,8), (1,4))"),
            "error tiled_copy.atom: the thread-value layout ((4,8),4):((1,16),4) is not made of "
            "atoms of 1 threads with 8 values each\n"
            "  hint: its two modes, threads and values, must be multiples");
}

TEST(ErrorText, tiled_copy_tile) {
  EXPECT_EQ(refusal("make_tiled_copy_impl(universal_copy(8, 8), (4,4), <4,_>)"),
            "error tiled_copy.tile: the tiler <4,_> does not say how large its tile is");
}

TEST(ErrorText, tiled_copy_address) {
  EXPECT_EQ(refusal("make_cotiled_copy(universal_copy(8, 8), (4,4):(4,1), (4,4):(1,8))"),
            "error tiled_copy.address: threads and values (4,4):(4,1) meet addresses that "
            "(4,4):(1,8) does not have\n"
            "  witness: coordinate 1 = (1,0) maps to 8; a layout would need 4");
}

TEST(ErrorText, tiled_copy_fragment) {
  EXPECT_EQ(
      refusal("retile(make_tiled_copy_C(universal_copy(32, 32), "
              "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1,1,1), <32,16,_>)), ((2,2),3,2))"),
      "error tiled_copy.fragment: the fragment ((2,2),3,2):((1,2),4,12) does not hold whole tiles "
      "of the copy: 24 values become 32");
}

}  // namespace
}  // namespace heddle::notation
