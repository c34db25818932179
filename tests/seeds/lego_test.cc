// Seed 001, "LEGO", sections III and IV-A: every number, figure and table, and what the errata say
// of them. Layouts are read from the paper's own notation.

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "heddle/emit/slice.h"
#include "heddle/expr/index_variable.h"
#include "heddle/lego/algebra.h"
#include "heddle/lego/equality.h"
#include "heddle/lego/layout.h"
#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lego.h"
#include "heddle/notation/parser.h"

namespace heddle::test {
namespace {

using notation::Environment;
using notation::Value;
using LogicalPoint = std::vector<Int>;
using Numbers = std::vector<std::int64_t>;

lego::Layout lego_layout(std::string_view text) {
  const Result<lego::Layout> layout = notation::parse_lego(text);
  EXPECT_TRUE(layout) << layout.error();
  return layout.value();
}

/// Runs statements, one after the other.
Environment after(std::string_view program) {
  Environment environment;
  notation::StatementReader reader(program);
  while (true) {
    const auto statement = reader.next();
    EXPECT_TRUE(statement) << statement.error();
    if (!statement || !*statement) return environment;
    if ((*statement)->kind == notation::StatementKind::kAssume) {
      const auto assumed = environment.assume((*statement)->assumption);
      EXPECT_TRUE(assumed) << assumed.error();
      continue;
    }
    const Result<Value> value = notation::evaluate((*statement)->expression, environment);
    EXPECT_TRUE(value) << value.error();
    if (!value) return environment;
    const auto bound = environment.bind((*statement)->names, *value);
    EXPECT_TRUE(bound) << bound.error();
  }
}

std::string text_of(std::string_view expression, const Environment& environment = {}) {
  const Result<Value> value = notation::evaluate(expression, environment);
  return value ? to_string(*value) : value.error().code();
}

/// The positions in row-major order of the view.
Numbers positions(const lego::Layout& layout) {
  Numbers result;
  for (std::int64_t i = 0; i < layout.size().value(); ++i) {
    result.push_back(layout.apply(lego::unflatten(layout.dims(), i)).value().value());
  }
  return result;
}

/// The flat index in the view at each position.
Numbers elements(const lego::Layout& layout) {
  Numbers result;
  for (std::int64_t i = 0; i < layout.physical_size().value(); ++i) {
    result.push_back(lego::flatten(layout.dims(), layout.inv(i).value()).value());
  }
  return result;
}

constexpr std::string_view kFigure2 =
    "GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))";
constexpr std::string_view kFigure6 =
    "GroupBy([6,6]).OrderBy(RegP([2,3,2,3],[1,3,2,4]))"
    ".OrderBy(RegP([2,2],[2,1]),GenP([3,3],antidiag))";
constexpr std::string_view kFigure6Middle = "GroupBy([6,6]).OrderBy(RegP([2,3,2,3],[1,3,2,4]))";

TEST(Seed001, Figure2_ApplyAndInv) {
  const lego::Layout layout = lego_layout(kFigure2);
  EXPECT_EQ(lego_layout("GroupBy([6,4])").apply(LogicalPoint{4, 1}).value(), Int(17));
  EXPECT_EQ(layout.apply(LogicalPoint{4, 1}).value(), Int(6));
  EXPECT_EQ(layout.inv(6).value(), (LogicalPoint{4, 1}));
  // "corresponding to index [0,1,0,0] of the 4D array shown on the right".
  EXPECT_EQ(lego::unflatten(LogicalPoint{2, 2, 3, 2}, 6), (LogicalPoint{0, 1, 0, 0}));
  EXPECT_EQ(lego::unflatten(LogicalPoint{2, 2, 3, 2}, 17), (LogicalPoint{1, 0, 2, 1}));
}

TEST(Seed001, Figure2_TheMiddleColumnIsAReshape) {
  // The figure shows tile (I,J) of 3 x 2 elements at rows 3*I and columns 2*J.
  const lego::Layout shown = lego_layout("GroupBy([2,3,2,2]).OrderBy(RegP([2,3,2,2],[1,3,2,4]))");
  EXPECT_EQ(positions(shown), (Numbers{0,  1,  6,  7,  2,  3,  8,  9,  4,  5,  10, 11,
                                       12, 13, 18, 19, 14, 15, 20, 21, 16, 17, 22, 23}));
  const lego::Layout reshaped = lego_layout("GroupBy([6,4]).OrderBy(Row(2,2,3,2))");
  Numbers identity(24);
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_EQ(positions(reshaped), identity);
}

TEST(Seed001, Figure2_InTheWordsOfTheGrammar) {
  const Environment p = after(
      "p = (i,j) -> (3-1-i)*2 + (2-1-j)\n"
      "p_inv = x -> (2-x//2, 1-x%2)\n");
  for (const char* text :
       {"GroupBy([6, 4], OrderBy(RegP([2, 2], [2, 1]), GenP([3, 2], p, p^{-1})))",
        "GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],p,p^{inv}))"}) {
    const Result<Value> value = notation::evaluate(text, p);
    ASSERT_TRUE(value) << value.error();
    EXPECT_EQ(positions(value->get<lego::Layout>()), positions(lego_layout(kFigure2)));
    EXPECT_EQ(lego::evidence(value->get<lego::Layout>()), lego::Evidence::kEvaluation);
  }
}

TEST(Seed001, Figure4_CanonicalBijections) {
  const LogicalPoint sizes = {3, 4, 5};
  for (std::int64_t i = 0; i < 60; ++i) {
    const LogicalPoint point = {i / 20, i / 5 % 4, i % 5};
    EXPECT_EQ(lego::flatten(sizes, point), Int(i));
    EXPECT_EQ(lego::unflatten(sizes, i), point);
  }
}

TEST(Seed001, Figure4_RegPFlattensInThePermutedSpace) {
  const lego::Layout layout = lego_layout("GroupBy([2,3,4]).OrderBy(RegP([2,3,4],[3,1,2]))");
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 4; ++k) {
        const Int flat = (k * 2 + i) * 3 + j;
        EXPECT_EQ(layout.apply(LogicalPoint{i, j, k}).value(), flat);
        EXPECT_EQ(layout.inv(flat).value(), (LogicalPoint{i, j, k}));
      }
    }
  }
  EXPECT_EQ(lego::inverse(Numbers{3, 1, 2}), (Numbers{2, 3, 1}));
}

TEST(Seed001, Figure4_OrderByGoesFromTheOutermostInwards) {
  // 1-D grids of 3-D blocks: "tiles do not have to share the same dimensionality".
  const lego::Layout layout = lego_layout("GroupBy([4,2,3,2]).OrderBy(RegP([4],[1]),Col(2,3,2))");
  EXPECT_EQ(layout.apply(LogicalPoint{3, 1, 2, 1}).value(), Int(3 * 12 + 1 + 2 * 2 + 1 * 6));
  EXPECT_EQ(layout.inv(3 * 12 + 1 + 2 * 2 + 1 * 6).value(), (LogicalPoint{3, 1, 2, 1}));
}

TEST(Seed001, Figure5_Dims) {
  EXPECT_EQ(lego_layout("GroupBy([2,3],[4,5]).OrderBy(Row(120))").dims(),
            (LogicalPoint{2, 3, 4, 5}));
}

TEST(Seed001, Figure6_TheDotFormAppliesWhatComesFirstFirst) {
  const lego::Layout layout = lego_layout(kFigure6);
  EXPECT_EQ(lego_layout("GroupBy([6,6])").apply(LogicalPoint{4, 2}).value(), Int(26));
  EXPECT_EQ(lego_layout(kFigure6Middle).apply(LogicalPoint{4, 2}).value(), Int(23));
  EXPECT_EQ(lego::unflatten(LogicalPoint{2, 2, 3, 3}, 23), (LogicalPoint{1, 0, 1, 2}));
  EXPECT_EQ(layout.apply(LogicalPoint{4, 2}).value(), Int(15));
  EXPECT_EQ(lego::unflatten(LogicalPoint{2, 2, 3, 3}, 15), (LogicalPoint{0, 1, 2, 0}));
  EXPECT_EQ(layout.inv(15).value(), (LogicalPoint{4, 2}));
  // Figures 3 and 5 list the sequence the other way.
  EXPECT_EQ(lego_layout("GroupBy([6,6], OrderBy(RegP([2,2],[2,1]),GenP([3,3],antidiag)), "
                        "OrderBy(RegP([2,3,2,3],[1,3,2,4])))"),
            layout);
}

TEST(Seed001, Equation2_WithTheInverseNamed) {
  for (const char* inverse : {"antidiag^{inv}", "antidiag_inv", "antidiaginv", "antidiag^{-1}"}) {
    const std::string text =
        "GroupBy([6, 6]).OrderBy(RegP([2, 3, 2, 3], [1, 3, 2, 4])).OrderBy("
        "RegP([2, 2], [2, 1]), GenP([3, 3], antidiag, " +
        std::string(inverse) + "))";
    EXPECT_EQ(lego_layout(text), lego_layout(kFigure6));
  }
}

TEST(Seed001, Equation2_AtEveryPoint) {
  // The figure's right column: the elements in the order in which they lie in memory. LEGO's own
  // artifact is wrong at 12 of these 36 points.
  EXPECT_EQ(elements(lego_layout(kFigure6)),
            (Numbers{0, 1, 6, 2, 7,  12, 8,  13, 14, 18, 19, 24, 20, 25, 30, 26, 31, 32,
                     3, 4, 9, 5, 10, 15, 11, 16, 17, 21, 22, 27, 23, 28, 33, 29, 34, 35}));
}

/// Figure 7 word by word, `mirrored` standing for what is taken from x0 in its lower half.
Environment figure7(int n, const std::string& mirrored) {
  return after("n = " + std::to_string(n) +
               "\n"
               "antidiagonal = (i, j) -> if i+j+1 <= n then i + ((i+j+1)*(i+j))//2\n"
               "  else n*n - n + i - ((2*n-(i+j+1))*(2*n-(i+j+1)-1))//2\n"
               "S = n*(n+1)//2\n"
               "x = x0 -> x0 if x0 < S else " +
               mirrored +
               "\n"
               "r = y -> isqrt(2*y)\n"
               "d = y -> r(y) + (1 if y >= r(y)*(r(y)+1)//2 else 0)\n"
               "i = y -> y - d(y)*(d(y)-1)//2\n"
               "j = y -> d(y) - i(y) - 1\n"
               "back = x0 -> (i(x(x0)), j(x(x0))) if x0 < S else (n-1-i(x(x0)), n-1-j(x(x0)))\n");
}

TEST(Seed001, Figure7_AntidiagonalAndItsInverse) {
  for (int n = 1; n <= 6; ++n) {
    const Environment environment = figure7(n, "n*n - 1 - x0");
    const Result<Value> value =
        notation::evaluate("GroupBy([n,n]).OrderBy(GenP([n,n], antidiagonal, back))", environment);
    ASSERT_TRUE(value) << value.error();
    const lego::Layout layout = value->get<lego::Layout>();
    const std::string size = std::to_string(n);
    const lego::Layout named = lego_layout("GroupBy([" + size + "," + size + "]).OrderBy(GenP([" +
                                           size + "," + size + "],antidiag))");
    EXPECT_EQ(positions(layout), positions(named));
    EXPECT_EQ(elements(layout), elements(named));
  }
}

TEST(Seed001, Figure7_AsPrintedTheInverseIsNone) {
  for (int n = 2; n <= 6; ++n) {
    const Environment environment = figure7(n, "n*n - x0");
    EXPECT_EQ(text_of("GroupBy([n,n]).OrderBy(GenP([n,n], antidiagonal, back))", environment),
              "lego.genp_inverse");
  }
}

TEST(Seed001, Figure7_TheAntidiagonalsOf5By5) {
  EXPECT_EQ(positions(lego_layout("GroupBy([5,5]).OrderBy(GenP([5,5],antidiag))")),
            (Numbers{0,  1,  3, 6,  10, 2,  4,  7,  11, 15, 5,  8, 12,
                     16, 19, 9, 13, 17, 20, 22, 14, 18, 21, 23, 24}));
}

TEST(Seed001, NotationAndSugar) {
  EXPECT_EQ(lego::interleaving(3, 2), (Numbers{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(lego::interleaving(2, 3), (Numbers{1, 4, 2, 5, 3, 6}));
  // Row is the identity; Col is column-major, which is RegP with the dims as they are.
  EXPECT_TRUE(lego::equal(lego_layout("GroupBy([4,8]).OrderBy(Row(4,8))"),
                          lego_layout("GroupBy([4,8]).OrderBy(RegP([4,8],[1,2]))"))
                  .is_yes());
  EXPECT_TRUE(lego::equal(lego_layout("GroupBy([4,8]).OrderBy(Col([4,8]))"),
                          lego_layout("GroupBy([4,8]).OrderBy(RegP([4,8],[2,1]))"))
                  .is_yes());
  const lego::Layout column = lego_layout("GroupBy([4,8]).OrderBy(Col(4,8))");
  EXPECT_EQ(column.apply(LogicalPoint{3, 5}).value(), Int(3 + 4 * 5));
  // TileBy: the space (2 x 4 x 6) x (3 x 5 x 7) after interleaving, dimension by dimension.
  EXPECT_EQ(text_of("desugar(TileBy([2,3],[4,5],[6,7]))"),
            "GroupBy([2,3],[4,5],[6,7]).OrderBy(RegP([2,3,4,5,6,7],[1,3,5,2,4,6]))");
  EXPECT_EQ(text_of("desugar(TileBy([2,3,4],[5,6,7]))"),
            "GroupBy([2,3,4],[5,6,7]).OrderBy(RegP([2,3,4,5,6,7],[1,4,2,5,3,6]))");
  // TileOrderBy: OrderBy(RegP(sigma(dims), sigma^-1)), then the permutations themselves.
  EXPECT_EQ(text_of("desugar(GroupBy([6,15]).TileOrderBy(Row(2,3),Col(3,5)))"),
            "GroupBy([6,15]).OrderBy(RegP([2,3,3,5],[1,3,2,4])).OrderBy(Row(2,3),Col(3,5))");
}

// Table I.

/// The index expression is the sum of coordinates times strides.
void expect_strides(const lego::Layout& layout, const LogicalPoint& strides) {
  const LogicalPoint sizes = layout.dims();
  ASSERT_EQ(sizes.size(), strides.size());
  LogicalPoint point;
  Int wanted = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    point.push_back(index_variable("i" + std::to_string(i), sizes[i]));
    wanted += point.back() * strides[i];
  }
  const Int index = layout.apply(point).value();
  EXPECT_TRUE(known_equal(index, wanted)) << index << " and " << wanted;
}

lego::Layout bound_layout(const Environment& environment) {
  return environment.find("L")->get<lego::Layout>();
}

Int bound_integer(const Environment& environment, std::string_view name) {
  return environment.assumptions().variable(name);
}

TEST(Seed001, Table1_Row1) {
  const Environment environment = after(
      "assume BM>=1, BK>=1, M%BM==0, K%BK==0\n"
      "L = TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))");
  const auto size = [&](const char* name) { return bound_integer(environment, name); };
  expect_strides(bound_layout(environment), {size("K") * size("BM"), size("BK"), size("K"), 1});
}

TEST(Seed001, Table1_Row6Middle) {
  // The CuTe column, (2,2):(18,3) with (3,3):(6,1), is the inverse: it takes where an element lies
  // to its index.
  const lego::Layout layout = lego_layout(kFigure6Middle);
  const auto cute = notation::parse_cute("((2,2),(3,3)):((18,3),(6,1))").value();
  const auto index = [&](const LogicalPoint& point) {
    return point[0] * 18 + point[1] * 3 + point[2] * 6 + point[3];
  };
  EXPECT_EQ(cute::size(cute), Int(36));
  EXPECT_EQ(index(lego::unflatten(LogicalPoint{2, 2, 3, 3}, 23)), Int(26));
  EXPECT_EQ(layout.apply(LogicalPoint{4, 2}).value(), Int(23));
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(index(lego::unflatten(LogicalPoint{2, 2, 3, 3}, i)), Int(elements(layout)[i]));
  }
}

TEST(Seed001, Table1_Row8_AndFigure8) {
  expect_strides(lego_layout("GroupBy([2,2,2,2,2]).OrderBy(RegP([2,2,2,2,2],[5,2,4,3,1]))"),
                 {1, 8, 2, 4, 16});
  // The figure's numbers: 0 4 8 …, 1 5 9 …
  EXPECT_EQ(positions(lego_layout("GroupBy([4,8]).OrderBy(Col(4,8))")),
            (Numbers{0, 4, 8,  12, 16, 20, 24, 28, 1, 5, 9,  13, 17, 21, 25, 29,
                     2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31}));
}

TEST(Seed001, Table1_Row12b) {
  const Environment environment = after("L = GroupBy([R,R],[T,T]).OrderBy(Row(R*T,R*T))");
  const Int r = bound_integer(environment, "R");
  const Int t = bound_integer(environment, "T");
  expect_strides(bound_layout(environment), {r * t * t, t * t, t, 1});
}

TEST(Seed001, Table1_Row12c) {
  const std::string sizes = "assume B>=1, N%B==0\nL = TileBy([N//B,N//B,N//B],[B,B,B])";
  const std::string rows = "(Row(N//B,N//B,N//B),Row(B,B,B))";
  const Environment bricks = after(sizes + ".TileOrderBy" + rows);
  const Int n = bound_integer(bricks, "N");
  const Int b = bound_integer(bricks, "B");
  expect_strides(bound_layout(bricks), {n * n * b, n * b * b, b * b * b, b * b, b, 1});
  // As printed, with OrderBy, it is plain row-major.
  const Environment printed = after(sizes + ".OrderBy" + rows);
  expect_strides(bound_layout(printed), {n * n * b, n * b, b, n * n, n, 1});
}

// III-D.

TEST(Seed001, Figure9_ExpandBy) {
  const lego::Layout layout = lego_layout("ExpandBy([3,7],[4,9],GroupBy([4,9]).OrderBy(Row(4,9)))");
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      const bool is_inside = i < 3 && j < 7;
      const Int position = is_inside ? Int(i * 7 + j) : Int(-1);
      EXPECT_EQ(layout.apply(LogicalPoint{i, j}).value(), position);
      if (is_inside) {
        EXPECT_EQ(layout.inv(position).value(), (LogicalPoint{i, j}));
      }
    }
  }
}

TEST(Seed001, Figure9_ClipsPhysicalCoordinates) {
  // So a column-major case has its extents reversed.
  const lego::Layout layout = lego_layout("ExpandBy([7,3],[9,4],GroupBy([4,9]).OrderBy(Col(4,9)))");
  EXPECT_EQ(layout.apply(LogicalPoint{2, 6}).value(), Int(6 * 3 + 2));
  EXPECT_EQ(layout.apply(LogicalPoint{3, 0}).value(), Int(-1));
  EXPECT_EQ(layout.inv(20).value(), (LogicalPoint{2, 6}));
}

TEST(Seed001, InjectiveLayoutsHaveApplyOnly) {
  const lego::Layout rows = lego_layout("GroupBy([3,4]).OrderBy(GenP([3,4],(i,j) -> i))");
  EXPECT_EQ(rows.apply(LogicalPoint{2, 3}).value(), Int(2));
  EXPECT_EQ(rows.inv(2).error().code(), "lego.no_inverse");
  const lego::Layout columns = lego_layout("GroupBy([3,4]).OrderBy(GenP([3,4],(i,j) -> j))");
  EXPECT_EQ(columns.apply(LogicalPoint{2, 3}).value(), Int(3));
  const lego::Layout even = lego_layout("GroupBy([8]).OrderBy(GenP([8],i -> 2*i))");
  EXPECT_EQ(even.apply(LogicalPoint{5}).value(), Int(10));
  EXPECT_EQ(even.inv(10).error().code(), "lego.no_inverse");
}

// IV-A.

TEST(Seed001, Figure1_MatmulLayouts) {
  const Environment environment = after(
      "assume BM>=1, BN>=1, BK>=1, M%BM==0, N%BN==0, K%BK==0\n"
      "DL_a = TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))\n"
      "DL_b = TileBy([K//BK, N//BN], [BK, BN]).OrderBy(Row(K, N))\n"
      "DL_c = TileBy([M//BM, N//BN], [BM, BN]).OrderBy(Row(M, N))\n"
      "la_optr = DL_a[lpid_m, k, :, :]\n"
      "lb_optr = DL_b[k, lpid_n, :, :]\n"
      "lc_optr = DL_c[lpid_m, lpid_n, :, :]\n");
  const auto slice = [&](const char* name) { return environment.find(name)->get<lego::Slice>(); };
  const auto size = [&](const char* name) { return bound_integer(environment, name); };
  // Figure 10: a_ptr + BK*k + K*(BM*pid_m + tl.arange(0, BM)[:, None]) + tl.arange(0, BK)[None, :]
  const lego::Slice a = slice("la_optr");
  ASSERT_EQ(a.ranges.size(), 2U);
  EXPECT_EQ(a.ranges[0].extent, size("BM"));
  EXPECT_EQ(a.ranges[0].dimension, 2U);
  EXPECT_EQ(a.ranges[1].extent, size("BK"));
  EXPECT_EQ(emit::broadcast_text(0, 2), "[:, None]");
  EXPECT_EQ(emit::broadcast_text(1, 2), "[None, :]");
  const Int m = index_variable("lpid_m", floor_div(size("M"), size("BM")));
  const Int k = index_variable("k", floor_div(size("K"), size("BK")));
  EXPECT_TRUE(known_equal(
      a.index,
      size("BK") * k + size("K") * (size("BM") * m + a.ranges[0].variable) + a.ranges[1].variable))
      << a.index;
  const lego::Slice b = slice("lb_optr");
  const Int n = index_variable("lpid_n", floor_div(size("N"), size("BN")));
  EXPECT_TRUE(known_equal(
      b.index,
      size("BN") * n + size("N") * (size("BK") * k + b.ranges[0].variable) + b.ranges[1].variable))
      << b.index;
  const lego::Slice c = slice("lc_optr");
  EXPECT_TRUE(known_equal(
      c.index,
      size("BN") * n + size("N") * (size("BM") * m + c.ranges[0].variable) + c.ranges[1].variable))
      << c.index;
}

TEST(Seed001, Figure1_ThreadBlocks) {
  // Figure 10's pid_m and pid_n, for numbers for which the layout covers all tiles of C.
  const Environment environment = after(
      "nt_m = 12\nnt_n = 5\nGM = 4\n"
      "CL = TileBy([nt_m, nt_n]).TileOrderBy(Col(max(nt_m//GM,1), 1), Col(min(nt_m,GM),nt_n))\n");
  const lego::Layout layout = environment.find("CL")->get<lego::Layout>();
  for (std::int64_t pid = 0; pid < 60; ++pid) {
    const LogicalPoint place = layout.inv(pid).value();
    EXPECT_EQ(place[0], Int(pid % 4 + pid / 20 % 3 * 4));
    EXPECT_EQ(place[1], Int(pid % 20 / 4));
  }
  EXPECT_EQ(text_of("CL.inv(23)", environment), "[7,0]");
}

TEST(Seed001, Figure1_GroupsThatDoNotDivideAreRefused) {
  // nt_m=12, nt_n=5, GM=8 covers 40 of the 60 tiles.
  const Environment environment = after("nt_m = 12\nnt_n = 5\nGM = 8\n");
  EXPECT_EQ(text_of("TileBy([nt_m,nt_n]).TileOrderBy(Col(max(nt_m//GM,1),1),"
                    "Col(min(nt_m,GM),nt_n))",
                    environment),
            "lego.sizes");
  // A layout that covers every case, Triton's own order.
  const Result<Value> grouped = notation::evaluate(
      "GroupBy([nt_m,nt_n]).OrderBy(GenP([nt_m,nt_n],grouped(GM)))", environment);
  ASSERT_TRUE(grouped) << grouped.error();
  const lego::Layout layout = grouped->get<lego::Layout>();
  for (std::int64_t pid = 0; pid < 60; ++pid) {
    const std::int64_t group = pid / 40;
    const std::int64_t rows = std::min<std::int64_t>(12 - group * 8, 8);
    EXPECT_EQ(layout.inv(pid).value(),
              (LogicalPoint{group * 8 + pid % 40 % rows, pid % 40 / rows}));
  }
}

// Table II: what its rules say, of any numbers that meet their conditions.

TEST(Seed001, Table2_Rules) {
  const Int d = Int::variable("d", 1, 1000);
  const Int q = Int::variable("q", -1000, 1000);
  const Int r = index_variable("r", d);
  const Int any = Int::variable("a", -1000, 1000);
  const Int n = Int::variable("n", -1000, 1000);
  EXPECT_TRUE(known_equal(mod(d * q + any, d), mod(any, d)));
  EXPECT_TRUE(known_equal(floor_div(d * q + r, d), q));
  EXPECT_TRUE(known_equal(floor_div(d * q + any, d), q + floor_div(any, d)));
  EXPECT_TRUE(known_equal(floor_div(mod(any, d), d), 0));
  EXPECT_TRUE(known_equal(floor_div(r, d), 0));
  EXPECT_TRUE(known_equal(mod(r, d), r));
  EXPECT_TRUE(known_equal(floor_div(n + any, 1), n + any));
  EXPECT_TRUE(known_equal(d * floor_div(any, d) + mod(any, d), any));
}

// Section III-A: inv is the inverse bijection, and so a layout itself.
TEST(Seed001, SectionIIIA_TheInverseIsALayout) {
  for (const std::string_view text : {kFigure2, kFigure6, kFigure6Middle}) {
    const lego::Layout layout = lego_layout(text);
    const lego::Layout back = lego::inverse(layout).value();
    EXPECT_EQ(positions(back), elements(layout)) << back;
    EXPECT_EQ(elements(back), positions(layout)) << back;
  }
  EXPECT_EQ(to_string(lego::inverse(lego_layout(kFigure2)).value()),
            "GroupBy([2,2],[6]).OrderBy(RegP([2,2],[2,1]),GenP([6],reverse))");
}

// Section III-B: OrderBys chain by canonical bijections, so a chain is a composition of its links.
TEST(Seed001, SectionIIIB_AChainIsTheCompositionOfItsLinks) {
  const lego::Layout first = lego_layout(kFigure6Middle);
  const lego::Layout second =
      lego_layout("GroupBy([6,6]).OrderBy(RegP([2,2],[2,1]),GenP([3,3],antidiag))");
  EXPECT_EQ(to_string(lego::composition(second, first).value()), kFigure6);
}

// Table I, row 6mid, as the errata have it: the printed CuTe layout is the inverse of LEGO's.
TEST(Seed001, Table1_Row6Middle_TheCuTeColumnIsTheInverse) {
  const lego::Layout back = lego::inverse(lego_layout(kFigure6Middle)).value();
  EXPECT_TRUE(lego::equal(lego::inverse(back).value(), lego_layout(kFigure6Middle)).is_yes());
  EXPECT_EQ(text_of("convert(inverse(" + std::string(kFigure6Middle) + "), 'cute')"),
            "(2,2,3,3):(18,3,6,1)");
}

// Section III-B: one OrderBy of RegPs is affine in the digits of its tiles, two need not be, and
// GenPs are arbitrary.
TEST(Seed001, SectionIIIB_ClassificationOfBijectiveLayouts) {
  EXPECT_EQ(text_of("convert(GroupBy([4,6]).OrderBy(RegP([2,2],[2,1]),RegP([2,3],[2,1])), 'cute')"),
            "((2,2),(3,2)):((12,6),(2,1))");
  EXPECT_EQ(text_of("recover(GroupBy([12]).OrderBy(RegP([3,4],[2,1])).OrderBy(RegP([6,2],[2,1])))"),
            "recover.no_layout");
  EXPECT_EQ(text_of("recover(GroupBy([5,5]).OrderBy(GenP([5,5],antidiag)))"), "recover.no_layout");
  EXPECT_EQ(text_of("table(GroupBy([4]).OrderBy(GenP([4],[2,0,3,1])))"), "[2,0,3,1]");
}

}  // namespace
}  // namespace heddle::test
