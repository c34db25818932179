// Python's texts: what repr() writes, and that it reads back.

#include "core/python_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {
namespace {

using std::string_literals::operator""s;

/// What is read, up to the end of the text.
std::optional<std::string> read(std::string_view text) {
  std::optional<std::string> said = take_python_string(text);
  if (!text.empty()) return std::nullopt;
  return said;
}

TEST(PythonText, WhatReprWrites) {
  EXPECT_EQ(python_repr("x"), "'x'");
  EXPECT_EQ(python_repr("it's"), "\"it's\"");
  EXPECT_EQ(python_repr("a'b\"c"), "'a\\'b\"c'");
  EXPECT_EQ(python_repr("a\\b\n\t\r\x01\x7f"), "'a\\\\b\\n\\t\\r\\x01\\x7f'");
  EXPECT_EQ(python_repr("é"), "'é'");
  EXPECT_EQ(python_reprs(std::array{"x"s, "it's"s}), "'x', \"it's\"");
}

TEST(PythonText, EveryTextReadsBack) {
  constexpr std::string_view kAlphabet("'\"\\\n\0xu4", 8);
  std::string text(4, ' ');
  for (std::size_t i = 0; i < 8 * 8 * 8 * 8; ++i) {
    for (std::size_t digit = 0, rest = i; digit < 4; ++digit, rest /= 8) {
      text[digit] = kAlphabet[rest % 8];
    }
    ASSERT_EQ(read(python_repr(text)), text) << python_repr(text);
  }
}

TEST(PythonText, CodedCharacters) {
  EXPECT_EQ(read("'\\xe9\\u200b\\U0001f600'"), "é\u200b\U0001f600");
  for (const char* wrong : {"", "x", "'", "'x", "'\\'", "'\\q'", "'\\x1'", "'\\xg0'", "'\\ud800'",
                            "'\\U00110000'", "'\\u-123'"}) {
    EXPECT_EQ(read(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace heddle
