#include "heddle/emit/template.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::emit {
namespace {

/// Text as it is, placeholders in angle brackets.
std::string pieces_of(std::string_view file, const Delimiters& delimiters = {}) {
  const auto pieces = parse_template(file, delimiters);
  if (!pieces) return pieces.error().code();
  std::string text;
  for (const TemplatePiece& piece : *pieces) {
    text += piece.is_placeholder ? "<" + piece.text + ">" : piece.text;
  }
  return text;
}

/// Code and place of the refusal.
std::string refusal_of(std::string_view file) {
  const auto pieces = parse_template(file);
  if (pieces) return "none";
  const Span span = pieces.error().span().value_or(Span{0, 0});
  return pieces.error().code() + " " + std::to_string(span.begin) + " " + std::to_string(span.end);
}

TEST(Template, HasPlaceholdersAndText) {
  EXPECT_EQ(pieces_of(""), "");
  EXPECT_EQ(pieces_of("a = {{ x }};\n"), "a = <x>;\n");
  EXPECT_EQ(pieces_of("{{ x }}{{ y }}"), "<x><y>");
  EXPECT_EQ(pieces_of("{{   A[i,\n  j]\t}}"), "<A[i,\n  j]>");
  EXPECT_EQ(pieces_of("{{ emit(L, \"c\", \"}} {{ x\") }}"), "<emit(L, \"c\", \"}} {{ x\")>");
}

TEST(Template, CountsLines) {
  const auto pieces = parse_template("a\n{{ x }} b\n\n{{\n  y\n}}{{ z }}");
  std::vector<std::size_t> lines;
  for (const TemplatePiece& piece : *pieces) {
    if (piece.is_placeholder) lines.push_back(piece.line);
  }
  EXPECT_EQ(lines, (std::vector<std::size_t>{2, 5, 6}));
}

TEST(Template, NeedsABlankBehindTheBraces) {
  EXPECT_EQ(pieces_of("int a[2][2] = {{1, 2}, {3, 4}};"), "int a[2][2] = {{1, 2}, {3, 4}};");
  EXPECT_EQ(pieces_of("{{{ x }}}"), "{<x>}");
}

TEST(Template, ReadsFourBracesAsTwo) {
  EXPECT_EQ(pieces_of("{{{{ x }}"), "{{ x }}");
  EXPECT_EQ(pieces_of("{{{{{{{{"), "{{{{");
}

TEST(Template, TakesOtherDelimiters) {
  const Delimiters delimiters = *delimiters_in("<% %>");
  EXPECT_EQ(pieces_of("a<b <% x %> {{ y }}", delimiters), "a<b <x> {{ y }}");
  EXPECT_EQ(pieces_of("<%<% x", delimiters), "<% x");
  EXPECT_EQ(delimiters_in("<%").error().code(), "template.delimiters");
  EXPECT_EQ(delimiters_in("").error().code(), "template.delimiters");
  EXPECT_EQ(delimiters_in("@ @").error().code(), "template.delimiters");
}

TEST(Template, RefusesWithPlaces) {
  EXPECT_EQ(refusal_of("ab {{ x"), "template.unclosed 3 5");
  EXPECT_EQ(refusal_of("ab {{ x {{ y }} }}"), "template.nested 8 10");
  EXPECT_EQ(refusal_of("ab {{   }}"), "template.empty 3 8");
  EXPECT_EQ(refusal_of(std::string_view("a\0{{ x }}", 9)), "template.binary 1 2");
  EXPECT_EQ(refusal_of("\xff\xfe{{ x }}"), "template.binary 0 1");
  EXPECT_EQ(refusal_of("caf\xc3"), "template.binary 3 4");
  EXPECT_EQ(refusal_of(std::string(std::size_t{10} << 20, 'a')),
            "template.too_long 4194304 4194304");
}

TEST(Template, IsReadInLinearTime) {
  std::string open;
  for (int i = 0; i < 500'000; ++i) open += "{{{{ ";
  EXPECT_EQ(pieces_of(open).size(), 1'500'000U);
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "{{ x }} ";
  EXPECT_EQ(parse_template(many)->size(), 400'000U);
  EXPECT_EQ(refusal_of("{{ \"" + std::string(3'000'000, 'x')), "template.unclosed 0 2");
}

}  // namespace
}  // namespace heddle::emit
