// One test an error code of redistribution: the whole text that the terminal shows.

#include <gtest/gtest.h>

#include <string>

#include "support/refusal.h"

namespace heddle::distribute {
namespace {

using test::refusal;

TEST(ErrorText, distribute_axes) {
  EXPECT_EQ(
      refusal(
          R"(redistribute(S[(4,8):(1@laneid,1@m)], S[(4,8):(8@m,1@m)], 32, mesh=[0,1], shape=(4,8)))"),
      "error distribute.axes: S[(4,8):(1@laneid,1@m)] has places on the axis laneid\n"
      "  hint: a tensor over devices has the axes gpuid and m");
}

TEST(ErrorText, distribute_bits) {
  EXPECT_EQ(refusal(R"(redistribute([Shard(0)], [Replicate()], 0, mesh=[0,1], shape=(4,8)))"),
            "error distribute.bits: elements of 0 bits; 1 to 1048576 are taken");
}

TEST(ErrorText, distribute_device) {
  EXPECT_EQ(
      refusal(
          R"(redistribute(S[(4,8):(1@gpuid,1@m)], S[(4,8):(8@m,1@m)], 32, mesh=[0,1], shape=(4,8)))"),
      "error distribute.device: device 2 holds [2,3) x [0,8), and DeviceMesh([0, 1]) does not have "
      "it");
}

TEST(ErrorText, distribute_overlap) {
  EXPECT_EQ(refusal(R"(redistribute(S[4:1@m], S[4:0@m], 32, mesh=[0,1], shape=(4)))"),
            "error distribute.overlap: S[(4):(0@m)] has two coordinates at one place, which would "
            "be written twice");
}

TEST(ErrorText, distribute_partial) {
  EXPECT_EQ(
      refusal(R"(redistribute([Shard(0)], [Partial()], 32, mesh=[0,1], shape=(4,8)))"),
      "error distribute.partial: the destination is to be partial (sum) over the axis 0, and the "
      "source is not\n"
      "  hint: values are not taken apart into terms; give a destination without partial axes");
}

TEST(ErrorText, distribute_element) {
  EXPECT_EQ(
      refusal(
          R"(redistribute_source([Partial()], [Shard(0)], 32, "nccl", mesh=[0,1], shape=(4,8)))"),
      "error distribute.element: terms of 32 bits are reduced by sum, and nothing says what they "
      "are\n"
      "  hint: give their type, one of float32, int32, uint32");
}

TEST(ErrorText, distribute_shards) {
  EXPECT_EQ(
      refusal(
          R"(redistribute_source([Shard(0)], [Replicate()], 32, "jax", mesh=[0,1,2,3], shape=(10,4)))"),
      "error distribute.shards: device 3 holds [9,10) x [0,4), which is not of the size (3,4) of "
      "another\n"
      "  hint: JAX's arrays are cut evenly along whole axes of one mesh; for NCCL every plan is "
      "written");
}

TEST(ErrorText, distribute_shapes) {
  EXPECT_EQ(
      refusal(
          R"(redistribute(sharding([Shard(0)], [0,1], (4,8)), sharding([Shard(0)], [0,1], (8,4)), 32))"),
      "error distribute.shapes: from a tensor of (4,8) to one of (8,4)");
}

TEST(ErrorText, distribute_symbolic) {
  EXPECT_EQ(refusal(R"(redistribute(S[(M,8):(8@m,1@m)], [Shard(1)], 32, mesh=[0,1], shape=(M,8)))"),
            "error distribute.symbolic: a tensor with the extent M, which is not known");
}

TEST(ErrorText, distribute_too_large) {
  EXPECT_EQ(
      refusal(
          R"(redistribute(S[(131072,8):(1@gpuid,1@m)], S[1048576:1@m], 32, mesh=[0,1], shape=(131072,8)))"),
      "error distribute.too_large: S[(131072,8):(1@gpuid,1@m)] cuts the tensor into 131072 boxes; "
      "65536 are taken");
}

TEST(ErrorText, distribute_topology) {
  EXPECT_EQ(
      refusal(
          R"(redistribute([Shard(0)], [Replicate()], 8, mesh=[0,1], shape=(4,8), bandwidth={"node": 50}))"),
      "error distribute.topology: no axis node in DeviceMesh([0, 1])\n"
      "  hint: its axes are 0");
}

}  // namespace
}  // namespace heddle::distribute
