// The whole text of the error codes of analyses; see cute_errors_test.cc.

#include <gtest/gtest.h>

#include "heddle/analyze/coalescing.h"
#include "heddle/analyze/find_swizzle.h"
#include "heddle/analyze/matrix_access.h"
#include "heddle/notation/analyses.h"
#include "support/refusal.h"
#include "support/text.h"

namespace heddle::analyze {
namespace {

using linear::LinearLayout;
using test::layout;
using test::refusal;

std::string access_refusal(std::string_view access, std::string_view memory, int bits = 32) {
  return refusal(make_access(index_map(layout(access)), index_map(layout(memory)), bits));
}

LinearLayout lanes(std::int64_t registers, std::int64_t lanes) {
  return (linear::identity_1d(registers, "register", "dim0") *
          linear::identity_1d(lanes, "lane", "dim0"))
      .value();
}

LinearLayout offsets(std::int64_t size) {
  return linear::identity_1d(size, "offset", "dim0").value();
}

TEST(ErrorText, analyze_element_bits) {
  EXPECT_EQ(access_refusal("(32,4):(4,1)", "128:1", 6),
            "error analyze.element_bits: elements of 6 bits: 1, 2, 4, 8, 16, 32, 64 or 128 is "
            "needed, so that some number of them makes an access\n"
            "  hint: describe the memory in narrower elements whose width is a power of two: "
            "recast(layout, old_bits, new_bits)");
}

TEST(ErrorText, analyze_max_bits) {
  const Access access = make_access(index_map(layout("(32,4):(4,1)")), 32).value();
  EXPECT_EQ(refusal(bank_conflicts(access, 48)),
            "error analyze.max_bits: accesses of at most 48 bits: 8, 16, 32, 64 or 128 is needed");
  EXPECT_EQ(refusal(bank_conflicts(access, 16)),
            "error analyze.max_bits: elements of 32 bits do not fit into accesses of 16");
}

TEST(ErrorText, analyze_dims) {
  const LinearLayout threads = linear::identity_1d(32, "thread", "dim0").value();
  EXPECT_EQ(refusal(register_offsets(threads, offsets(32))),
            "error analyze.dims: a register layout has the inputs register, lane, warp and block; "
            "this one has [thread (size 32)]");
  EXPECT_EQ(refusal(register_offsets(lanes(1, 32), threads)),
            "error analyze.dims: a shared layout has the inputs offset and block; this one has "
            "[thread (size 32)]");
  EXPECT_EQ(refusal(optimal_swizzle(lanes(1, 32), lanes(2, 32), 32)),
            "error analyze.dims: the two layouts are of different tensors: [dim0 (size 32)] and "
            "[dim0 (size 64)]");
}

TEST(ErrorText, analyze_lanes) {
  EXPECT_EQ(refusal(register_offsets(lanes(1, 64), offsets(64))),
            "error analyze.lanes: 64 lanes a warp; a warp has 32\n"
            "  hint: name the machine: machine=\"gfx942\" has 64 lanes");
  EXPECT_EQ(refusal(bank_phases({}, 4)), "error analyze.lanes: 0 lanes; a warp has 1 to 32");
}

TEST(ErrorText, analyze_machine) {
  EXPECT_EQ(refusal(serving("gfx1250")),
            "error analyze.machine: of the machine 'gfx1250' no document states which lanes its "
            "shared memory serves together\n"
            "  hint: those known are sm_NN, gfx908, gfx90a, gfx942 and gfx950");
  EXPECT_EQ(refusal(serving("gfx950")->rule(16, Direction::kWrite)),
            "error analyze.machine: no document states which lanes cdna4 serves together when each "
            "writes 16 bytes");
}

TEST(ErrorText, analyze_symbolic) {
  const Int n = Int::variable("N", 1, 64);
  const cute::Layout symbolic = cute::make_layout({32, 4}, {n, 1}).value();
  EXPECT_EQ(refusal(make_access(index_map(symbolic), 32)),
            "error analyze.symbolic: an address is N, and an analysis counts with numbers\n"
            "  hint: give every size a value: --assume 'N==256'");
}

TEST(ErrorText, analyze_too_large) {
  EXPECT_EQ(refusal(make_access(index_map(layout("(1024,2048):(1,1024)")), 32)),
            "error analyze.too_large: an access of 1024 threads has more than 1048576 values in "
            "all");
  const LinearLayout huge = lanes(std::int64_t{1} << 50, 32);
  EXPECT_EQ(refusal(optimal_swizzle(huge, huge, 32)),
            "error analyze.too_large: a layout with inputs of 55 bits in all; analyses count up to "
            "2^48");
}

TEST(ErrorText, analyze_rank) {
  EXPECT_EQ(access_refusal("(32,4):(1@0,1@1)", "(32,2,2):(1,32,64)"),
            "error analyze.rank: the access maps to coordinates of 2 axes, and the memory layout "
            "has 3 modes");
  EXPECT_EQ(refusal(make_access(index_map(layout("(32,4):(1@0,1@1)")), 32)),
            "error analyze.rank: the access maps to coordinates of 2 axes, and there is no memory "
            "layout that would make addresses of them");
}

TEST(ErrorText, analyze_outside) {
  EXPECT_EQ(access_refusal("(32,8):(8,1)", "(8,16):(16,1)"),
            "error analyze.outside: (thread 16, value 0) is element 128; the memory layout has "
            "128");
}

TEST(ErrorText, analyze_tile) {
  const cute::TvLayout tv{layout("(32,1):(1,0)"), cute::to_tiler(IntTuple{1, 32})};
  EXPECT_EQ(
      refusal(access_of_tile(tv, index_map(layout("(32,48):(1,32)")))),
      "error analyze.tile: the tile of (32,1):(1,0) tile (1,32) does not divide a memory of "
      "(32,48): 32 does not divide 48\n"
      "  hint: the tile is matched with the memory mode by mode, so give the memory the shape "
      "that the tile is cut out of");
}

TEST(ErrorText, analyze_negative) {
  EXPECT_EQ(refusal(make_access(index_map(layout("(32,4):(-4,1)")), 16)),
            "error analyze.negative: (thread 1, value 0) touches address -4, below the beginning "
            "of the memory");
}

TEST(ErrorText, analyze_across_ctas) {
  const auto blocks = [](std::int64_t reg, std::int64_t block) {
    const linear::Bases bases = {{"register", {{reg}}}, {"lane", {{2}}}, {"block", {{block}}}};
    return LinearLayout::make(bases, linear::NamedSizes{{"dim0", 8}}).value();
  };
  EXPECT_EQ(refusal(optimal_swizzle(blocks(1, 4), blocks(4, 1), 32)),
            "error analyze.across_ctas: the CTAs of the two layouts hold different parts of the "
            "tensor: shared memory does not lead from one to the other\n"
            "  block leads to (4) and to (1)");
}

TEST(ErrorText, analyze_sub_byte) {
  const Access access = make_access(index_map(layout("(32,8):(1,32)")), 4).value();
  EXPECT_EQ(refusal(bank_conflicts(access)),
            "error analyze.sub_byte: elements of 4 bits: the values of a thread do not make up "
            "whole bytes, 2 neighbours each, in all threads alike");
}

TEST(ErrorText, analyze_access_bytes) {
  EXPECT_EQ(refusal(bank_phases(std::vector<std::int64_t>{0, 6}, 6)),
            "error analyze.access_bytes: an access of 6 bytes a lane: 1, 2, 4, 8, 12 or 16 is "
            "needed");
}

TEST(ErrorText, analyze_unaligned) {
  EXPECT_EQ(refusal(bank_phases(std::vector<std::int64_t>{0, 12}, 8)),
            "error analyze.unaligned: lane 1 moves 8 bytes at address 12, which is no multiple of "
            "8 from 0 on");
}

TEST(ErrorText, analyze_alignment) {
  const Access access = make_access(index_map(layout("(32,4):(4,1)")), 32).value();
  EXPECT_EQ(refusal(coalescing(access, 128, 12)),
            "error analyze.alignment: memory aligned to 12 bytes: a power of two is needed");
}

TEST(ErrorText, analyze_encoding) {
  const linear::Encoding shared = linear::SwizzledSharedEncoding{1, 1, 1, {0}, {}};
  const std::vector<std::int64_t> shape = {128};
  EXPECT_EQ(refusal(bank_conflicts(shared, shared, shape, 32)),
            "error analyze.encoding: a swizzled_shared encoding and a swizzled_shared encoding: "
            "bank conflicts need one of registers and one of shared memory");
}

TEST(ErrorText, analyze_shape) {
  const linear::Encoding blocked = linear::BlockedEncoding{{4}, {32}, {1}, {0}, {}};
  EXPECT_EQ(refusal(notation::register_layout_of(notation::Value(blocked))),
            "error analyze.shape: a blocked encoding is a layout only for a tensor of some shape\n"
            "  hint: give the shape of the tensor: shape=(128,64), or --shape 128,64");
}

TEST(ErrorText, analyze_no_matrix) {
  const LinearLayout stored = register_offsets(lanes(4, 32), offsets(128)).value();
  EXPECT_EQ(refusal(matrix_access(stored, 16, MatrixOrder::kPlain)),
            "error analyze.no_matrix: lane=1 moves by 4 elements; 2 is needed");
}

}  // namespace
}  // namespace heddle::analyze
