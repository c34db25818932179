// The whole text of the refusals of products.

#include <gtest/gtest.h>

#include <string>

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
            "  hint: group its modes to rows and columns, as group(L, 0, 2) does with the first two");
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
            "error gemm.sums: two elements of C, S[(16,8):(1@P,0@F)], share a place\n"
            "  coordinate 1: (0,0) and (0,0) at 0");
}

TEST(ErrorText, gemm_overflow) {
  const auto with_c = [](const std::string& c) {
    return refusal("gemm_plan(S[(2,2):(2@m,1@m)], S[(2,1):(1@m,1@m)], " + c + ", \"sm_80\")");
  };
  // 2^57 warpgroups are 2^64 threads.
  for (const char* c :
       {"S[(2,1):(144115188075855872@wgid,1@m)]", "S[(2,1):(1@wgid,1@m)] + 144115188075855872@wgid",
        "S[(2,1):(-9223372036854775807@m,1@m)] + 9223372036854775807@m"}) {
    EXPECT_EQ(with_c(c),
              "error overflow: the places of " + std::string(c) + " do not fit into 64 bits");
  }
}

}  // namespace
}  // namespace heddle
