#include "heddle/emit/map_function.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>

#include "heddle/emit/print.h"
#include "heddle/notation/evaluator.h"
#include "support/any_layout.h"
#include "support/shell.h"
#include "support/strings.h"

namespace heddle::emit {
namespace {

using test::contains;

map::AnyLayout layout_of(std::string_view text) {
  const bool is_relation = text.find("->") != std::string_view::npos;
  if (is_relation) return map::IntegerRelation::parse(text).value();
  return test::layout_of_text(text);
}

std::string text_of(std::string_view layout, Dialect dialect = Dialect::kC,
                    MapFunctionOptions options = {}) {
  const auto text = map_text(layout_of(layout), {dialect, "idx"}, std::move(options));
  return text ? *text : text.error().to_string();
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
    EXPECT_EQ(text, test::contents(path)) << path;
  }
}

// Expressions.

TEST(MapFunction, ReadsDigitsBack) {
  const std::string text = text_of("(4,(2,2)):(2,(1,8))");
  EXPECT_EQ(returned(text, "idx"), "(i << 1) + ((j >> 1) << 3) + (j & 1)");
  EXPECT_TRUE(contains(text, "0 <= i && i < 4 && 0 <= j && j < 4")) << text;
  EXPECT_TRUE(contains(text, "enum { idx_size = 16 };")) << text;
}

TEST(MapFunction, KeepsXorShiftAndMask) {
  const std::string text = text_of("Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(returned(text, "idx"), "(i << 3) ^ ((i << 6) + j)");
  EXPECT_TRUE(contains(text, "m ^ ")) << text;
}

/// What the only branch of a kernel computes.
std::vector<Int> values_at(const BranchedKernel& kernel, std::span<const Int> point) {
  Bindings bindings;
  for (std::size_t i = 0; i < point.size(); ++i) bindings[kernel.parameters[i]] = point[i];
  const std::vector<Int> values = evaluate(kernel.kernel, bindings);
  std::vector<Int> results;
  for (const std::size_t i : kernel.branches.front().results) results.push_back(values[i]);
  return results;
}

// The box has no extent in common with the digits: 20 and 12 beside 3, 16 and 5.
TEST(MapFunction, TurnsABoxRoundThatCutsAcrossDigits) {
  MapFunctionOptions options;
  options.shape = std::vector<Int>{20, 1, 12};
  const MapFunction function =
      map_function(layout_of("S[(3,16,5):(80@m,1@m,16@m)]"), options).value();
  ASSERT_TRUE(function.inverse);
  ASSERT_EQ(function.inverse->branches.size(), 1U);
  std::set<std::int64_t> places;
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t k = 0; k < 12; ++k) {
      const std::vector<Int> point = {i, 0, k};
      const std::vector<Int> place = values_at(function.map, point);
      EXPECT_EQ(values_at(*function.inverse, place), point);
      places.insert(place.front().value());
    }
  }
  EXPECT_EQ(places.size(), 240U);
}

TEST(MapFunction, IsNotFoundRatherThanAnotherOneWhereTimeIsOver) {
  for (const char* layout : {"(4,8):(8,1)", "GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))"}) {
    MapFunctionOptions options;
    options.limits.time = std::chrono::milliseconds(0);
    EXPECT_EQ(map_function(layout_of(layout), options).error().code(), "relation.gave_up");
  }
}

TEST(MapFunction, IsNoChainOfThousandsOfBranches) {
  std::string table = "[0";
  for (int i = 1; i < 4000; ++i) table += fmt::format(",{}", i * i % 3989);
  EXPECT_EQ(map_function(layout_of(table + "]"), {}).error().code(), "relation.too_large");
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
  EXPECT_TRUE(contains(text,
                       "struct idx_place {\n  std::int32_t laneid;\n  std::int32_t m;\n"
                       "  std::int32_t warpid;\n};"))
      << text;
  EXPECT_FALSE(contains(text, "idx_accessor")) << text;
}

TEST(MapFunction, TakesTheNumberOfACopy) {
  const std::string text = text_of("S[(4):(1@m)] + R[(2):(4@m)]");
  EXPECT_TRUE(contains(text, "idx(int32_t i, int32_t copy)")) << text;
  EXPECT_EQ(returned(text, "idx"), "(copy << 2) + i");
}

TEST(MapFunction, RenamesWhatTheLanguageKeeps) {
  const char* layout =
      "{\"ins\":[[\"register\",[[1],[2]]],[\"lane\",[[4]]]],\"outs\":[[\"dim0\",8]]}";
  EXPECT_TRUE(contains(text_of(layout), "idx(int32_t register_, int32_t lane)"));
  EXPECT_TRUE(contains(text_of(layout, Dialect::kPython), "idx(register, lane)"));
}

TEST(MapFunction, MakesSizesParameters) {
  const std::string text = text_of("(M,N):(N,1)", Dialect::kCuda);
  EXPECT_TRUE(contains(text, "idx(int64_t i, int64_t j, int64_t M, int64_t N)")) << text;
  EXPECT_TRUE(contains(text, "// Assumed: 1 <= M, 1 <= N.")) << text;
  EXPECT_TRUE(contains(text, "T* data;\n  int64_t M;\n  int64_t N;")) << text;
  EXPECT_TRUE(contains(text, "return 0 <= i && i < M && 0 <= j && j < N;")) << text;
}

TEST(MapFunction, GuardsWhatAnExpandByLeavesOut) {
  EXPECT_TRUE(contains(text_of("ExpandBy([3,7],[4,9],GroupBy([4,9]))"),
                       "if (!(0 <= i && i < 4 && 0 <= j && j < 9)) return false;"));
}

TEST(MapFunction, WritesTablesByTheirLayout) {
  EXPECT_EQ(returned(text_of("[[0,1,2,3],[4,5,6,7]]"), "idx"), "(i << 2) + j");
  EXPECT_TRUE(contains(text_of("[0,1,3,2,7,5]"), "if (i < 2) return i;"));
}

TEST(MapFunction, TablesKeepTheirShape) {
  EXPECT_TRUE(contains(text_of("[1,3,2,0]"), "idx(int32_t i) {"));
  EXPECT_TRUE(contains(text_of("[[0,1,2],[3,4,5]]"), "idx(int32_t i, int32_t j) {"));
  // One flat coordinate is row-major.
  MapFunctionOptions options;
  options.coordinates = {"p"};
  EXPECT_EQ(returned(text_of("[[0,1,2],[3,4,5]]", Dialect::kC, options), "idx"), "p");
}

TEST(MapFunction, ConstantsOfTritonAreAsWideAsTheFunction) {
  EXPECT_TRUE(contains(
      text_of("{ [c] -> [0] : 0 <= c < 8; [c] -> [5000000000] : 8 <= c < 20 }", Dialect::kTriton),
      "tl.where((c < 8), 0, tl.cast(5000000000, tl.int64))"));
  EXPECT_TRUE(
      contains(text_of("{ [c] -> [0] : 0 <= c < 8; [c] -> [5] : 8 <= c < 20 }", Dialect::kTriton),
               "tl.where((c < 8), 0, 5)"));
}

TEST(MapFunction, GuardsLeaveOutWhatIsKnown) {
  EXPECT_TRUE(contains(text_of("ExpandBy([8,8],[8,8],TileBy([2,2],[4,4]))"),
                       "  return 0 <= i0 && i0 < 2 && "));
  EXPECT_TRUE(contains(text_of("ExpandBy([8,7],[8,8],GroupBy([8,8]))"), "  return j < 7;"));
}

// Width.

TEST(MapFunction, TakesAsManyBitsAsAreProved) {
  // The last element is at 2^31 - 1.
  EXPECT_TRUE(contains(text_of("(65536,32768):(32768,1)"), "// 32 bits: every number"));
  EXPECT_TRUE(contains(text_of("(65536,32768):(32768,1)"), "from 0 to 2147483647."));
  EXPECT_TRUE(contains(text_of("(65536,32769):(32769,1)"), "// 64 bits: every number"));
  // Values fit 32 bits; what comes before they are divided does not.
  EXPECT_TRUE(
      contains(text_of("{ [c] -> [floor(32000*c/65537)] : 0 <= c < 70000 }"), "// 64 bits"));
  EXPECT_TRUE(contains(text_of("(M,N):(N,1)"), "nothing is known of how large M, N may be"));
}

// Relations.

TEST(MapFunction, ChoosesBetweenPieces) {
  const std::string text =
      text_of("{ [c] -> [c + 3*floor(c/4)] : 0 <= c < 8; [c] -> [100 - c] : 8 <= c < 12 }");
  EXPECT_TRUE(contains(text, "if (c < 8) return c + 3 * (c >> 2);\n  return 100 - c;")) << text;
  EXPECT_TRUE(contains(text_of("{ [i, j] -> [8i + j] : 0 <= j <= i < 8 }"), "return j <= i;"));
}

TEST(MapFunction, HasParametersOfRelations) {
  const std::string text = text_of("[N] -> { [c] -> [2c] : 0 <= c < N }");
  EXPECT_TRUE(contains(text, "idx_guard(int64_t c, int64_t N)")) << text;
}

// Inverses.

TEST(MapFunction, SaysWhyThereIsNoInverse) {
  const std::string text = text_of("(4,8):(8,2)");
  EXPECT_TRUE(contains(text,
                       "// No idx_inverse: (4,8):(8,2) has no inverse: several points have one "
                       "place."))
      << text;
  EXPECT_FALSE(contains(text, "idx_inverse("));
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
  const MapFunction function = map_function(test::layout_of_text("(4,8):(8,1)")).value();
  EXPECT_EQ(to_text(function, {Dialect::kC, "int"}).error().code(), "print.name");
  EXPECT_EQ(to_text(function, {Dialect::kC, "2d"}).error().code(), "print.name");
  EXPECT_EQ(to_text(function, {Dialect::kPython, "lambda"}).error().code(), "print.name");
  EXPECT_TRUE(to_text(function, {Dialect::kC, "lambda"}));
  EXPECT_EQ(to_text(function, {Dialect::kHeddle, "f"}).error().code(), "print.operation");
}

}  // namespace
}  // namespace heddle::emit
