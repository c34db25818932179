// Loops in every language, built and run: what they visit, in which order, is what plain
// enumeration of the points gives.

#include "heddle/emit/loops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emit/drawn_loops.h"
#include "emit/program.h"
#include "support/any_layout.h"

namespace heddle::emit {
namespace {

constexpr const char* kHead =
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "typedef struct { const long long* next; const long long* end; int wrong; } expected;\n"
    "static void meet(expected* e, const long long* got, int count) {\n"
    "  if (e->end - e->next < count || memcmp(e->next, got, count * sizeof *got)) e->wrong = 1;\n"
    "  else e->next += count;\n"
    "}\n";

std::string rows_text(const DrawnRun& run, const std::string& name) {
  std::vector<std::string> rows;
  for (const Coordinates& visit : run.visits) {
    rows.push_back(fmt::format("{},", fmt::join(visit, ", ")));
  }
  return fmt::format("static const long long {}[] = {{ {} 0 }};\n", name, fmt::join(rows, "\n  "));
}

std::size_t width_of(const DrawnLoops& drawn) {
  return drawn.nest.coordinates.size() + drawn.nest.places.size();
}

/// `int32_t a0, int32_t a1`
std::string parameters(const std::string& type, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{} a{}", type, i));
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(fmt::format("a{}", i));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// The runs of a nest as calls of check functions.
std::string checked(const DrawnLoops& drawn, std::size_t number, const LoopTextOptions& options,
                    std::string& calls) {
  const std::string& name = options.name;
  const Result<std::string> text = to_text(drawn.nest, options);
  if (!text) throw std::invalid_argument(text.error().to_string());
  const bool is_cpp = options.dialect == Dialect::kCpp;
  const std::size_t count = width_of(drawn);
  std::string program = *text + "\n";
  if (!is_cpp) {
    const bool is_narrow = text->find("(*visit)(int32_t") != std::string::npos;
    program += fmt::format(
        "static void meet{}({}, void* data) {{\n  const long long got[] = {{ {} }};\n  "
        "meet((expected*)data, got, {});\n}}\n",
        number, parameters(is_narrow ? "int32_t" : "int64_t", count), names(count), count);
  }
  for (std::size_t r = 0; r < drawn.runs.size(); ++r) {
    const DrawnRun& run = drawn.runs[r];
    const std::string rows = fmt::format("rows{}_{}", number, r);
    program += rows_text(run, rows);
    std::string sizes;
    for (const std::int64_t size : run.sizes) sizes += fmt::format(", {}", size);
    calls += fmt::format("  {{ expected e = {{ {0}, {0} + {1}, 0 }};\n", rows,
                         run.visits.size() * count);
    calls += is_cpp ? fmt::format(
                          "    {}([&](auto... all) {{ const long long got[] = {{ all... }}; "
                          "meet(&e, got, {}); }}{});\n",
                          name, count, sizes)
                    : fmt::format("    {}(meet{}, &e{});\n", name, number, sizes);
    calls += fmt::format("    if (e.wrong || e.next != e.end) {{ printf(\"{} run {}\\n\"); }} }}\n",
                         name, r);
  }
  return program;
}

std::string program_of(const std::vector<DrawnLoops>& all, Dialect dialect) {
  std::string text = kHead;
  std::string calls;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += checked(all[i], i, {dialect, fmt::format("f{}", i)}, calls);
  }
  return text + "int main(void) {\n" + calls + "  return 0;\n}\n";
}

int drawn_count(int parts) { return std::max(12, test::property_count() / parts); }

TEST(Loops, InCVisitThePointsInOrder) {
  test::expect_silent("loops.c", program_of(drawn_loops(drawn_count(20)), Dialect::kC),
                      "gcc -std=c99 -O0 -Wall -Wextra -Werror -Wno-unused-function loops.c -o "
                      "loops && ./loops");
}

TEST(Loops, InCppVisitThePointsInOrder) {
  test::expect_silent("loops.cc", program_of(drawn_loops(drawn_count(100)), Dialect::kCpp),
                      "c++ -std=c++17 -O0 -Wall -Wextra -Werror loops.cc -o loops && ./loops");
}

void expect_in_order_in_python(const std::vector<DrawnLoops>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = fmt::format("f{}", i);
    const Result<std::string> loops = to_text(all[i].nest, {Dialect::kPython, name});
    ASSERT_TRUE(loops) << loops.error();
    text += *loops + "\n";
    const std::size_t coordinates = all[i].nest.coordinates.size();
    const auto tuple = [](const Coordinates& numbers) {
      return numbers.size() == 1 ? fmt::format("{}", numbers.front())
                                 : fmt::format("({})", fmt::join(numbers, ", "));
    };
    for (const DrawnRun& run : all[i].runs) {
      std::vector<std::string> visits;
      for (const Coordinates& visit : run.visits) {
        const auto split = visit.begin() + static_cast<std::ptrdiff_t>(coordinates);
        const std::string point = tuple({visit.begin(), split});
        visits.push_back(all[i].nest.places.empty()
                             ? point
                             : fmt::format("({}, {})", point, tuple({split, visit.end()})));
      }
      text += fmt::format("if list({}({})) != [{}]: print('{}')\n", name,
                          fmt::join(run.sizes, ", "), fmt::join(visits, ", "), name);
    }
  }
  test::expect_silent("loops.py", text, "python3 loops.py");
}

TEST(Loops, InPythonYieldThePointsInOrder) {
  expect_in_order_in_python(drawn_loops(drawn_count(25)));
}

TEST(Loops, ByImageFollowListsOfValues) {
  const int count = drawn_count(10);
  const std::vector<DrawnLoops> all = drawn_loops_by_image(drawn_values, count);
  EXPECT_EQ(std::ssize(all), count);
  expect_in_order_in_python(all);
}

TEST(Loops, ByImageFollowSwizzledTiles) {
  const int count = drawn_count(10);
  const std::vector<DrawnLoops> all = drawn_loops_by_image(drawn_swizzled_tile, count);
  EXPECT_GT(std::ssize(all), count / 2);
  expect_in_order_in_python(all);
}

/// Threads meet points in any order: they are gathered, sorted and compared.
TEST(Loops, InOpenMpVisitEachPointOnce) {
  std::string text =
      "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
      "static long long got[1 << 16];\nstatic long long used;\nstatic size_t width;\n"
      "static int before(const void* a, const void* b) {\n"
      "  for (size_t i = 0; i < width; ++i) {\n"
      "    const long long x = ((const long long*)a)[i], y = ((const long long*)b)[i];\n"
      "    if (x != y) return x < y ? -1 : 1;\n  }\n  return 0;\n}\n";
  std::string calls;
  int parallel = 0;
  const std::vector<DrawnLoops> all = drawn_loops(drawn_count(40));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = fmt::format("f{}", i);
    const Result<std::string> loops = to_text(all[i].nest, {Dialect::kC, name, true});
    if (!loops) {
      EXPECT_EQ(loops.error().code(), "loops.not_parallel");
      continue;
    }
    parallel += loops->find("#pragma omp parallel for") != std::string::npos ? 1 : 0;
    const std::size_t count = width_of(all[i]);
    const bool is_narrow = loops->find("(*visit)(int32_t") != std::string::npos;
    text += *loops;
    text += fmt::format(
        "static void gather{0}({1}, void* data) {{\n  (void)data;\n  long long at;\n"
        "#pragma omp atomic capture\n  {{ at = used; used += {2}; }}\n"
        "  const long long row[] = {{ {3} }};\n  memcpy(got + at, row, sizeof row);\n}}\n",
        i, parameters(is_narrow ? "int32_t" : "int64_t", count), count, names(count));
    for (std::size_t r = 0; r < all[i].runs.size(); ++r) {
      DrawnRun run = all[i].runs[r];
      std::ranges::sort(run.visits);
      const std::string rows = fmt::format("rows{}_{}", i, r);
      text += rows_text(run, rows);
      std::string sizes;
      for (const std::int64_t size : run.sizes) sizes += fmt::format(", {}", size);
      calls += fmt::format(
          "  used = 0;\n  width = {0};\n  {1}(gather{2}, NULL{3});\n"
          "  qsort(got, (size_t)used / width, width * sizeof *got, before);\n"
          "  if (used != {4} || memcmp(got, {5}, (size_t)used * sizeof *got)) "
          "printf(\"{1}\\n\");\n",
          count, name, i, sizes, run.visits.size() * count, rows);
    }
  }
  EXPECT_GT(parallel, static_cast<int>(all.size()) / 4);
  text += "int main(void) {\n" + calls + "  return 0;\n}\n";
  test::expect_silent("loops.c", text,
                      "gcc -std=c99 -O1 -fopenmp -Wall -Wextra -Werror -Wno-unused-function "
                      "loops.c -o loops && OMP_NUM_THREADS=3 ./loops");
}

// ---- What is written ----

std::string c_of(const Result<map::LoopNest>& nest, bool openmp = false) {
  if (!nest) return nest.error().to_string();
  const auto text = to_text(*nest, {Dialect::kC, "scan", openmp});
  return text ? *text : text.error().to_string();
}

TEST(Loops, OfATriangleEndWhereItDoes) {
  const auto set = map::IntegerSet::parse("[N] -> { [i, j] : 0 <= j <= i < N }").value();
  EXPECT_EQ(c_of(map::loops(set)),
            "#include <stdint.h>\n"
            "\n"
            "// scan: visits each point (i, j) of [N] -> { [i, j] : i < N and 0 <= j <= i },\n"
            "// once, in lexicographic order.\n"
            "static inline void scan(void (*visit)(int64_t i, int64_t j, void* data), void* data, "
            "int64_t N) {\n"
            "  for (int64_t i = 0; i < N; ++i) {\n"
            "    for (int64_t j = 0; j <= i; ++j) {\n"
            "      visit(i, j, data);\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(Loops, OfUnknownStridesVisitEachPointWithItsPlace) {
  const auto size = [](const char* name) { return Int::variable(name, 1, 1 << 20); };
  const map::AnyLayout layout =
      test::strided(IntTuple{size("M"), size("N")}, cute::to_strides(IntTuple{size("K"), Int(1)}));
  map::LoopOptions options;
  options.order = map::DimensionOrder{1, 0};
  options.tile = {4, 1};
  const auto nest = map::loops(layout, options);
  ASSERT_TRUE(nest) << nest.error().to_string();
  const auto text = to_text(*nest, {Dialect::kC, "scan", false});
  ASSERT_TRUE(text) << text.error().to_string();
  EXPECT_NE(text->find("int64_t K, int64_t M, int64_t N"), std::string::npos) << *text;
  test::expect_silent(
      "loops.c",
      *text +
          "\n#include <stdio.h>\nstatic int seen[7][5], count;\n"
          "static void meet(int64_t i, int64_t j, int64_t m, void* data) {\n"
          "  (void)data;\n  ++count;\n"
          "  if (i < 0 || i >= 7 || j < 0 || j >= 5 || seen[i][j]++ || m != 100 * i + j) "
          "printf(\"wrong\\n\");\n}\n"
          "int main(void) {\n  scan(meet, 0, 100, 7, 5);\n"
          "  if (count != 35) printf(\"%d points\\n\", count);\n  return 0;\n}\n",
      "gcc -std=c99 -O0 -Wall -Wextra -Werror loops.c -o loops && ./loops");
  EXPECT_EQ(to_text(*nest, {Dialect::kC, "scan", true}).error().code(), "loops.not_parallel");
}

TEST(Loops, InTheOrderOfMemoryFindThePointsOfASwizzle) {
  map::LoopOptions options;
  options.order = map::LoopOrder::kImage;
  const auto text = [&](const char* layout) {
    const auto nest = map::loops(test::layout_of_text(layout), options);
    return nest ? to_text(*nest, {Dialect::kPython, "scan"}).value() : nest.error().to_string();
  };
  EXPECT_EQ(
      text("Sw<3,3,3> o 0 o (8,64):(64,1)"),
      "# scan: visits each point (c0, c1) of Sw<3,3,3> o 0 o (8,64):(64,1) with its place m,\n"
      "# once, in the order of the images.\n"
      "\n\n"
      "def scan():\n"
      "    for c0 in range(8):\n"
      "        for m_low in range(64):\n"
      "            yield (c0, (c0 << 3) ^ m_low), (c0 << 6) + m_low\n");
  // Two places of every eight are of no point.
  EXPECT_NE(text("Sw<3,0,3> o 0 o (8,6):(8,1)").find("if (c0 ^ m_low) < 6:"), std::string::npos);
}

TEST(Loops, InTheOrderOfMemoryRunOverDigitsByStride) {
  map::LoopOptions options;
  options.order = map::LoopOrder::kImage;
  const map::AnyLayout layout = test::strided(IntTuple{2, 2}, cute::to_strides(IntTuple{1, 4}));
  EXPECT_EQ(c_of(map::loops(layout, options), true),
            "#include <stdint.h>\n"
            "\n"
            "// scan: visits each point (c0, c1) of (2,2):(1,4) with its place m,\n"
            "// once, in the order of the images.\n"
            "// Iterations of a parallel loop run at the same time and have no place in common;\n"
            "// the order holds within each.\n"
            "static inline void scan(void (*visit)(int32_t c0, int32_t c1, int32_t m, void* data), "
            "void* data) {\n"
            "#pragma omp parallel for\n"
            "  for (int32_t c1 = 0; c1 < 2; ++c1) {\n"
            "    for (int32_t c0 = 0; c0 < 2; ++c0) {\n"
            "      visit(c0, c1, c0 + (c1 << 2), data);\n"
            "    }\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace heddle::emit
