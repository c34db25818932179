#include "heddle/emit/print.h"

#include <gtest/gtest.h>

#include <regex>

#include "emit/latex_reader.h"
#include "emit/program.h"
#include "support/kernels.h"
#include "support/law.h"

namespace heddle::emit {
namespace {

const CodeExpression kI = CodeExpression::variable("i", Int::variable("i", 0, 99));
const CodeExpression kJ = CodeExpression::variable("j", Int::variable("j", 0, 99));
const CodeExpression kX = CodeExpression::variable("x", Int::variable("x"));
const CodeExpression kPid = CodeExpression::variable("pid_m", Int::variable("pid_m", 0, 99));

CodeExpression number(std::int64_t value) { return CodeExpression::constant(value); }
CodeExpression sum(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kAdd, {a, b}, a.value() + b.value());
}
CodeExpression difference(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kSubtract, {a, b}, a.value() - b.value());
}
CodeExpression product(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kMultiply, {a, b}, a.value() * b.value());
}
CodeExpression quotient(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kQuotient, {a, b}, floor_div(a.value(), b.value()));
}
CodeExpression remainder(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kRemainder, {a, b}, mod(a.value(), b.value()));
}
CodeExpression bits(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kXor, {a, b}, bit_xor(a.value(), b.value()));
}

std::string text(const CodeExpression& expression, Dialect dialect) {
  const auto printed = print(Kernel{{}, {expression}, {}}, {.dialect = dialect});
  return printed ? printed->results.front() : printed.error().code();
}

std::string c(const CodeExpression& expression) { return text(expression, Dialect::kC); }
std::string python(const CodeExpression& expression) { return text(expression, Dialect::kPython); }
std::string latex(const CodeExpression& expression) { return text(expression, Dialect::kLatex); }

TEST(Print, ExampleOfTheHeader) {
  const auto form = [](const CodeExpression& i) {
    return difference(product(number(9), quotient(i, number(3))),
                      product(number(2), remainder(kJ, number(3))));
  };
  EXPECT_EQ(c(form(kI)), "9 * (i / 3) - 2 * (j % 3)");
  EXPECT_EQ(c(form(kX)), "9 * heddle_quotient(x, 3) - 2 * (j % 3)");
  EXPECT_EQ(python(form(kX)), "9 * (x // 3) - 2 * (j % 3)");
  EXPECT_EQ(latex(form(kI)),
            "9 \\left\\lfloor \\frac{i}{3} \\right\\rfloor - 2 \\left(j \\bmod 3\\right)");
}

// LEGO's printers wrote -9*j%3, which is something else in C.
TEST(Print, KeepsParentheses) {
  EXPECT_EQ(c(product(number(-9), remainder(kJ, number(3)))), "-9 * (j % 3)");
  EXPECT_EQ(c(product(kI, product(kJ, kI))), "i * j * i");
  EXPECT_EQ(c(product(kI, quotient(kJ, number(3)))), "i * (j / 3)");
  EXPECT_EQ(c(quotient(product(kI, kJ), number(3))), "(i * j) / 3");
  EXPECT_EQ(c(quotient(quotient(kI, number(2)), number(3))), "(i / 2) / 3");
  EXPECT_EQ(c(difference(kI, difference(kJ, kI))), "i - (j - i)");
  EXPECT_EQ(c(sum(kI, sum(kJ, kI))), "i + j + i");
  EXPECT_EQ(c(product(number(3), sum(kI, kJ))), "3 * (i + j)");
  EXPECT_EQ(c(sum(bits(kI, kJ), kI)), "(i ^ j) + i");
  EXPECT_EQ(c(bits(sum(kI, kJ), kI)), "(i + j) ^ i");
  EXPECT_EQ(python(product(number(-9), remainder(kJ, number(3)))), "-9 * (j % 3)");
  EXPECT_EQ(latex(product(number(-9), remainder(kJ, number(3)))),
            "\\left(-9\\right) \\cdot \\left(j \\bmod 3\\right)");
}

TEST(Print, WritesPlainOperatorsOnlyWhereTheyMeanTheSame) {
  EXPECT_EQ(c(quotient(kI, kX)), "heddle_quotient(i, x)");
  EXPECT_EQ(c(remainder(kX, number(8))), "heddle_remainder(x, 8)");
  EXPECT_EQ(python(remainder(kX, number(8))), "x % 8");
  EXPECT_EQ(python(remainder(kI, kX)), "heddle_remainder(i, x)");
  EXPECT_EQ(latex(quotient(kX, number(8))), "\\left\\lfloor \\frac{x}{8} \\right\\rfloor");
  EXPECT_EQ(latex(quotient(kI, kX)), "i \\mathbin{\\mathrm{div}} x");
}

TEST(Print, Names) {
  EXPECT_EQ(latex(kPid), "\\mathit{pid\\_m}");
  EXPECT_EQ(latex(CodeExpression::variable("i12", Int::variable("i12"))), "i_{12}");
  const auto named = [](const std::string& name) {
    return CodeExpression::variable(name, Int::variable(name));
  };
  EXPECT_EQ(c(named("int")), "print.name");
  EXPECT_EQ(c(named("lambda")), "lambda");
  EXPECT_EQ(python(named("lambda")), "print.name");
  EXPECT_EQ(latex(named("lambda")), "\\mathit{lambda}");
}

TEST(Print, NarrowWhereEverythingFits) {
  const Kernel small{{{"t0", sum(kI, kJ)}}, {product(kI, kJ)}, {}};
  const PrintOptions options{.dialect = Dialect::kC, .narrow = true};
  EXPECT_EQ(print(small, options)->definitions.front(), "const int32_t t0 = i + j;");
  const Kernel large{{}, {product(kI, number(1 << 30))}, {}};
  EXPECT_EQ(print(large, options)->type, "int64_t");
  EXPECT_EQ(print(small, {.dialect = Dialect::kC})->type, "int64_t");
}

// Laws: printed kernels run, and give what plain evaluation gives.

/// A kernel and the points at which all of it has a value.
struct Case {
  Kernel kernel;
  test::World world;
  std::vector<test::Point> points;
  std::vector<std::vector<std::int64_t>> values;
};

std::vector<Case> drawn_cases(int count, std::size_t max_points) {
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) {
    test::Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    const test::Operands operands = test::drawn_numbers(random, 160);
    test::Choices choices(operands.numbers);
    Case drawn;
    drawn.world = test::World::draw(choices);
    if (!drawn.world.refused.empty()) continue;
    drawn.kernel = test::draw_kernel(choices, drawn.world);
    for (const test::Point& point : drawn.world.points) {
      const auto values = test::values_at(drawn.kernel, drawn.world, point);
      if (!values || drawn.points.size() == max_points) continue;
      drawn.points.push_back(point);
      drawn.values.push_back(*values);
    }
    if (!drawn.points.empty()) cases.push_back(std::move(drawn));
  }
  return cases;
}

std::vector<std::string> expressions_of(const PrintedKernel& printed) {
  std::vector<std::string> expressions = printed.results;
  expressions.insert(expressions.end(), printed.guards.begin(), printed.guards.end());
  return expressions;
}

std::string joined(const std::vector<std::string>& parts, const std::string& by) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : by) + part;
  return text;
}

std::string literal(std::int64_t value) {
  return value == INT64_MIN ? "INT64_MIN" : std::to_string(value) + "LL";
}

TEST(PrintLaw, CComputesTheSame) {
  const std::vector<Case> cases = drawn_cases(test::property_count() / 12, 12);
  std::string helpers;
  std::string functions;
  std::string calls;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [kernel, world, points, values] = cases[i];
    const auto printed = print(kernel, {.dialect = Dialect::kC, .narrow = i % 2 == 0});
    ASSERT_TRUE(printed) << printed.error();
    const std::string name = "f" + std::to_string(i);
    // Helpers of each function under names of its own: their types differ.
    std::string text = printed->helpers;
    std::vector<std::string> parameters;
    for (const std::string& variable : world.names) {
      parameters.push_back(printed->type + " " + variable);
    }
    text += "static void " + name + "(" + joined(parameters, ", ") + ", int64_t* out) {\n";
    for (const std::string& variable : world.names) text += "(void)" + variable + ";\n";
    for (const std::string& line : printed->definitions) text += line + "\n";
    const std::vector<std::string> expressions = expressions_of(*printed);
    for (std::size_t k = 0; k < expressions.size(); ++k) {
      text += "out[" + std::to_string(k) + "] = " + expressions[k] + ";\n";
    }
    text += "}\n";
    functions += std::regex_replace(text, std::regex("heddle_"), "h" + std::to_string(i) + "_");
    for (std::size_t k = 0; k < points.size(); ++k) {
      std::vector<std::string> arguments;
      for (const std::int64_t value : points[k]) arguments.push_back(literal(value));
      calls += name + "(" + joined(arguments, ", ") + ", out);\n";
      for (std::size_t r = 0; r < values[k].size(); ++r) {
        calls += "expect(" + std::to_string(i) + ", out[" + std::to_string(r) + "], " +
                 literal(values[k][r]) + ");\n";
      }
    }
  }
  test::expect_silent("law.c",
                      "#include <stdint.h>\n#include <stdio.h>\n"
                      "static void expect(int f, int64_t got, int64_t wanted) {\n"
                      "  if (got != wanted) printf(\"f%d: %lld, not %lld\\n\", f, (long long)got, "
                      "(long long)wanted);\n}\n" +
                          functions + "int main(void) {\nint64_t out[8];\n" + calls +
                          "return 0;\n}\n",
                      "cc -std=c99 -O0 -fsanitize=undefined -fno-sanitize-recover=undefined "
                      "-fno-sanitize=shift law.c -o law && ./law");
}

TEST(PrintLaw, PythonComputesTheSame) {
  const std::vector<Case> cases = drawn_cases(test::property_count() / 4, 40);
  std::string program =
      "def expect(f, got, wanted):\n"
      "    if [int(v) for v in got] != wanted: print(f, got, wanted)\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [kernel, world, points, values] = cases[i];
    const auto printed = print(kernel, {.dialect = Dialect::kPython});
    ASSERT_TRUE(printed) << printed.error();
    program += printed->helpers;
    const std::string name = "f" + std::to_string(i);
    program += "def " + name + "(" + joined(world.names, ", ") + "):\n";
    for (const std::string& line : printed->definitions) program += "    " + line + "\n";
    program += "    return [" + joined(expressions_of(*printed), ", ") + "]\n";
    for (std::size_t k = 0; k < points.size(); ++k) {
      std::vector<std::string> arguments;
      std::vector<std::string> wanted;
      for (const std::int64_t value : points[k]) arguments.push_back(std::to_string(value));
      for (const std::int64_t value : values[k]) wanted.push_back(std::to_string(value));
      program += "expect('" + name + "', " + name + "(" + joined(arguments, ", ") + "), [" +
                 joined(wanted, ", ") + "])\n";
    }
  }
  test::expect_silent("law.py", program, "python3 law.py");
}

TEST(PrintLaw, LatexReadsAsTheSame) {
  for (const auto& [kernel, world, points, values] : drawn_cases(test::property_count() / 2, 40)) {
    const auto printed = print(kernel, {.dialect = Dialect::kLatex});
    ASSERT_TRUE(printed);
    for (std::size_t k = 0; k < points.size(); ++k) {
      test::LatexReader::Names names;
      for (std::size_t v = 0; v < world.names.size(); ++v) {
        names[latex(CodeExpression::variable(world.names[v], 0))] = points[k][v];
      }
      for (const std::string& line : printed->definitions) {
        const std::size_t sign = line.find(" = ");
        names[line.substr(0, sign)] = test::LatexReader::value(line.substr(sign + 3), names);
      }
      const std::vector<std::string> expressions = expressions_of(*printed);
      for (std::size_t r = 0; r < expressions.size(); ++r) {
        ASSERT_EQ(test::LatexReader::value(expressions[r], names), values[k][r])
            << expressions[r] << "\n"
            << world.text() << " at " << test::to_string(points[k]);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::emit
