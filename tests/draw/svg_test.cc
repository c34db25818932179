// SVG pictures: well-formed, complete, of reasonable size, and safe with any title.

#include "heddle/draw/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/cute/divide.h"
#include "heddle/cute/manipulation.h"
#include "heddle/draw/operation.h"
#include "heddle/draw/tv.h"
#include "support/law.h"
#include "support/strings.h"
#include "support/text.h"

namespace heddle::draw {
namespace {

using test::composed;
using test::contains;
using test::layout;
using test::tuple;

std::string draw(const cute::AnyLayout& l, const PictureOptions& options = {}) {
  return to_svg(picture(l, options).value());
}

std::size_t count(std::string_view text, std::string_view piece) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(piece, at)) != std::string_view::npos;
       at += piece.size()) {
    ++count;
  }
  return count;
}

/// Why `text` between tags is no XML text.
test::Finding check_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 && c != '\n') return test::found("control character ", int{c});
    if (c == '>') return test::found("a bare >");
    if (c != '&') continue;
    const std::string_view rest = text.substr(i);
    if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
        !rest.starts_with("&quot;")) {
      return test::found("a bare & before ", rest.substr(0, 10));
    }
  }
  return test::kHolds;
}

/// A tag without its angle brackets: its name, and attributes in double quotes.
test::Finding check_attributes(std::string_view tag) {
  const std::size_t quotes = count(tag, "\"");
  if (quotes % 2 != 0 || count(tag, "=\"") * 2 != quotes) return test::found("attributes of ", tag);
  return contains(tag, "<") ? test::found("a bare < in ", tag) : test::kHolds;
}

/// What is not well-formed in the XML that this library writes: tags nest, texts are escaped.
test::Finding check_xml(std::string_view xml) {
  std::vector<std::string> open;
  while (!xml.empty()) {
    const std::size_t begin = xml.find('<');
    if (auto finding = check_text(xml.substr(0, begin))) return finding;
    if (begin == std::string_view::npos) break;
    const std::size_t end = xml.find('>', begin);
    if (end == std::string_view::npos) return test::found("an open tag at the end");
    const std::string_view tag = xml.substr(begin + 1, end - begin - 1);
    xml.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return test::found("a stray ", tag);
      open.pop_back();
      continue;
    }
    if (auto finding = check_attributes(tag)) return finding;
    if (!tag.ends_with('/')) open.emplace_back(tag.substr(0, tag.find(' ')));
  }
  return open.empty() ? test::kHolds : test::found(open.back(), " is not closed");
}

TEST(Svg, IsOneDocument) {
  const std::string svg = draw(layout("(4,8):(8,1)"));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_TRUE(contains(svg, " viewBox=\"0 0 "));
  EXPECT_TRUE(contains(svg, "<title>(4,8):(8,1)</title>"));
  EXPECT_EQ(count(svg, "<g class=\"slice\""), 1U);
  EXPECT_EQ(count(svg, "</title></rect>"), 32U);
  EXPECT_TRUE(contains(svg, ">31</text>"));
  EXPECT_FALSE(contains(svg, "href"));
}

TEST(Svg, TellsTheCoordinateOfACell) {
  EXPECT_TRUE(contains(draw(layout("(4,(2,2)):(2,(1,8))")), "<title>(1,(1,1)) → 11</title>"));
  EXPECT_TRUE(contains(draw(layout("8:2")), "<title>7 → 14</title>"));
  EXPECT_TRUE(contains(draw(layout("(4,4,3):(1,4,16)")), "<title>(3,3,2) → 47</title>"));
  EXPECT_TRUE(contains(draw(cute::make_identity_layout(tuple("(4,4)")).value()),
                       "<title>(1,2) → (1,2)</title>"));
}

TEST(Svg, DrawsWiderLinesAroundOuterBlocks) {
  const std::string svg = draw(layout("((2,2,2),(2,4)):((1,4,16),(2,32))"));
  EXPECT_TRUE(contains(svg, "<path class=\"level0\" stroke-width=\"0.4\""));
  EXPECT_TRUE(contains(svg, "<path class=\"level1\" stroke-width=\"1.5\""));
  EXPECT_TRUE(contains(svg, "<path class=\"level2\" stroke-width=\"2.6\""));
  EXPECT_TRUE(
      contains(svg, "<rect class=\"frame\" width=\"304\" height=\"208\" stroke-width=\"3.7\"/>"));
}

TEST(Svg, HasASliceForEachFurtherCoordinate) {
  const std::string svg = draw(layout("(4,4,3):(1,4,16)"));
  EXPECT_EQ(count(svg, "<g class=\"slice\""), 3U);
  EXPECT_TRUE(contains(svg, ">(_,_,2)</text>"));
}

TEST(Svg, ExplainsItsColors) {
  EXPECT_TRUE(
      contains(draw(layout("8:1"), {.modulus = 4, .run = 2}), ">floor(index / 2) mod 4</text>"));
  EXPECT_FALSE(contains(draw(layout("8:1"), {.modulus = 0}), "legend"));
}

TEST(Svg, EscapesTitles) {
  const std::string svg =
      draw(layout("1:0"), {.title = "<A> & \"B\"\x01\xff\xed\xa0\x80 \xc3\xa9"});
  EXPECT_TRUE(contains(svg, "<title>&lt;A&gt; &amp; &quot;B&quot;��� \xc3\xa9</title>")) << svg;
  EXPECT_EQ(check_xml(svg), test::kHolds);
}

TEST(Svg, WrapsLongTitles) {
  const std::string svg = draw(layout("1:0"), {.title = std::string(1000, 'x')});
  EXPECT_EQ(count(svg, "font-size=\"16\""), 8U);
}

TEST(Svg, SplitsVeryLongRows) {
  const std::string svg = draw(layout("1024:1"));
  EXPECT_EQ(count(svg, "<g class=\"slice\""), 8U);
  EXPECT_TRUE(contains(svg, ">columns 0 to 127 of 1024</text>"));
  EXPECT_EQ(count(svg, "</title></rect>"), 1024U);
}

TEST(Svg, DrawsLargeTilesInReasonableSize) {
  const std::string svg = draw(layout("((8,16),(8,16)):((1,64),(8,1024))"));
  EXPECT_EQ(count(svg, "</title></rect>"), 128U * 128U);
  EXPECT_LT(svg.size(), 3'000'000U);
}

TEST(Svg, IsWellFormed) {
  test::for_all(
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 64)}, {}}; },
      [](const test::Operands& o) -> test::Finding {
        const cute::Layout l = to_layout(o.layouts[0]);
        const std::string svg = draw(l);
        const auto cells = static_cast<std::int64_t>(count(svg, "</title></rect>"));
        if (!known_equal(l.size(), cells)) return test::found(cells, " cells");
        return check_xml(svg);
      });
}

// Nothing lies outside of the page.

/// What texts inherit from the elements around them.
struct Style {
  double x = 0;
  double y = 0;
  double size = 14;
  std::string anchor = "start";
};

std::string attribute(std::string_view tag, const std::string& name) {
  const std::size_t at = tag.find(" " + name + "=\"");
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + name.size() + 3;
  return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

double number(std::string_view tag, const std::string& name, double otherwise) {
  const std::string text = attribute(tag, name);
  return text.empty() ? otherwise : std::stod(text);
}

Style inherited(std::string_view tag, Style style) {
  style.size = number(tag, "font-size", style.size);
  if (const std::string anchor = attribute(tag, "text-anchor"); !anchor.empty())
    style.anchor = anchor;
  const std::string shift = attribute(tag, "transform");
  if (shift.starts_with("translate(")) {
    style.x += std::stod(shift.substr(10));
    style.y += std::stod(shift.substr(shift.find(',') + 1));
  }
  return style;
}

test::Finding check_place(std::string_view tag, std::string_view text, const Style& style,
                          std::string_view page) {
  const auto characters = static_cast<double>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  const double width = 0.6 * style.size * characters;
  double left = style.x + number(tag, "x", 0);
  if (style.anchor == "middle") left -= width / 2;
  if (style.anchor == "end") left -= width;
  const double y = style.y + number(tag, "y", 0);
  const bool is_inside = left >= 0 && left + width <= number(page, "width", 0) &&
                         y - style.size >= 0 && y <= number(page, "height", 0);
  return is_inside ? test::kHolds : test::found(text, " leaves the page at ", left, ", ", y);
}

test::Finding check_page(std::string_view xml) {
  const std::string page(xml.substr(0, xml.find('>')));
  std::vector<Style> open(1);
  while (true) {
    const std::size_t begin = xml.find('<');
    if (begin == std::string_view::npos) return test::kHolds;
    const std::size_t end = xml.find('>', begin);
    const std::string_view tag = xml.substr(begin + 1, end - begin - 1);
    xml.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(inherited(tag, open.back()));
      const std::string_view text = xml.substr(0, xml.find('<'));
      if (!tag.starts_with("text")) continue;
      if (auto finding = check_place(tag, text, open.back(), page)) return finding;
    }
  }
}

TEST(Svg, KeepsAllTextsOnThePage) {
  test::for_all(
      [](test::Random& random) {
        return test::Operands{{test::any_layout(random, 64)}, {random.between(1, 32)}};
      },
      [](const test::Operands& o) -> test::Finding {
        const auto p =
            picture(to_layout(o.layouts[0]), {.modulus = std::max<std::int64_t>(1, o.numbers[0])});
        return check_page(to_svg(p.value()));
      });
}

TEST(Svg, KeepsTheTextsOfPicturesOfSeveralPanelsOnThePage) {
  const cute::Layout a = layout("(8,8):(8,1)");
  const cute::Layout b = layout("4:16");
  const AppliedOperation divide = {"logical_divide", a, cute::Tiler(cute::Tile(b)),
                                   cute::logical_divide(a, b).value()};
  const MmaLayouts mma = {layout("((4,8),(2,2)):((16,1),(8,64))"),
                          layout("((4,8),2):((8,1),32)"),
                          layout("((4,8),(2,2)):((32,1),(16,8))"),
                          16,
                          8,
                          8};
  for (const Picture& p :
       {picture(divide).value(), mma_picture(mma).value(), picture(layout("4096:1")).value(),
        picture(layout("((8,512),(64,8)):((64,4096),(1,512))")).value(),
        tv_picture(layout("(32,1):(1,0)"), {8, 4}, {.thread = 7}).value()}) {
    const std::string svg = to_svg(p);
    EXPECT_EQ(check_page(svg), test::kHolds) << p.title;
    EXPECT_EQ(check_xml(svg), test::kHolds) << p.title;
  }
}

TEST(Svg, OfNoPanelsIsAnEmptyPage) {
  EXPECT_EQ(check_xml(to_svg(Picture{"nothing", "", 0, {}, {}, {}})), test::kHolds);
}

TEST(Svg, DrawsRulersOfNestedModes) {
  const std::string svg = draw(layout("((2,2),(2,4)):((1,4),(2,8))"));
  EXPECT_EQ(count(svg, "class=\"brackets\""), 2U);
  for (const char* label : {">2:1<", ">2:4<", ">2:2<", ">4:8<"}) EXPECT_EQ(count(svg, label), 1U);
  EXPECT_EQ(count(draw(layout("(4,8):(8,1)")), "brackets"), 0U);
}

TEST(Svg, OfSwizzlesIsWellFormed) {
  EXPECT_EQ(check_xml(draw(composed("Sw<3,0,3> o 0 o (8,8):(8,1)"))), test::kHolds);
}

}  // namespace
}  // namespace heddle::draw
