#include "heddle/core/plain_text.h"

#include <gtest/gtest.h>

#include "core/printable.h"
#include "heddle/core/diagnostic.h"

namespace heddle {
namespace {

/// What ends a line somewhere, moves the cursor, or turns the direction of writing.
const std::string_view kControls[] = {
    "\r",           "\n",           "\v",           "\f",           "\t",
    "\b",           "\x1b",         "\x7f",         "\xc2\x85",     "\xc2\x9b",
    "\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
    "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae",
    "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9", "\xff"};

TEST(PlainText, HasNoControlCharacterNorLineEndNorMarkOfDirection) {
  for (const std::string_view control : kControls) {
    const std::string name = "a" + std::string(control) + "b";
    EXPECT_EQ(printable(name),
              "a\xEF\xBF\xBD"
              "b");
    EXPECT_FALSE(check_name(name));
  }
  EXPECT_EQ(printable("größe µ 行 🧵"), "größe µ 行 🧵");
  EXPECT_TRUE(check_name("größe µ 行 🧵"));
}

TEST(PlainText, OfSeveralLinesKeepsLineFeedsAndTabs) {
  EXPECT_EQ(printable_lines("a\n\tb\r\nc\n"), "a\n\tb\xEF\xBF\xBD\nc\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(PlainText, IsWhatADiagnosticShows) {
  const std::string text = Diagnostic("a.b", "x\ry")
                               .with_note("n\x1b[31m")
                               .with_hint("h\xe2\x80\xae")
                               .with_witness({"1\r", "2", "", ""})
                               .to_string();
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
}

}  // namespace
}  // namespace heddle
