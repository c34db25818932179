// Law: in a template the index of a layout of any system is the place that plain evaluation of the
// layout gives, wherever in an expression it stands, and its guard holds on the domain and nowhere
// beside it.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "emit/drawn_functions.h"
#include "emit/program.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/instantiate.h"

namespace heddle::emit {
namespace {

/// What is asked of one layout at the point in c0, c1, …; `q` is what is beside its coordinates.
struct Question {
  std::string layout;
  std::vector<std::string> axes;
  std::size_t coordinates = 0;

  struct Claim {
    std::string what;
    std::string wanted;
    const char* name;
  };

  /// Of a point: what its row `p` has behind the coordinates and whether they are one.
  [[nodiscard]] std::vector<Claim> claims() const {
    std::vector<Claim> all;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::string place = fmt::format("p[{}]", coordinates + 1 + k);
      all.push_back({index(k), "3 - 2 * " + place, "index"});
      all.push_back({sum(k), "3 - 2 * " + place, "sum"});
      all.push_back({index_beside(k), "-5 * " + place, "index beside"});
    }
    return all;
  }

  [[nodiscard]] std::string guard() const {
    return fmt::format("{{{{ {}.guard[{}] }}}}", layout, point("c{}"));
  }

 private:
  /// In the midst of operators, which bind it or not.
  [[nodiscard]] std::string index(std::size_t axis) const {
    return fmt::format("3 - 2 * {{{{ {}[{}]{} }}}}", layout, point("c{}"), member(axis));
  }
  /// At coordinates of which nothing says that they are not negative.
  [[nodiscard]] std::string index_beside(std::size_t axis) const {
    return fmt::format("-{{{{ {}[{}]{} }}}} * 5", layout, point("d{} - q"), member(axis));
  }
  /// As part of an expression of the language.
  [[nodiscard]] std::string sum(std::size_t axis) const {
    if (axes.size() != 1) return index(axis);
    return fmt::format("{{{{ 3 - 2 * {}[{}]{} }}}}", layout, point("c{}"), member(axis));
  }
  [[nodiscard]] std::string point(const char* coordinate) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < coordinates; ++i) {
      names.push_back(fmt::format(fmt::runtime(coordinate), i));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }
  [[nodiscard]] std::string member(std::size_t axis) const {
    return axes.size() == 1 ? "" : "." + axes[axis];
  }
};

/// Rows of coordinates, whether they are a point, and its place.
std::vector<std::vector<std::int64_t>> rows_of(const DrawnFunction& drawn) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    std::vector<std::int64_t>& row = rows.emplace_back(drawn.points[i]);
    row.push_back(drawn.places[i] ? 1 : 0);
    const test::Point place =
        drawn.places[i].value_or(test::Point(drawn.function.places.size(), 0));
    row.insert(row.end(), place.begin(), place.end());
  }
  return rows;
}

/// A function of C that tries a layout at every row.
std::string check_in_c(const Question& question, const DrawnFunction& drawn, std::size_t number) {
  const auto rows = rows_of(drawn);
  const std::size_t n = question.coordinates;
  std::string text =
      fmt::format("static const long long rows{}[][{}] = {{\n", number, rows.front().size());
  for (const auto& row : rows) text += fmt::format("  {{ {} }},\n", fmt::join(row, ", "));
  text += fmt::format("}};\nstatic void check{}(long long q) {{\n", number);
  text += fmt::format("  for (int r = 0; r < {}; ++r) {{\n    const long long* p = rows{}[r];\n",
                      rows.size(), number);
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("    const long long c{0} = p[{0}], d{0} = c{0} + q;\n", i);
    text += fmt::format("    (void)c{0}, (void)d{0};\n", i);
  }
  const auto expect = [&](const std::string& what, const std::string& wanted, const char* name) {
    text +=
        fmt::format("    if ({} != {}) fail({}, \"{}\", p, {});\n", what, wanted, number, name, n);
  };
  expect("(" + question.guard() + ")", fmt::format("(p[{}] != 0)", n), "guard");
  text += fmt::format("    if (!p[{}]) continue;\n", n);
  for (const auto& [what, wanted, name] : question.claims()) expect(what, wanted, name);
  return text + "  }\n}\n";
}

std::string check_in_python(const Question& question, const DrawnFunction& drawn) {
  const std::size_t n = question.coordinates;
  std::vector<std::string> rows;
  for (const auto& row : rows_of(drawn)) {
    rows.push_back(fmt::format("({},)", fmt::join(row, ", ")));
  }
  std::string text = fmt::format("q = 3\nfor p in [{}]:\n", fmt::join(rows, ", "));
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("    c{0} = p[{0}]\n    d{0} = c{0} + q\n", i);
  }
  const auto expect = [&](const std::string& what, const std::string& wanted, const char* name) {
    text += fmt::format("    if ({}) != {}: print('{}: wrong {} at', p)\n", what, wanted,
                        question.layout, name);
  };
  expect("bool(" + question.guard() + ")", fmt::format("bool(p[{}])", n), "guard");
  text += fmt::format("    if not p[{}]: continue\n", n);
  for (const auto& [what, wanted, name] : question.claims()) expect(what, wanted, name);
  return text;
}

constexpr const char* kHeadInC =
    "#include <stdio.h>\n"
    "static inline void fail(int f, const char* what, const long long* at, int count) {\n"
    "  printf(\"L%d: wrong %s at\", f, what);\n"
    "  for (int i = 0; i < count; ++i) printf(\" %lld\", at[i]);\n"
    "  printf(\"\\n\");\n"
    "}\n";

/// Copies have no one index, and coordinates before 0 none in a template.
bool has_accesses(const map::AnyLayout& layout, const DrawnFunction& drawn) {
  const auto* axe = std::get_if<axe::Layout>(&layout);
  if (axe != nullptr && !axe->replica().empty()) return false;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    const bool is_before = std::ranges::any_of(drawn.points[i], [](auto c) { return c < 0; });
    if (is_before && drawn.places[i]) return false;
  }
  return true;
}

class TemplateLaw : public testing::TestWithParam<Source> {
 protected:
  /// Random layouts in a template, filled.
  static std::string filled(Dialect dialect) {
    const int count = std::max(1, test::property_count() / 50);
    notation::InstantiateOptions options;
    options.dialect = dialect;
    const bool is_c = dialect == Dialect::kC;
    std::string text = is_c ? kHeadInC : "{{ helpers }}\n";
    std::string calls;
    for (int i = 0; i < count; ++i) {
      Random random(test::property_seed() + static_cast<std::uint64_t>(i));
      const map::AnyLayout layout = GetParam().draw(random);
      const DrawnFunction drawn = drawn_function(layout);
      if (!has_accesses(layout, drawn)) continue;
      const Question question{fmt::format("L{}", i), drawn.function.places,
                              drawn.points.front().size()};
      options.environment.bind(question.layout, notation::to_value(layout));
      text += is_c ? check_in_c(question, drawn, static_cast<std::size_t>(i))
                   : check_in_python(question, drawn);
      calls += fmt::format("  check{}(3);\n", i);
    }
    if (is_c) text += "int main(void) {\n" + calls + "  return 0;\n}\n";
    const auto made = notation::instantiate(text, {}, options);
    EXPECT_TRUE(made) << made.error().to_string(text);
    return made ? made->text : std::string();
  }
};

TEST_P(TemplateLaw, IndicesAndGuardsAreThoseOfTheLayout) {
  test::expect_silent(
      "template.c", filled(Dialect::kC),
      "cc -std=c99 -O0 -Wall -Wextra -Werror -Wno-overlength-strings "
      "-Wno-type-limits -Wno-parentheses -Wno-misleading-indentation -fsanitize=undefined "
      "-fno-sanitize-recover=undefined template.c -o template && ./template");
}

TEST_P(TemplateLaw, IndicesAndGuardsAreThoseOfTheLayoutInPython) {
  if (!test::has_tool("python3")) GTEST_SKIP() << "there is no python3";
  test::expect_silent("template.py", filled(Dialect::kPython), "python3 template.py");
}

INSTANTIATE_TEST_SUITE_P(Systems, TemplateLaw, testing::ValuesIn(sources()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace heddle::emit
