// The whole text of the refusals of products.

#include <gtest/gtest.h>

#include "support/refusal.h"

namespace heddle {
namespace {

using test::refusal;

TEST(ErrorText, gemm_instructions) {
  EXPECT_EQ(refusal(R"(gemm_plan((8,8):(8,1), (8,8):(8,1), (8,8):(8,1), "sve", "fp4"))"),
            "error gemm.instructions: arm-sve has no matrix instruction whose A is fp4\n"
            "  hint: instructions(\"arm-sve\") lists what it has");
}

TEST(ErrorText, gemm_symbolic) {
  EXPECT_EQ(refusal("gemm_plan(S[(M,16):(16@F,1@P)], S[(16,8):(1@P,1@F)], S[(M,8):(1@P,1@F)], "
                    "\"trn1\")"),
            "error gemm.symbolic: S[(M,16):(16@F,1@P)] has sizes that are not known\n"
            "  hint: put numbers in for the names: instantiate(L, {M: 128})");
}

TEST(ErrorText, gemm_shapes) {
  EXPECT_EQ(refusal("gemm_plan(S[(16,16):(1@F,1@P)], S[(16,8):(1@P,1@F)], S[(8,8):(1@P,1@F)], "
                    "\"trn1\")"),
            "error gemm.shapes: A, B and C have 256, 128 and 64 elements; no M, N and K with M*K, "
            "K*N and M*N are these");
  EXPECT_EQ(refusal("gemm_plan((16,16):(1,16), (16,8):(1,16), (16,8):(1,16), \"trn1\")"),
            "error gemm.shapes: B is 8 x 16 and not 16 x 8 for M, N, K = 16, 8, 16\n"
            "  hint: B is (K,N), and (N,K) if it is a layout of CuTe");
  EXPECT_EQ(refusal("gemm_plan((4,4,16):(1,4,16), (8,16):(1,8), (16,8):(1,16), \"trn1\")"),
            "error gemm.shapes: (4,4,16):(1,4,16) is a tensor of 3 dimensions, not a matrix\n"
            "  hint: group its modes to rows and columns");
}

TEST(ErrorText, gemm_digits) {
  EXPECT_EQ(refusal("gemm_plan(S[(2,3,8):(3@F,2@F,1@P)], S[(8,8):(1@P,1@F)], "
                    "S[(3,2,8):(1@P,8@F,1@F)], \"trn1\")"),
            "error gemm.digits: M is cut after 3, 6 elements in A and after 2, 6 in C, which have "
            "no digits in common");
}

TEST(ErrorText, gemm_sums) {
  EXPECT_EQ(refusal("gemm_plan(S[(16,16):(1@F,1@P)], S[(16,8):(1@P,1@F)], S[(16,8):(1@P,0@F)], "
                    "\"trn1\")"),
            "error gemm.sums: elements 0 and 1 of C, S[(16,8):(1@P,0@F)], are both at 0");
}

}  // namespace
}  // namespace heddle
