// Templates as programs: what placeholders stand for is compiled and run, with the sanitizer of
// undefined behaviour where the language is C.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emit/program.h"
#include "heddle/notation/instantiate.h"

namespace heddle::emit {
namespace {

std::string filled(std::string_view text, std::string_view layouts, Dialect dialect) {
  notation::InstantiateOptions options;
  options.dialect = dialect;
  const notation::LayoutsFile files[] = {{"layouts", layouts, /*must_be_used=*/false}};
  const auto made = notation::instantiate(text, files, std::move(options));
  EXPECT_TRUE(made) << made.error().to_string(text);
  return made ? made->text : std::string();
}

/// Runs the statements in main(); they say `fail(number)` where something is wrong.
void expect_right_in_c(const std::string& statements, std::string_view layouts,
                       Dialect dialect = Dialect::kC) {
  const std::string program = filled(
      "#include <stdio.h>\n{{ helpers }}\n"
      "static inline void fail(int line) { printf(\"line %d\\n\", line); }\n"
      "int main(void) {\n" +
          statements + "  return 0;\n}\n",
      layouts, dialect);
  const bool is_c = dialect == Dialect::kC;
  const std::string name = is_c ? "program.c" : "program.cc";
  test::expect_silent(name, program,
                      std::string(is_c ? "cc -std=c99" : "c++ -std=c++17") +
                          " -O0 -Wall -Wextra -Werror -Wno-type-limits "
                          "-Wno-misleading-indentation -Wno-tautological-compare "
                          "-fsanitize=undefined "
                          "-fno-sanitize-recover=undefined " +
                          name + " -o program && ./program");
}

void expect_right_in_python(const std::string& statements, std::string_view layouts) {
  if (!test::has_tool("python3")) return;
  test::expect_silent("program.py",
                      filled("{{ helpers }}\n" + statements, layouts, Dialect::kPython),
                      "python3 program.py");
}

TEST(TemplateProgram, GuardsHoldUpToTheEndsOfTheType) {
  expect_right_in_c(
      "  const int big = 2147483647;\n"
      "  for (int d = 0; d < 9; ++d) {\n"
      "    const int i = big - d - 3, j = big, M = big;\n"
      "    if (({{ A.guard[j - (3 + i)] }}) != (d < 3)) fail(1);\n"
      "    if (!({{ L.guard[j - 9 + d, i] }})) fail(2);\n"
      "    if (({{ L.guard[i + 3, j - d] }}) != (d > 0)) fail(3);\n"
      "    if (({{ A.guard[i - M] }})) fail(4);\n"
      "  }\n",
      "L = GroupBy([M,M])\nA = 3:1");
}

TEST(TemplateProgram, ConditionsChooseBetweenIndices) {
  const char* layouts = "L = 8:3\nM = (2,3):(3,1)";
  expect_right_in_c(
      "  for (int i = -2; i < 12; ++i) {\n"
      "    for (int j = -2; j < 5; ++j) {\n"
      "      const int in_l = i >= 0 && i < 8, in_m = i >= 0 && i < 2 && j >= 0 && j < 3;\n"
      "      if (({{ L.guard[i] and M.guard[i, j] }}) != (in_l && in_m)) fail(1);\n"
      "      if (({{ not L.guard[i] or not (i < j and M.guard[i, j]) }}) !=\n"
      "          (!in_l || !(i < j && in_m))) fail(2);\n"
      "      if ({{ 2 * (L[i] if L.guard[i] and i != j else -1) + 1 }} !=\n"
      "          2 * (in_l && i != j ? 3 * i : -1) + 1) fail(3);\n"
      "      if (({{ if M.guard[i, j] then M[i, j] else if L.guard[i] then L[i] else -7 }}) !=\n"
      "          (in_m ? 3 * i + j : in_l ? 3 * i : -7)) fail(4);\n"
      "    }\n  }\n",
      layouts);
  expect_right_in_python(
      "for i in range(-2, 12):\n"
      "  for j in range(-2, 5):\n"
      "    in_l, in_m = 0 <= i < 8, 0 <= i < 2 and 0 <= j < 3\n"
      "    assert ({{ not L.guard[i] or not (i < j and M.guard[i, j]) }}) == "
      "(not in_l or not (i < j and in_m))\n"
      "    assert {{ 2 * (L[i] if L.guard[i] and i != j else -1) + 1 }} == "
      "2 * (3 * i if in_l and i != j else -1) + 1\n",
      layouts);
}

/// Of a table, at each of its points and beside them.
std::string checks_of(const std::vector<std::vector<int>>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      text += fmt::format("CHECK({}, {}, {});\n", i, j, rows[i][j]);
    }
  }
  return text;
}

TEST(TemplateProgram, TablesOfAnyShapeAreLookedUp) {
  std::vector<std::vector<int>> rows(7, std::vector<int>(9));
  int number = 1;
  for (auto& row : rows) {
    for (int& value : row) {
      number = (number * 75 + 74) % 65537;
      value = number - 30000;
    }
  }
  const std::string table = fmt::format("T = [[{}]]", [&] {
    std::vector<std::string> texts;
    for (const auto& row : rows) texts.push_back(fmt::format("{}", fmt::join(row, ",")));
    return fmt::format("{}", fmt::join(texts, "],["));
  }());
  const std::string layouts = table + "\nU = [1,3,2,0]\nP = [0,4,1,5,2,6,3,7]";
  const std::string c =
      "#define CHECK(a, b, v) { const int i = a, j = b, m = 2; (void)m; "
      "if ({{ T[i, j] }} != v || {{ T[9*i + j] }} != v || !({{ T.guard[i, j] }})) fail(1); "
      "if ({{ 3 - 2 * T[i + m - m, j] }} != 3 - 2 * v) fail(2); }\n" +
      checks_of(rows) +
      "for (int i = 0; i < 4; ++i) if ({{ U[i] }} != (i == 0 ? 1 : i == 1 ? 3 : i == 2 ? 2 : 0)) "
      "fail(3);\n"
      "for (int i = 0; i < 8; ++i) if ({{ P[i] }} != i / 2 + 4 * (i % 2)) fail(4);\n"
      "for (int i = -2; i < 11; ++i)\n"
      "  if (({{ T.guard[i, i] }}) != (i >= 0 && i < 7) || ({{ P.guard[i] }}) != (i >= 0 && i < 8))"
      " fail(5);\n";
  expect_right_in_c(c, layouts);
  expect_right_in_c(c, layouts, Dialect::kCpp);
  expect_right_in_python(
      fmt::format("rows = [[{}]]\n",
                  [&] {
                    std::vector<std::string> texts;
                    for (const auto& row : rows)
                      texts.push_back(fmt::format("{}", fmt::join(row, ",")));
                    return fmt::format("{}", fmt::join(texts, "],["));
                  }()) +
          "for i in range(7):\n  for j in range(9):\n"
          "    assert {{ T[i, j] }} == {{ T[9*i + j] }} == rows[i][j] and {{ T.guard[i, j] }}\n"
          "assert [{{ U[i] }} for i in range(4)] == [1, 3, 2, 0]\n",
      layouts);
}

TEST(TemplateProgram, RelationsAreFunctionsWhereNoLineHoldsThem) {
  std::string pieces = "L = relation(\"{ ";
  for (int k = 0; k < 12; ++k) {
    pieces += fmt::format("{0}[i, j] -> lane[{1}i + j] : {2} <= i < {2} + 1 and 0 <= j <= {3}",
                          k == 0 ? "" : "; ", k * 37 % 101, k, k % 7);
  }
  const std::string layouts =
      pieces +
      " }\")\nB = relation(\"{ [i] -> [2i + 3] : -3 <= i < 4 and i mod 2 = 1 }\")\n"
      "A = relation(\"{ [i] -> [a, b] : -9 <= i < 9 and a = i + 9 and b = 2*i }\")";
  const std::string c =
      "for (int i = -3; i < 14; ++i) for (int j = -2; j < 9; ++j) {\n"
      "  const int is_in = i >= 0 && i < 12 && j >= 0 && j <= i % 7;\n"
      "  if (({{ L.guard[i, j] }}) != is_in) fail(1);\n"
      "  if (is_in && {{ 5 - 2 * L[i, j] }} != 5 - 2 * (i * 37 % 101 * i + j)) fail(2);\n"
      "}\n"
      "for (int i = -5; i < 7; ++i) {\n"
      "  const int is_in = i >= -3 && i < 4 && i % 2 != 0;\n"
      "  if (({{ B.guard[i] and not B.guard[i + 1] }}) != is_in) fail(3);\n"
      "  if (is_in && ({{ B[i] }} != 2 * i + 3 || {{ if B.guard[i] then 1 + B[i] else 0 }} != "
      "2 * i + 4)) fail(4);\n"
      "  if ({{ A[i].b }} != 2 * i || {{ A[i].a }} != i + 9) fail(5);\n"
      "}\n";
  expect_right_in_c(c, layouts);
  expect_right_in_c(c, layouts, Dialect::kCpp);
  expect_right_in_python(
      "for i in range(12):\n  for j in range(i % 7 + 1):\n"
      "    assert {{ L.guard[i, j] }} and {{ L[i, j] }} == i * 37 % 101 * i + j\n"
      "for i in (-3, -1, 1, 3): assert {{ B.guard[i] }} and {{ B[i] }} == 2 * i + 3\n",
      layouts);
}

}  // namespace
}  // namespace heddle::emit
