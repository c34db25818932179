// One test an error code of thread axes, packing and hardware layouts: the whole text that the
// terminal shows. A test has the name of its code with `_` for `.`.

#include <gtest/gtest.h>

#include "heddle/axe/hardware.h"
#include "heddle/axe/pack.h"
#include "heddle/axe/threads.h"
#include "heddle/axe/tile.h"
#include "support/refusal.h"

namespace heddle::axe {
namespace {

using test::refusal;

Iter on(std::int64_t extent, std::int64_t stride, const char* axis) {
  return {extent, stride, Axis(axis)};
}

Layout layout(std::vector<Iter> shard, std::vector<Iter> replica = {}, Coordinate offset = {},
              std::optional<Swizzle> swizzle = {}) {
  return *Layout::make(std::move(shard), std::move(replica), std::move(offset), swizzle);
}

TEST(ErrorText, axe_scope) {
  EXPECT_EQ(refusal(scope(layout({on(32, 1, "laneid"), on(2, 1, "wgid")}))),
            "error axe.scope: scope(S[(32,2):(1@laneid,1@wgid)]): the axes laneid and wgid leave "
            "a gap\n"
            "  laneid counts a thread in a warp, wgid counts a warpgroup in a cta\n"
            "  hint: no axis of the layout counts a warp in a warpgroup");
  EXPECT_EQ(refusal(scope(layout({on(64, 1, "tx"), on(4, 1, "laneid")}))),
            "error axe.scope: scope(S[(64,4):(1@tx,1@laneid)]): the axes laneid and tx "
            "contradict each other\n"
            "  laneid counts a thread in a warp, tx counts a thread in a cta\n"
            "  hint: each step needs its own axes");
  EXPECT_EQ(refusal(unify_threads(layout({on(64, 1, "tx"), on(4, 1, "laneid")}))),
            "error axe.scope: unify_threads(S[(64,4):(1@tx,1@laneid)], cta): the axes laneid and "
            "tx contradict each other\n"
            "  both say which thread of a warp, which warp of a warpgroup or which warpgroup it "
            "is\n"
            "  hint: tx = 32*warpid + laneid = 128*wgid + tid_in_wg; tid_in_wg = 32*wid_in_wg + "
            "laneid; warpid = 4*wgid + wid_in_wg");
}

TEST(ErrorText, axe_thread_scope) {
  EXPECT_EQ(refusal(thread_split_named("lane")),
            "error axe.thread_scope: split_threads takes no scope \"lane\"\n"
            "  hint: warp: tx to warpid and laneid; warpgroup: tx to wgid and tid_in_wg; tid: "
            "tid_in_wg to wid_in_wg and laneid");
  EXPECT_EQ(refusal(unify_threads(layout({on(4, 1, "laneid")}), Scope::kWarp)),
            "error axe.thread_scope: unify_threads takes no scope \"warp\"\n"
            "  hint: cta: all to tx; warpgroup: laneid and wid_in_wg to tid_in_wg");
}

TEST(ErrorText, axe_thread_range) {
  EXPECT_EQ(refusal(unify_threads(layout({on(64, 1, "laneid")}))),
            "error axe.thread_range: unify_threads(S[(64):(1@laneid)], cta): laneid runs from 0 "
            "to 63\n"
            "  a warp has 32 lanes");
  EXPECT_EQ(refusal(split_threads(layout({on(64, -1, "tx")}, {}, {{Axis("tx"), 62}}),
                                  ThreadSplit::kWarp)),
            "error axe.thread_range: split_threads(S[(64):(-1@tx)] + 62@tx, warp): tx runs from "
            "-1 to 62\n"
            "  threads are counted from 0");
  EXPECT_EQ(refusal(wg_local_layout(8, 256)),
            "error axe.thread_range: wg_local_layout(8, 256): tid_in_wg runs from 0 to 255\n"
            "  a warpgroup has 128 threads");
}

TEST(ErrorText, axe_unify) {
  EXPECT_EQ(
      refusal(unify_threads(layout({on(4, 1, "warpid"), on(32, 1, "laneid")}), Scope::kWarpgroup)),
      "error axe.unify: unify_threads(S[(4,32):(1@warpid,1@laneid)], warpgroup): warpid is "
      "not a part of tid_in_wg\n"
      "  hint: unify_threads in scope cta, then split_threads in scope warpgroup: tx to "
      "wgid and tid_in_wg");
  EXPECT_EQ(refusal(unify_threads(layout({on(4, 1, "warpid"), on(32, 1, "laneid")}, {}, {},
                                         *Swizzle::make(0, 3, 3, true, Axis("laneid"))))),
            "error axe.unify: unify_threads(SW(0,3,3)@laneid o S[(4,32):(1@warpid,1@laneid)], "
            "cta): SW(0,3,3)@laneid takes bits that laneid does not have\n"
            "  it reads and writes up to bit 5; laneid has 5 bits");
}

TEST(ErrorText, axe_split) {
  EXPECT_EQ(refusal(split_threads(layout({on(6, 8, "tx")}), ThreadSplit::kWarp)),
            "error axe.split: split_threads(S[(6):(8@tx)], warp): no layout has tx = 32*warpid + "
            "laneid taken apart\n"
            "  an iter on laneid would run up to 40, past 31\n"
            "  witness: coordinate 4 maps to 32@tx, which is 1@warpid and 0@laneid; a layout "
            "would need 0@warpid and 32@laneid");
  EXPECT_EQ(
      refusal(split_threads(layout({on(16, 1, "tx")}, {}, {{Axis("tx"), 49}}), ThreadSplit::kWarp)),
      "error axe.split: split_threads(S[(16):(1@tx)] + 49@tx, warp): no layout has tx = "
      "32*warpid + laneid taken apart\n"
      "  an iter on laneid would run up to 32, past 31\n"
      "  witness: coordinate 15 maps to 64@tx, which is 2@warpid and 0@laneid; a layout "
      "would need 1@warpid and 32@laneid");
  EXPECT_EQ(refusal(split_threads(layout({on(4, 1, "tx")}, {on(3, 16, "tx")}), ThreadSplit::kWarp)),
            "error axe.split: split_threads(S[(4):(1@tx)] + R[(3):(16@tx)], warp): no layout has "
            "tx = 32*warpid + laneid taken apart\n"
            "  the 3 points of the replicas have 2 values of warpid and 2 of laneid; a layout "
            "would have all 4 pairs\n"
            "  witness: coordinate 0 maps to no 48@tx; a layout would need one at 1@warpid and "
            "16@laneid");
  EXPECT_EQ(refusal(split_threads(layout({on(8, 4, "tx")}, {on(2, 4, "tx")}), ThreadSplit::kWarp)),
            "error axe.split: split_threads(S[(8):(4@tx)] + R[(2):(4@tx)], warp): no layout has "
            "tx = 32*warpid + laneid taken apart\n"
            "  an iter on laneid would run up to 32, past 31\n"
            "  witness: coordinate 7, in a replica, maps to 32@tx, which is 1@warpid and "
            "0@laneid; a layout would need 0@warpid and 32@laneid");
  EXPECT_EQ(refusal(split_threads(
                layout({on(64, 1, "tx")}, {}, {}, *Swizzle::make(0, 3, 3, true, Axis("tx"))),
                ThreadSplit::kWarp)),
            "error axe.split: split_threads(SW(0,3,3)@tx o S[(64):(1@tx)], warp): no layout has "
            "tx = 32*warpid + laneid taken apart\n"
            "  SW(0,3,3)@tx mixes bits of laneid (the lowest 5 of tx) with bits of warpid");
}

TEST(ErrorText, axe_pack) {
  EXPECT_EQ(refusal(pack(layout({on(8, 16, "m"), on(5, 1, "m")}), 4)),
            "error axe.pack: pack(S[(8,5):(16@m,1@m)], 4): no layout of 4 elements each has this "
            "map\n"
            "  4 consecutive indices do not have consecutive addresses\n"
            "  witness: coordinate 5 maps to 16@m; a layout would need 5@m");
  EXPECT_EQ(refusal(pack(layout({on(8, 18, "m"), on(16, 1, "m")}), 4)),
            "error axe.pack: pack(S[(8,16):(18@m,1@m)], 4): no layout of 4 elements each has "
            "this map\n"
            "  the iter (8, 18@m) does not step by a multiple of 4");
  EXPECT_EQ(refusal(pack(layout({on(8, 16, "m"), on(16, 1, "m")}, {}, {{Axis("m"), 6}}), 4)),
            "error axe.pack: pack(S[(8,16):(16@m,1@m)] + 6@m, 4): no layout of 4 elements each "
            "has this map\n"
            "  the offset 6@m is no multiple of 4");
  EXPECT_EQ(refusal(pack(layout({on(8, 16, "m"), on(16, 1, "m")}, {on(2, 6, "m")}), 4)),
            "error axe.pack: pack(S[(8,16):(16@m,1@m)] + R[(2):(6@m)], 4): no layout of 4 "
            "elements each has this map\n"
            "  the replica (2, 6@m) does not step by a multiple of 4");
  EXPECT_EQ(refusal(pack(layout({on(512, 1, "m")}, {}, {}, *Swizzle::make(1, 2, 3)), 4)),
            "error axe.pack: pack(SW(1,2,3) o S[(512):(1@m)], 4): no layout of 4 elements each "
            "has this map\n"
            "  SW(1,2,3) permutes addresses within 4 elements: it keeps the lowest 1 of 2 bits");
  EXPECT_EQ(refusal(unpack(layout({on(512, 1, "m")}, {}, {}, *Swizzle::make(1, 2, 3)), 3)),
            "error axe.pack: unpack(SW(1,2,3) o S[(512):(1@m)], 3): with the swizzle SW(1,2,3), "
            "n is a power of two and not 3");
}

TEST(ErrorText, axe_trainium) {
  EXPECT_EQ(refusal(trainium("PP", Shape{4, 64})),
            "error axe.trainium: trainium(\"PP\", (4,64)): 256 partitions; there are 128\n"
            "  hint: a single P may be larger: its high part goes to F");
  EXPECT_EQ(refusal(trainium("P", Shape{192})),
            "error axe.trainium: trainium(\"P\", (192)): 192 partitions are more than 128, and "
            "128 does not divide them");
  EXPECT_EQ(refusal(trainium("PF", Shape{192})),
            "error axe.trainium: trainium(\"PF\", (192)): 2 letters for 1 dimensions");
  EXPECT_EQ(refusal(trainium("X", Shape{192})),
            "error axe.trainium: trainium(\"X\", (192)): an annotation has letters P and F only");
}

TEST(ErrorText, axe_psum) {
  EXPECT_EQ(refusal(to_psum(layout({on(768, 1, "F")}))),
            "error axe.psum: to_psum(S[(768):(1@F)]): no layout has F = 512*Bank + F taken "
            "apart\n"
            "  an iter on F would run up to 767, past 511\n"
            "  witness: coordinate 512 maps to 512@F, which is 1@Bank and 0@F; a layout would "
            "need 0@Bank and 512@F");
  EXPECT_EQ(refusal(to_psum(layout({on(8, 1, "F"), on(2, 1, "Bank")}))),
            "error axe.psum: to_psum(S[(8,2):(1@F,1@Bank)]): the layout has banks already");
  EXPECT_EQ(refusal(to_psum(layout({on(8, -1, "F")}))),
            "error axe.psum: to_psum(S[(8):(-1@F)]): F runs down to -7; banks are counted from 0");
}

TEST(ErrorText, axe_mma_shared) {
  EXPECT_EQ(refusal(mma_shared_layout(16, 128, Shape{12, 64})),
            "error axe.mma_shared: mma_shared_layout(16, 128, (12,64)): an atom has 8 rows, "
            "which does not divide 12");
  EXPECT_EQ(refusal(mma_shared_layout(16, 128, Shape{64, 96})),
            "error axe.mma_shared: mma_shared_layout(16, 128, (64,96)): an atom has 64 columns, "
            "which does not divide 96");
  EXPECT_EQ(refusal(mma_shared_layout(6, 128, Shape{64, 96})),
            "error axe.mma_shared: mma_shared_layout(6, 128, (64,96)): elements of 6 bits; their "
            "width is a power of two up to 128");
  EXPECT_EQ(refusal(mma_shared_layout(16, 16, Shape{64, 96})),
            "error axe.mma_shared: mma_shared_layout(16, 16, (64,96)): a swizzle of 16 bytes; it "
            "has 32, 64 or 128, or 0 for none");
  EXPECT_EQ(refusal(mma_shared_layout(16, 128, Shape{64})),
            "error axe.mma_shared: mma_shared_layout(16, 128, (64)): rank 1; the last two "
            "dimensions are rows and columns of the atoms");
}

TEST(ErrorText, axe_tcgen05) {
  const std::vector<std::int64_t> shape = {64, 12};
  EXPECT_EQ(refusal(tcgen05_atom_layout("16x64b", shape, 32)),
            "error axe.tcgen05: tcgen05_atom_layout(\"16x64b\", (64,12), 32): its columns are 2 "
            "times 1, 2, 4, … up to 128");
  EXPECT_EQ(refusal(tcgen05_atom_layout("16x32b", shape, 32)),
            "error axe.tcgen05: tcgen05_atom_layout(\"16x32b\", (64,12), 32): the instructions are "
            "32x32b, 16x64b, 16x128b and 16x256b");
}

TEST(ErrorText, axe_datapath) {
  EXPECT_EQ(refusal(tmem_datapath_layout('D', 64, 32)),
            "error axe.datapath: tmem_datapath_layout('D', 64, 32, 0): data path D has 128 rows, "
            "not 64");
  EXPECT_EQ(refusal(tmem_datapath_layout('G', 32, 6)),
            "error axe.datapath: tmem_datapath_layout('G', 32, 6, 0): data path G puts 4 parts "
            "of the columns side by side; 6 columns have no such parts");
  EXPECT_EQ(refusal(tmem_datapath_layout('H', 32, 8)),
            "error axe.datapath: tmem_datapath_layout('H', 32, 8, 0): the data paths are A, B, "
            "C, D, E, F and G");
  EXPECT_EQ(refusal(tmem_datapath_layout('D', 128, 32, 1)),
            "error axe.datapath: tmem_datapath_layout('D', 128, 32, 1): sub_slab is 0, or 1 for "
            "C and F, which take half of the lanes");
}

}  // namespace
}  // namespace heddle::axe
