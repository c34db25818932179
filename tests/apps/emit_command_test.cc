// heddle emit, as a user runs it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/shell.h"

namespace heddle {
namespace {

using Emitted = test::Ran;

Emitted emit(const std::string& arguments) { return test::heddle(arguments); }

bool has(const Emitted& ran, const std::string& part) {
  return ran.output.find(part) != std::string::npos;
}

TEST(Emit, RangesHoldAllPlacesOfSymbolicSizes) {
  const Emitted ran = emit("emit --assume 'N<=128' 'ExpandBy([N],[128],TileBy([4],[32]))'");
  EXPECT_TRUE(has(ran, "The place m in [-1, 127] of a point (i, j)")) << ran.output;
}

TEST(Emit, WritesEveryLanguage) {
  EXPECT_TRUE(has(emit("emit '(4,8):(8,1)'"), "static inline int32_t idx(int32_t i, int32_t j)"));
  const Emitted cuda = emit("emit '(4,8):(8,1)' r c --target cuda --name tile");
  EXPECT_TRUE(has(cuda, "__host__ __device__ constexpr int32_t tile(int32_t r, int32_t c)"));
  EXPECT_TRUE(has(cuda, "struct tile_accessor {"));
  EXPECT_TRUE(
      has(emit("emit --target opencl '(4,8):(8,1)'"), "static inline int idx(int i, int j)"));
  EXPECT_TRUE(has(emit("emit --target triton '(4,8):(8,1)'"), "@triton.jit\ndef idx(i, j):"));
  EXPECT_TRUE(has(emit("emit --target latex '(4,8):(8,1)'"), "\\begin{align*}"));
}

TEST(Emit, SaysWhatIsAssumed) {
  const Emitted ran = emit("emit --assume 'M<=4096, N<=4096, N%8==0' '(M,N):(N,1)'");
  EXPECT_TRUE(has(ran, "// Assumed: 1 <= M <= 4096, 8 <= N <= 4096, ")) << ran.output;
  EXPECT_TRUE(has(ran, "// 32 bits: ")) << ran.output;
}

TEST(Emit, PrintsJson) {
  const Emitted ran = emit("emit --json --target python '(4,8):(8,2)'");
  const auto json = nlohmann::json::parse(ran.output);
  EXPECT_TRUE(json["ok"].get<bool>());
  EXPECT_EQ(json["result"]["coordinates"], nlohmann::json({"i", "j"}));
  EXPECT_EQ(json["result"]["places"], nlohmann::json({"m"}));
  EXPECT_EQ(json["result"]["no_inverse"]["code"], "emit.no_inverse");
  EXPECT_NE(json["result"]["text"].get<std::string>().find("def idx(i, j):"), std::string::npos);
}

TEST(Emit, IsAnOperationToo) {
  const Emitted ran = emit("eval \"emit((4,8):(8,1), 'python', 'f')\"");
  EXPECT_TRUE(has(ran, "def f(i, j):\n")) << ran.output;
  EXPECT_TRUE(has(ran, "f_size = 32")) << ran.output;
}

TEST(Emit, Refuses) {
  EXPECT_EQ(emit("emit").code, 2);
  EXPECT_EQ(emit("emit '(4,8):(8,1)' 3").code, 2);
  EXPECT_TRUE(has(emit("emit '(4,8):(8,1)' i j k"), "error emit.coordinates"));
  EXPECT_TRUE(has(emit("emit --target fortran '(4,8):(8,1)'"), "error emit.target"));
  EXPECT_TRUE(has(emit("emit --inverse '(4,8):(8,2)'"), "error emit.no_inverse"));
  EXPECT_TRUE(has(emit("emit --name 'a b' '(4,8):(8,1)'"), "error print.name"));
}

}  // namespace
}  // namespace heddle
