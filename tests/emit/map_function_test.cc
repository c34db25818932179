#include "heddle/emit/map_function.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "heddle/emit/print.h"
#include "heddle/notation/evaluator.h"
#include "support/hub.h"

namespace heddle::emit {
namespace {

map::AnyLayout layout_of(std::string_view text) {
  const bool is_relation = text.find("->") != std::string_view::npos;
  if (is_relation) return map::IntegerRelation::parse(text).value();
  return test::hub(text);
}

std::string text_of(std::string_view layout, Dialect dialect = Dialect::kC,
                    MapFunctionOptions options = {}) {
  const auto text = map_text(layout_of(layout), {dialect, "idx"}, std::move(options));
  return text ? *text : text.error().to_string();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The body of the only statement of a function of C.
std::string returned(const std::string& text, const std::string& function) {
  const std::size_t at = text.find(" " + function + "(");
  const std::size_t begin = text.find("return ", at) + 7;
  return text.substr(begin, text.find(';', begin) - begin);
}

// One layout in every language, as a reader sees it. HEDDLE_UPDATE_GOLDEN=1 writes the files anew.

struct Golden {
  Dialect dialect;
  const char* file;
};

TEST(MapFunction, GoldenFiles) {
  const std::vector<Golden> files = {
      {Dialect::kC, "idx.c"},       {Dialect::kCpp, "idx.cc"},
      {Dialect::kCuda, "idx.cu"},   {Dialect::kHip, "idx.hip"},
      {Dialect::kOpenCl, "idx.cl"}, {Dialect::kTriton, "idx_triton.py"},
      {Dialect::kPython, "idx.py"}, {Dialect::kLatex, "idx.tex"},
  };
  for (const auto& [dialect, file] : files) {
    const std::string path = std::string(HEDDLE_SOURCE_DIR "/tests/emit/golden/") + file;
    // An XOR, a negative stride, an inverse that has to round down.
    const std::string text = text_of("Sw<1,1,1> o 4 o (3,(2,2)):(-2,(1,6))", dialect);
    if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    std::stringstream golden;
    golden << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, golden.str()) << path;
  }
}

// Expressions.

TEST(MapFunction, ReadsDigitsBack) {
  const std::string text = text_of("(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(returned(text, "idx"), "(i << 1) + ((j >> 1) << 3) + (j & 1)");
  EXPECT_TRUE(has(text, "0 <= i && i < 4 && 0 <= j && j < 4")) << text;
  EXPECT_TRUE(has(text, "enum { idx_size = 16 };")) << text;
}

TEST(MapFunction, KeepsXorShiftAndMask) {
  const std::string text = text_of("Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(returned(text, "idx"), "(i << 3) ^ ((i << 6) + j)");
  EXPECT_TRUE(has(text, "m ^ ")) << text;
}

TEST(MapFunction, TakesOneFlatCoordinate) {
  MapFunctionOptions options;
  options.coordinates = {"t"};
  EXPECT_EQ(returned(text_of("(4,8):(8,1)", Dialect::kC, options), "idx"),
            "(t >> 2) + ((t & 3) << 3)");
  // Row-major in LEGO.
  EXPECT_EQ(returned(text_of("GroupBy([4,8])", Dialect::kC, options), "idx"), "t");
}

TEST(MapFunction, GivesSeveralPlacesAFieldEach) {
  const std::string text = text_of("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)]", Dialect::kCpp);
  EXPECT_TRUE(has(text,
                  "struct idx_place {\n  std::int32_t laneid;\n  std::int32_t m;\n"
                  "  std::int32_t warpid;\n};"))
      << text;
  EXPECT_FALSE(has(text, "idx_accessor")) << text;
}

TEST(MapFunction, TakesTheNumberOfACopy) {
  const std::string text = text_of("S[(4):(1@m)] + R[(2):(4@m)]");
  EXPECT_TRUE(has(text, "idx(int32_t i, int32_t copy)")) << text;
  EXPECT_EQ(returned(text, "idx"), "(copy << 2) + i");
}

TEST(MapFunction, RenamesWhatTheLanguageKeeps) {
  const char* layout =
      "{\"ins\":[[\"register\",[[1],[2]]],[\"lane\",[[4]]]],\"outs\":[[\"dim0\",8]]}";
  EXPECT_TRUE(has(text_of(layout), "idx(int32_t register_, int32_t lane)"));
  EXPECT_TRUE(has(text_of(layout, Dialect::kPython), "idx(register, lane)"));
}

TEST(MapFunction, MakesSizesParameters) {
  const std::string text = text_of("(M,N):(N,1)", Dialect::kCuda);
  EXPECT_TRUE(has(text, "idx(int64_t i, int64_t j, int64_t M, int64_t N)")) << text;
  EXPECT_TRUE(has(text, "// Assumed: 1 <= M, 1 <= N.")) << text;
  EXPECT_TRUE(has(text, "T* data;\n  int64_t M;\n  int64_t N;")) << text;
  EXPECT_TRUE(has(text, "return 0 <= i && i < M && 0 <= j && j < N;")) << text;
}

TEST(MapFunction, GuardsWhatAnExpandByLeavesOut) {
  EXPECT_TRUE(has(text_of("ExpandBy([3,7],[4,9],GroupBy([4,9]))"),
                  "if (!(0 <= i && i < 4 && 0 <= j && j < 9)) return false;"));
}

TEST(MapFunction, WritesTablesByTheirLayout) {
  EXPECT_EQ(returned(text_of("[[0,1,2,3],[4,5,6,7]]"), "idx"), "(i << 2) + j");
  EXPECT_TRUE(has(text_of("[0,1,3,2,7,5]"), "if (i < 2) return i;"));
}

// Width.

TEST(MapFunction, TakesAsManyBitsAsAreProved) {
  // The last element is at 2^31 - 1.
  EXPECT_TRUE(has(text_of("(65536,32768):(32768,1)"), "// 32 bits: every number"));
  EXPECT_TRUE(has(text_of("(65536,32768):(32768,1)"), "from 0 to 2147483647."));
  EXPECT_TRUE(has(text_of("(65536,32769):(32769,1)"), "// 64 bits: every number"));
  // Values fit 32 bits; what comes before they are divided does not.
  EXPECT_TRUE(has(text_of("{ [c] -> [floor(32000*c/65537)] : 0 <= c < 70000 }"), "// 64 bits"));
  EXPECT_TRUE(has(text_of("(M,N):(N,1)"), "nothing is known of how large M, N may be"));
}

// Relations.

TEST(MapFunction, ChoosesBetweenPieces) {
  const std::string text =
      text_of("{ [c] -> [c + 3*floor(c/4)] : 0 <= c < 8; [c] -> [100 - c] : 8 <= c < 12 }");
  EXPECT_TRUE(has(text, "if (c < 8) return c + 3 * (c >> 2);\n  return 100 - c;")) << text;
  EXPECT_TRUE(has(text_of("{ [i, j] -> [8i + j] : 0 <= j <= i < 8 }"), "return j <= i;"));
}

TEST(MapFunction, HasParametersOfRelations) {
  const std::string text = text_of("[N] -> { [c] -> [2c] : 0 <= c < N }");
  EXPECT_TRUE(has(text, "idx_guard(int64_t c, int64_t N)")) << text;
}

// Inverses.

TEST(MapFunction, SaysWhyThereIsNoInverse) {
  const std::string text = text_of("(4,8):(8,2)");
  EXPECT_TRUE(has(text,
                  "// No idx_inverse: (4,8):(8,2) has no inverse: several points have one "
                  "place."))
      << text;
  EXPECT_FALSE(has(text, "idx_inverse("));
}

// Refusals.

std::string refused(std::string_view layout, MapFunctionOptions options = {}) {
  const auto function = map_function(layout_of(layout), options);
  return function ? "not refused" : function.error().code();
}

TEST(MapFunction, Refuses) {
  EXPECT_EQ(refused("{ [c] -> [d] : 0 <= c < 4 and 0 <= d < 2 }"), "relation.multi_valued");
  EXPECT_EQ(refused("{ [c] -> [2c] : c >= 0 }"), "relation.unbounded");
  EXPECT_EQ(refused("{ [c] -> [c] : c < c }"), "relation.empty");
  notation::Environment sizes;
  ASSERT_TRUE(sizes.assume("1<=M<=1099511627776, 1<=N<=1099511627776"));
  const auto wide = notation::evaluate("(M,N,2):(N,1,M*N)", sizes);
  EXPECT_EQ(map_function(wide->get<cute::Layout>()).error().code(), "overflow");
  MapFunctionOptions options;
  options.coordinates = {"i", "j", "k"};
  EXPECT_EQ(refused("(4,8):(8,1)", options), "emit.coordinates");
  options.coordinates = {"i", "i"};
  EXPECT_EQ(refused("(4,8):(8,1)", options), "emit.coordinates");
  options.coordinates = {"i", "N"};
  EXPECT_EQ(refused("(M,N):(N,1)", options), "emit.coordinates");
  options = {};
  options.shape = std::vector<Int>{3, 11};
  EXPECT_EQ(refused("S[32:1@m]", options), "view.shape");
}

TEST(MapFunction, RefusesNamesThatAreNone) {
  const MapFunction function = map_function(test::hub("(4,8):(8,1)")).value();
  EXPECT_EQ(to_text(function, {Dialect::kC, "int"}).error().code(), "print.name");
  EXPECT_EQ(to_text(function, {Dialect::kC, "2d"}).error().code(), "print.name");
  EXPECT_EQ(to_text(function, {Dialect::kPython, "lambda"}).error().code(), "print.name");
  EXPECT_TRUE(to_text(function, {Dialect::kC, "lambda"}));
  EXPECT_EQ(to_text(function, {Dialect::kHeddle, "f"}).error().code(), "print.operation");
}

}  // namespace
}  // namespace heddle::emit
