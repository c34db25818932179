// Law: in a template the index of a layout of any system is the place that plain evaluation of the
// layout gives, wherever in an expression it stands, and its guard holds on the domain and nowhere
// beside it.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "emit/drawn_functions.h"
#include "emit/program.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/instantiate.h"

namespace heddle::emit {
namespace {

/// Rows of coordinates, whether they are a point, and its place.
std::string rows_of(const DrawnFunction& drawn, std::size_t number) {
  const std::size_t coordinates = drawn.points.front().size();
  const std::size_t places = drawn.function.places.size();
  std::string text =
      fmt::format("static const long long rows{}[][{}] = {{\n", number, coordinates + 1 + places);
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    std::vector<std::int64_t> row = drawn.points[i];
    row.push_back(drawn.places[i] ? 1 : 0);
    const test::Point place = drawn.places[i].value_or(test::Point(places, 0));
    row.insert(row.end(), place.begin(), place.end());
    text += fmt::format("  {{ {} }},\n", fmt::join(row, ", "));
  }
  return text + "};\n";
}

/// A function that tries a layout at every row; `3 - 2 * L[…]` shows what binds.
std::string check_of(const DrawnFunction& drawn, std::size_t number) {
  const std::size_t coordinates = drawn.points.front().size();
  const std::vector<std::string>& places = drawn.function.places;
  std::string text = rows_of(drawn, number);
  text += fmt::format("static void check{}(void) {{\n", number);
  text += fmt::format("  for (int r = 0; r < {}; ++r) {{\n    const long long* p = rows{}[r];\n",
                      drawn.points.size(), number);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < coordinates; ++i) {
    names.push_back(fmt::format("c{}", i));
    text += fmt::format("    const long long c{0} = p[{0}];\n    (void)c{0};\n", i);
  }
  const std::string arguments = fmt::format("{}", fmt::join(names, ", "));
  text += fmt::format(
      "    if ({{{{ L{0}.guard[{1}] }}}} != (p[{2}] != 0)) fail({0}, \"guard\", p, {2});\n", number,
      arguments, coordinates);
  text += fmt::format("    if (!p[{}]) continue;\n", coordinates);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::string axis = places.size() == 1 ? "" : "." + places[k];
    text += fmt::format(
        "    if (3 - 2 * {{{{ L{0}[{1}]{2} }}}} != 3 - 2 * p[{3}]) fail({0}, \"index\", p, {4});\n",
        number, arguments, axis, coordinates + 1 + k, coordinates);
  }
  return text + "  }\n}\n";
}

constexpr const char* kHead =
    "#include <stdio.h>\n"
    "static void fail(int f, const char* what, const long long* at, int count) {\n"
    "  printf(\"L%d: wrong %s at\", f, what);\n"
    "  for (int i = 0; i < count; ++i) printf(\" %lld\", at[i]);\n"
    "  printf(\"\\n\");\n"
    "}\n";

bool has_copies(const map::AnyLayout& layout) {
  const auto* axe = std::get_if<axe::Layout>(&layout);
  return axe != nullptr && !axe->replica().empty();
}

class TemplateLaw : public testing::TestWithParam<Source> {};

TEST_P(TemplateLaw, IndicesAndGuardsAreThoseOfTheLayout) {
  const int count = std::max(1, test::property_count() / 50);
  notation::InstantiateOptions options;
  std::string text = kHead;
  std::string calls;
  for (int i = 0; i < count; ++i) {
    Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    const map::AnyLayout layout = GetParam().draw(random);
    if (has_copies(layout)) continue;
    const auto number = static_cast<std::size_t>(i);
    options.environment.bind(fmt::format("L{}", i), notation::to_value(layout));
    text += check_of(drawn_function(layout), number);
    calls += fmt::format("  check{}();\n", i);
  }
  text += "int main(void) {\n" + calls + "  return 0;\n}\n";
  auto instantiation = notation::Instantiation::of(text, options);
  ASSERT_TRUE(instantiation) << instantiation.error().to_string(text);
  const auto made = instantiation->finish();
  ASSERT_TRUE(made) << made.error().to_string(text);
  test::expect_silent(
      "template.c", made->text,
      "cc -std=c99 -O0 -Wall -Wextra -Werror -Wno-overlength-strings "
      "-Wno-type-limits -Wno-parentheses -Wno-misleading-indentation -fsanitize=undefined "
      "-fno-sanitize-recover=undefined template.c -o template && ./template");
}

std::vector<Source> sources_with_boxes() {
  std::vector<Source> some = sources();
  std::erase_if(some, [](const Source& source) { return source.name == "relation"; });
  return some;
}

INSTANTIATE_TEST_SUITE_P(Systems, TemplateLaw, testing::ValuesIn(sources_with_boxes()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace heddle::emit
