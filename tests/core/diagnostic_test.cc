#include "heddle/core/diagnostic.h"

#include <gtest/gtest.h>

#include "heddle/core/verdict.h"

namespace heddle {
namespace {

Diagnostic sample() {
  return Diagnostic("composition.no_layout", "(4,6):(1,5) o 6:1 is not a layout")
      .with_note("6 is not a multiple of 4")
      .with_witness({"4", "5", "4", "a mode 6:1"})
      .with_hint("use 12:1");
}

TEST(Diagnostic, TextHasTheMessageThenNotesWitnessAndHint) {
  EXPECT_EQ(sample().to_string(),
            "error composition.no_layout: (4,6):(1,5) o 6:1 is not a layout\n"
            "  6 is not a multiple of 4\n"
            "  witness: coordinate 4 maps to 5; a mode 6:1 would need 4\n"
            "  hint: use 12:1");
}

TEST(Diagnostic, TextWithoutPartsIsOneLine) {
  EXPECT_EQ(Diagnostic("overflow", "too large").to_string(), "error overflow: too large");
}

TEST(Diagnostic, CaretStandsUnderThePlace) {
  const Diagnostic diagnostic =
      Diagnostic("syntax.unexpected", "unexpected ')'").with_span(Span{5, 6});
  const std::string text = diagnostic.to_string("(4,8):)");
  EXPECT_NE(text.find("(4,8):)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     ^"), std::string::npos) << text;
}

TEST(Diagnostic, CaretOnALaterLine) {
  const std::string source = "A = 4:1\nB = 4:)\n";
  const Diagnostic diagnostic = Diagnostic("syntax.unexpected", "no").with_span(Span{14, 15});
  const std::string text = diagnostic.to_string(source);
  EXPECT_NE(text.find("B = 4:)"), std::string::npos) << text;
  EXPECT_EQ(text.find("A = 4:1"), std::string::npos) << text;
}

// A span may come from another text than the one that is shown; that must not read past its end.
TEST(Diagnostic, SpanPastTheEndOfTheSource) {
  const Diagnostic diagnostic = Diagnostic("syntax.unexpected", "no").with_span(Span{100, 200});
  EXPECT_NE(diagnostic.to_string("4:1").find("error syntax.unexpected: no"), std::string::npos);
  EXPECT_NE(diagnostic.to_string("").find("error syntax.unexpected: no"), std::string::npos);
}

TEST(Diagnostic, IsAValue) {
  const Diagnostic copy = sample();
  EXPECT_EQ(copy, sample());
  EXPECT_FALSE(copy == Diagnostic("overflow", "too large"));
}

TEST(Verdict, OneLine) {
  EXPECT_EQ(Verdict::yes("digit form").to_string(), "yes  (digit form)");
  EXPECT_EQ(Verdict::no("digit form", Witness{"1", "9", "8", ""}).to_string(),
            "no  (digit form)  counterexample: coordinate 1: 9 and 8");
  EXPECT_EQ(Verdict::unknown("too large").to_string(), "unknown  (too large)");
}

TEST(Verdict, Answers) {
  EXPECT_TRUE(Verdict::yes("m").is_yes());
  EXPECT_FALSE(Verdict::yes("m").is_no());
  EXPECT_TRUE(Verdict::no("m").is_no());
  EXPECT_FALSE(Verdict::unknown("m").is_yes());
  EXPECT_FALSE(Verdict::unknown("m").is_no());
  EXPECT_EQ(Verdict::unknown("m").answer(), Answer::kUnknown);
}

TEST(Verdict, RemarkIsKept) {
  EXPECT_EQ(Verdict::yes("m").with_remark("compared by flat index").remark(),
            "compared by flat index");
}

}  // namespace
}  // namespace heddle
