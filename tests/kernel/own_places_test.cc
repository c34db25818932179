// A tensor that is written has a place for each element; inputs may share places.

#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/kernel.h"

namespace heddle::kernel {
namespace {

/// What check() says of a kernel with these parameters and this body.
std::string places(const std::string& parameters, const std::string& body) {
  const auto kernels = notation::parse_kernels("kernel f(" + parameters +
                                               ") launch cta 1, threads 32 {\n" + body + "\n}\n");
  return kernels ? "" : kernels.error().message();
}

TEST(OwnPlaces, AreNeededByWhatIsWritten) {
  EXPECT_EQ(places("X: f32[64]", "shared S: f32[64] = 64:0\nfill(S, 0)"),
            "S: f32[64] = 64:0: the elements 0 and 1 of 64:0 share place 0");
  EXPECT_EQ(places("X: f32[64]", "shared S: f32[64] = (8,8):(1,1)\nfill(S, 0)"),
            "S: f32[64] = (8,8):(1,1): the elements (1,0) and (0,1) of (8,8):(1,1) share place 1");
  EXPECT_EQ(places("X: f32[64]", "reg r: f32[64] = S[(8,8):(1@m,1@m)]\nr = 0"),
            "r: f32[64] = S[(8,8):(1@m,1@m)]: the elements 1 and 8 of S[(8,8):(1@m,1@m)] share "
            "place 1");
  EXPECT_EQ(places("X: f32[64] = (8,8):(1,1)", "fill(X, 0)"),
            "X: f32[64] = (8,8):(1,1): the elements (1,0) and (0,1) of (8,8):(1,1) share place 1");
  EXPECT_EQ(places("X: f32[64]", "fill(X.relayout((8,8):(1,1)), 0)"),
            "X.relayout((8,8):(1,1)): the elements (1,0) and (0,1) of (8,8):(1,1) share place 1");
  // For some sizes.
  EXPECT_EQ(places("X: f32[M,N] = (M,N):(L,1), Y: f32[L]", "fill(X, 0)"),
            "X: f32[M,N] = (M,N):(L,1): the elements (1,0) and (0,1) of (M,N):(L,1) share place 1, "
            "where L=1, M=2, N=2");
}

TEST(OwnPlaces, AreNotNeededByInputs) {
  EXPECT_EQ(places("X: f32[8,8] = (8,8):(1,1), Y: f32[8,8]", "copy(Y, X)"), "");
  EXPECT_EQ(places("X: f32[64], Y: f32[8,8]", "copy(Y, X.relayout((8,8):(1,1)))"), "");
}

TEST(OwnPlaces, AreKnownForSizes) {
  EXPECT_EQ(places("X: f32[M,N] = (M,N):(N,1)", "fill(X, 0)"), "");
  EXPECT_EQ(places("X: f32[M,N] = (M,N):(1,M)", "fill(X.relayout((N,M):(M,1)), 0)"), "");
}

}  // namespace
}  // namespace heddle::kernel
