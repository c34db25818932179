// The terminal's pictures, character by character.

#include "heddle/draw/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "heddle/cute/manipulation.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::composed;
using test::layout;
using test::tuple;

std::string drawn(const cute::AnyLayout& l, const TerminalStyle& style = {}) {
  return to_terminal(picture(l).value(), style);
}

TEST(Terminal, FramesAFlatLayout) {
  EXPECT_EQ(drawn(layout("(4,8):(8,1)")),
            "(4,8):(8,1)\n"
            "     0   1   2   3   4   5   6   7\n"
            "  ┌────────────────────────────────┐\n"
            "0 │  0   1   2   3   4   5   6   7 │\n"
            "1 │  8   9  10  11  12  13  14  15 │\n"
            "2 │ 16  17  18  19  20  21  22  23 │\n"
            "3 │ 24  25  26  27  28  29  30  31 │\n"
            "  └────────────────────────────────┘\n");
}

TEST(Terminal, OutlinesBlocks) {
  EXPECT_EQ(drawn(layout("((2,2),(2,2)):((1,4),(2,8))")),
            "((2,2),(2,2)):((1,4),(2,8))\n"
            "              0      1       2      3\n"
            "          (0,0)  (1,0)   (0,1)  (1,1)\n"
            "        ┏━━━━━━━━━━━━━━┯━━━━━━━━━━━━━━┓\n"
            "0 (0,0) ┃     0      2 │     8     10 ┃\n"
            "1 (1,0) ┃     1      3 │     9     11 ┃\n"
            "        ┠──────────────┼──────────────┨\n"
            "2 (0,1) ┃     4      6 │    12     14 ┃\n"
            "3 (1,1) ┃     5      7 │    13     15 ┃\n"
            "        ┗━━━━━━━━━━━━━━┷━━━━━━━━━━━━━━┛\n");
}

TEST(Terminal, DrawsOuterBlocksHeavier) {
  EXPECT_EQ(drawn(layout("((1,2,2),(2,2,2,2)):((0,16,32),(1,2,4,8))"), {.width = 72}),
            "((1,2,2),(2,2,2,2)):((0,16,32),(1,2,4,8))\n"
            "\n"
            "columns 0 to 7 of 16\n"
            "             0   1    2   3    4   5    6   7\n"
            "          ┏━━━━━━━━┯━━━━━━━━┯━━━━━━━━┯━━━━━━━━┓\n"
            "0 (0,0,0) ┃  0   1 ┆  2   3 │  4   5 ┆  6   7 ┃\n"
            "1 (0,1,0) ┃ 16  17 ┆ 18  19 │ 20  21 ┆ 22  23 ┃\n"
            "          ┠────────┼────────┼────────┼────────┨\n"
            "2 (0,0,1) ┃ 32  33 ┆ 34  35 │ 36  37 ┆ 38  39 ┃\n"
            "3 (0,1,1) ┃ 48  49 ┆ 50  51 │ 52  53 ┆ 54  55 ┃\n"
            "          ┗━━━━━━━━┷━━━━━━━━┷━━━━━━━━┷━━━━━━━━┛\n"
            "\n"
            "columns 8 to 15 of 16\n"
            "             8   9   10  11   12  13   14  15\n"
            "          ┏━━━━━━━━┯━━━━━━━━┯━━━━━━━━┯━━━━━━━━┓\n"
            "0 (0,0,0) ┃  8   9 ┆ 10  11 │ 12  13 ┆ 14  15 ┃\n"
            "1 (0,1,0) ┃ 24  25 ┆ 26  27 │ 28  29 ┆ 30  31 ┃\n"
            "          ┠────────┼────────┼────────┼────────┨\n"
            "2 (0,0,1) ┃ 40  41 ┆ 42  43 │ 44  45 ┆ 46  47 ┃\n"
            "3 (0,1,1) ┃ 56  57 ┆ 58  59 │ 60  61 ┆ 62  63 ┃\n"
            "          ┗━━━━━━━━┷━━━━━━━━┷━━━━━━━━┷━━━━━━━━┛\n");
}

TEST(Terminal, JoinsLinesOfDifferentWeight) {
  EXPECT_EQ(drawn(layout("((2,2),(1,2,2,2)):((1,2),(0,4,8,16))"), {.width = 60}),
            "((2,2),(1,2,2,2)):((1,2),(0,4,8,16))\n"
            "           0   1    2   3    4   5    6   7\n"
            "        ┏━━━━━━━━┯━━━━━━━━┯━━━━━━━━┯━━━━━━━━┓\n"
            "0 (0,0) ┃  0   4 ┆  8  12 │ 16  20 ┆ 24  28 ┃\n"
            "1 (1,0) ┃  1   5 ┆  9  13 │ 17  21 ┆ 25  29 ┃\n"
            "        ┠────────┼────────┼────────┼────────┨\n"
            "2 (0,1) ┃  2   6 ┆ 10  14 │ 18  22 ┆ 26  30 ┃\n"
            "3 (1,1) ┃  3   7 ┆ 11  15 │ 19  23 ┆ 27  31 ┃\n"
            "        ┗━━━━━━━━┷━━━━━━━━┷━━━━━━━━┷━━━━━━━━┛\n");
  const std::string heavy = drawn(layout("((2,2,2,2),(2,2)):((1,2,4,8),(16,32))"));
  EXPECT_NE(heavy.find("┣━━━━━━━━━━━━━━┿━━━━━━━━━━━━━━┫\n 8 (0,0,0,1) "), std::string::npos)
      << heavy;
}

TEST(Terminal, DrawsSlicesOneBelowTheOther) {
  EXPECT_EQ(drawn(layout("(2,2,2):(1,2,4)")),
            "(2,2,2):(1,2,4)\n"
            "\n"
            "(_,_,0)\n"
            "    0  1\n"
            "  ┌──────┐\n"
            "0 │ 0  2 │\n"
            "1 │ 1  3 │\n"
            "  └──────┘\n"
            "\n"
            "(_,_,1)\n"
            "    0  1\n"
            "  ┌──────┐\n"
            "0 │ 4  6 │\n"
            "1 │ 5  7 │\n"
            "  └──────┘\n");
}

TEST(Terminal, SplitsWhatIsTooWide) {
  EXPECT_EQ(drawn(layout("12:1"), {.width = 30}),
            "12:1\n"
            "\n"
            "columns 0 to 5 of 12\n"
            "   0   1   2   3   4   5\n"
            "┌────────────────────────┐\n"
            "│  0   1   2   3   4   5 │\n"
            "└────────────────────────┘\n"
            "\n"
            "columns 6 to 11 of 12\n"
            "   6   7   8   9  10  11\n"
            "┌────────────────────────┐\n"
            "│  6   7   8   9  10  11 │\n"
            "└────────────────────────┘\n");
}

TEST(Terminal, DrawsOneColumnWhereNotEvenThatFits) {
  EXPECT_EQ(drawn(layout("2:100"), {.width = 3}),
            "2:100\n"
            "\n"
            "columns 0 to 0 of 2\n"
            "    0\n"
            "┌─────┐\n"
            "│   0 │\n"
            "└─────┘\n"
            "\n"
            "columns 1 to 1 of 2\n"
            "    1\n"
            "┌─────┐\n"
            "│ 100 │\n"
            "└─────┘\n");
}

TEST(Terminal, ShowsCoordinates) {
  EXPECT_EQ(drawn(cute::make_identity_layout(tuple("(2,2)")).value()),
            "(2,2):(1@0,1@1)\n"
            "        0      1\n"
            "  ┌──────────────┐\n"
            "0 │ (0,0)  (0,1) │\n"
            "1 │ (1,0)  (1,1) │\n"
            "  └──────────────┘\n");
}

TEST(Terminal, ShowsTheElementOfTheUnitLayout) {
  EXPECT_EQ(drawn(layout("1:0")), "1:0\n  0\n┌───┐\n│ 0 │\n└───┘\n");
}

TEST(Terminal, ColorsCellsAndExplainsTheColors) {
  const Picture p = picture(layout("2:1"), {.modulus = 2}).value();
  EXPECT_EQ(to_terminal(p, {.color = true}),
            "\x1b[1m2:1\x1b[0m\n"
            "  0  1\n"
            "┌──────┐\n"
            "│\x1b[48;5;195;38;5;16m 0 \x1b[48;5;178;38;5;16m 1 \x1b[0m│\n"
            "└──────┘\n"
            "index mod 2: \x1b[48;5;195;38;5;16m 0 \x1b[0m \x1b[48;5;178;38;5;16m 1 \x1b[0m\n");
}

TEST(Terminal, HasThirtyTwoDifferentColors) {
  const std::string text =
      to_terminal(picture(layout("32:1"), {.modulus = 32}).value(), {.color = true});
  std::set<std::string> seen;
  for (std::size_t at = 0; (at = text.find("48;5;", at)) != std::string::npos; ++at) {
    seen.insert(text.substr(at, text.find("m", at) - at));
  }
  EXPECT_EQ(seen.size(), 32U);
}

TEST(Terminal, MakesControlCharactersHarmless) {
  const Picture p = picture(layout("1:0"), {.title = "a\x1b[31mb\n\xff\xc3("}).value();
  EXPECT_EQ(to_terminal(p).substr(0, to_terminal(p).find('\n')), "a�[31mb���(");
}

TEST(Terminal, HasTrueColorsWhereAsked) {
  const Picture p = picture(layout("2:1"), {.modulus = 2}).value();
  const std::string text = to_terminal(p, {.color = true, .true_color = true});
  EXPECT_NE(text.find("\x1b[48;2;188;225;247;38;5;16m 0 "), std::string::npos) << text;
}

TEST(Terminal, WritesWhiteOnDarkColors) {
  const std::string text =
      to_terminal(picture(layout("32:1"), {.modulus = 32}).value(), {.color = true});
  EXPECT_NE(text.find("\x1b[48;5;22;38;5;231m 28 #28 "), std::string::npos) << text;
}

TEST(Terminal, ShowsNotesBesideTexts) {
  const PictureOptions banks = {.banks = 32, .element_bits = 16};
  EXPECT_EQ(to_terminal(picture(layout("(2,3):(1,20)"), banks).value()),
            "(2,3):(1,20)\n"
            "         0       1       2\n"
            "  ┌────────────────────────┐\n"
            "0 │  0  b0  20 b10  40 b20 │\n"
            "1 │  1  b0  21 b10  41 b20 │\n"
            "  └────────────────────────┘\n");
}

TEST(Terminal, MarksWhatIsLeftOut) {
  const std::string text = drawn(layout("(60,60):(1,60)"), {});
  EXPECT_EQ(text.find("⋯"), std::string::npos) << "3600 cells are not too many";
  const std::string large = drawn(layout("(600,600):(1,600)"), {});
  EXPECT_NE(large.find(" 18600  ⋯  355200 "), std::string::npos) << large;
  EXPECT_NE(large.find("\n  ⋮"), std::string::npos) << large;
  EXPECT_TRUE(large.ends_with("left out: rows 32 to 591 and columns 32 to 591\n"));
}

// Laws.

std::size_t characters(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

test::Operands layout_and_width(test::Random& random) {
  return {{test::any_layout(random, 64)}, {random.between(40, 120)}};
}

TEST(Terminal, KeepsWithinItsWidth) {
  test::for_all(layout_and_width, [](const test::Operands& o) -> test::Finding {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(40, o.numbers[0]));
    const Picture p = picture(to_layout(o.layouts[0]), {.title = ""}).value();
    std::istringstream lines(without_escapes(to_terminal(p, {.color = true, .width = width})));
    for (std::string line; std::getline(lines, line);) {
      if (characters(line) > width && !line.starts_with("(_")) return test::found(line);
    }
    return test::kHolds;
  });
}

TEST(Terminal, ShowsTheSameWithAndWithoutColors) {
  test::for_all(layout_and_width, [](const test::Operands& o) -> test::Finding {
    const Picture p = picture(to_layout(o.layouts[0])).value();
    const auto width = static_cast<std::size_t>(o.numbers[0]);
    const std::string plain = to_terminal(p, {.width = width});
    const std::string colored = without_escapes(to_terminal(p, {.color = true, .width = width}));
    return colored.starts_with(plain + "index mod 8:") ? test::kHolds : test::found(colored);
  });
}

TEST(Terminal, HasLinesOfOneLengthInEachGrid) {
  test::for_all(layout_and_width, [](const test::Operands& o) -> test::Finding {
    const Picture p = picture(to_layout(o.layouts[0]), {.title = ""}).value();
    std::istringstream lines(to_terminal(p));
    std::size_t length = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with("┓") || line.ends_with("┐")) length = characters(line);
      const bool is_grid = line.ends_with("┃") || line.ends_with("│") || line.ends_with("┨");
      if (is_grid && characters(line) != length) return test::found(line);
    }
    return length > 0 ? test::kHolds : test::found("no grid");
  });
}

}  // namespace
}  // namespace heddle::draw
