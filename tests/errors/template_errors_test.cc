// The texts of refusals of templates.

#include <gtest/gtest.h>

#include <string>

#include "heddle/emit/inline_text.h"
#include "heddle/notation/instantiate.h"

namespace heddle::notation {
namespace {

using emit::Dialect;

/// What a template is refused with.
std::string refusal_of(std::string_view text, std::string_view layouts = "",
                       Dialect dialect = Dialect::kC) {
  InstantiateOptions options;
  options.dialect = dialect;
  const LayoutsFile files[] = {{"tiles.heddle", layouts}};
  const auto made = instantiate(text, files, options);
  if (made) return "not refused";
  const Span place = made.error().span().value_or(Span{});
  if (place.begin <= text.size()) return made.error().to_string(text);
  const std::size_t before = text.size() + 1;
  return Diagnostic(made.error())
      .with_span({place.begin - before, place.end - before})
      .to_string(layouts);
}

TEST(ErrorText, template_unclosed) {
  EXPECT_EQ(refusal_of("x = {{ L[i, j];"),
            "error template.unclosed: nothing closes the placeholder: }} is missing\n"
            "  line 1, column 5\n"
            "    x = {{ L[i, j];\n"
            "        ^^\n"
            "  hint: {{{{ is written for {{ itself");
}

TEST(ErrorText, template_nested) {
  EXPECT_EQ(refusal_of("x = {{ A[i {{ j }}] }};"),
            "error template.nested: a placeholder begins within another one\n"
            "  line 1, column 12\n"
            "    x = {{ A[i {{ j }}] }};\n"
            "               ^^\n"
            "  hint: the one before it is not closed by }}");
}

TEST(ErrorText, template_empty) {
  EXPECT_EQ(refusal_of("x = {{  }};"),
            "error template.empty: the placeholder is empty\n"
            "  line 1, column 5\n"
            "    x = {{  }};\n"
            "        ^^^^");
}

TEST(ErrorText, template_binary) {
  EXPECT_EQ(refusal_of("x = \xff;"),
            "error template.binary: byte 4 of the template, 0xff, is no text in UTF-8\n"
            "  line 1, column 5\n"
            "    x = \xef\xbf\xbd;\n"
            "        ^\n"
            "  hint: a template is a source file");
}

TEST(ErrorText, template_too_long) {
  const std::string text = refusal_of(std::string(5'000'000, 'x'));
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "error template.too_long: the template has 5000000 bytes; at most 4194304 are read");
}

TEST(ErrorText, template_long_expression) {
  Int value = Int::variable("x", 0, 1000);
  for (int i = 0; i < 5; ++i) {
    value =
        mod(5 * value + floor_div(value, 3) + floor_div(value, 7) + floor_div(value, 11), 10007);
  }
  const auto text = emit::inline_text(value, Dialect::kC);
  ASSERT_FALSE(text);
  const std::string refused = text.error().to_string();
  EXPECT_EQ(refused.substr(0, 92),
            "error template.long_expression: written in one line the expression has more than 2048 "
            "parts\n");
  EXPECT_NE(refused.find("hint: write a function, {{ emit(L, \"c\", \"name\") }}, and call it"),
            std::string::npos);
}

TEST(ErrorText, template_delimiters) {
  EXPECT_EQ(emit::delimiters_in("<").error().to_string(),
            "error template.delimiters: '<' and '' do not enclose anything\n"
            "  hint: two different ones with a space between them: --delimiters '<% %>'");
}

TEST(ErrorText, template_statement) {
  EXPECT_EQ(refusal_of("", "8:2"),
            "error template.statement: a layouts file gives names to layouts and expressions\n"
            "  line 1, column 1\n"
            "    8:2\n"
            "    ^^^\n"
            "  hint: name = …, assume …, assert … or axis …");
}

TEST(ErrorText, template_redefined) {
  EXPECT_EQ(refusal_of("", "A = 8:2; A = 8:3"),
            "error template.redefined: 'A' has a meaning already\n"
            "  line 1, column 10\n"
            "    A = 8:2; A = 8:3\n"
            "             ^^^^^^^\n"
            "  in tiles.heddle: A = 8:2");
}

TEST(ErrorText, template_claim) {
  EXPECT_EQ(refusal_of("", "assert 8:2 == 8:1"),
            "error template.claim: the assertion does not hold: no  (digit form)  counterexample: "
            "coordinate 1: 2 and 1\n"
            "  line 1, column 8\n"
            "    assert 8:2 == 8:1\n"
            "           ^^^^^^^^^^");
}

TEST(ErrorText, template_value) {
  EXPECT_EQ(refusal_of("x = {{ A }};", "A = 8:2"),
            "error template.value: 8:2 is a layout, which no program has\n"
            "  line 1, column 8\n"
            "    x = {{ A }};\n"
            "           ^\n"
            "  hint: its index at coordinates of the program is L[i, j]");
}

TEST(ErrorText, template_several) {
  EXPECT_EQ(refusal_of("x = {{ A[i, j] }};", "A = S[(8,2):(1@laneid,1@m)]"),
            "error template.several: the index is one on each of several axes: laneid, m\n"
            "  line 1, column 8\n"
            "    x = {{ A[i, j] }};\n"
            "           ^^^^^^^\n"
            "  hint: write L[…].laneid");
}

TEST(ErrorText, template_range) {
  EXPECT_EQ(refusal_of("x = {{ A[i, :] }};", "A = (8,2):(2,1)"),
            "error template.range: ':' is a range of Triton; C has none\n"
            "  line 1, column 8\n"
            "    x = {{ A[i, :] }};\n"
            "           ^^^^^^^\n"
            "  hint: name the coordinate, as a loop or a thread does");
}

TEST(ErrorText, template_helpers) {
  EXPECT_EQ(refusal_of("x = {{ i // 3 }}", "assume -9 <= i <= 9", Dialect::kTriton).substr(0, 81),
            "error template.helpers: the expressions call functions, which follow some import\n");
}

TEST(ErrorText, template_unused) {
  EXPECT_EQ(refusal_of("x = {{ A[i] }};", "A = 8:2; B = 8:3"),
            "error template.unused: B is used nowhere\n"
            "  line 1, column 10\n"
            "    A = 8:2; B = 8:3\n"
            "             ^^^^^^^\n"
            "  hint: the template, or another name, has to use it");
}

}  // namespace
}  // namespace heddle::notation
